"""Laplace noise on an integer grid, from every user or from a trusted curator."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._noise import add_laplace, reach
from ldp._words import words
from ldp.means import _grid
from ldp.mechanisms.reports import check_reports, numbers
from ldp.tally import Tally
from ldp.types import Floats, Integers, ReportType

_LIMB = 31  # bits: reports are below 2**31, their squares two limbs


def _check_decay(epsilon: float, resolution: int, least: int) -> None:
    # The noise must exist (epsilon not too large) and fit in an integer (not too small).
    decay = epsilon / resolution
    if not 2.0**least < decay < 36:
        raise ValueError(
            f"epsilon must lie between 2**{least} and 36 times the resolution {resolution}, "
            f"got {epsilon}."
        )


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
    lower, upper, epsilon
        As for :class:`ldp.means.OneBitMean`.
    resolution : int
        Number :math:`K` of steps from end to end.

    Raises
    ------
    TypeError, ValueError
        As :class:`ldp.means.OneBitMean`, or if the resolution is not from 1 to 2**20.

    Notes
    -----
    Reports are integers, shape ``(n,)``; no float is ever sent (``mironov2012significance``).
    The noise is drawn exactly, and reports are cut far beyond the range, as those of
    :class:`ldp.SHE`.

    Examples
    --------
    >>> m = LaplaceMean(0.0, 1.0, 1.0)
    >>> round(float(m.variance(0.5)), 4)        # 2 / eps^2
    2.0
    >>> m.privatize([0.2, 0.4], np.random.default_rng(1)).dtype
    dtype('int32')

    References
    ----------
    ``dwork2006calibrating``; ``ghosh2012universally``; ``S001``, mean estimation, local model.
    """

    grid: _grid.Grid
    epsilon: float

    def __init__(self, lower: float, upper: float, epsilon: float, resolution: int = 1024) -> None:
        grid, budget = _grid.Grid(lower, upper, resolution), _checks.epsilon(epsilon)
        _check_decay(budget, grid.resolution, -24)
        freeze(self, grid=grid, epsilon=budget)

    @property
    def num_outcomes(self) -> int:
        """Number of columns of the channel."""
        return self.grid.resolution + 1

    @property
    def report(self) -> ReportType:
        """A number of steps."""
        far = reach(self._decay)
        return numbers(-far, self.grid.resolution + far)

    @property
    def _square(self) -> tuple[float, float]:
        return 0.5 / math.sinh(self._decay / 2) ** 2, 1.0

    worst_variance = property(_grid.worst_variance)
    variance = _grid.variance
    privatize = _grid.privatize
    mean = _grid.mean

    @property
    def _decay(self) -> float:
        return self.epsilon / self.grid.resolution

    def _randomize(self, shares: Floats, rng: np.random.Generator) -> Integers:
        points = _grid.round_at_random(shares, self.grid.resolution, words(rng, shares.size))
        decay = Fraction(self.epsilon) / self.grid.resolution
        return add_laplace(points, self.grid.resolution, decay, rng)

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Sum of the reports, and of the high and the low 31 bits of their squares."""
        given = check_reports(reports, self.report)
        squares = np.square(given, dtype=np.int64)
        high, low = squares >> _LIMB, squares & (2**_LIMB - 1)
        return Tally([given.sum(), high.sum(), low.sum()], given.size, self)

    def check_counts(self, tally: Tally, name: str) -> None:
        """Refuse counts that no reports have."""
        if tally.counts.size != 3 or tally.counts.dtype.kind != "i":
            raise ValueError(f"{name} must be three integers, got {tally.counts}.")
        n, (total, high, low) = tally.num_reports, map(int, tally.counts)
        squares, far = (high << _LIMB) + low, reach(self._decay)
        first, last = -far, self.grid.resolution + far
        most = (first + last) * total - n * first * last  # all at the ends
        whole, rest = divmod(total, max(n, 1))
        least = n * whole**2 + 2 * whole * rest + rest  # all as equal as integers can be
        within = n * first <= total <= n * last and 0 <= low <= n * (2**_LIMB - 1)
        if not (within and least <= squares <= most and (squares - total) % 2 == 0):
            raise ValueError(
                f"{name} must be a sum and the high and low bits of squares of {n} integers "
                f"from {first} to {last}, got {total}, {high}, {low}."
            )

    def _moments(self, reports: npt.ArrayLike | Tally) -> _grid.Moments:
        """How many reports there are, the mean of their numbers and the sample variance."""
        tally = _grid.checked_tally(self, reports, 3)
        n, (total, high, low) = tally.num_reports, map(int, tally.counts)
        about = n * ((high << _LIMB) + low) - total**2  # exact integers, to the last
        step, half_steps = self.grid.step, 2 * total - n * self.grid.resolution
        return _grid.finished(self, n, half_steps / n * step / 2, about / n * step**2)

    def unbiased(self, reports: npt.ArrayLike) -> Floats:
        """One number per report, in the units of the values, whose mean is the user's value."""
        return self.grid.number(check_reports(reports, self.report) - self.grid.resolution / 2)

    def channel(self) -> Floats:
        """Exact law of :meth:`outcomes` given a point of the grid, shape (K + 1, K + 1).

        Reports are cut to 0..K: beyond the ends the likelihood ratio of two values no longer
        changes, so the cut loses no privacy loss.
        """
        size = self.grid.resolution + 1
        _checks.channel_size(size, size, "resolution")
        distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
        law: Floats = np.exp(-self._decay * distance) / (1 + math.exp(-self._decay))
        law[:, 1:-1] *= -math.expm1(-self._decay)
        return law

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """Column of the channel: the report cut to 0..K."""
        given = check_reports(reports, self.report).astype(np.int64)
        return np.clip(given, 0, self.grid.resolution)


def central_laplace_mean(
    values: npt.ArrayLike,
    lower: float,
    upper: float,
    epsilon: float,
    rng: np.random.Generator,
    *,
    resolution: int = 2**20,
) -> float:
    r"""Mean with discrete Laplace noise from a curator who sees all values: for comparison.

    Values are rounded at random to a grid of :math:`K` steps and summed; one person who gives
    another value moves the sum by at most :math:`K` steps, so noise as of
    :class:`ldp.means.LaplaceMean`, added once, makes the mean :math:`\epsilon`-differentially
    private:

    .. math:: \hat\mu=\text{lower}+\frac{\text{upper}-\text{lower}}{nK}
              \left(\sum_i j_i+Z\right),\qquad
              \operatorname{Var}\hat\mu\approx\frac{2}{n^2\epsilon^2}
              \quad\text{squared widths.}

    Rounding adds at most :math:`1/(4nK^2)`, less than the noise until :math:`n=8K^2/\epsilon^2`.
    The number of users is public.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least one value in the range.
    lower, upper : float
        Ends of the range.
    epsilon : float
        Privacy budget of every person, trusting the curator.
    rng : numpy.random.Generator
    resolution : int
        Number :math:`K` of steps from end to end. Integers are summed because a sum of floats
        moves by more than one value, in a way that depends on the others.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If there is no value, or one outside the range, or as :class:`ldp.means.LaplaceMean`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(central_laplace_mean([0.25] * 1000, 0.0, 1.0, 1.0, rng), 3)
    0.25

    References
    ----------
    ``dwork2006calibrating``; ``S001``, mean estimation, central model.
    """
    grid, budget = _grid.Grid(lower, upper, resolution), _checks.epsilon(epsilon)
    steps = grid.resolution
    _check_decay(budget, steps, -40)
    given = _checks.reals_between(values, "values", grid.lower, grid.upper)
    rng = _checks.rng(rng)
    if given.size == 0:
        raise ValueError("values must be at least one, got 0.")
    total = 0
    for chunk in _kernels.chunks(given.size, 1):
        shares = grid.shares(given[chunk])
        total += int(_grid.round_at_random(shares, steps, words(rng, shares.size)).sum())
    decay = Fraction(budget) / steps
    total = int(add_laplace(np.array([total]), steps * given.size, decay, rng)[0])
    return grid.lower + (grid.upper - grid.lower) * (total / steps / given.size)
