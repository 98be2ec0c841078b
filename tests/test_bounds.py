"""The bounds against enumeration and quadrature."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import betaln, gammaln, roots_jacobi
from scipy.stats import beta, binom

from ldp import GRR, OUE, bounds
from ldp.bayes import minimum_mse
from ldp.bayes.risk import enumerate_reports

# ------------------------------------------------------------------ two values, exactly


def joint_tally_report(eps, n, alpha):
    """Pr[tally, count of report 0] under a symmetric beta prior and randomized response."""
    p, t = GRR(2, eps).p, np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(t + 1) - gammaln(n - t + 1)
    law = np.exp(ways + betaln(alpha + t, alpha + n - t) - betaln(alpha, alpha))
    counts = [
        np.convolve(
            binom.pmf(np.arange(k + 1), k, p), binom.pmf(np.arange(n - k + 1), n - k, 1 - p)
        )
        for k in t
    ]
    return law[:, None] * np.array(counts)


def tally_entropy(joint):
    def entropy(p):
        return -float((p[p > 0] * np.log(p[p > 0])).sum())

    return entropy(joint) - entropy(joint.sum(axis=0))


def law_entropy(eps, n, alpha):
    """h(theta | Y): prior entropy minus mutual information, by Gauss-Jacobi quadrature."""
    nodes, weights = roots_jacobi(400, alpha - 1, alpha - 1)
    theta, weights = (nodes + 1) / 2, weights / weights.sum()
    p = GRR(2, eps).p
    pmf = binom.pmf(np.arange(n + 1)[:, None], n, theta * p + (1 - theta) * (1 - p))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(pmf > 0, pmf * np.log(pmf / (pmf @ weights)[:, None]), 0.0)
    return float(beta(alpha, alpha).entropy() - (terms @ weights).sum())


def beta_laws(alpha, count=4000):
    """Equally likely laws at the midpoints of the quantiles: a quadrature, not a sample."""
    theta = beta(alpha, alpha).ppf((np.arange(count) + 0.5) / count)
    return np.column_stack([theta, 1 - theta])


@pytest.mark.parametrize("eps", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("n", [1, 5, 40])
@pytest.mark.parametrize("alpha", [1.0, 5.0])
def test_entropy_bounds_hold_at_every_number_of_reports(eps, n, alpha):
    error = minimum_mse(GRR(2, eps).channel(), n, [alpha, alpha])
    bound = bounds.entropy_bound(law_entropy(eps, n, alpha), 2)
    assert 0.5 < bound / error.law <= 1  # the posterior is nearly normal: no idle bound
    entropy = tally_entropy(joint_tally_report(eps, n, alpha))
    assert bounds.tally_entropy_bound(entropy, 2, n) <= error.frequencies


def test_the_rebuilt_bound_for_frequencies_is_only_a_limit():
    error = minimum_mse(GRR(2, 6.0).channel(), 10, [0.5, 0.5]).frequencies
    entropy = tally_entropy(joint_tally_report(6.0, 10, 0.5))
    assert 100 * error == pytest.approx(0.04916, abs=1e-5)
    assert 100 * bounds.tally_entropy_limit(entropy, 2, 10) == pytest.approx(0.14823, abs=1e-5)
    assert bounds.tally_entropy_bound(entropy, 2, 10) <= error


def test_entropies_and_errors_approach_their_limits():
    q = GRR(2, 2.0).channel()
    constants, limit = (f(q, beta_laws(5)) for f in (bounds.entropy_constants, bounds.exact_limit))
    gaps = []
    for n in (50, 200, 800):
        entropy = tally_entropy(joint_tally_report(2.0, n, 5.0))
        error = minimum_mse(q, n, [5.0, 5.0])
        gaps.append(
            [
                constants.law - law_entropy(2.0, n, 5.0) - math.log(n) / 2,
                constants.frequencies - entropy + math.log(n) / 2,
                limit.law - n * error.law,
                limit.frequencies - n * error.frequencies,
            ]
        )
    shrink = np.array(gaps[1:]) / np.array(gaps[:-1])
    assert np.all((shrink > 0.2) & (shrink < 0.35))  # each gap is of order 1/n: a quarter
    assert np.all(np.abs(gaps[-1]) < 0.02)


# ------------------------------------------------------------------ three values, exactly


@pytest.mark.parametrize("eps", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("n", [2, 6])
def test_tally_bounds_hold_for_three_values(eps, n):
    channel = GRR(3, eps).channel()
    every = enumerate_reports(channel, n, [1.0, 1.0, 1.0])
    logs = np.log(np.where(every.weights > 0, every.weights, 1.0))
    entropy = -float(every.probabilities @ (every.weights * logs).sum(axis=1))
    error = minimum_mse(channel, n, [1.0, 1.0, 1.0]).frequencies
    plain, sharp = (bounds.tally_entropy_bound(entropy, 3, n, sharp=s) for s in (False, True))
    assert plain <= sharp <= error


def test_entropy_bound_for_three_values_and_its_sharper_constant():
    # The worked case of the references: error 0.1139477; bounds 0.0363 and 0.0419.
    every = enumerate_reports(GRR(3, 1.0).channel(), 4, [0.5, 1.0, 2.0])
    rng = np.random.default_rng(5)
    tallies = rng.choice(len(every.tallies), 40_000, p=every.probabilities @ every.weights)
    alpha = np.array([0.5, 1.0, 2.0])
    theta = rng.standard_gamma(alpha + every.tallies[tallies])
    theta /= theta.sum(axis=1, keepdims=True)
    lost = posterior_log_density(every, tallies, theta, alpha, rng)
    entropy, spread = -lost.mean(), lost.std() / math.sqrt(lost.size)
    plain, sharp = (bounds.entropy_bound(entropy, 3, sharp=s) for s in (False, True))
    assert plain == pytest.approx(0.0363, abs=5 * spread * plain + 5e-5)
    assert sharp == pytest.approx(0.0419, abs=5 * spread * sharp + 5e-5)
    assert sharp < minimum_mse(GRR(3, 1.0).channel(), 4, alpha).law


def posterior_log_density(every, tallies, theta, alpha, rng):
    """Log density of a law given a histogram drawn with its tally."""
    a = alpha + every.tallies
    const = np.array([math.lgamma(r.sum()) - sum(map(math.lgamma, r)) for r in a])
    parts = np.exp(const + np.log(theta) @ (a - 1).T)
    joint = every.probabilities[:, None] * every.weights
    seen = np.array([rng.choice(len(joint), p=c / c.sum()) for c in joint.T[tallies]])
    return np.log((parts * every.weights[seen]).sum(axis=1))


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_cell_of_the_sharp_frequency_bound_tiles_and_has_its_variance(d):
    rng = np.random.default_rng(6)
    steps = np.array([s for s in product(range(-3, 4), repeat=d) if sum(s) == 0])
    for _ in range(50):
        point = rng.uniform(-1, 1, d)
        point -= point.mean()
        around = point - steps
        assert (np.ptp(around, axis=1) <= 1).sum() == 1  # one translate contains it
    nodes, weights = np.polynomial.legendre.leggauss(3)  # exact for squares
    square = 0.0
    for index in product(range(3), repeat=d - 1):
        u = np.append((nodes[list(index)] + 1) / 2, 0.0)
        square += np.prod(weights[list(index)] / 2) * ((u - u.mean()) ** 2).sum()
    assert square == pytest.approx((d - 1) * (d + 2) / (12 * d), rel=1e-12)


def test_the_sharp_frequency_bound_is_never_smaller():
    for d in (2, 3, 4, 7, 30):
        for share in (0.1, 0.3, 0.6, 0.9):
            most = math.lgamma(100 + d) - math.lgamma(d) - math.lgamma(101)
            plain, sharp = (
                bounds.tally_entropy_bound(share * most, d, 100, sharp=s) for s in (False, True)
            )
            assert plain <= sharp * (1 + 1e-12)


# ------------------------------------------------------------------ two values, in closed form


@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("alpha", [(0.5, 0.5), (2.0, 1.0)])
def test_binary_errors_by_enumeration(eps, alpha):
    n, q = 5, GRR(2, eps).channel()
    every = enumerate_reports(q, n, list(alpha))
    estimate = (every.histograms[:, 0] / n - q[1, 0]) / (q[0, 0] - q[1, 0])
    share = every.tallies[:, 0] / n
    joint = every.probabilities[:, None] * every.weights
    frequencies = 2 * (joint * (estimate[:, None] - share) ** 2).sum()
    a, b = alpha
    nodes, weights = roots_jacobi(20, b - 1, a - 1)
    theta = (nodes + 1) / 2
    weights = weights / weights.sum()
    r = theta * q[0, 0] + (1 - theta) * q[1, 0]
    at = np.arange(n + 1)[:, None]
    errors = ((at / n - q[1, 0]) / (q[0, 0] - q[1, 0]) - theta) ** 2
    law = 2 * float((binom.pmf(at, n, r) * errors).sum(axis=0) @ weights)
    collision = (a * (a + 1) + b * (b + 1)) / ((a + b) * (a + b + 1))
    ours = bounds.binary_mse(eps, n, collision)
    assert ours.frequencies == pytest.approx(frequencies, rel=1e-10)
    assert ours.law == pytest.approx(law, rel=1e-10)
    limits = bounds.epsilon_limit(2, eps, 2)
    ratio = bounds.binary_ratio(eps, collision)
    assert ratio.law == pytest.approx(n * ours.law / limits.law, rel=1e-12)
    assert ratio.frequencies == pytest.approx(n * ours.frequencies / limits.frequencies, rel=1e-12)


def test_the_table_has_its_two_new_rates_and_no_invented_constant():
    rates = bounds.table_one(10, 0.01, 1000)
    assert [rate.mse is None for rate in rates] == [True, True, False, True, False, False]
    new = bounds.epsilon_limit(10, 0.01, 10)
    assert 1000 * rates[2].mse == pytest.approx(new.law, rel=0.011)
    assert 1000 * rates[5].mse == pytest.approx(new.frequencies, rel=0.025)


def test_the_frequencies_lose_the_sampling_of_the_users():
    for sharp in (False, True):
        plain = bounds.spread_limit(5, 0.5, sharp=sharp)
        assert plain.law - plain.frequencies == pytest.approx(1 - 1 / 5, rel=1e-9)
        held = bounds.spread_limit(5, 0.5, collision=0.3, sharp=sharp)
        assert held.law - held.frequencies == pytest.approx(1 - 0.3, rel=1e-9)


@pytest.mark.parametrize(("d", "split"), [(2, 1), (3, 2), (4, 4), (5, 6)])
def test_an_odd_number_of_values_splits_unevenly(d, split):
    # (d-1)^2 u^2 d / floor(d^2/4): two halves of d values have floor(d/2) ceil(d/2) = split pairs
    u = 1 / np.expm1(1.0)
    assert bounds.spread_limit(d, 1.0).law == pytest.approx(
        (d - 1) ** 2 * u**2 * d / split, rel=1e-12
    )


@pytest.mark.parametrize("d", [2, 3, 5])
def test_the_tally_bound_takes_off_the_variance_of_its_noise(d):
    n, entropy = 1000, 5.0
    power = np.exp(2 * entropy / (d - 1)) / (2 * np.pi * np.e)
    cube = d * power - d / 12
    tile = (d - 1) * d ** (1 / (d - 1)) * power - (d - 1) * (d + 2) / (12 * d)
    assert bounds.tally_entropy_bound(entropy, d, n) == pytest.approx(cube / n**2, rel=1e-12)
    assert bounds.tally_entropy_bound(entropy, d, n, sharp=True) == pytest.approx(
        tile / n**2, rel=1e-12
    )


@pytest.mark.statistical
@pytest.mark.parametrize(
    "function", [bounds.exact_limit, bounds.entropy_limit, bounds.entropy_constants]
)
def test_standard_errors_are_those_of_repeats(function):
    # 400 repeats know a standard deviation to 3.5 percent; the cut is five of them. (Under
    # randomized response the limit for the frequencies is the same at every law.)
    q = OUE(3, 1.0).channel()
    rng = np.random.default_rng(17)
    runs = np.array([function(q, rng.dirichlet(np.full(3, 2.0), 200)) for _ in range(400)])
    spread = runs[:, :2].std(axis=0, ddof=1)
    np.testing.assert_allclose(runs[:, 2:].mean(axis=0), spread, rtol=5 * 0.0354)
