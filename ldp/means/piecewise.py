"""The piecewise mechanism, which is a square wave read linearly."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp._words import Words, words
from ldp.means import _grid
from ldp.mechanisms import windows
from ldp.mechanisms.reports import number_outcomes, outcome_number
from ldp.mechanisms.shared import count_outcomes, outcome_counts
from ldp.types import Array, Floats, Integers

_WINDOWS_AT_ONCE = 2**14


def window_square(resolution: int, epsilon: float, window: Any) -> tuple[Any, Any]:
    """Mean square a + b u^2 of a report's number, in steps from the middle; and slope = 1 / b."""
    # A report is a cell of the window with chance `slope`, evenly, and any cell at all otherwise.
    w = np.asarray(window, dtype=np.float64)
    cells = resolution + w
    slope = -w * math.expm1(-epsilon) / (w + resolution * math.exp(-epsilon))
    near, far = (w**2 - 1) / 12, (cells**2 - 1) / 12  # mean squares of so many even cells
    return (slope * near + (1 - slope) * far) / slope**2, slope


def best_window(resolution: int, epsilon: float, worst: Callable[[Any, Any], Any]) -> int:
    """Return the window of least worst variance, a function of a and the slope, among all."""
    # The best is never wider than the range, nearly so for small budgets.
    last = 2 * resolution

    def best_from(first: int) -> tuple[float, int]:
        sizes = np.arange(first, min(first + _WINDOWS_AT_ONCE, last + 1))
        spread = worst(*window_square(resolution, epsilon, sizes))
        at = int(np.argmin(spread))
        return float(spread[at]), first + at

    with np.errstate(all="ignore"):  # a budget too small is refused by the mechanism
        return min(map(best_from, range(1, last + 1, _WINDOWS_AT_ONCE)))[1]


def check_window(given: Any, resolution: int, epsilon: float) -> int:
    """Return the number of cells of a window, at a budget that its law can spend."""
    window = _checks.integer(given, "window", 1, 4 * resolution)
    windows.check_window_law(resolution, epsilon, window)
    return window


@dataclass(frozen=True, init=False)
class PiecewiseMean:
    r"""Mean of values in a range from cells that are likelier near the value.

    The value is rounded to a grid of :math:`K` steps, so that its mean stays. Reports are cells
    0..K+w-1, and point :math:`j` has the window of the :math:`w` cells from :math:`j` to
    :math:`j+w-1`:

    .. math:: \Pr[y\mid j]=\begin{cases}p=\frac{e^\epsilon}{we^\epsilon+K} & j\le y<j+w\\
              q=\frac{1}{we^\epsilon+K} & \text{otherwise}\end{cases}

    The mean cell rises linearly with :math:`j`, by :math:`\sigma=w(p-q)` a step, so the report
    divided by :math:`\sigma` is unbiased. The number has the mean square :math:`a+u^2/\sigma` at
    :math:`u` steps from the middle, with

    .. math:: a=\frac{\sigma\frac{w^2-1}{12}+(1-\sigma)\frac{(K+w)^2-1}{12}}{\sigma^2}

    Parameters
    ----------
    lower, upper, epsilon, resolution
        As for :class:`ldp.means.LaplaceMean`.
    window : int, optional
        :math:`w\ge 1`. By default the one of least variance for the worst value, found among all.
        The piecewise mechanism as published has :math:`w\approx Ke^{-\epsilon/2}`, whose worst
        variance is larger: by 3 % at a budget of 1, by half at 4.

    Raises
    ------
    TypeError, ValueError
        As :class:`ldp.means.LaplaceMean`, or if the window is not from 1 to four times the
        resolution.

    Notes
    -----
    The law is that of :class:`ldp.SquareWave` on K + 1 values; only what is computed from the
    reports differs. In units of the range the published half-width is :math:`e^{-\epsilon/2}/2`.

    Examples
    --------
    >>> m = PiecewiseMean(-1.0, 1.0, 1.0)
    >>> m.window, round(m.worst_variance, 3)
    (795, 5.066)
    >>> published = PiecewiseMean(-1.0, 1.0, 1.0, window=round(1024 * np.exp(-0.5)))
    >>> round(published.worst_variance, 3)
    5.224

    References
    ----------
    ``wang2019collecting``, section III.
    """

    grid: _grid.Grid
    epsilon: float
    window: int

    def __init__(
        self,
        lower: float,
        upper: float,
        epsilon: float,
        resolution: int = 1024,
        window: int | None = None,
    ) -> None:
        grid, budget = _grid.Grid(lower, upper, resolution), _checks.epsilon(epsilon)
        steps = grid.resolution
        if window is None:
            # Values of the first step, at either end of the range, are the worst.
            window = best_window(
                steps, budget, lambda a, slope: _grid.largest_spread(a, 1 / slope, -steps / 2)
            )
        freeze(self, grid=grid, epsilon=budget, window=check_window(window, steps, budget))

    @property
    def num_outcomes(self) -> int:
        """Number K + w of cells."""
        return self.grid.resolution + self.window

    @property
    def _windows(self) -> tuple[int, float, int]:
        return self.grid.resolution, self.epsilon, self.window

    @property
    def p(self) -> float:
        """Probability of any one cell in the window."""
        return windows.window_law(*self._windows)[0]

    @property
    def q(self) -> float:
        """Probability of any one cell outside the window."""
        return windows.window_law(*self._windows)[1]

    @property
    def _slope(self) -> float:
        return float(window_square(self.grid.resolution, self.epsilon, self.window)[1])

    @property
    def _square(self) -> tuple[float, float]:
        a, slope = window_square(self.grid.resolution, self.epsilon, self.window)
        return float(a), float(1 / slope)

    report = property(outcome_number)
    worst_variance = property(_grid.worst_variance)
    variance = _grid.variance
    privatize = _grid.privatize
    outcomes = number_outcomes
    tally = count_outcomes
    mean = _grid.mean
    _moments = _grid.histogram_moments
    check_counts = outcome_counts

    def _randomize(self, shares: Floats, rng: np.random.Generator) -> Array:
        points = _grid.round_at_random(shares, self.grid.resolution, words(rng, shares.size))
        return self._draw(points, words(rng, shares.size))

    def _draw(self, points: Integers, random_words: Words) -> Array:
        cells = np.empty(points.size, dtype=self.report.dtype)
        windows.draw_in_windows(points, random_words, *self._windows, cells)
        return cells

    def unbiased(self, reports: npt.ArrayLike) -> Floats:
        """One number per report, in the units of the values, whose mean is the user's value."""
        cells = self.outcomes(reports) - (self.num_outcomes - 1) / 2
        return self.grid.number(cells / self._slope)

    def channel(self) -> Floats:
        """Pr[cell | point of the grid], shape (K + 1, K + w)."""
        _checks.channel_size(self.grid.resolution + 1, self.num_outcomes, "resolution")
        return windows.window_channel(*self._windows)
