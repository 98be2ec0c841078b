"""A mixture of the piecewise mechanism and one bit, as uncertain about all values."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp._words import threshold, words
from ldp.means import _grid
from ldp.means.one_bit import OneBitMean, bit_scale
from ldp.means.piecewise import PiecewiseMean, best_window, check_window
from ldp.mechanisms.randomized_response import check_response
from ldp.mechanisms.reports import number_outcomes, numbers
from ldp.mechanisms.shared import count_outcomes, outcome_counts
from ldp.types import Array, Floats, ReportType


@dataclass(frozen=True, init=False)
class HybridMean:
    r"""Mean of values in a range by one of two mechanisms, chosen by a coin for each user.

    With chance :math:`\sigma` the report is that of :class:`ldp.means.PiecewiseMean` with slope
    :math:`\sigma`, otherwise that of :class:`ldp.means.OneBitMean`. The first is least certain
    about values at the ends and the second about those in the middle; with this chance the variance
    is the same for all values:

    .. math:: \sigma a+(1-\sigma)\tfrac{K^2}{4}\coth^2(\epsilon/2)\quad\text{squared steps.}

    Where the piecewise mechanism is worse even in the middle, below a budget of about 0.61, only
    the bit is sent.

    Parameters
    ----------
    lower, upper, epsilon, resolution
        As for :class:`ldp.means.LaplaceMean`.
    window : int, optional
        By default the one of least variance of the mixture, found among all. The hybrid mechanism
        as published has :math:`w\approx Ke^{-\epsilon/2}` and the chance :math:`1-e^{-\epsilon/2}`,
        which is :math:`\sigma` for that window and large K.

    Notes
    -----
    A report is one integer: a cell of the piecewise mechanism, or the number of cells plus the bit.

    Examples
    --------
    >>> m = HybridMean(-1.0, 1.0, 1.0)
    >>> round(m.worst_variance, 3), round(float(m.variance(0.3)), 3)
    (4.267, 4.267)

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
        check_response(2, budget)
        steps = grid.resolution
        if window is None:
            by_bit = bit_scale(budget) ** 2 / 4 * steps**2
            window = best_window(steps, budget, lambda a, slope: slope * a + (1 - slope) * by_bit)
        freeze(self, grid=grid, epsilon=budget, window=check_window(window, steps, budget))

    @property
    def piecewise(self) -> PiecewiseMean:
        """The one part."""
        grid = self.grid
        return PiecewiseMean(grid.lower, grid.upper, self.epsilon, grid.resolution, self.window)

    @property
    def one_bit(self) -> OneBitMean:
        """The other part."""
        return OneBitMean(self.grid.lower, self.grid.upper, self.epsilon)

    @property
    def share(self) -> float:
        """Chance that the piecewise mechanism makes the report."""
        in_the_middle = self.piecewise._square[0]
        return self.piecewise._slope if in_the_middle < self._by_bit else 0.0

    @property
    def _by_bit(self) -> float:
        return self.one_bit._square[0] * self.grid.resolution**2

    @property
    def num_outcomes(self) -> int:
        """Number K + w + 2 of reports."""
        return self.grid.resolution + self.window + 2

    @property
    def report(self) -> ReportType:
        """A cell, or the number of cells plus the bit; where only the bit is sent, no cell."""
        least = 0 if self.share else self.piecewise.num_outcomes
        return numbers(least, self.num_outcomes - 1)

    @property
    def _square(self) -> tuple[float, float]:
        a, b = self.piecewise._square
        return self.share * a + (1 - self.share) * self._by_bit, self.share * b

    worst_variance = property(_grid.worst_variance)
    variance = _grid.variance
    privatize = _grid.privatize
    outcomes = number_outcomes
    tally = count_outcomes
    mean = _grid.mean
    _moments = _grid.histogram_moments
    check_counts = outcome_counts

    def _randomize(self, shares: Floats, rng: np.random.Generator) -> Array:
        # Both reports are made, from the same words: only one of them is sent.
        cells, bit = self.piecewise, self.one_bit
        coin, rounding, drawing = words(rng, (3, shares.size))
        points = _grid.round_at_random(shares, self.grid.resolution, rounding)
        ends = _grid.round_at_random(shares, 1, rounding)
        return np.where(
            coin < threshold(self.share),
            cells._draw(points, drawing),
            np.add(bit._draw(ends, drawing), cells.num_outcomes, dtype=self.report.dtype),
        )

    def unbiased(self, reports: npt.ArrayLike) -> Floats:
        """One number per report, in the units of the values, whose mean is the user's value."""
        given, cells = self.outcomes(reports), self.piecewise.num_outcomes
        by_window = self.piecewise.unbiased(np.minimum(given, cells - 1))
        return np.where(
            given < cells, by_window, self.one_bit.unbiased(np.maximum(given - cells, 0))
        )

    def channel(self) -> Floats:
        """Pr[report | point of the grid], shape (K + 1, K + w + 2)."""
        ends = np.linspace(0, 1, self.grid.resolution + 1)[:, None]
        by_bit = np.hstack([1 - ends, ends]) @ self.one_bit.channel()
        return np.hstack([self.share * self.piecewise.channel(), (1 - self.share) * by_bit])
