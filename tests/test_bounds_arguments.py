"""The arguments that bounds refuse, and the extremes that they take."""

import math

import numpy as np
import pytest
from test_bad_input import each_of

from ldp import GRR, bounds

LAWS = [[0.5, 0.5], [0.2, 0.8]]
RR = GRR(2, 1.0).channel()


SURE, HALVES = GRR(3, 36.0).channel(), [[0.5, 0.5]] * 2
BAD_THETAS = [[0.5, 0.6], [0.5, 0.5]], [[0.5, 0.5], [math.nan, 0.5]]
BAD = [
    (lambda bad: bounds.exact_limit(bad, LAWS), "channel must have rank 2", HALVES, [[1.0]] * 2),
    (lambda bad: bounds.exact_limit(bad, LAWS), "channel must have at least two", HALVES[:1]),
    (lambda bad: bounds.exact_limit(bad, LAWS), "channel must give every", [[1, 0], [0.5, 0.5]]),
    (lambda bad: bounds.entropy_limit(bad, LAWS), "channel must have rows", BAD_THETAS[0]),
    (lambda bad: bounds.entropy_constants(RR, bad), "thetas must have", [[0.5, 0.5]], [0.5, 0.5]),
    (lambda bad: bounds.entropy_constants(RR, bad), "thetas must be", *BAD_THETAS),
    (lambda bad: bounds.entropy_constants(RR, [bad] * 2), "thetas must have shape", [1.0, 0, 0]),
    (lambda bad: bounds.entropy_constants(bad, [[0.2, 0.3, 0.5]] * 2), "channel must leave", SURE),
    (lambda bad: bounds.fisher_information(RR, bad), "theta must have shape", [1.0]),
    (lambda bad: bounds.fisher_information(RR, bad), "theta must be non-negative", [1.5, -0.5]),
    (lambda bad: bounds.entropy_bound(bad, 2), "entropy must be at most", 0.1),
    (lambda bad: bounds.entropy_bound(bad, 3), "entropy must be at most", -0.5, math.nan),
    (lambda bad: bounds.tally_entropy_bound(bad, 2, 5), "entropy must be at most", -0.1),
    (lambda bad: bounds.tally_entropy_limit(bad, 2, 5), "entropy must be at most", math.log(6.1)),
    (lambda bad: bounds.tally_entropy_bound(0.1, 2, bad), "num_reports must be", 0),
    (lambda bad: bounds.entropy_bound(0.0, bad), "domain_size must be", 1),
    (lambda bad: bounds.epsilon_limit(bad, 1.0, 4), "domain_size must be", 1),
    (lambda bad: bounds.epsilon_limit(3, bad, 4), "epsilon must be positive", 0.0),
    (lambda bad: bounds.epsilon_constants(3, 1.0, bad), "num_outcomes must be", 2),
    (lambda bad: bounds.spread_limit(3, bad), "epsilon must be positive", -1.0),
    (lambda bad: bounds.spread_limit(3, 1.0, collision=bad), "collision must be", 0.3),
    (lambda bad: bounds.optimal_limit(3, bad), "epsilon must be positive", math.inf),
    (lambda bad: bounds.binary_mse(1.0, bad, 0.6), "num_reports must be", 0),
    (lambda bad: bounds.binary_mse(1.0, 5, bad), "collision must be", 0.4),
    (lambda bad: bounds.binary_ratio(bad, 0.6), "epsilon must be positive", math.nan),
    (lambda bad: bounds.table_one(3, 0.1, bad), "num_reports must be", 0),
]


@pytest.mark.parametrize(("call", "message"), each_of(BAD))
def test_refuses_what_its_theorem_does_not_cover(call, message):
    with pytest.raises(ValueError, match=rf"^{message}.*\.$"):
        call()


def test_a_report_that_nobody_makes_changes_nothing():
    padded = np.hstack([RR, np.zeros((2, 1))])
    assert bounds.exact_limit(padded, LAWS) == bounds.exact_limit(RR, LAWS)


TINY, HUGE = 1e-100, 1e100  # the range of budgets


@pytest.mark.parametrize("eps", [TINY, 1e-20, 0.5, 30.0, 236.0, 700.0, 710.0, 1500.0, HUGE])
@pytest.mark.parametrize("d", [2, 3, 2**31])
def test_no_budget_of_the_range_overflows(eps, d):
    numbers = [
        *(x for s in (False, True) for x in bounds.epsilon_constants(d, eps, 2**53, sharp=s)),
        *(x for s in (False, True) for x in bounds.epsilon_limit(d, eps, d, sharp=s)),
        *(x for s in (False, True) for x in bounds.spread_limit(d, eps, collision=1.0, sharp=s)),
        bounds.optimal_limit(d, eps),
        *bounds.binary_mse(eps, 2**53, 0.5),
        *(rate.mse or 0.0 for rate in bounds.table_one(d, eps, 2**53)),
    ]
    assert all(map(math.isfinite, numbers))
    law, frequencies = bounds.epsilon_limit(d, eps, d)
    assert 0 <= frequencies <= law <= bounds.spread_limit(d, eps).law
    assert bounds.optimal_limit(d, eps) >= bounds.spread_limit(d, eps, sharp=True).law


@pytest.mark.parametrize("eps", [1e-300, 1e-101, 1e101, 1e308])
def test_budgets_out_of_the_range_are_refused(eps):
    for call in (
        lambda: bounds.epsilon_constants(3, eps, 3),
        lambda: bounds.epsilon_limit(3, eps, 3),
        lambda: bounds.spread_limit(3, eps),
        lambda: bounds.optimal_limit(3, eps),
        lambda: bounds.binary_mse(eps, 10, 0.6),
        lambda: bounds.binary_ratio(eps, 0.6),
        lambda: bounds.table_one(3, eps, 10),
    ):
        with pytest.raises(
            ValueError, match=r"^epsilon must be from 1e-100 to 1e\+100 for a bound"
        ):
            call()


def test_a_ratio_beyond_floats_is_refused():
    assert math.isfinite(bounds.binary_ratio(236.5, 0.5).frequencies)
    with pytest.raises(ValueError, match=r"^epsilon must be at most 236\.594 .* got 700\.0\.$"):
        bounds.binary_ratio(700.0, 0.6)


@pytest.mark.parametrize("eps", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("sharp", [False, True])
def test_limits_by_the_budget_are_the_gaussian_bound_of_its_constants(eps, sharp):
    constants, limits = (
        f(4, eps, 7, sharp=sharp) for f in (bounds.epsilon_constants, bounds.epsilon_limit)
    )
    for constant, limit in zip(constants, limits, strict=True):
        factor = 4 / (2 * math.pi * math.e)
        assert limit == pytest.approx(factor * math.exp(2 * constant / 3), rel=1e-12)


def test_the_largest_domain_does_not_wait():
    assert bounds.spread_limit(2**31, 1e-6, sharp=True).law > 0
    assert bounds.optimal_limit(2**31, 30.0) > 0


def test_a_channel_is_looked_at_once(monkeypatch):
    """Its rank costs more than the rest where there are many values."""
    calls = []
    rank = np.linalg.matrix_rank
    monkeypatch.setattr(np.linalg, "matrix_rank", lambda a: calls.append(1) or rank(a))
    bounds.entropy_limit(RR, LAWS)
    assert len(calls) == 1
