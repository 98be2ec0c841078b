"""From the budget to a bound that holds at every number of reports."""

import math

from ldp import _checks
from ldp.bounds._common import check_num_reports
from ldp.bounds.privacy import spread_limit


def spread_bound(
    domain_size: int,
    epsilon: float,
    num_reports: int,
    *,
    concentration: float | None = None,
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
