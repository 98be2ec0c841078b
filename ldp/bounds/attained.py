"""Where the rebuilt bounds of the paper are attained, and what can be rebuilt of its table."""

import math
import sys
from typing import NamedTuple

from ldp.bounds._common import check_collision, check_epsilon, check_num_reports, check_setting
from ldp.types import Pair

_LARGEST_OF_RATIO = math.log(sys.float_info.max) / 3


def binary_mse(epsilon: float, num_reports: int, collision: float) -> Pair:
    r"""Error of the unbiased estimator of two-valued randomized response; at every :math:`n`.

    .. math:: \operatorname{MSE}=\frac2n\left(\frac{e^\epsilon}{(e^\epsilon-1)^2}
              +\operatorname E\theta_0\theta_1\right),\qquad
              \operatorname{MSE}_f=\frac2n\,\frac{e^\epsilon}{(e^\epsilon-1)^2}

    The second is free of the prior.

    Parameters
    ----------
    epsilon : float
        Privacy budget.
    num_reports : int
        Number :math:`n\ge1` of users.
    collision : float
        Prior average of :math:`\theta_0^2+\theta_1^2=1-2\theta_0\theta_1`, from 1/2 to 1.

    Returns
    -------
    Pair
        Squared errors summed over the two values.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> law, frequencies = binary_mse(math.log(2), 100, 0.5)  # both values equally frequent
    >>> round(law, 6), round(frequencies, 6)
    (0.045, 0.04)

    References
    ----------
    ``S003``, Proposition 4.6, (65) and (66), reconstructed.
    """
    _, _, u = check_setting(2, epsilon)
    n = check_num_reports(num_reports)
    frequencies = 2 * u * (1 + u) / n
    return Pair(frequencies + (1 - check_collision(collision, 2)) / n, frequencies)


def binary_ratio(epsilon: float, collision: float) -> Pair:
    r"""Attained error over the bounds of :func:`epsilon_limit`, for two values and two reports.

    .. math:: e^\epsilon+(e^\epsilon-1)^2\operatorname E\theta_0\theta_1\qquad\text{and}\qquad
              e^{3\epsilon}

    Both tend to one as :math:`\epsilon\to0`.

    Parameters
    ----------
    epsilon, collision
        As for :func:`binary_mse`.

    Returns
    -------
    Pair
        Two ratios, above one.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> [round(x, 3) for x in binary_ratio(0.01, 0.75)]
    [1.01, 1.03]

    References
    ----------
    ``S003``, Corollary 4.7, (76) and (77), reconstructed.
    """
    budget = check_epsilon(epsilon)
    if budget > _LARGEST_OF_RATIO:
        rule = f"at most {_LARGEST_OF_RATIO:.6g} for the ratio to be a float"
        raise ValueError(f"epsilon must be {rule}, got {budget}.")
    held_once = (1 - check_collision(collision, 2)) / 2
    attained = math.exp(budget) + math.expm1(budget) ** 2 * held_once
    return Pair(attained, math.exp(3 * budget))


class Rate(NamedTuple):
    """One line of the table: what is bounded, by whom, when, and the error if it is known."""

    quantity: str
    kind: str
    source: str
    holds: str
    mse: float | None


def table_one(domain_size: int, epsilon: float, num_reports: int) -> tuple[Rate, ...]:
    r"""Known and new rates at small budgets, with their constants where they can be recovered.

    The text at hand has lost the entries. The new bounds, :math:`d/(n\epsilon^2)`, follow from its
    proofs, the attainable :math:`4d/(n\epsilon^2)` from the variance of optimized unary encoding.
    The constants of the others are left out, not guessed; their order is that of the new bounds.

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge2` of values.
    epsilon : float
        Privacy budget; all entries are leading terms as it tends to 0.
    num_reports : int
        Number :math:`n\ge1` of users.

    Returns
    -------
    tuple of Rate
        Squared errors summed over values, or None where the constant is lost.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> for rate in table_one(100, 0.1, 1_000_000):
    ...     print(rate.quantity, rate.kind, rate.source, rate.mse)
    law lower duchi2013local None
    law attainable acharya2019hadamard None
    law lower S003 0.01
    frequencies lower blasiok2019towards None
    frequencies attainable wang2017locally 0.04
    frequencies lower S003 0.01

    References
    ----------
    ``S003``, Table I, of which the text at hand has lost the entries.
    """
    d, budget, _ = check_setting(domain_size, epsilon)
    n = check_num_reports(num_reports)
    unit = d / (n * budget * budget)
    return (
        Rate("law", "lower", "duchi2013local", "worst law", None),
        Rate("law", "attainable", "acharya2019hadamard", "every law", None),
        Rate("law", "lower", "S003", "every prior, n to infinity", unit),
        Rate("frequencies", "lower", "blasiok2019towards", "worst data", None),
        Rate("frequencies", "attainable", "wang2017locally", "rare values", 4 * unit),
        Rate("frequencies", "lower", "S003", "every prior, n to infinity", unit),
    )
