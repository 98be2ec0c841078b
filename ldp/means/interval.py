"""Confidence intervals for means."""

import math
from typing import Any

import numpy.typing as npt
import scipy

from ldp import _checks
from ldp.means._grid import OnGrid
from ldp.tally import Tally


def mean_interval(
    reports: npt.ArrayLike | Tally, mechanism: Any, *, level: float = 0.95, population: bool = False
) -> tuple[float, float]:
    r"""Confidence interval for a mean, from the reports of a mean oracle.

    .. math:: \hat\mu\pm z\sqrt{s^2/n},

    :math:`s^2` being the sample variance of the numbers that the reports stand for. It estimates
    the variance of the noise plus that of the values. For a population's mean this is what is
    needed; for the mean of the users at hand it is too much, and so is the oracle's worst variance,
    hence the smaller of the two: the interval is too long if anything. Neither is ever less than
    the noise of the value with the least, which is put in place of a smaller :math:`s^2`: reports
    that happen to agree do not make the mean certain.

    Parameters
    ----------
    reports : array_like or Tally
        At least two reports, or a tally of them.
    mechanism : OneBitMean, LaplaceMean, PiecewiseMean or HybridMean
    level : float
        Confidence level in (0, 1). The normal approximation is made: n must be large.
    population : bool
        Whether the target is the mean of the law that the users were drawn from, not their own.

    Returns
    -------
    lower, upper : float
        Ends of the interval, not cut to the range.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two reports, or `level` is not in (0, 1).

    Examples
    --------
    >>> from ldp import Tally
    >>> from ldp.means import OneBitMean, mean_interval
    >>> lower, upper = mean_interval(Tally([300, 700], 1_000), OneBitMean(0.0, 1.0, 1.0))
    >>> round(lower, 3), round(upper, 3)
    (0.871, 0.994)
    """
    share = _checks.between(level, "level")
    population = _checks.flag(population, "population")
    if not isinstance(mechanism, OnGrid):
        raise TypeError(f"mechanism must be a mean oracle, got {_checks.shown(mechanism)}.")
    n, mean, spread = mechanism._moments(reports)
    if n < 2:
        raise ValueError(f"reports must be at least two, got {n}.")
    # Between two points of the grid the variance is larger than at one of them.
    spread = max(spread, mechanism.variance(mechanism.grid.points).min())
    if not population:
        spread = min(spread, mechanism.worst_variance)
    half_width = -float(scipy.special.ndtri((1 - share) / 2)) * math.sqrt(spread / n)
    return mean - half_width, mean + half_width
