r"""From linear algebra to the budget: limits that hold for every mechanism of a budget.

In the code :math:`u=1/(e^\epsilon-1)`, in which all of them are polynomials.
"""

import math

from ldp import _checks
from ldp.bounds._common import check_num_outcomes, check_setting, log_odds
from ldp.types import Pair


def epsilon_constants(
    domain_size: int, epsilon: float, num_outcomes: int, *, sharp: bool = False
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
    d, budget, _ = check_setting(domain_size, epsilon)
    loss = _entropy_loss(domain_size, epsilon, num_outcomes, sharp)
    law = (d - 1) / 2 * (math.log(2 * math.pi * math.e) - 2 * log_odds(budget))
    return Pair(law, law - loss)


def epsilon_limit(
    domain_size: int, epsilon: float, num_outcomes: int, *, sharp: bool = False
) -> Pair:
    r"""Lower bounds on the limits of :math:`n` times the error, by the budget alone.

    .. math:: \lim n\operatorname{MSE}\ge\frac d{(e^\epsilon-1)^2},\qquad
              \lim n\operatorname{MSE}_f\ge\frac d{(e^\epsilon-1)^2}\,e^{-m\epsilon/(d-1)}

    With `sharp` the exponent uses the smaller loss of :func:`epsilon_constants`. Only limits: at a
    fixed :math:`n` the error never passes the variance of the prior, and the bound does.

    Parameters
    ----------
    domain_size, epsilon, num_outcomes, sharp
        As for :func:`epsilon_constants`.

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
    d, _, u = check_setting(domain_size, epsilon)
    loss = _entropy_loss(domain_size, epsilon, num_outcomes, sharp)
    law = d * u * u
    return Pair(law, law * math.exp(-2 * loss / (d - 1)))


def _entropy_loss(domain_size: int, epsilon: float, num_outcomes: int, sharp: bool) -> float:
    """By how much the constant of the frequencies may be below that of the law."""
    d, budget, u = check_setting(domain_size, epsilon)
    m = check_num_outcomes(num_outcomes, d)
    return m / 2 * (_jensen_gap(budget, u) if _checks.flag(sharp, "sharp") else budget)


def _jensen_gap(epsilon: float, u: float) -> float:
    """Largest log E[R] - E[log R] of a variable between 1 and e^epsilon."""
    if epsilon < 0.01:  # the terms cancel; the series goes on with epsilon**6 / 25920
        return epsilon**2 / 8 - epsilon**4 / 576
    return log_odds(epsilon) - math.log(epsilon) - 1 + epsilon * u
