"""Each post-processing is held to its defining property, found by brute force where it can be.

What `test_extremes.py` computes in fractions, of estimates of any size, is not repeated here.
"""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ldp import norm_sub
from ldp.postprocess import (
    base_cut,
    base_pos,
    norm_add,
    norm_cut,
    norm_mul,
    post_pos,
    power_law,
    power_law_exponent,
    power_ns,
)

# Multiples of 1/64: sums are exact, and ties are common.
ESTIMATES = arrays(float, st.integers(1, 12), elements=st.integers(-64, 80).map(lambda k: k / 64))
ALL = {
    "base_pos": base_pos,
    "post_pos": lambda x: post_pos(x, [[True, True]]),
    "base_cut": lambda x: base_cut(x, 0.01),
    "norm_add": norm_add,
    "norm_mul": norm_mul,
    "norm_cut": norm_cut,
    "power": lambda x: power_law(x, 0.01, 100),
    "power_ns": lambda x: power_ns(x, 0.01, 100),
    "power_law_exponent": lambda x: power_law_exponent(x, 0.01, 100),
}


@pytest.mark.parametrize("bad", [[], [[0.5]], [np.nan, 1.0], [0.5, np.inf], ["a"], [1j], [True]])
@pytest.mark.parametrize("name", ALL)
def test_refuses_what_is_not_a_vector(name, bad):
    with pytest.raises((TypeError, ValueError), match=r"^estimates must .*\.$"):
        ALL[name](bad)


@pytest.mark.parametrize("name", ALL)
def test_leaves_its_argument_alone(name):
    x = np.array([0.75, -0.25])
    ALL[name](x)
    np.testing.assert_array_equal(x, [0.75, -0.25])


@given(ESTIMATES)
def test_post_pos_adds_before_it_clips(x):
    np.testing.assert_array_equal(post_pos(x, np.eye(x.size, dtype=bool)), base_pos(x))
    everything = post_pos(x, np.ones((1, x.size), dtype=bool))
    assert everything[0] == max(0.0, x.sum())
    np.testing.assert_array_equal(post_pos(x, np.zeros((2, x.size), dtype=bool)), [0, 0])


@pytest.mark.parametrize("bad", [[[1, 0]], [True, False], [[True]], [[True, False], [True]]])
def test_post_pos_refuses_other_subsets(bad):
    with pytest.raises((TypeError, ValueError), match=r"^subsets must .*\.$"):
        post_pos([0.5, 0.5], bad)


@pytest.mark.parametrize("d", [1, 2, 1000])
@pytest.mark.parametrize("level", [0.05, 0.5])
def test_base_cut_keeps_what_the_normal_quantile_does_not_explain(d, level):
    limit = 0.02 * NormalDist().inv_cdf(1 - level / d)
    for factor, kept in ((1 + 1e-9, True), (1 - 1e-9, False)):
        x = np.full(d, limit * factor)
        result = base_cut(x, 0.02**2, significance=level)
        if limit > 0:
            np.testing.assert_array_equal(result, x if kept else 0.0)
    assert (base_cut(np.full(d, -0.1), 0.02**2, significance=level) == 0).all()


def test_base_cut_errs_as_often_as_it_says():
    # 4,000 trials of 50 empty values: false alarms below 1e-6 at five standard errors.
    rng = np.random.default_rng(3)
    noise = rng.normal(scale=0.1, size=(4_000, 50))
    wrong = np.array(
        [[base_cut(x, v, significance=0.2).any() for x in noise] for v in (0.01, 0.008)]
    )
    exact = 1 - (1 - 0.2 / 50) ** 50
    error = abs(wrong.mean(axis=1) - exact) / np.sqrt(exact * (1 - exact) / 4_000)
    assert error[0] < 5
    assert error[1] > 5  # control: the wrong variance


@pytest.mark.parametrize("level", [0.0, -0.1, 0.6, np.nan])
def test_base_cut_refuses_other_levels(level):
    with pytest.raises(ValueError, match=r"^significance must be above 0 and at most 0\.5, got"):
        base_cut([0.5], 0.01, significance=level)


@pytest.mark.parametrize("x", [[0.0], [-0.5, -0.25], [0.0, -1.0]])
def test_norm_mul_needs_a_positive_estimate(x):
    with pytest.raises(ValueError, match=r"^estimates must hold a positive one .*\.$"):
        norm_mul(x)


def norm_cut_by_hand(x):
    """Try every threshold; the largest set of sum at most one wins."""
    best = np.zeros(x.size)
    for limit in sorted(set(x[x > 0]), reverse=True):
        kept = np.where(x >= limit, x, 0.0)
        if kept.sum() <= 1:
            best = kept
    return best


@given(ESTIMATES)
def test_norm_cut_keeps_the_largest_that_fit(x):
    result = norm_cut(x)
    np.testing.assert_array_equal(result, norm_cut_by_hand(x))
    np.testing.assert_array_equal(norm_cut(result), result)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([0.5, 0.25, 0.25, -1.0], [0.5, 0.25, 0.25, 0.0]),  # exactly one
        ([0.5, 0.375, 0.375], [0.5, 0.0, 0.0]),  # ties are lost together
        ([1.25, 0.5], [0.0, 0.0]),  # the largest alone does not fit
        ([-0.5, -0.25], [0.0, 0.0]),
        ([0.25, 0.125], [0.25, 0.125]),  # nothing to cut
        ([0.1] * 10, [0.1] * 10),  # one, up to rounding
    ],
)
def test_norm_cut_cases(x, expected):
    np.testing.assert_array_equal(norm_cut(x), expected)


def dense_power(x, sigma, n, alpha):
    """Evidence and posterior mean by brute force on half a million equal steps of log f."""
    u = np.linspace(-np.log(n), 0, 500_001)
    f = np.exp(u)
    density = f ** (1 - alpha)
    posterior = density * np.exp(-((x - f) ** 2) / (2 * sigma**2))
    posterior[[0, -1]] /= 2  # trapezia
    density[[0, -1]] /= 2
    return posterior.sum() / density.sum(), (posterior * f).sum() / posterior.sum()


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.7, 4.0])
@pytest.mark.parametrize("x", [-0.02, 0.0, 0.001, 0.03, 0.4, 1.01])
def test_power_is_the_posterior_mean(x, alpha):
    _, mean = dense_power(x, 0.01, 10_000, alpha)
    assert power_law([x], 1e-4, 10_000, exponent=alpha)[0] == pytest.approx(mean, rel=1e-6)


def test_the_quadrature_keeps_seven_digits_where_it_is_hardest():
    x, sigma, n, alpha = 0.389, 5.68e-6, 22_900_000_000, 4.41e-5
    f = np.linspace(x - 12 * sigma, x + 12 * sigma, 400_001)  # all mass is here
    weight = f**-alpha * np.exp(-((x - f) ** 2) / (2 * sigma**2))
    mean = (weight * f).sum() / weight.sum()
    assert power_law([x], sigma**2, n, exponent=alpha)[0] == pytest.approx(mean, rel=1e-7)


@pytest.mark.parametrize(
    ("estimates", "noise", "num_reports", "message"),
    [
        ([0.5, 0.0], 1e-320, 100, "noise_variance must be from"),
        ([1e200, -1e200], 1e-4, 100, "estimates must be from"),
        ([0.5, 0.0], 1e-4, 10**400, "num_reports must be an integer"),
    ],
)
def test_power_refuses_what_leaves_float64(estimates, noise, num_reports, message):
    with pytest.raises(ValueError, match=message):
        power_law(estimates, noise, num_reports)


def test_a_steep_prior_outweighs_a_distant_estimate():
    _, mean = dense_power(0.095, 0.01, 10_000, 10.0)
    assert mean < 2e-4
    assert power_law([0.095], 1e-4, 10_000, exponent=10.0)[0] == pytest.approx(mean, rel=1e-6)


def test_power_far_below_the_prior_is_exponential():
    # Near f = 1/n the posterior falls as exp(-(f - 1/n) (1/n - x) / sigma^2); what bends it is
    # 1e-4 as large.
    sigma2, n, x = 1e-8, 10_000, -3.0
    above = power_law([x], sigma2, n, exponent=1.0)[0] - 1 / n
    assert above == pytest.approx(sigma2 / (1 / n - x), rel=1e-3)
    assert power_law([4.0], sigma2, n, exponent=1.0)[0] == pytest.approx(1 - sigma2 / 3, rel=1e-12)


def test_power_rises_with_the_estimate_and_stays_in_range():
    x = np.linspace(-2, 3, 1_001)
    result = power_law(x, 1e-3, 1_000, exponent=1.5)
    assert (np.diff(result) > -1e-12).all()
    assert result.min() >= 1e-3 * (1 - 1e-9)
    assert result.max() <= 1 + 1e-9


def test_power_with_hardly_any_noise_changes_nothing():
    x = np.array([0.5, 0.3, 0.1, 0.01])
    np.testing.assert_allclose(power_law(x, 1e-14, 1_000, exponent=1.5), x, rtol=1e-9)


def test_power_has_the_least_error_under_its_prior():
    # Exact: expected squared error over prior and noise, by quadrature; shrinking more or less
    # than the posterior mean is worse.
    sigma, n, alpha = 0.05, 200, 1.3
    f = np.exp(np.linspace(-np.log(n), 0, 801))
    x = np.linspace(-0.4, 1.4, 1_201)
    joint = f[:, None] ** (1 - alpha) * np.exp(-((x - f[:, None]) ** 2) / (2 * sigma**2))
    joint /= joint.sum()

    def risk(estimate):
        return (joint * (estimate - f[:, None]) ** 2).sum()

    best = power_law(x, sigma**2, n, exponent=alpha)
    for other in (
        power_law(x, sigma**2, n, exponent=1.2),
        power_law(x, sigma**2, n, exponent=1.4),
        x,
        1.05 * best,
    ):
        assert risk(best) < risk(other)


def test_the_exponent_maximises_the_evidence():
    rng = np.random.default_rng(5)
    x = 1 / np.arange(1, 41)
    x = x / x.sum() + rng.normal(scale=0.01, size=40)
    fitted = power_law_exponent(x, 1e-4, 1_000)

    def evidence(alpha):
        return sum(np.log(dense_power(entry, 0.01, 1_000, alpha)[0]) for entry in x)

    assert 0.5 < fitted < 3
    assert evidence(fitted) > max(evidence(fitted - 0.02), evidence(fitted + 0.02))


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_the_exponent_of_an_exact_power_law_is_found(alpha):
    n, ranks = 1_000, (np.arange(20_000) + 0.5) / 20_000  # quantiles of the prior itself
    s = 1 - alpha
    f = n ** (ranks - 1) if s == 0 else (n**-s + ranks * (1 - n**-s)) ** (1 / s)
    assert power_law_exponent(f, 1e-12, n) == pytest.approx(alpha, abs=1e-3)


def test_values_are_split_without_a_trace():
    x = np.linspace(-0.1, 0.3, 5_000)
    whole = power_law(x, 1e-3, 1_000, exponent=1.5)
    np.testing.assert_array_equal(whole[4_900:], power_law(x[4_900:], 1e-3, 1_000, exponent=1.5))


def test_power_ns_is_power_then_the_projection():
    x = [0.5, 0.3, -0.1]
    expected = norm_sub(power_law(x, 0.01, 100))
    np.testing.assert_array_equal(power_ns(x, 0.01, 100), expected)
    assert power_ns([0.2], 0.01, 100).tolist() == [1.0]


@pytest.mark.parametrize("variance", [0.0, -1.0, np.nan, np.inf, "1"])
@pytest.mark.parametrize("method", [base_cut, lambda x, v: power_law(x, v, 9)])
def test_refuses_other_variances(method, variance):
    message = r"^noise_variance must be positive and finite, got .*\.$"
    with pytest.raises((TypeError, ValueError), match=message):
        method([0.5], variance)


@pytest.mark.parametrize("exponent", [-0.5, 11.0, np.nan])
def test_power_refuses_other_exponents(exponent):
    with pytest.raises(ValueError, match=r"^exponent must be from 0 to 10, got"):
        power_law([0.5], 0.01, 100, exponent=exponent)


@pytest.mark.parametrize("num_reports", [1, 0, 2.5])
def test_power_refuses_other_numbers_of_users(num_reports):
    with pytest.raises((TypeError, ValueError), match=r"^num_reports must be an integer"):
        power_law([0.5], 0.01, num_reports)


def test_norm_cut_keeps_no_more_than_one():
    np.testing.assert_array_equal(norm_cut([0.5, 0.5005]), [0.0, 0.5005])
