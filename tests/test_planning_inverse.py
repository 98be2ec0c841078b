"""How many people, and which budget: the answer works, and the one before it does not."""

import math

import numpy as np
import pytest
from test_bad_input import each_of, refuse

from ldp import GRR, OLH, OUE, SUE, HadamardResponse, SubsetSelection, variance
from ldp.planning import epsilon_allowed, epsilon_needed, epsilon_range, users_needed
from ldp.planning.costs import MAKERS, costs

every_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=[*MAKERS])


def deviation(m, people, frequency=0.0):
    return math.sqrt(variance(m, people, frequency))


def success(m):
    return costs(m).attack_success(m)


@every_maker
@pytest.mark.parametrize("error", [0.3, 0.01, 1e-4, 1e-7])
@pytest.mark.parametrize("frequency", [0.0, 0.3, 1.0])
def test_so_many_people_are_enough_and_one_fewer_is_not(make, error, frequency):
    m = make(20, 1.0)
    people = users_needed(m, error=error, frequency=frequency)
    assert deviation(m, people, frequency) <= error
    assert people == 1 or deviation(m, people - 1, frequency) > error
    assert people == pytest.approx(variance(m, 1, frequency) / error**2, rel=1e-9, abs=1)


@every_maker
@pytest.mark.parametrize("d", [4, 50, 300])
def test_a_budget_is_enough_and_a_thousandth_less_is_not(make, d):
    for start in (0.2, 1.0, 2.0):
        error = 0.9 * deviation(make(d, start), 10_000)
        least = epsilon_needed(make, d, 10_000, error=error)
        assert deviation(make(d, least), 10_000) <= error
        assert deviation(make(d, least - 0.001), 10_000) > error


@every_maker
@pytest.mark.parametrize("d", [4, 50, 300])
def test_a_budget_is_allowed_and_a_thousandth_more_is_not(make, d):
    for start in (0.2, 1.0, 2.0):
        limit = 1.05 * success(make(d, start))
        most = epsilon_allowed(make, d, attack_success=limit)
        assert success(make(d, most)) <= limit
        assert success(make(d, most + 0.001)) > limit


@pytest.mark.parametrize("make", [GRR, OUE, SUE, SubsetSelection, OLH], ids=lambda f: f.__name__)
def test_answers_are_the_first_and_the_last_of_all_budgets(make):
    """By trying every thousandth: no smaller budget works, and no larger one is allowed."""
    d, people, error, limit = 12, 5_000, 0.02, 0.2
    steps = np.arange(1, 4_000) / 1000
    works = [deviation(make(d, e), people) <= error for e in steps]
    allowed = [success(make(d, e)) <= limit for e in steps]
    assert epsilon_needed(make, d, people, error=error) == steps[works.index(True)]
    last = steps[len(allowed) - 1 - allowed[::-1].index(True)]
    assert epsilon_allowed(make, d, attack_success=limit) == last
    assert epsilon_range(make, d, people, error=error, attack_success=limit) == (
        None if steps[works.index(True)] > last else (steps[works.index(True)], last)
    )


def test_both_limits_together():
    found = epsilon_range(OUE, 50, 20_000, error=0.012, attack_success=0.05)
    assert found.least <= found.most
    # With fewer people there is no budget, and users_needed says how many are lacking.
    assert epsilon_range(OUE, 50, 10_000, error=0.012, attack_success=0.05) is None
    most = epsilon_allowed(OUE, 50, attack_success=0.05)
    people = users_needed(OUE(50, most), error=0.012)
    assert epsilon_range(OUE, 50, people, error=0.012, attack_success=0.05) == (most, most)
    assert epsilon_range(OUE, 50, people - 30, error=0.012, attack_success=0.05) is None


def test_a_limit_that_no_budget_breaks():
    # Half of the reports of unary encoding hold no own value, at any budget.
    assert epsilon_allowed(OUE, 4, attack_success=1.0) > 25
    # Nor one that is just what the largest budget gives.
    assert epsilon_allowed(GRR, 5, attack_success=success(GRR(5, 30.0))) == 30.0


def test_a_mechanism_of_ones_own():
    halves = epsilon_needed(lambda d, e: SubsetSelection(d, e, 1), 50, 20_000, error=0.01)
    assert halves == epsilon_needed(GRR, 50, 20_000, error=0.01)


BAD = [
    (lambda bad: users_needed(bad, error=0.1), "mechanism", None, GRR, 3),
    (lambda bad: users_needed(GRR(3, 1.0), error=bad), "error", 0, -1.0, np.nan, "1", None, 1e-9),
    (lambda bad: users_needed(GRR(3, 1.0), error=1, frequency=bad), "frequency", 1.5, -1, "a"),
    (lambda bad: epsilon_needed(bad, 4, 9, error=0.1), "make", "OUE", None, OUE(3, 1.0)),
    (lambda bad: epsilon_needed(lambda d, e: bad, 4, 9, error=0.1), "mechanism", None, GRR, 1),
    (lambda bad: epsilon_needed(OUE, bad, 9, error=0.1), "domain_size", 1, 2.0, None),
    (lambda bad: epsilon_needed(OUE, 4, bad, error=0.1), "num_users", 0, 2**53 + 1, 1.0),
    (lambda bad: epsilon_needed(OUE, 4, 9, error=bad), "error", 0, -1, np.inf, "1", 1e-9),
    (lambda bad: epsilon_needed(OUE, 4, 9, error=1, frequency=bad), "frequency", 1.01, np.nan),
    (lambda bad: epsilon_allowed(OUE, 4, attack_success=bad), "attack_success", 0.25, 2, np.nan),
    (lambda bad: epsilon_allowed(OUE, bad, attack_success=0.5), "domain_size", 0, "4", 2**40),
    (lambda bad: epsilon_allowed(bad, 4, attack_success=0.5), "make", 3),
    (
        lambda bad: epsilon_range(OUE, 4, 9, error=bad, attack_success=0.9),
        "error",
        None,
        1e-8,
    ),
    (lambda bad: epsilon_range(OUE, 4, 9, error=1, attack_success=bad), "attack_success", None, 0),
    (
        lambda bad: epsilon_range(HadamardResponse, bad, 9, error=1, attack_success=1),
        "domain_size",
        1,
    ),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD))
def test_bad_input(call, naming):
    refuse(call, naming=naming)
