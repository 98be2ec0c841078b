"""Cells of a line that are likelier near the value: of square waves and of piecewise means."""

import math

import numpy as np

from ldp import _checks, _kernels
from ldp._words import Words, at_least, shared_rest
from ldp.types import Array, Floats, Integers


def window_law(num_outside: int, epsilon: float, window: int) -> tuple[float, float]:
    """Probability of any one cell in a window, and of any one of so many cells outside it."""
    inside = 1 / (window + num_outside * math.exp(-epsilon))
    return inside, inside * math.exp(-epsilon)


def check_window_law(num_outside: int, epsilon: float, window: int) -> None:
    """Refuse a budget that float64 or the integer weights would lose."""
    p, q = window_law(num_outside, epsilon, window)
    _checks.probabilities(p, q, epsilon)
    _checks.integer_weights(p, epsilon, num_outside, window)


def draw_in_windows(
    values: Integers, random_words: Words, num_outside: int, epsilon: float, window: int, out: Array
) -> None:
    """Draw a cell of each value's window, or one outside it."""
    outside = at_least(window_law(num_outside, epsilon, window)[1])
    inside = shared_rest(outside, num_outside, window)
    _kernels.draw_near(values, random_words, outside, inside, window, num_outside, out)


def window_channel(num_outside: int, epsilon: float, window: int) -> Floats:
    """Matrix with p in a band of `window` columns and q elsewhere."""
    p, q = window_law(num_outside, epsilon, window)
    distance = np.arange(num_outside + window) - np.arange(num_outside + 1)[:, None]
    return np.where((distance >= 0) & (distance < window), p, q)
