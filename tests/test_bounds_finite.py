"""The bound by the budget at every number of reports, against exact least errors."""

import math

import numpy as np
import pytest
from scipy.special import roots_jacobi
from scipy.stats import binom

from ldp import GRR, OUE, SubsetSelection, bounds
from ldp.bayes import minimum_mse


def least_error_of_two(eps, n, a):
    """Least error under Beta(a, a) and randomized response, by Gauss-Jacobi quadrature."""
    nodes, weights = roots_jacobi(120, a - 1, a - 1)
    theta, weights = (nodes + 1) / 2, weights / weights.sum()
    p = GRR(2, eps).p
    reported = theta * p + (1 - theta) * (1 - p)
    wide = 4.5 * math.sqrt(n)  # nine standard deviations or more
    first = max(0, int(n * reported.min() - wide))
    s = np.arange(first, min(n, int(n * reported.max() + wide)) + 1)
    pmf = binom.pmf(s[:, None], n, reported)
    seen = pmf @ weights
    mean = pmf @ (weights * theta) / seen
    return 2 * (theta**2 @ weights - mean**2 @ seen)


@pytest.mark.parametrize("a", [2.5, 4.0, 30.0])
@pytest.mark.parametrize("eps", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("n", [1, 30, 1000])
def test_holds_at_two_values(a, eps, n):
    assert bounds.spread_bound(2, eps, n, concentration=a) <= least_error_of_two(eps, n, a)


@pytest.mark.parametrize("make", [GRR, OUE, SubsetSelection])
@pytest.mark.parametrize("eps", [0.2, 1.0, 3.0])
def test_holds_at_three_values(make, eps):
    for n in (1, 4):
        for a in (2.5, 4.0):
            error = minimum_mse(make(3, eps).channel(), n, [a] * 3).law
            assert bounds.spread_bound(3, eps, n, concentration=a) <= error


def test_is_nearly_attained():
    """Prior and reports tell about equally much: two per cent more of either would be false."""
    eps, n, a = 0.01, 1_000_000, 50.0
    reports, prior = n / bounds.spread_limit(2, eps, sharp=True).law, 99 * 98 / 48
    assert 0.2 < reports / prior < 5
    ratio = bounds.spread_bound(2, eps, n, concentration=a) / least_error_of_two(eps, n, a)
    assert 0.99 < ratio <= 1


@pytest.mark.parametrize("d", [2, 3, 16])
def test_information_of_the_prior_by_its_moments(d):
    a = 3.7
    alpha = np.full(d, a)

    def moment(powers):
        def log_beta(v):
            return sum(map(math.lgamma, v)) - math.lgamma(sum(v))

        return math.exp(log_beta(alpha + powers) - log_beta(alpha))

    one, both = -2 * np.eye(d)[0], -(np.eye(d)[0] + np.eye(d)[1])
    score = (a - 1) ** 2 * np.array([moment(one), moment(both)])
    trace = d * score[0] - (d * score[0] + d * (d - 1) * score[1]) / d  # less the mean's part
    without_reports = (d - 1) ** 2 / trace  # a budget of nothing tells nothing
    assert bounds.spread_bound(d, 1e-6, 1, concentration=a) == pytest.approx(
        without_reports, rel=1e-9
    )


@pytest.mark.parametrize("d", [2, 3, 50])
def test_default_is_the_best_concentration_and_tends_to_the_limit(d):
    tried = [
        bounds.spread_bound(d, 1.0, 100, concentration=a) for a in np.linspace(2.01, 12, 2_000)
    ]
    assert bounds.spread_bound(d, 1.0, 100) == pytest.approx(max(tried), rel=1e-6)
    limit = bounds.spread_limit(d, 1.0, sharp=True).law
    assert 2**53 * bounds.spread_bound(d, 1.0, 2**53) == pytest.approx(limit, rel=1e-6)


@pytest.mark.parametrize("a", [2.0, 0.5, math.inf, math.nan])
def test_refuses_priors_without_information(a):
    with pytest.raises(ValueError, match=r"^concentration must be above 2 and finite, got .*\.$"):
        bounds.spread_bound(3, 1.0, 10, concentration=a)


@pytest.mark.parametrize("eps", [1e-100, 1.0, 1e100])
def test_no_budget_overflows(eps):
    assert 0 <= bounds.spread_bound(2**31, eps, 2**53) < 1
    with pytest.raises(ValueError, match="num_reports"):
        bounds.spread_bound(3, eps, 0)
