"""The piecewise mechanism, which is a square wave read linearly, and its mixture with one bit."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._words import at_least, shared_rest, threshold, words
from ldp.mechanisms._shared import freeze
from ldp.mechanisms.mean import _grid
from ldp.mechanisms.mean.one_bit import OneBitMean
from ldp.tally import Tally
from ldp.types import Floats, Integers


def _window_square(resolution: int, epsilon: float, window: Any) -> tuple[Any, Any]:
    """Mean square a + b u^2 of a report's number, in steps from the middle; and slope = 1 / b."""
    # A report is a cell of the window with chance `slope`, evenly, and any cell at all otherwise.
    w = np.asarray(window, dtype=np.float64)
    cells = resolution + w
    slope = -w * math.expm1(-epsilon) / (w + resolution * math.exp(-epsilon))
    near, far = (w**2 - 1) / 12, (cells**2 - 1) / 12  # mean squares of so many even cells
    return (slope * near + (1 - slope) * far) / slope**2, slope


def _windows(resolution: int) -> Integers:
    return np.arange(1, 2 * resolution + 1)


def _check_window(given: Any, resolution: int) -> int:
    return _checks.integer(given, "window", 1, 4 * resolution)


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
    lower, upper : float
        Ends of the range.
    epsilon : float
        Privacy budget.
    resolution : int
        Number :math:`K` of steps from end to end.
    window : int, optional
        :math:`w\ge 1`. By default the one of least variance for the worst value, found among all.
        The piecewise mechanism as published has :math:`w\approx Ke^{-\epsilon/2}`, whose worst
        variance is larger: by 3 % at a budget of 1, by half at 4.

    Raises
    ------
    TypeError, ValueError
        As :class:`ldp.LaplaceMean`, or if the window is not from 1 to four times the resolution.

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

    lower: float
    upper: float
    epsilon: float
    resolution: int
    window: int

    def __init__(
        self,
        lower: float,
        upper: float,
        epsilon: float,
        resolution: int = 1024,
        window: int | None = None,
    ) -> None:
        ends, budget = _checks.interval(lower, upper), _checks.epsilon(epsilon)
        steps = _grid.check_resolution(resolution)
        if window is None:
            with np.errstate(all="ignore"):  # a budget too small is refused below
                a, slope = _window_square(steps, budget, _windows(steps))
                window = 1 + int(np.argmin(a + (1 / slope - 1) * (steps / 2) ** 2))
        size = _check_window(window, steps)
        freeze(self, lower=ends[0], upper=ends[1], epsilon=budget, resolution=steps, window=size)
        _checks.probabilities(self.p, self.q, budget)

    @property
    def num_outcomes(self) -> int:
        """Number K + w of cells."""
        return self.resolution + self.window

    @property
    def p(self) -> float:
        """Probability of any one cell in the window."""
        return 1 / (self.window + self.resolution * math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """Probability of any one cell outside the window."""
        return self.p * math.exp(-self.epsilon)

    @property
    def _slope(self) -> float:
        return float(_window_square(self.resolution, self.epsilon, self.window)[1])

    @property
    def _square(self) -> tuple[float, float]:
        a, slope = _window_square(self.resolution, self.epsilon, self.window)
        return float(a), float(1 / slope)

    grid = property(_grid.grid)
    worst_variance = property(_grid.worst_variance)
    variance = _grid.variance
    mean = _grid.histogram_mean
    _moments = _grid.moments

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Integers:
        """Round each value to the grid and draw a cell in its window or outside it."""
        below, rest = _grid.places(self, values)
        rng = _checks.rng(rng)
        points = _grid.round_to_grid(below, rest, words(rng, below.size))
        return self._draw(points, rng)

    def _draw(self, points: Integers, rng: np.random.Generator) -> Integers:
        outside = at_least(self.q)
        inside = shared_rest(outside, self.resolution, self.window)
        reports = np.empty_like(points)
        for chunk in _kernels.chunks(points.size, 1):
            random_words = words(rng, chunk.stop - chunk.start)
            _kernels.draw_near(
                points[chunk],
                random_words,
                outside,
                inside,
                self.window,
                self.resolution,
                reports[chunk],
            )
        return reports

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count the reports in each cell."""
        given = self.outcomes(reports)
        return Tally(_kernels.histogram(given, self.num_outcomes), given.size, self)

    def unbiased(self, reports: npt.ArrayLike) -> Floats:
        """One number per report, in the units of the values, whose mean is the user's value."""
        cells = self.outcomes(reports) - (self.num_outcomes - 1) / 2
        return _grid.number(self, cells / self._slope)

    def channel(self) -> Floats:
        """Pr[cell | point of the grid], shape (K + 1, K + w)."""
        _checks.channel_size(self.resolution + 1, self.num_outcomes)
        distance = np.arange(self.num_outcomes) - np.arange(self.resolution + 1)[:, None]
        return np.where((distance >= 0) & (distance < self.window), self.p, self.q)

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """Cell y is column y."""
        return _checks.integers_below(reports, "reports", self.num_outcomes)


@dataclass(frozen=True, init=False)
class HybridMean:
    r"""Mean of values in a range by one of two mechanisms, chosen by a coin for each user.

    With chance :math:`\sigma` the report is that of :class:`ldp.PiecewiseMean` with slope
    :math:`\sigma`, otherwise that of :class:`ldp.OneBitMean`. The first is least certain about
    values at the ends and the second about those in the middle; with this chance the variance is
    the same for all values:

    .. math:: \sigma a+(1-\sigma)\tfrac{K^2}{4}\coth^2(\epsilon/2)\quad\text{squared steps.}

    Where the piecewise mechanism is worse even in the middle, below a budget of about 0.61, only
    the bit is sent.

    Parameters
    ----------
    lower, upper, epsilon, resolution
        As of :class:`ldp.PiecewiseMean`.
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

    lower: float
    upper: float
    epsilon: float
    resolution: int
    window: int

    def __init__(
        self,
        lower: float,
        upper: float,
        epsilon: float,
        resolution: int = 1024,
        window: int | None = None,
    ) -> None:
        bit = OneBitMean(lower, upper, epsilon)
        steps = _grid.check_resolution(resolution)
        if window is None:
            by_bit = bit._square[0] * steps**2
            with np.errstate(all="ignore"):  # a budget too small is refused below
                a, slope = _window_square(steps, bit.epsilon, _windows(steps))
                window = 1 + int(np.argmin(slope * a + (1 - slope) * by_bit))
        size = _check_window(window, steps)
        PiecewiseMean(bit.lower, bit.upper, bit.epsilon, steps, size)
        freeze(
            self,
            lower=bit.lower,
            upper=bit.upper,
            epsilon=bit.epsilon,
            resolution=steps,
            window=size,
        )

    @property
    def piecewise(self) -> PiecewiseMean:
        """The one part."""
        return PiecewiseMean(self.lower, self.upper, self.epsilon, self.resolution, self.window)

    @property
    def one_bit(self) -> OneBitMean:
        """The other part."""
        return OneBitMean(self.lower, self.upper, self.epsilon)

    @property
    def share(self) -> float:
        """Chance that the piecewise mechanism makes the report."""
        in_the_middle = self.piecewise._square[0]
        return self.piecewise._slope if in_the_middle < self._by_bit else 0.0

    @property
    def _by_bit(self) -> float:
        return self.one_bit._square[0] * self.resolution**2

    @property
    def num_outcomes(self) -> int:
        """Number K + w + 2 of reports."""
        return self.resolution + self.window + 2

    @property
    def _square(self) -> tuple[float, float]:
        a, b = self.piecewise._square
        return self.share * a + (1 - self.share) * self._by_bit, self.share * b

    grid = property(_grid.grid)
    worst_variance = property(_grid.worst_variance)
    variance = _grid.variance
    mean = _grid.histogram_mean
    _moments = _grid.moments

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Integers:
        """Make both reports of each user and send the one that the coin says."""
        rng = _checks.rng(rng)
        cells = self.piecewise.privatize(values, rng)
        bits = self.one_bit.privatize(values, rng)
        heads = words(rng, cells.size) < threshold(self.share)
        return np.where(heads, cells, self.piecewise.num_outcomes + bits)

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count the reports of each kind."""
        given = self.outcomes(reports)
        return Tally(_kernels.histogram(given, self.num_outcomes), given.size, self)

    def unbiased(self, reports: npt.ArrayLike) -> Floats:
        """One number per report, in the units of the values, whose mean is the user's value."""
        given, cells = self.outcomes(reports), self.piecewise.num_outcomes
        by_window = self.piecewise.unbiased(np.minimum(given, cells - 1))
        return np.where(
            given < cells, by_window, self.one_bit.unbiased(np.maximum(given - cells, 0))
        )

    def channel(self) -> Floats:
        """Pr[report | point of the grid], shape (K + 1, K + w + 2)."""
        ends = np.linspace(0, 1, self.resolution + 1)[:, None]
        by_bit = np.hstack([1 - ends, ends]) @ self.one_bit.channel()
        return np.hstack([self.share * self.piecewise.channel(), (1 - self.share) * by_bit])

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """Report y is column y."""
        return _checks.integers_below(reports, "reports", self.num_outcomes)
