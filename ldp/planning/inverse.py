"""What a plan is asked the other way round: how many people, and which budget."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ldp import _checks
from ldp.linear import check_oracle, variance
from ldp.planning.costs import costs
from ldp.types import LinearOracle

STEPS = 1000  # budgets are looked for in thousandths,
MOST = 30 * STEPS  # and up to here: reports of larger ones hardly lie
MOST_USERS = 2**53
Make = Callable[[int, float], Any]


class Budgets(NamedTuple):
    """Ends of a range of budgets."""

    least: float
    most: float


def users_needed(mechanism: LinearOracle, *, error: float, frequency: float = 0.0) -> int:
    r"""Return the least number of people with whom a frequency has no larger standard error.

    :math:`\sqrt{\operatorname{Var}[\hat f]}\le` `error` with so many, and not with one fewer.

    Parameters
    ----------
    mechanism : FrequencyOracle
    error : float
        Standard error of a frequency: 0.01 is a percentage point. The half width of an interval
        at 95 percent is 1.96 times as much.
    frequency : float
        Of the value; that of a rare one by default.

    Returns
    -------
    int

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or more than 2**53 people would be needed.

    Examples
    --------
    >>> from ldp import SubsetSelection
    >>> users_needed(SubsetSelection(50, 1.0), error=0.01)
    34972
    """
    check_oracle(mechanism)
    wanted, share = _checks.positive(error, "error"), _checks.share(frequency, "frequency")

    def works(num_users: int) -> bool:
        return math.sqrt(variance(mechanism, num_users, share)) <= wanted

    if not works(MOST_USERS):
        raise ValueError(f"error must be one that 2**53 people reach, got {wanted}.")
    return _first(works, 1, MOST_USERS)


def epsilon_needed(
    make: Make, domain_size: int, num_users: int, *, error: float, frequency: float = 0.0
) -> float:
    """Return the least budget, in thousandths, at which a frequency has no larger standard error.

    A thousandth less and it has. For a rare value the error falls with the budget. For a frequent
    one it may rise where a default parameter jumps; then a smaller budget may do as well.

    Parameters
    ----------
    make : callable
        A mechanism of a domain size and a budget: ``ldp.OUE``, or a function of your own.
    domain_size, num_users : int
    error, frequency : float
        As for :func:`users_needed`.

    Returns
    -------
    float
        From 0.001 to 30.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or no budget makes the error so small.

    Examples
    --------
    >>> from ldp import SubsetSelection
    >>> epsilon_needed(SubsetSelection, 50, 20_000, error=0.01)
    1.283
    """
    d = _checks.domain_size(domain_size)
    users = _checks.integer(num_users, "num_users", 1, MOST_USERS)
    wanted, share = _checks.positive(error, "error"), _checks.share(frequency, "frequency")

    def deviation(step: int) -> float:
        return math.sqrt(variance(_made(make, d, step), users, share))

    top = _largest(make, d)
    if deviation(top) > wanted:
        raise ValueError(
            f"error must be at least {deviation(top):.3g}, which the budget {top / STEPS} has, "
            f"got {wanted}."
        )
    return _first(lambda step: deviation(step) <= wanted, 1, top) / STEPS


def epsilon_allowed(make: Make, domain_size: int, *, attack_success: float) -> float:
    """Return a budget, in thousandths, at which a guess is right no more often than said.

    The guess is the best one from a single report, all values being equally likely; a thousandth
    more and it is right more often. That is the largest budget if success rises with it, as for
    randomized response, unary encoding and sets. Where a default parameter jumps it may fall, as
    that of Hadamard response does by a fifth; then a larger one may be allowed, and a smaller one
    not. This is a second limit and no promise of its own: of fifty values :func:`ldp.BLH` may tell
    the half that holds one's own for certain, at a budget of 30, and a guess is right once in 25.

    Parameters
    ----------
    make : callable
        As for :func:`epsilon_needed`, of a mechanism that is in a plan.
    domain_size : int
    attack_success : float
        How often a guess may be right; without a report it is right once in `domain_size`.

    Returns
    -------
    float
        From 0.001 to 30.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or a budget of 0.001 allows more.

    Examples
    --------
    >>> from ldp import GRR, OUE
    >>> epsilon_allowed(GRR, 50, attack_success=0.05), epsilon_allowed(OUE, 50, attack_success=0.05)
    (0.947, 1.386)
    """
    d = _checks.domain_size(domain_size)
    limit = _checks.share(attack_success, "attack_success")

    def success(step: int) -> float:
        mechanism = _made(make, d, step)
        return costs(mechanism).attack_success(mechanism)

    top = _largest(make, d)
    if success(1) > limit:
        raise ValueError(
            f"attack_success must be at least {success(1):.6g}, that of the budget {1 / STEPS}, "
            f"got {limit}."
        )
    if success(top) <= limit:
        return top / STEPS
    return (_first(lambda step: success(step) > limit, 1, top) - 1) / STEPS


def epsilon_range(
    make: Make,
    domain_size: int,
    num_users: int,
    *,
    error: float,
    attack_success: float,
    frequency: float = 0.0,
) -> Budgets | None:
    """Return the budgets that keep both an error and an attacker's success small, if there are any.

    From :func:`epsilon_needed` to :func:`epsilon_allowed`; both ends keep them small, and so do
    those between where error and success have no jumps. If there are none, more people are
    needed: those of :func:`users_needed` at the largest budget allowed.

    Parameters
    ----------
    make, domain_size, num_users, error, attack_success, frequency
        As for these two.

    Returns
    -------
    Budgets or None
        The least and the largest budget.

    Raises
    ------
    TypeError, ValueError
        As these two.

    Examples
    --------
    >>> from ldp import OUE
    >>> epsilon_range(OUE, 50, 20_000, error=0.012, attack_success=0.05)
    Budgets(least=1.12, most=1.386)
    >>> epsilon_range(OUE, 50, 10_000, error=0.012, attack_success=0.05) is None
    True
    >>> users_needed(OUE(50, 1.386), error=0.012)
    12352
    """
    least = epsilon_needed(make, domain_size, num_users, error=error, frequency=frequency)
    most = epsilon_allowed(make, domain_size, attack_success=attack_success)
    return Budgets(least, most) if least <= most else None


def _first(works: Callable[[int], bool], low: int, high: int) -> int:
    """Return where a monotone answer turns to yes, which it is at `high`."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle + 1, high)
    return high


def _made(make: Make, domain_size: int, step: int) -> Any:
    """Make a mechanism of a budget of so many thousandths."""
    if not callable(make):
        shown = _checks.shown(make)
        raise TypeError(f"make must be a function of domain_size and epsilon, got {shown}.")
    mechanism = make(domain_size, step / STEPS)
    check_oracle(mechanism)
    return mechanism


def _largest(make: Make, domain_size: int) -> int:
    """Return the largest budget that is taken; if the least one is refused, its error says why."""

    def refused(step: int) -> bool:
        try:
            _made(make, domain_size, step)
        except ValueError:
            return True
        return False

    _made(make, domain_size, 1)
    return _first(refused, 1, MOST) - 1 if refused(MOST) else MOST
