r"""Distances between an estimate and the truth, and how good a list of found items is.

Distances take two vectors of shape (d,) and return one float.

Vectors are divided by a power of two before sums are made of them, so that nothing overflows on the
way; a distance that float64 does not have is an ``OverflowError``.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy

from ldp import _checks
from ldp._found import f1, found_mse, ncr
from ldp._scale import power_of_two, scale_back
from ldp.types import Floats

__all__ = [
    "f1",
    "found_mse",
    "kl",
    "ks",
    "l_inf",
    "law_quantile",
    "mean_error",
    "mse",
    "ncr",
    "quantile_error",
    "range_error",
    "tv",
    "variance_error",
    "wasserstein",
]


def _pair(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> tuple[Floats, Floats, float]:
    """Return both vectors, and what they were divided by."""
    first = _checks.vector(estimate, "estimate")
    second = _checks.vector(truth, "truth", first.size)
    scale = power_of_two(first, second)
    return first / scale, second / scale, scale


def mse(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Squared error :math:`\sum_v(\hat\theta_v-\theta_v)^2`, summed over values, not averaged.

    Averaged over trials it is the mean squared error of ``S003``, equation (7).

    Examples
    --------
    >>> mse([0.5, 0.5], [0.25, 0.75])
    0.125
    """
    first, second, scale = _pair(estimate, truth)
    return scale_back(float(np.sum((first - second) ** 2)), scale, scale)


def tv(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Total variation :math:`\tfrac12\sum_v|\hat\theta_v-\theta_v|`.

    Examples
    --------
    >>> tv([0.5, 0.5], [0.25, 0.75])
    0.25
    """
    first, second, scale = _pair(estimate, truth)
    return scale_back(float(np.abs(first - second).sum() / 2), scale)


def l_inf(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Largest error :math:`\max_v|\hat\theta_v-\theta_v|`.

    Examples
    --------
    >>> l_inf([0.5, 0.5], [0.25, 0.75])
    0.25
    """
    first, second, scale = _pair(estimate, truth)
    return scale_back(float(np.abs(first - second).max()), scale)


def kl(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Kullback-Leibler divergence :math:`\sum_v\theta_v\ln(\theta_v/\hat\theta_v)`, in nats.

    Both arguments must be distributions (project a raw estimate first); the result is infinite if
    the estimate gives zero to a value that occurs.

    Examples
    --------
    >>> round(kl([0.5, 0.5], [1.0, 0.0]), 6)
    0.693147
    """
    first = _checks.distribution(estimate, "estimate")
    second = _checks.distribution(truth, "truth", first.size)
    return float(scipy.special.rel_entr(second, first).sum())


# The values of the following are bins of a line, in order, all of one width.


def wasserstein(estimate: npt.ArrayLike, truth: npt.ArrayLike, *, bin_width: float = 1.0) -> float:
    r"""Wasserstein-1 or earth mover's distance, in the units of `bin_width`.

    .. math:: W_1=w\sum_v\Bigl|\sum_{u\le v}(\hat\theta_u-\theta_u)\Bigr|

    The mean distance that mass must travel to turn one histogram into the other. With the default
    width it is counted in bins, as in ``S004``; ``bin_width=1/d`` is for values in [0, 1].

    Examples
    --------
    >>> wasserstein([0.0, 0.5, 0.5], [0.5, 0.5, 0.0])
    1.0

    References
    ----------
    ``S004``, experiments; ``li2020estimating``.
    """
    width = _checks.positive(bin_width, "bin_width")
    first, second, scale = _pair(estimate, truth)
    return scale_back(float(np.abs(np.cumsum(first - second)).sum()), width, scale)


def ks(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    r"""Kolmogorov-Smirnov distance :math:`\max_v|\sum_{u\le v}(\hat\theta_u-\theta_u)|`, no unit.

    Examples
    --------
    >>> ks([0.0, 0.5, 0.5], [0.5, 0.5, 0.0])
    0.5
    """
    first, second, scale = _pair(estimate, truth)
    return scale_back(float(np.abs(np.cumsum(first - second)).max()), scale)


def range_error(estimate: npt.ArrayLike, truth: npt.ArrayLike, length: int) -> float:
    r"""Mean absolute error of the frequency of a range, over all ranges of `length` bins.

    .. math:: \frac1{d-l+1}\sum_{s=0}^{d-l}\Bigl|\sum_{v=s}^{s+l-1}(\hat\theta_v-\theta_v)\Bigr|

    Examples
    --------
    >>> range_error([0.0, 0.5, 0.5], [0.5, 0.5, 0.0], 2)
    0.5
    """
    first, second, scale = _pair(estimate, truth)
    count = _checks.integer(length, "length", 1, first.size)
    below = np.concatenate([[0.0], np.cumsum(first - second)])
    return scale_back(float(np.abs(below[count:] - below[:-count]).mean()), scale)


def mean_error(estimate: npt.ArrayLike, truth: npt.ArrayLike, *, bin_width: float = 1.0) -> float:
    """Absolute difference of the means of two histograms, in the units of `bin_width`.

    Places are counted from the middle of the line, which matters only to a raw estimate that does
    not sum to 1.

    Examples
    --------
    >>> mean_error([0.0, 0.5, 0.5], [0.5, 0.5, 0.0])
    1.0
    """
    width = _checks.positive(bin_width, "bin_width")
    first, second, scale = _pair(estimate, truth)
    return scale_back(abs(_moments(first)[0] - _moments(second)[0]), width, scale)


def variance_error(
    estimate: npt.ArrayLike, truth: npt.ArrayLike, *, bin_width: float = 1.0
) -> float:
    r"""Absolute difference of the variances of two histograms, in the squared units of `bin_width`.

    Mass counts as lying in the middle of its bin. Places are counted from the middle of the line,
    which matters only to a raw estimate that does not sum to 1; its variance may be negative.

    Examples
    --------
    >>> variance_error([0.0, 0.5, 0.5], [0.5, 0.0, 0.5])
    0.75
    """
    width = _checks.positive(bin_width, "bin_width")
    first, second, scale = _pair(estimate, truth)
    (mean, square), (other_mean, other_square) = _moments(first), _moments(second)
    of_means = scale * (mean - other_mean) * (mean + other_mean)  # a square of means, divided once
    return scale_back(abs(square - other_square - of_means), width, width, scale)


def _moments(law: Floats) -> tuple[float, float]:
    """Mean place and mean square of it, about the middle of the line: few digits are lost."""
    place = np.arange(law.size) - (law.size - 1) / 2
    return float(law @ place), float(law @ place**2)


def law_quantile(law: npt.ArrayLike, level: float) -> int:
    r"""First bin :math:`v` with :math:`\sum_{u\le v}\theta_u\ge` `level`, which is in (0, 1).

    A distribution is asked for: the sums of a raw estimate may fall.

    Examples
    --------
    >>> law_quantile([0.25, 0.25, 0.5], 0.5)
    1
    """
    share = _checks.between(level, "level")
    return _quantile(_checks.distribution(law, "law"), share)


def _quantile(law: Floats, level: float) -> int:
    # Sums of floats may miss a level that they should meet by a rounding or two, and the last sum
    # may miss 1 by more: it is the last bin's, whatever the level.
    below = np.cumsum(law)
    return int(np.searchsorted(below, level * below[-1] * (1 - 2.0**-40)))


def quantile_error(
    estimate: npt.ArrayLike,
    truth: npt.ArrayLike,
    *,
    levels: Sequence[float] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    bin_width: float = 1.0,
) -> float:
    """Mean absolute difference of the quantiles at `levels`, in the units of `bin_width`.

    Both arguments must be distributions; project a raw estimate first.

    Examples
    --------
    >>> quantile_error([0.0, 0.5, 0.5], [0.5, 0.5, 0.0], levels=[0.25, 0.75])
    1.0
    """
    width = _checks.positive(bin_width, "bin_width")
    given = _checks.vector(levels, "levels")
    shares = [_checks.between(level, "levels") for level in given]
    first = _checks.distribution(estimate, "estimate")
    second = _checks.distribution(truth, "truth", first.size)
    distances = [abs(_quantile(first, share) - _quantile(second, share)) for share in shares]
    return scale_back(float(np.mean(distances)), width)
