"""The limits against channels that try to beat them."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from ldp import GRR, OUE, SubsetSelection, bounds, worst_case_epsilon


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
        flat, tangent = (bounds.fisher_information(q, theta, tangent=t) for t in (False, True))
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
                least = bounds.spread_limit(d, eps, collision=collision, sharp=sharp).frequencies
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
            least = bounds.epsilon_constants(d, eps, m, sharp=sharp)
            assert constants.law >= least.law - 1e-6
            assert constants.frequencies >= least.frequencies - 1e-6
        exact = bounds.exact_limit(q, laws)
        entropy = [bounds.entropy_limit(q, laws, sharp=s) for s in (True, False)]
        budget = [bounds.epsilon_limit(d, eps, m, sharp=s) for s in (True, False)]
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


def test_the_fewest_lines_are_needed_for_the_plane():
    # Any two values share exactly one line of the plane used above.
    lines = [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}]
    assert all(sum({x, y} <= s for s in lines) == 1 for x, y in combinations(range(7), 2))
