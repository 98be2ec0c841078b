"""The bounds against enumeration, quadrature, and channels that try to beat them."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import betaln, gammaln, roots_jacobi
from scipy.stats import beta, binom

from ldp import GRR, OUE, SubsetSelection, bounds, minimum_mse, worst_case_epsilon
from ldp.estimators.bayes_risk import enumerate_reports


def extremal(d, eps, rng):
    """A vertex of the polytope of eps-LDP channels: at most d reports, random direction."""
    patterns = np.array(list(product([1.0, math.exp(eps)], repeat=d)))
    weights = linprog(rng.standard_normal(2**d), A_eq=patterns.T, b_eq=np.ones(d)).x
    channel = (patterns * weights[:, None])[weights > 1e-9].T
    return channel / channel.sum(axis=1, keepdims=True)


def random_channels(rng, count):
    """Channels of full rank with their budgets: extremal, mixed, and mixed then garbled."""
    while count:
        d, eps = int(rng.integers(2, 6)), float(rng.choice([0.05, 0.3, 1.0, 2.0, 4.0]))
        parts = [extremal(d, eps, rng) for _ in range(rng.integers(1, 4))]
        share = rng.dirichlet(np.ones(len(parts)))
        q = np.hstack([w * part for w, part in zip(share, parts, strict=True)])
        if rng.random() < 0.3 and q.shape[1] > d:
            q = q @ rng.dirichlet(np.full(q.shape[1], 0.05), size=q.shape[1])
        smallest = np.linalg.svd(q @ q.T, compute_uv=False)[-1]
        if smallest > (1e-4 * eps) ** 2 and q.min() > 1e-12:
            count -= 1
            yield q, eps


CHANNELS = list(random_channels(np.random.default_rng(7), 150))


def laws_up_to_the_corners(d, rng, count=12):
    return np.vstack([np.eye(d), np.full((1, d), 1 / d), rng.dirichlet(np.full(d, 0.5), count)])


def at_one_law(channel, theta):
    """Limit for a law that is known to the test: the sample holds it twice."""
    return bounds.exact_limit(channel, [theta, theta])


def test_the_random_channels_are_private_and_spend_their_budget():
    spent = [worst_case_epsilon(q) / eps for q, eps in CHANNELS]
    assert max(spent) < 1 + 1e-6
    assert np.mean(np.array(spent) > 1 - 1e-6) > 0.5


# ------------------------------------------------------------------ linear algebra


def test_fisher_information_is_the_mean_square_of_the_score():
    rng = np.random.default_rng(1)
    for q, _ in CHANNELS[:30]:
        d, m = q.shape
        theta = rng.dirichlet(np.ones(d))
        by_hand = np.zeros((d - 1, d - 1))
        for y in range(m):
            score = (q[:-1, y] - q[-1, y]) / (theta @ q[:, y])
            by_hand += (theta @ q[:, y]) * np.outer(score, score)
        np.testing.assert_allclose(bounds.fisher_information(q, theta), by_hand, rtol=1e-10)


def test_tangent_coordinates_give_the_trace_and_d_times_less_determinant():
    rng = np.random.default_rng(2)
    for q, _ in CHANNELS[:40]:
        d = len(q)
        theta = rng.dirichlet(np.ones(d))
        flat, tangent = (bounds.fisher_information(q, theta, t) for t in (False, True))
        assert np.linalg.det(flat) == pytest.approx(d * np.linalg.det(tangent), rel=1e-6)
        limit = at_one_law(q, theta)
        assert np.trace(np.linalg.inv(tangent)) == pytest.approx(limit.law, rel=1e-6)
        assert limit.law - limit.frequencies == pytest.approx(1 - theta @ theta, rel=1e-4)


def test_constants_do_not_depend_on_the_order_of_the_values():
    rng = np.random.default_rng(3)
    for q, _ in CHANNELS[:20]:
        order, laws = rng.permutation(len(q)), rng.dirichlet(np.ones(len(q)), size=5)
        first = bounds.entropy_constants(q, laws)
        np.testing.assert_allclose(
            bounds.entropy_constants(q[order], laws[:, order]), first, rtol=1e-7, atol=1e-7
        )


def published_constant(q, theta):
    """C_Q at one law, with the determinant of the (m - 1) x (m - 1) matrix D of the paper."""
    r = q[:, :-1]
    d_matrix = sum(t * (np.diag(row) - np.outer(row, row)) for t, row in zip(theta, r, strict=True))
    information = bounds.fisher_information(q, theta)
    gauss = (len(q) - 1) * math.log(2 * math.pi * math.e)
    logs = np.linalg.slogdet(d_matrix).logabsdet - np.log(theta @ q).sum()
    return (gauss - np.linalg.slogdet(information).logabsdet + logs) / 2


def test_frequency_constant_is_the_published_one():
    rng = np.random.default_rng(4)
    for q in [GRR(3, 1.0).channel(), OUE(4, 1.0).channel(), SubsetSelection(5, 0.5, 2).channel()]:
        for theta in rng.dirichlet(np.ones(len(q)), size=5):
            ours = bounds.entropy_constants(q, [theta, theta]).frequencies
            assert ours == pytest.approx(published_constant(q, theta), abs=1e-9)


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


def test_the_published_bound_for_frequencies_is_only_a_limit():
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
    plain, sharp = (bounds.tally_entropy_bound(entropy, 3, n, s) for s in (False, True))
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
    plain, sharp = (bounds.entropy_bound(entropy, 3, s) for s in (False, True))
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
                bounds.tally_entropy_bound(share * most, d, 100, s) for s in (False, True)
            )
            assert plain <= sharp * (1 + 1e-12)


# ------------------------------------------------------------------ no channel beats the budget


def test_no_channel_beats_a_bound():
    rng = np.random.default_rng(8)
    for q, eps in CHANNELS:
        d, m = q.shape
        spread = [bounds.spread_limit(d, eps, sharp=s).law for s in (False, True)]
        assert bounds.epsilon_limit(d, eps, m).law <= spread[0] * (1 + 1e-12)
        assert spread[0] <= spread[1]
        for theta in laws_up_to_the_corners(d, rng):
            exact = at_one_law(q, theta)
            assert exact.law >= spread[1] * (1 - 1e-6)
            collision = float(theta @ theta)
            for sharp in (False, True):
                least = bounds.spread_limit(d, eps, collision, sharp).frequencies
                assert exact.frequencies >= least * (1 - 1e-6) - 1e-6
        uniform = np.full(d, 1 / d)
        assert at_one_law(q, uniform).law >= bounds.optimal_limit(d, eps) * (1 - 1e-6)


def test_the_chain_from_the_exact_limit_down_to_the_budget():
    rng = np.random.default_rng(9)
    for q, eps in CHANNELS:
        d, m = q.shape
        laws = rng.dirichlet(np.full(d, 0.7), size=20)
        constants = bounds.entropy_constants(q, laws)
        for sharp in (False, True):
            least = bounds.epsilon_constants(d, eps, m, sharp)
            assert constants.law >= least.law - 1e-6
            assert constants.frequencies >= least.frequencies - 1e-6
        exact = bounds.exact_limit(q, laws)
        entropy = [bounds.entropy_limit(q, laws, s) for s in (True, False)]
        budget = [bounds.epsilon_limit(d, eps, m, s) for s in (True, False)]
        for field in (0, 1):
            values = [step[field] for step in (exact, *entropy, *budget)]
            assert np.all(np.diff(values) <= 1e-6 * np.abs(values[:-1])), (d, eps, values)


def test_a_bound_for_half_the_budget_is_beaten():
    # The search above would notice a bound that is too large.
    beaten = 0
    for q, eps in CHANNELS:
        d = len(q)
        beaten += at_one_law(q, np.full(d, 1 / d)).law < bounds.spread_limit(d, eps / 2).law
    assert beaten > 20


@pytest.mark.parametrize("d", [2, 4, 6])
def test_the_spread_limit_is_nearly_attained_at_small_budgets(d):
    limit = at_one_law(SubsetSelection(d, 0.05, d // 2).channel(), np.full(d, 1 / d)).law
    sharp = bounds.spread_limit(d, 0.05, sharp=True).law
    assert 1 < limit / sharp < 1.03
    assert limit / bounds.spread_limit(d, 0.05).law < 1.06


def test_the_sharp_spread_limit_by_its_large_domain_form():
    # min over k tends to (1 + e^(eps/2))^2 / d, a quarter or more of optimized unary encoding
    for eps in (0.1, 1.0, 4.0):
        limit = bounds.spread_limit(10**6, eps, sharp=True).law / 1e6
        assert limit == pytest.approx(1 / math.expm1(eps / 2) ** 2, rel=1e-4)
        assert limit >= math.exp(eps) / math.expm1(eps) ** 2


@pytest.mark.parametrize(("d", "eps"), [(2, 1.0), (3, 0.2), (7, 1.0), (10, 1.0), (9, 3.0)])
def test_the_optimum_is_the_best_subset_and_no_less(d, eps):
    uniform = np.full(d, 1 / d)
    sizes = [at_one_law(SubsetSelection(d, eps, k).channel(), uniform).law for k in range(1, d)]
    assert bounds.optimal_limit(d, eps) == pytest.approx(min(sizes), rel=1e-9)
    odds = math.exp(eps)
    spread = min((k * odds + d - k) / (k * (d - k)) for k in range(1, d))
    sharp = bounds.spread_limit(d, eps, sharp=True).law
    assert sharp == pytest.approx((d - 1) ** 2 * spread / (odds - 1) ** 2, rel=1e-12)


def test_seven_reports_of_the_fano_plane_are_as_good_as_all_35_subsets():
    lines = np.array([[0, 1, 2], [0, 3, 4], [0, 5, 6], [1, 3, 5], [1, 4, 6], [2, 3, 6], [2, 4, 5]])
    fano = np.ones((7, 7))
    for y, line in enumerate(lines):
        fano[line, y] = math.e
    fano /= fano.sum(axis=1, keepdims=True)
    assert worst_case_epsilon(fano) == pytest.approx(1.0, rel=1e-12)
    theta = np.random.default_rng(10).dirichlet(np.ones(7))
    uniform = np.full(7, 1 / 7)
    every = SubsetSelection(7, 1.0, 3).channel()
    limit = at_one_law(fano, uniform).law
    assert limit == pytest.approx(at_one_law(every, uniform).law, rel=1e-10)
    assert at_one_law(fano, theta).law != pytest.approx(at_one_law(every, theta).law, rel=1e-6)


def test_jensen_gap_is_the_largest_difference():
    for eps in (1e-6, 1e-3, 0.0099, 0.0101, 0.3, 2.0, 6.0):
        share = np.linspace(0, 1, 200_001)
        brute = (np.log1p(share * math.expm1(eps)) - share * eps).max()
        law, plain = bounds.epsilon_constants(3, eps, 4)
        sharp = bounds.epsilon_constants(3, eps, 4, sharp=True).frequencies
        assert law - plain == pytest.approx(2 * eps, rel=1e-4, abs=1e-9)
        assert law - sharp == pytest.approx(2 * brute, rel=1e-4, abs=1e-12 * abs(law))


BENCHMARK = [  # exact, entropy bound as published, and sharpened; prior Dirichlet(1/2)
    (GRR(3, 0.5), 20.84, 17.94, 20.73),
    (GRR(5, 1.0), 12.00, 9.80, 11.74),
    (OUE(4, 1.0), 11.53, 9.64, 11.44),
    (OUE(6, 0.5), 78.45, 65.8, 78.42),
    (SubsetSelection(6, 1.0, 2), 14.90, 12.40, 14.83),
    (GRR(8, 0.1), 5196.7, 4412, 5196.2),
]


@pytest.mark.parametrize(("m", "exact", "plain", "sharp"), BENCHMARK)
def test_values_computed_elsewhere(m, exact, plain, sharp):
    laws = np.random.default_rng(11).dirichlet(np.full(m.domain_size, 0.5), size=4000)
    ours = [
        bounds.exact_limit(m.channel(), laws),
        bounds.entropy_limit(m.channel(), laws),
        bounds.entropy_limit(m.channel(), laws, sharp=True),
    ]
    for average, there in zip(ours, (exact, plain, sharp), strict=True):
        # Theirs were averages over 400 laws: sqrt(10) of our standard error.
        noise = math.hypot(average.law_error, math.sqrt(10) * average.law_error)
        assert average.law == pytest.approx(there, abs=5 * noise + 0.0005 * there)


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


# ------------------------------------------------------------------ arguments


LAWS = [[0.5, 0.5], [0.2, 0.8]]
RR = GRR(2, 1.0).channel()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.exact_limit([[0.5, 0.5], [0.5, 0.5]], LAWS), "channel must have rank 2"),
        (lambda: bounds.exact_limit([[1.0], [1.0]], LAWS), "channel must have rank 2"),
        (lambda: bounds.exact_limit([[0.5, 0.5]], LAWS), "channel must have at least two values"),
        (lambda: bounds.exact_limit([[1.0, 0.0], [0.5, 0.5]], LAWS), "channel must give every"),
        (lambda: bounds.entropy_limit([[0.9, 0.2], [0.5, 0.5]], LAWS), "channel must have rows"),
        (lambda: bounds.entropy_constants(RR, [[0.5, 0.5]]), "thetas must be"),
        (lambda: bounds.entropy_constants(RR, [0.5, 0.5]), "thetas must be"),
        (lambda: bounds.entropy_constants(RR, [[0.5, 0.6], [0.5, 0.5]]), "thetas must be"),
        (lambda: bounds.entropy_constants(RR, [[0.5, 0.3, 0.2]] * 2), "thetas must have shape"),
        (lambda: bounds.fisher_information(RR, [1.0]), "theta must have shape"),
        (lambda: bounds.fisher_information(RR, [1.5, -0.5]), "theta must be non-negative"),
        (lambda: bounds.entropy_bound(0.1, 2), "entropy must be at most"),
        (lambda: bounds.entropy_bound(-math.log(2) + 0.1, 3), "entropy must be at most"),
        (lambda: bounds.entropy_bound(math.nan, 3), "entropy must be at most"),
        (lambda: bounds.tally_entropy_bound(-0.1, 2, 5), "entropy must be at most"),
        (lambda: bounds.tally_entropy_limit(math.log(6.1), 2, 5), "entropy must be at most"),
        (lambda: bounds.tally_entropy_bound(0.1, 2, 0), "num_reports must be"),
        (lambda: bounds.entropy_bound(0.0, 1), "domain_size must be"),
        (lambda: bounds.epsilon_limit(1, 1.0, 4), "domain_size must be"),
        (lambda: bounds.epsilon_limit(3, 0.0, 4), "epsilon must be positive"),
        (lambda: bounds.epsilon_constants(3, 1.0, 2), "num_outcomes must be"),
        (lambda: bounds.spread_limit(3, -1.0), "epsilon must be positive"),
        (lambda: bounds.spread_limit(3, 1.0, 0.3), "collision must be"),
        (lambda: bounds.optimal_limit(3, math.inf), "epsilon must be positive"),
        (lambda: bounds.binary_mse(1.0, 0, 0.6), "num_reports must be"),
        (lambda: bounds.binary_mse(1.0, 5, 0.4), "collision must be"),
        (lambda: bounds.binary_ratio(math.nan, 0.6), "epsilon must be positive"),
        (lambda: bounds.table_one(3, 0.1, 0), "num_reports must be"),
    ],
)
def test_refuses_what_its_theorem_does_not_cover(call, message):
    with pytest.raises(ValueError, match=rf"^{message}.*\.$"):
        call()


def test_a_report_that_nobody_makes_changes_nothing():
    padded = np.hstack([RR, np.zeros((2, 1))])
    assert bounds.exact_limit(padded, LAWS) == bounds.exact_limit(RR, LAWS)


def test_extreme_budgets_neither_overflow_nor_wait():
    assert bounds.epsilon_limit(10, 800.0, 10).law == 0.0
    assert bounds.spread_limit(2**31, 1e-6, sharp=True).law > 0
    assert bounds.optimal_limit(2**31, 30.0) > 0


def test_the_fewest_lines_are_needed_for_the_plane():
    # Any two values share exactly one line of the plane used above.
    lines = [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}]
    assert all(sum({x, y} <= s for s in lines) == 1 for x, y in combinations(range(7), 2))
