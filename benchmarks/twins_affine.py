"""Plain numpy for affine maps modulo a prime."""

from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def affine_privatize(
    values: Integers, prime: int, window: int, slopes: range, p: float, rng: np.random.Generator
) -> Any:
    n, first = values.size, slopes[0]
    slope = rng.integers(first, first + len(slopes), n)
    inside, without = rng.integers(0, window, n), rng.integers(window, prime, n)
    place = np.where(rng.random(n) < p, inside, without)
    return (slope - first) * prime + (place - slope * values) % prime


def affine_tally(reports: Integers, prime: int, window: int, slopes: range, d: int) -> Any:
    cells = np.bincount(reports, minlength=len(slopes) * prime).reshape(-1, prime)
    around = np.concatenate([np.zeros((len(slopes), 1), np.int64), cells, cells], axis=1)
    sums = np.cumsum(around, axis=1)
    windows = sums[:, window : window + prime] - sums[:, :prime]
    slope = np.array(slopes)[:, None]
    return np.take_along_axis(windows, -slope * np.arange(d) % prime, axis=1).sum(axis=0)
