r"""What every mean oracle does in the same way.

A value is rounded at random to one of :math:`K+1` evenly spaced points, so that its mean stays, and
the point is randomized. With :math:`u` the place of a value in steps from the middle of the range,
every oracle here sends a number of mean :math:`u` and mean square :math:`a+bu^2` at the points.
"""

import math
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._words import Words
from ldp.tally import Tally
from ldp.types import Floats, Integers

_LARGEST_RESOLUTION = 2**20


class OnGrid(Protocol):
    """The parts of a mean oracle that the functions of this file need."""

    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def resolution(self) -> int: ...
    @property
    def _square(self) -> tuple[float, float]: ...
    @property
    def num_outcomes(self) -> int: ...
    def outcomes(self, reports: npt.ArrayLike) -> Integers: ...
    def tally(self, reports: npt.ArrayLike) -> Tally: ...
    def unbiased(self, reports: npt.ArrayLike) -> Floats: ...


def check_resolution(given: Any) -> int:
    """Return the number of steps of a grid."""
    return _checks.integer(given, "resolution", 1, _LARGEST_RESOLUTION)


def step(m: OnGrid) -> float:
    """Width of a step of the grid, in the units of the values."""
    return (m.upper - m.lower) / m.resolution


def middle(m: OnGrid) -> float:
    """Middle of the range."""
    return m.lower + (m.upper - m.lower) / 2


def grid(m: OnGrid) -> Floats:
    """Points that values are rounded to, shape (resolution + 1,)."""
    return np.linspace(m.lower, m.upper, m.resolution + 1)


def places(m: OnGrid, values: Any, dimensions: int = 1) -> tuple[Integers, Floats]:
    """Return the point below each checked value and how far it is towards the next, from 0 to 1."""
    given = _checks.reals_between(values, "values", m.lower, m.upper, dimensions)
    place = np.clip((given - m.lower) / (m.upper - m.lower), 0, 1) * m.resolution
    below = np.minimum(np.floor(place), m.resolution - 1).astype(np.int64)
    return below, place - below


def round_to_grid(below: Integers, rest: Floats, random_words: Words) -> Integers:
    """Round up with probability `rest`, one word each."""
    thresholds = np.ldexp(np.minimum(rest, 1 - 2.0**-53), 64).astype(np.uint64)
    up = (random_words < thresholds) | (rest == 1)  # the upper end, whatever the word
    rounded: Integers = below + up
    return rounded


def variance(m: OnGrid, values: npt.ArrayLike) -> Floats:
    r"""Variance of the number that one user sends, given the value.

    .. math:: w^2\left(a+(b-1)u^2+b\,r(1-r)\right)

    with w the step of the grid, u the steps from the middle, and r the part of a step above the
    point below.

    Parameters
    ----------
    values : array_like, any shape
        Values in the range.
    """
    array = _checks.plain_array(values, "values")
    below, rest = places(m, array, array.ndim)
    a, b = m._square
    steps = below + rest - m.resolution / 2
    result: Floats = step(m) ** 2 * (a + (b - 1) * steps**2 + b * rest * (1 - rest))
    return result


def worst_variance(m: OnGrid) -> float:
    """Largest :meth:`variance` of all values in the range."""
    a, b = m._square
    first = np.arange(m.resolution) - m.resolution / 2
    # Between two points it is a parabola that opens downwards.
    rest = np.clip((b - 1) * first + b / 2, 0, 1)
    largest = (b - 1) * (first + rest) ** 2 + b * rest * (1 - rest)
    return float(step(m) ** 2 * (a + largest.max()))


def histogram_mean(m: OnGrid, reports: npt.ArrayLike | Tally) -> float:
    """Unbiased estimate of the mean of the users' values."""
    return moments(m, reports)[1]


def moments(m: OnGrid, reports: npt.ArrayLike | Tally) -> tuple[int, float, float]:
    """Return how many numbers there are, their mean and their sample variance."""
    tally = checked_tally(m, reports)
    numbers = m.unbiased(np.arange(m.num_outcomes)) - middle(m)
    return summary(m, tally, float(tally.counts @ numbers), float(tally.counts @ numbers**2))


def summary(m: OnGrid, tally: Tally, total: float, squares: float) -> tuple[int, float, float]:
    """Finish the moments, from sums about the middle of the range."""
    n = tally.num_reports
    spread = max(0.0, squares - total**2 / n) / (n - 1) if n > 1 else math.nan
    return n, middle(m) + total / n, spread


def checked_tally(m: OnGrid, reports: npt.ArrayLike | Tally) -> Tally:
    """Return a tally of at least one report of this oracle."""
    tally = reports if isinstance(reports, Tally) else m.tally(reports)
    if tally.mechanism is not None and tally.mechanism != m:
        raise ValueError(f"reports must be of {m}, got a tally of {tally.mechanism}.")
    if tally.num_reports == 0:
        raise ValueError("reports must be at least one, got 0.")
    return tally


def number(m: OnGrid, steps: npt.ArrayLike) -> Floats:
    """Return the number that lies so many steps from the middle of the range."""
    return middle(m) + np.asarray(step(m) * np.asarray(steps), dtype=np.float64)


def coth(x: float) -> float:
    """Hyperbolic cotangent."""
    return 1 / math.tanh(x)
