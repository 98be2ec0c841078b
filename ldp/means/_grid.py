r"""What every mean oracle does in the same way.

A value is rounded at random to one of :math:`K+1` evenly spaced points, so that its mean stays, and
the point is randomized. With :math:`u` the place of a value in steps from the middle of the range,
every oracle here sends a number of mean :math:`u` and mean square :math:`a+bu^2` at the points.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import Words
from ldp.tally import Tally, check_counts
from ldp.types import Array, Floats, Integers, ReportType

_LARGEST_RESOLUTION = 2**20


class Moments(NamedTuple):
    """How many numbers reports stand for, their mean and their sample variance."""

    size: int
    mean: float
    variance: float


def check_range(lower: Any, upper: Any) -> tuple[float, float]:
    """Return the ends of a range whose square is a float64."""
    ends = _checks.interval(lower, upper)
    if not 1e-100 < ends[1] - ends[0] < 1e100:
        raise ValueError(
            f"upper must exceed lower by 1e-100 to 1e100, got {ends[0]} and {ends[1]}."
        )
    return ends


@dataclass(frozen=True, init=False)
class Grid:
    """Evenly spaced points of a range."""

    lower: float
    upper: float
    resolution: int
    """Number K of steps from end to end."""

    def __init__(self, lower: float, upper: float, resolution: int) -> None:
        ends = check_range(lower, upper)
        steps = _checks.integer(resolution, "resolution", 1, _LARGEST_RESOLUTION)
        freeze(self, lower=ends[0], upper=ends[1], resolution=steps)

    @property
    def step(self) -> float:
        """Width of a step, in the units of the values."""
        return (self.upper - self.lower) / self.resolution

    @property
    def middle(self) -> float:
        """Middle of the range."""
        return self.lower + (self.upper - self.lower) / 2

    @property
    def points(self) -> Floats:
        """Points that values are rounded to, shape (resolution + 1,)."""
        return np.linspace(self.lower, self.upper, self.resolution + 1)

    def shares(self, values: Floats) -> Floats:
        """How far from one end to the other values lie, from 0 to 1."""
        return (values - self.lower) / (self.upper - self.lower)

    def number(self, steps: npt.ArrayLike) -> Floats:
        """Return the number that lies so many steps from the middle of the range."""
        return self.middle + np.asarray(self.step * np.asarray(steps), dtype=np.float64)


@runtime_checkable
class OnGrid(Protocol):
    """The parts of a mean oracle that the functions of this room need."""

    @property
    def grid(self) -> Grid: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def worst_variance(self) -> float: ...
    def variance(self, values: npt.ArrayLike) -> Floats: ...
    @property
    def _square(self) -> tuple[float, float]: ...
    @property
    def report(self) -> ReportType: ...
    @property
    def num_outcomes(self) -> int: ...
    def tally(self, reports: npt.ArrayLike) -> Tally: ...
    def unbiased(self, reports: npt.ArrayLike) -> Floats: ...
    def _randomize(self, shares: Floats, rng: np.random.Generator) -> Array: ...
    def _moments(self, reports: npt.ArrayLike | Tally) -> Moments: ...


# -- reports ---------------------------------------------------------------------------------------


def privatize(m: OnGrid, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
    """Round each value at random to a point of the grid and randomize the point.

    Parameters
    ----------
    values : array_like, shape (n,)
        Real numbers in the range; none is clipped.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n,), of the dtype of `report`
    """
    given = _checks.reals_between(values, "values", m.grid.lower, m.grid.upper)
    rng = _checks.rng(rng)
    reports = np.empty(given.size, dtype=m.report.dtype)
    for chunk in _kernels.chunks(given.size, 2):
        reports[chunk] = m._randomize(m.grid.shares(given[chunk]), rng)
    return reports


def round_at_random(shares: Floats, resolution: int, random_words: Words) -> Integers:
    """Round shares of the range to the points below or above, one word each; their mean stays."""
    points = np.empty(shares.size, dtype=np.int64)
    _kernels.round_at_random(shares, random_words, resolution, points)
    return points


# -- variance --------------------------------------------------------------------------------------


def variance(m: OnGrid, values: npt.ArrayLike) -> Floats:
    r"""Variance of the number that one user sends, given the value.

    .. math:: w^2\left(a+(b-1)u^2+b\,r(1-r)\right)

    with w the step of the grid, u the steps from the middle, and r the part of a step above the
    point below.

    Parameters
    ----------
    values : array_like, any shape
        Values in the range.

    Returns
    -------
    ndarray, in the shape of `values`
    """
    grid, array = m.grid, _checks.plain_array(values, "values")
    given = _checks.reals_between(array, "values", grid.lower, grid.upper, array.ndim)
    place = grid.shares(given) * grid.resolution
    below = np.minimum(np.floor(place), grid.resolution - 1)
    middle = grid.resolution / 2
    result: Floats = grid.step**2 * spread(*m._square, below - middle, place - below)
    return result


def spread(a: Any, b: Any, point: Any, rest: Any) -> Any:
    """Variance, in squared steps, `rest` of a step above a point so many steps from the middle."""
    return a + (b - 1) * (point + rest) ** 2 + b * rest * (1 - rest)


def largest_spread(a: Any, b: Any, point: Any) -> Any:
    """Largest variance from a point to the next: a parabola that opens downwards."""
    return spread(a, b, point, np.clip((b - 1) * point + b / 2, 0, 1))


def worst_variance(m: OnGrid) -> float:
    """Largest :meth:`variance` of all values in the range."""
    points = np.arange(m.grid.resolution) - m.grid.resolution / 2
    return float(m.grid.step**2 * largest_spread(*m._square, points).max())


# -- estimates -------------------------------------------------------------------------------------


def mean(m: OnGrid, reports: npt.ArrayLike | Tally) -> float:
    """Unbiased estimate of the mean of the users' values, from reports or a tally of them."""
    return m._moments(reports).mean


def histogram_moments(m: OnGrid, reports: npt.ArrayLike | Tally) -> Moments:
    """Return the moments from a count of every possible report."""
    tally = checked_tally(m, reports, m.num_outcomes)
    seen = np.flatnonzero(tally.counts)
    numbers = np.zeros(m.num_outcomes)
    numbers[seen] = m.unbiased(seen) - m.grid.middle
    average = float(tally.counts @ numbers) / tally.num_reports
    squares = float(tally.counts @ (numbers - average) ** 2)
    return finished(m, tally.num_reports, average, squares)


def finished(m: OnGrid, size: int, average: float, squares: float) -> Moments:
    """Finish the moments: the mean is about the middle of the range, the squares about the mean."""
    return Moments(size, m.grid.middle + average, squares / (size - 1) if size > 1 else math.nan)


def checked_tally(m: OnGrid, reports: npt.ArrayLike | Tally, num_counts: int) -> Tally:
    """Return a tally of at least one report of this oracle, in so many integers."""
    tally = reports if isinstance(reports, Tally) else m.tally(reports)
    if tally.mechanism is not None and tally.mechanism != m:
        raise ValueError(f"reports must be of {m}, got one of {_checks.shown(tally.mechanism)}.")
    counts = tally.counts
    if counts.size != num_counts or counts.dtype.kind != "i" or tally.candidates is not None:
        raise ValueError(
            f"reports must be a tally of {num_counts} integers, got {_checks.shown(tally)}."
        )
    if tally.num_reports == 0:
        raise ValueError("reports must be at least one, got 0.")
    check_counts(tally, m, "counts of the reports")
    return tally
