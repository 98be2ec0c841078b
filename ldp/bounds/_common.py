"""What several bounds share: their checks, and formulas of the budget and of entropies."""

import math

from ldp import _checks

# Beyond them squares of the budget, or products with a number of reports, leave float64.
_LEAST_EPSILON = 1e-100
_LARGEST_EPSILON = 1e100
_MOST_OUTCOMES = 2**53


def check_epsilon(value: float) -> float:
    """Return a budget whose square can be computed with."""
    budget = _checks.epsilon(value)
    if not _LEAST_EPSILON <= budget <= _LARGEST_EPSILON:
        rule = f"from {_LEAST_EPSILON} to {_LARGEST_EPSILON}"
        raise ValueError(f"epsilon must be {rule} for a bound, got {budget}.")
    return budget


def check_setting(domain_size: int, epsilon: float) -> tuple[int, float, float]:
    """Return the number of values, the budget and u = 1 / (e^epsilon - 1), checked."""
    d, budget = _checks.domain_size(domain_size), check_epsilon(epsilon)
    return d, budget, math.exp(-budget) / -math.expm1(-budget)


def check_num_outcomes(value: int, domain_size: int) -> int:
    """Return a number of different reports, enough to tell all laws."""
    return _checks.integer(value, "num_outcomes", domain_size, max(domain_size, _MOST_OUTCOMES))


def check_num_reports(value: int) -> int:
    """Return a number of users, at least one."""
    return _checks.integer(value, "num_reports", 1, _MOST_OUTCOMES)


def check_collision(value: float, domain_size: int) -> float:
    """Return the chance that two users hold one value, from 1/d to 1."""
    number = _checks.real(value, "collision", f"from 1/{domain_size} to 1")
    if not 1 / domain_size - 1e-12 <= number <= 1 + 1e-12:
        raise ValueError(f"collision must be from 1/{domain_size} to 1, got {number}.")
    return number


def log_odds(epsilon: float) -> float:
    """Return log(e^epsilon - 1) without overflow."""
    return epsilon + math.log(-math.expm1(-epsilon))


def gaussian_factor(domain_size: int, sharp: bool) -> float:
    r"""Factor of :math:`e^{2h/(d-1)}` in the least sum of variances on the simplex."""
    d = domain_size
    return ((d - 1) * d ** (1 / (d - 1)) if sharp else d) / (2 * math.pi * math.e)
