r"""From linear algebra to the budget: limits that hold for every mechanism of a budget.

In the code :math:`u=1/(e^\epsilon-1)`, in which all of them are polynomials.
"""

import math
from collections.abc import Callable

from ldp import _checks
from ldp.bounds._common import (
    check_collision,
    check_epsilon,
    check_num_outcomes,
    inverse_odds,
    log_odds,
)
from ldp.types import Pair


def _checked(domain_size: int, epsilon: float) -> tuple[int, float, float]:
    d, budget = _checks.domain_size(domain_size), check_epsilon(epsilon)
    return d, budget, inverse_odds(budget)


def epsilon_constants(
    domain_size: int,
    epsilon: float,
    num_outcomes: int,
    *,
    sharp: bool = False,
) -> Pair:
    r"""Lower bounds on :math:`B_Q` (``law``) and :math:`C_Q` (``frequencies``) by the budget.

    .. math:: B_Q\ge\frac{d-1}2\ln\frac{2\pi e}{(e^\epsilon-1)^2},\qquad
              C_Q\ge\frac{d-1}2\ln\frac{2\pi e}{(e^\epsilon-1)^2}-\frac{m\epsilon}2

    With `sharp` the last :math:`\epsilon` becomes
    :math:`g=\ln\frac{e^\epsilon-1}\epsilon-1+\frac\epsilon{e^\epsilon-1}\approx\epsilon^2/8`, the
    largest :math:`\ln\operatorname E R-\operatorname E\ln R` of any :math:`1\le R\le e^\epsilon`.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge2` of values.
    epsilon : float
        Privacy budget of the mechanism.
    num_outcomes : int
        Number :math:`m\ge d` of different reports.
    sharp : bool
        Use the smaller loss.

    Returns
    -------
    Pair
        In nats, for every prior with a density and every mechanism of rank d.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> law, frequencies = epsilon_constants(2, math.log(3), 2)
    >>> round(law - frequencies, 6) == round(math.log(3), 6)
    True

    References
    ----------
    ``S003``, Theorem 4.4, (54) and (55), reconstructed.
    """
    d, budget, _ = _checked(domain_size, epsilon)
    m = check_num_outcomes(num_outcomes, d)
    sharp = _checks.flag(sharp, "sharp")
    law = (d - 1) / 2 * (math.log(2 * math.pi * math.e) - 2 * log_odds(budget))
    return Pair(law, law - _entropy_loss(m, budget, sharp))


def _entropy_loss(num_outcomes: int, epsilon: float, sharp: bool) -> float:
    """By how much the constant of the frequencies may be below that of the law."""
    return num_outcomes / 2 * (_jensen_gap(epsilon) if sharp else epsilon)


def _jensen_gap(epsilon: float) -> float:
    """Largest log E[R] - E[log R] of a variable between 1 and e^epsilon."""
    if epsilon < 0.01:  # the terms cancel; the series goes on with epsilon**6 / 25920
        return epsilon**2 / 8 - epsilon**4 / 576
    return log_odds(epsilon) - math.log(epsilon) - 1 + epsilon * inverse_odds(epsilon)


def epsilon_limit(
    domain_size: int,
    epsilon: float,
    num_outcomes: int,
    *,
    sharp: bool = False,
) -> Pair:
    r"""Lower bounds on the limits of :math:`n` times the error, by the budget alone.

    .. math:: \lim n\operatorname{MSE}\ge\frac d{(e^\epsilon-1)^2},\qquad
              \lim n\operatorname{MSE}_f\ge\frac d{(e^\epsilon-1)^2}\,e^{-m\epsilon/(d-1)}

    With `sharp` the exponent uses the smaller loss of :func:`epsilon_constants`. Only limits: at a
    fixed :math:`n` the error never passes the variance of the prior, and the bound does.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge2` of values.
    epsilon : float
        Privacy budget of the mechanism.
    num_outcomes : int
        Number :math:`m\ge d` of different reports.
    sharp : bool
        Use the smaller loss.

    Returns
    -------
    Pair
        Squared errors times n, summed over values, for every prior with a density and every
        mechanism of rank d.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> law, frequencies = epsilon_limit(5, math.log(2), 5)
    >>> round(law, 6), round(frequencies, 6)
    (5.0, 2.102241)

    References
    ----------
    ``S003``, Theorem 4.5, (59) and (60), reconstructed.
    """
    d, budget, u = _checked(domain_size, epsilon)
    m = check_num_outcomes(num_outcomes, d)
    sharp = _checks.flag(sharp, "sharp")
    law = d * u * u
    return Pair(law, law * math.exp(-2 * _entropy_loss(m, budget, sharp) / (d - 1)))


def spread_limit(
    domain_size: int,
    epsilon: float,
    *,
    collision: float | None = None,
    sharp: bool = False,
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
    >>> round(epsilon_limit(8, 1.0, 8).law, 3)
    2.71

    References
    ----------
    Not in ``S003``; the first equals (59) at two values.
    """
    d, budget, u = _checked(domain_size, epsilon)
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
    domain_size : int
        Number :math:`d\ge2` of values.
    epsilon : float
        Privacy budget of the mechanism.

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
    d, budget, u = _checked(domain_size, epsilon)

    def error(k: int) -> float:
        return (k + d * u) * (k + d * u) / (d * k * (d - k))

    return (d - 1) ** 2 * _least(error, d, d * _share(budget))


def _share(exponent: float) -> float:
    """Return 1 / (1 + e^exponent) without overflow."""
    return math.exp(-exponent) / (1 + math.exp(-exponent))


def _least(function: Callable[[int], float], domain_size: int, at: float) -> float:
    """Minimum over 0 < k < d of a convex function whose real minimum is at the given number."""
    k = min(max(math.floor(at), 1), domain_size - 1)
    return min(function(k), function(min(k + 1, domain_size - 1)))
