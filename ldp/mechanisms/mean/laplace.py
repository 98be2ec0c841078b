"""Laplace noise on an integer grid, from every user or from a trusted curator."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._words import digit_chances, geometric, words
from ldp.mechanisms._shared import freeze
from ldp.mechanisms.mean import _grid
from ldp.tally import Tally
from ldp.types import Floats, Integers


def _check_decay(epsilon: float, resolution: int) -> float:
    # The noise must exist (epsilon not too large) and fit in 64 bits (not too small).
    decay = epsilon / resolution
    if not 2.0**-40 < decay < 36:
        raise ValueError(
            f"epsilon must lie between 2**-40 and 36 times the resolution {resolution}, "
            f"got {epsilon}."
        )
    return decay


@dataclass(frozen=True, init=False)
class LaplaceMean:
    r"""Mean of values in a range from values plus discrete Laplace noise, added by each user.

    The value is rounded to a grid of :math:`K` steps, so that its mean stays, and

    .. math:: y=j+Z,\qquad \Pr[Z=k]=\frac{1-\alpha}{1+\alpha}\,\alpha^{|k|},\qquad
              \alpha=e^{-\epsilon/K}

    is sent, in steps. Two values differ by at most :math:`K` steps, hence the budget. As
    :math:`K\to\infty` this is Laplace noise of scale width/epsilon. The variance of the noise is
    :math:`\frac12\sinh^{-2}\frac{\epsilon}{2K}` squared steps, whatever the value.

    Parameters
    ----------
    lower, upper : float
        Ends of the range.
    epsilon : float
        Privacy budget.
    resolution : int
        Number :math:`K` of steps from end to end.

    Raises
    ------
    TypeError, ValueError
        As :class:`ldp.OneBitMean`, or if the resolution is not from 1 to 2**20.

    Notes
    -----
    Reports are ``int64``, shape ``(n,)``; no float is ever sent (``mironov2012significance``).
    Digits of the noise rarer than :math:`2^{-64}` are never set, as for :class:`ldp.SHE`.

    Examples
    --------
    >>> m = LaplaceMean(0.0, 1.0, 1.0)
    >>> round(float(m.variance(0.5)), 4)        # 2 / eps^2
    2.0
    >>> m.privatize([0.2, 0.4], np.random.default_rng(1)).dtype
    dtype('int64')

    References
    ----------
    ``dwork2006calibrating``; ``ghosh2012universally``; ``S001``, mean estimation, local model.
    """

    lower: float
    upper: float
    epsilon: float
    resolution: int

    def __init__(self, lower: float, upper: float, epsilon: float, resolution: int = 1024) -> None:
        ends, budget = _checks.interval(lower, upper), _checks.epsilon(epsilon)
        steps = _grid.check_resolution(resolution)
        _check_decay(budget, steps)
        freeze(self, lower=ends[0], upper=ends[1], epsilon=budget, resolution=steps)

    @property
    def num_outcomes(self) -> int:
        """Number of columns of the channel."""
        return self.resolution + 1

    @property
    def _square(self) -> tuple[float, float]:
        return 0.5 / math.sinh(self.epsilon / (2 * self.resolution)) ** 2, 1.0

    grid = property(_grid.grid)
    worst_variance = property(_grid.worst_variance)
    variance = _grid.variance

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Integers:
        """Round each value to the grid and add the difference of two geometric variables."""
        below, rest = _grid.places(self, values)
        rng = _checks.rng(rng)
        reports = _grid.round_to_grid(below, rest, words(rng, below.size))
        decay = self.epsilon / self.resolution
        return reports + geometric(decay, below.shape, rng) - geometric(decay, below.shape, rng)

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Sum of the reports and of their squares, in steps from the lower end."""
        given = self._check(reports)
        if np.square(given.astype(np.float64)).sum() > 2.0**62:
            raise ValueError(
                "reports must have squares whose sum fits in 64 bits, got larger ones."
            )
        return Tally([given.sum(), given @ given], given.size, self)

    def mean(self, reports: npt.ArrayLike | Tally) -> float:
        """Unbiased estimate of the mean of the users' values."""
        return self._moments(reports)[1]

    def _moments(self, reports: npt.ArrayLike | Tally) -> tuple[int, float, float]:
        tally, width = _grid.checked_tally(self, reports), _grid.step(self)
        n, centre = tally.num_reports, self.resolution / 2
        total, squares = (float(count) for count in tally.counts)
        about = squares - 2 * centre * total + n * centre**2
        return _grid.summary(self, tally, width * (total - n * centre), width**2 * about)

    def unbiased(self, reports: npt.ArrayLike) -> Floats:
        """One number per report, in the units of the values, whose mean is the user's value."""
        return _grid.number(self, self._check(reports) - self.resolution / 2)

    def channel(self) -> Floats:
        """Exact law of :meth:`outcomes` given a point of the grid, shape (K + 1, K + 1).

        Reports are cut to 0..K: beyond the ends the likelihood ratio of two values no longer
        changes, so the cut loses no privacy loss.
        """
        size = self.resolution + 1
        _checks.channel_size(size, size)
        alpha = math.exp(-self.epsilon / self.resolution)
        distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
        law: Floats = alpha**distance / (1 + alpha)
        law[:, 1:-1] *= 1 - alpha
        return law

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """Column of the channel: the report cut to 0..K."""
        return np.clip(self._check(reports), 0, self.resolution)

    def _check(self, reports: npt.ArrayLike) -> Integers:
        given = _checks.integers(reports, "reports")
        furthest = self.resolution + 2 ** len(digit_chances(self.epsilon / self.resolution)) - 1
        if given.size and (given.min() < self.resolution - furthest or given.max() > furthest):
            raise ValueError(
                f"reports must be from {self.resolution - furthest} to {furthest}, "
                f"got {given.min()} to {given.max()}."
            )
        return given


def central_laplace_mean(
    values: npt.ArrayLike,
    lower: float,
    upper: float,
    epsilon: float,
    rng: np.random.Generator,
    resolution: int = 1024,
) -> float:
    r"""Mean with discrete Laplace noise from a curator who sees all values: for comparison.

    Values are rounded at random to a grid of :math:`K` steps and summed; one person who gives
    another value moves the sum by at most :math:`K` steps, so noise as of
    :class:`ldp.LaplaceMean`, added once, makes the mean :math:`\epsilon`-differentially private.
    The number of users is public.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least one value in the range.
    lower, upper, epsilon, resolution
        As of :class:`ldp.LaplaceMean`.
    rng : numpy.random.Generator

    Examples
    --------
    >>> round(central_laplace_mean([0.25] * 1000, 0.0, 1.0, 1.0, np.random.default_rng(1)), 3)
    0.249

    References
    ----------
    ``dwork2006calibrating``; ``S001``, mean estimation, central model.
    """
    m = LaplaceMean(lower, upper, epsilon, resolution)
    below, rest = _grid.places(m, values)
    rng = _checks.rng(rng)
    if below.size == 0:
        raise ValueError("values must be at least one, got 0.")
    total = int(_grid.round_to_grid(below, rest, words(rng, below.size)).sum())
    decay = m.epsilon / m.resolution
    noise = int(geometric(decay, (1,), rng)[0] - geometric(decay, (1,), rng)[0])
    return m.lower + _grid.step(m) * (total + noise) / below.size
