r"""Bounds by the budget that do not depend on what is reported, and the limit that is attained.

In the code :math:`u=1/(e^\epsilon-1)`.
"""

import math
from collections.abc import Callable

from ldp import _checks
from ldp.bounds._common import check_collision, check_num_reports, check_setting
from ldp.types import Pair


def spread_limit(
    domain_size: int, epsilon: float, *, collision: float | None = None, sharp: bool = False
) -> Pair:
    r"""Lower bounds on the limits of :math:`n` times the error that do not depend on the reports.

    .. math:: \lim n\operatorname{MSE}\ge
              \frac{(d-1)^2}{(e^\epsilon-1)^2}\,\frac d{\lfloor d^2/4\rfloor}

    and less :math:`1-\operatorname E\sum_v\theta_v^2` for the frequencies. By
    :math:`\operatorname{tr}J^{-1}\ge(d-1)^2/\operatorname{tr}J` and the spread of :math:`d` numbers
    that differ at most by the factor :math:`e^\epsilon`. With `sharp`, since rows sum to one,

    .. math:: \lim n\operatorname{MSE}\ge
              \frac{(d-1)^2}{(e^\epsilon-1)^2}\min_{0<k<d}\frac{ke^\epsilon+d-k}{k(d-k)}

    At a fixed budget, as :math:`d` grows, a quarter of the error of OUE or more. Only limits.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge2` of values.
    epsilon : float
        Privacy budget of the mechanism.
    collision : float, optional
        Prior average :math:`\operatorname E\sum_v\theta_v^2`, the chance that two users hold one
        value: from 1/d to 1. Without it 1/d, so that the bound holds for every prior.
    sharp : bool
        Use the second form.

    Returns
    -------
    Pair
        Squared errors times n, summed over values, for every prior with a density and every
        mechanism of rank d; the first also bounds the trace at every law.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> [round(spread_limit(8, 1.0, sharp=sharp).law, 3) for sharp in (False, True)]
    [8.298, 14.555]
    >>> from ldp.bounds import epsilon_limit
    >>> round(epsilon_limit(8, 1.0, 8).law, 3)
    2.71

    References
    ----------
    Not in ``S003``; the first equals (59) at two values.
    """
    d, budget, u = check_setting(domain_size, epsilon)
    sharp = _checks.flag(sharp, "sharp")
    repeated = 1 / d if collision is None else check_collision(collision, d)

    def spread(k: int) -> float:
        return (d * u * u + k * u) / (k * (d - k))

    if sharp:
        law = (d - 1) ** 2 * _least(spread, d, d * _share(budget / 2))
    else:
        law = (d - 1) ** 2 * u * u * d / (d * d // 4)
    return Pair(law, max(0.0, law - (1 - repeated)))


def optimal_limit(domain_size: int, epsilon: float) -> float:
    r"""Least limit of :math:`n` times the error at the uniform law, over all mechanisms; attained.

    .. math:: \min_{0<k<d}\frac{(d-1)^2(ke^\epsilon+d-k)^2}{d\,k(d-k)(e^\epsilon-1)^2}

    Subset selection with the minimising :math:`k` attains it, and debiased it is nowhere worse; no
    mechanism has a smaller worst error near the uniform law in the limit. That :math:`k` may be
    larger by one than the default of :class:`ldp.SubsetSelection`, which suits rare values.

    Parameters
    ----------
    domain_size, epsilon
        As for :func:`spread_limit`.

    Returns
    -------
    float
        Squared error for the law times n, summed over values.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> from ldp import SubsetSelection, sampling_variance
    >>> error = sampling_variance(SubsetSelection(10, 1.0, 3), 1, [0.1] * 10).sum()
    >>> round(float(error), 9), round(optimal_limit(10, 1.0), 9)
    (30.004055156, 30.004055156)

    References
    ----------
    ``ye2018optimal``.
    """
    d, budget, u = check_setting(domain_size, epsilon)

    def error(k: int) -> float:
        return (k + d * u) * (k + d * u) / (d * k * (d - k))

    return (d - 1) ** 2 * _least(error, d, d * _share(budget))


def spread_bound(
    domain_size: int, epsilon: float, num_reports: int, *, concentration: float | None = None
) -> float:
    r"""Least average error over a Dirichlet prior, whatever is reported; at every :math:`n`.

    Let :math:`L` be the sharp :func:`spread_limit`, so that no report has a Fisher information of
    trace above :math:`(d-1)^2/L`, and :math:`I_a=(d-1)(da-1)(da-2)/(a-2)` that of the prior
    :math:`\operatorname{Dir}(a,\dots,a)`, :math:`a>2`. By the inequality of van Trees

    .. math:: \operatorname{MSE}\ge\frac{(d-1)^2}{n(d-1)^2/L+I_a}

    for every estimator and every mechanism of the budget, one per user if need be. No average
    exceeds the largest value: some law has at least this error. With the :math:`a` that makes it
    largest, the default, :math:`n` times the bound tends to :math:`L`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge2` of values.
    epsilon : float
        Privacy budget of each report.
    num_reports : int
        Number :math:`n\ge1` of users.
    concentration : float, optional
        Concentration :math:`a` of the prior, above 2; by default the one with the largest bound.

    Returns
    -------
    float
        Squared error for the law, summed over values.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> [round(n * spread_bound(16, 1.0, n), 2) for n in (1_000, 20_000, 1_000_000)]
    [6.25, 27.45, 33.27]
    >>> round(spread_limit(16, 1.0, sharp=True).law, 2)
    33.42

    References
    ----------
    Not in ``S003``. ``vandervaart1998asymptotic``, section 8.7, for the limit.
    """
    limit = spread_limit(domain_size, epsilon, sharp=True).law
    d, n = _checks.domain_size(domain_size), check_num_reports(num_reports)
    if concentration is None:
        a = 2 + math.sqrt((2 - 1 / d) * (2 - 2 / d))
    else:
        a = _checks.real(concentration, "concentration", "above 2")
        if not 2 < a < math.inf:
            raise ValueError(f"concentration must be above 2 and finite, got {a}.")
    prior = (d - 1) * (d * a - 1) * (d * a - 2) / (a - 2)
    return limit / (n + limit * prior / (d - 1) ** 2)


def _share(exponent: float) -> float:
    """Return 1 / (1 + e^exponent) without overflow."""
    return math.exp(-exponent) / (1 + math.exp(-exponent))


def _least(function: Callable[[int], float], domain_size: int, at: float) -> float:
    """Minimum over 0 < k < d of a convex function whose real minimum is at the given number."""
    k = min(max(math.floor(at), 1), domain_size - 1)
    return min(function(k), function(min(k + 1, domain_size - 1)))
