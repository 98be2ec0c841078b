"""Hierarchical histograms: the law of reports and tallies, exact means and variances, bad input.

Samples are compared with exact laws by chi-square tests, one false alarm in 10**9 each.
"""

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.linalg import block_diag
from test_samplers import FALSE_ALARM, chi_square_p_value

import ldp
from ldp import GRR, OUE, SHE, HierarchicalHistogram, Tally, variance, worst_case_epsilon
from ldp.assigned import AssignedReports


def mixed(size, epsilon):
    """Randomized response where it is the better one, subset selection elsewhere."""
    return GRR(size, epsilon) if size < 5 else ldp.SubsetSelection(size, epsilon)


SMALL = [
    HierarchicalHistogram(4, 1.0, branching=2, oracle=GRR),
    HierarchicalHistogram(4, 1.0, branching=2),
    HierarchicalHistogram(9, 1.5, branching=3, oracle=mixed),
    HierarchicalHistogram(3, 0.5, branching=3, oracle=ldp.SUE),
]
every_small = pytest.mark.parametrize("h", SMALL, ids=["GRR", "OUE", "mixed", "flat"])


def interval(h, level, value):
    return value // (h.domain_size // level.domain_size)


def channel(h):
    """Pr[level and report | value], the levels side by side."""
    return h.questions.channel()


def outcomes(h, reports):
    """Columns of that channel, in the order of the levels."""
    widths = [m.channel().shape[1] for m in h.levels]
    starts = np.cumsum([0, *widths[:-1]])
    found = [s + m.outcomes(r) for s, m, r in zip(starts, h.levels, reports.reports, strict=True)]
    return np.concatenate(found)


# -- privacy and the sampler -----------------------------------------------------------------------


@every_small
def test_level_and_report_together_spend_the_budget(h):
    assert worst_case_epsilon(channel(h)) == pytest.approx(h.epsilon, rel=1e-12)


def test_control_a_report_on_every_level_spends_it_as_often():
    first, second = (m.channel()[interval(SMALL[0], m, np.arange(4))] for m in SMALL[0].levels)
    both = (first[:, :, None] * second[:, None, :]).reshape(4, -1)
    assert worst_case_epsilon(both) == pytest.approx(2 * SMALL[0].epsilon)


def reports_p_value(h, law_of, seed):
    rng = np.random.default_rng(seed)
    p_values = []
    for x in range(h.domain_size):
        found = outcomes(h, h.privatize(np.full(60_000, x), rng))
        exact = channel(law_of)[x]
        p_values.append(chi_square_p_value(np.bincount(found, minlength=exact.size), exact))
    return min(p_values)


@pytest.mark.statistical
@every_small
def test_reports_follow_the_channel(h):
    assert reports_p_value(h, h, seed=1) > FALSE_ALARM


@pytest.mark.statistical
def test_control_a_budget_too_large_by_three_tenths_is_seen():
    h = SMALL[0]
    assert reports_p_value(HierarchicalHistogram(4, 1.3, 2, GRR), h, seed=2) < FALSE_ALARM


def test_users_keep_their_order_and_none_is_lost():
    """At a budget this large a report is the interval itself, but for one user in 10**13."""
    h = HierarchicalHistogram(64, 30.0, branching=4, oracle=GRR)
    values = np.random.default_rng(3).integers(0, 64, 500)
    reports = h.privatize(values, np.random.default_rng(4))
    first = np.random.default_rng(4).bit_generator.random_raw(500)  # drawn before all else
    drawn = np.array([word * 3 // 2**64 for word in first.tolist()])
    np.testing.assert_array_equal(reports.part, drawn)
    for i, width in enumerate([16, 4, 1]):
        np.testing.assert_array_equal(reports.reports[i], values[drawn == i] // width)


def test_how_much_randomness_is_used_says_nothing_about_the_values():
    states = set()
    for values in (np.zeros(999, dtype=int), np.full(999, 255), np.arange(999) % 256):
        rng = np.random.default_rng(5)
        HierarchicalHistogram(256, 1.0).privatize(values, rng)
        states.add(str(rng.bit_generator.state))
    assert len(states) == 1


# -- tallies ---------------------------------------------------------------------------------------


def key(tallies):
    return tuple(count for t in tallies for count in (t.num_reports, *t.counts.tolist()))


@cache
def law_of_tallies(h, values):
    """Exact law of the tallies of a few users, one user after the other."""
    zero = key([m.tally(np.zeros(0, dtype=np.int64)) for m in h.levels])
    law = Counter({zero: 1.0})
    for x in values:
        steps = Counter()
        for i, m in enumerate(h.levels):
            before = sum(1 + other.domain_size for other in h.levels[:i])
            for y, probability in enumerate(m.channel()[interval(h, m, x)]):
                step = list(np.zeros(len(zero), dtype=int))
                step[before] = 1
                step[before + 1 + y] = 1  # GRR: report y counts for y
                steps[tuple(step)] += probability / len(h.levels)
        after = Counter()
        for (old, p), (step, q) in product(law.items(), steps.items()):
            after[tuple(np.add(old, step).tolist())] += p * q
        law = after
    return law


USERS = (0, 0, 3)
COUNTS = np.bincount(USERS, minlength=4)


def tallies_p_value(draw, num_draws=20_000):
    law = law_of_tallies(SMALL[0], USERS)
    seen = Counter(key(draw()) for _ in range(num_draws))
    assert set(seen) <= set(law)
    return chi_square_p_value(np.array([seen[k] for k in law]), np.array(list(law.values())))


@pytest.mark.statistical
def test_simulated_and_counted_tallies_have_the_exact_law():
    h, rng = SMALL[0], np.random.default_rng(6)
    assert tallies_p_value(lambda: h.simulate(COUNTS, rng)) > FALSE_ALARM
    assert tallies_p_value(lambda: h.tally(h.privatize(USERS, rng))) > FALSE_ALARM


@pytest.mark.statistical
def test_control_one_level_for_all_users_of_a_value_is_seen():
    """Each user's level is right then, but users of one value share it."""
    h, rng = SMALL[0], np.random.default_rng(7)

    def draw():
        level = rng.integers(2, size=4)
        shares = [np.where(level == i, COUNTS, 0) for i in range(2)]
        both = zip(h.levels, shares, strict=True)
        return [m.simulate(s.reshape(m.domain_size, -1).sum(axis=1), rng) for m, s in both]

    assert tallies_p_value(draw) < FALSE_ALARM


def moments(h, value_counts):
    """Exact mean and covariance of all counts, levels side by side, from the law of one user."""
    mean, covariance = 0.0, 0.0
    score, law = block_diag(*map(of_single_reports, h.levels)), channel(h)
    for x, users in enumerate(value_counts):
        own = law[x] @ score
        mean = mean + users * own
        covariance = covariance + users * ((score.T * law[x]) @ score - np.outer(own, own))
    return mean, covariance


def of_single_reports(m):
    """What each report adds to the counts, in the order of the channel's columns."""
    d = m.domain_size
    if isinstance(m, GRR):
        return np.eye(d)
    return (np.arange(2**d)[:, None] >> np.arange(d - 1, -1, -1)) & 1  # unary encodings


def worst_z(h, value_counts, draw, num_draws=4_000):
    """Largest deviation of a sample mean or covariance in standard errors (normal theory)."""
    mean, covariance = moments(h, value_counts)
    sample = np.array([np.concatenate([t.counts for t in draw()]) for _ in range(num_draws)])
    spread = np.diag(covariance)
    of_means = (sample.mean(axis=0) - mean) / np.sqrt(spread / num_draws)
    centred = sample - mean
    error = np.sqrt((np.outer(spread, spread) + covariance**2) / num_draws)
    return max(
        np.abs(of_means).max(), np.abs((centred.T @ centred / num_draws - covariance) / error).max()
    )


@pytest.mark.statistical
@pytest.mark.parametrize("h", SMALL[:2], ids=["GRR", "OUE"])
def test_mean_and_covariance_of_many_users(h):
    """27 numbers, two samples, two mechanisms: beyond 5.5 once in 10**5 runs."""
    users = np.array([400, 0, 150, 50])
    rng = np.random.default_rng(8)
    values = np.repeat(np.arange(4), users)
    assert worst_z(h, users, lambda: h.simulate(users, rng)) < 5.5
    assert worst_z(h, users, lambda: h.tally(h.privatize(values, rng))) < 5.5


@pytest.mark.statistical
def test_control_levels_of_fixed_sizes_are_seen():
    """The means are right then; the covariances are not."""
    h, users, rng = SMALL[1], np.array([400, 0, 150, 50]), np.random.default_rng(9)

    def draw():
        share = users // 2
        both = zip(h.levels, [share, share], strict=True)
        return [m.simulate(s.reshape(m.domain_size, -1).sum(axis=1), rng) for m, s in both]

    assert worst_z(h, users, draw) > 5.5


def test_tallies_add_level_by_level():
    h = HierarchicalHistogram(16, 1.0)
    values, rng = np.arange(900) % 16, np.random.default_rng(10)
    one, other = (h.privatize(values, rng) for _ in range(2))
    levels = map(np.concatenate, zip(one.reports, other.reports, strict=True))
    both = h.tally(AssignedReports(np.append(one.part, other.part), tuple(levels)))
    assert list(both) == [a + b for a, b in zip(h.tally(one), h.tally(other), strict=True)]


def test_no_user_and_one_user():
    h, rng = HierarchicalHistogram(16, 1.0), np.random.default_rng(11)
    assert [t.num_reports for t in h.tally(h.privatize([], rng))] == [0, 0]
    assert sum(t.num_reports for t in h.tally(h.privatize([7], rng))) == 1
    assert sum(t.num_reports for t in h.simulate(np.eye(16, dtype=int)[3], rng)) == 1


# -- estimates -------------------------------------------------------------------------------------


def read(h, numbers):
    """Tallies from their key."""
    tallies, start = [], 0
    for m in h.levels:
        stop = start + 1 + m.domain_size
        tallies.append(Tally(numbers[start + 1 : stop], numbers[start], m))
        start = stop
    return tuple(tallies)


def test_nodes_are_unbiased_and_their_variance_exact():
    """By enumeration: given how many users each level got, sampling them adds to the noise."""
    h, n = SMALL[0], len(USERS)
    sums = {}
    for numbers, probability in law_of_tallies(h, USERS).items():
        tallies = read(h, numbers)
        sizes = tuple(t.num_reports for t in tallies)
        if 0 not in sizes:
            nodes = np.concatenate(h.nodes(tallies)[1:])
            total = sums.setdefault(sizes, [0.0, 0.0, 0.0])
            for i, term in enumerate([1.0, nodes, nodes**2]):
                total[i] = total[i] + probability * term
    truth = [np.array([2, 1]) / 3, np.array([2, 0, 0, 1]) / 3]
    assert set(sums) == {(1, 2), (2, 1)}
    for sizes, (mass, first, second) in sums.items():
        mean = first / mass
        np.testing.assert_allclose(mean, np.concatenate(truth), atol=1e-12)
        expected = [
            variance(m, n_l, f) + f * (1 - f) / n_l * (n - n_l) / (n - 1)
            for m, n_l, f in zip(h.levels, sizes, truth, strict=True)
        ]
        np.testing.assert_allclose(second / mass - mean**2, np.concatenate(expected), rtol=1e-12)


def test_nodes_and_variances_of_given_tallies():
    h = HierarchicalHistogram(9, np.log(3), branching=3, oracle=GRR)  # p = 3/5 and 3/11
    tallies = (Tally([50, 30, 20], 100), Tally([30, 10, 10, 10, 10, 10, 10, 10, 10], 110))
    root, first, second = h.nodes(tallies)
    np.testing.assert_array_equal(root, [1.0])
    np.testing.assert_allclose(first, (np.array([0.5, 0.3, 0.2]) - 1 / 5) / (2 / 5))
    np.testing.assert_allclose(second, (np.array([30, *[10] * 8]) / 110 - 1 / 11) / (2 / 11))
    expected = [0, 0.2 * 0.8 / 0.4**2 / 100, 10 / 121 / (2 / 11) ** 2 / 110]
    np.testing.assert_allclose(h.variances(tallies), expected, rtol=1e-12)


def test_the_whole_way_recovers_ranges():
    """A smoke test at a large budget: no quantile is tested, only that levels meet their values."""
    h, rng = HierarchicalHistogram(64, 8.0, branching=2, oracle=mixed), np.random.default_rng(12)
    law = rng.dirichlet(np.full(64, 0.5))
    counts = rng.multinomial(10**7, law)
    tallies = h.simulate(counts, rng)
    nodes, noise = h.nodes(tallies), h.variances(tallies)
    for tree in (
        nodes,
        ldp.trees.least_squares_tree(nodes, noise),
        ldp.trees.hh_admm(nodes, noise).nodes,
    ):
        for start, stop in [(0, 64), (0, 1), (5, 41), (63, 64), (30, 34)]:
            truth = counts[start:stop].sum() / counts.sum()
            assert ldp.trees.range_query(tree, start, stop) == pytest.approx(truth, abs=0.01)


def test_partition_has_less_noise_than_a_split_budget():
    """The claim of the notes: by a factor of the number of levels or more, for OUE."""
    for epsilon in (0.1, 1.0, 4.0, 10.0):
        for depth in (2, 5, 10):
            partition = depth * variance(OUE(4, epsilon), 1)
            assert variance(OUE(4, epsilon / depth), 1) >= depth * partition * (1 - 1e-12)


def test_equal_hierarchies_are_equal_values():
    one, same = (HierarchicalHistogram(16, 1.0) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != HierarchicalHistogram(16, 1.0, branching=2)
    assert one != HierarchicalHistogram(16, 1.0, oracle=GRR)
    assert one.sizes == (4, 16)
    with pytest.raises(AttributeError):
        one.epsilon = 2.0
    draws = [one.simulate(np.full(16, 9), np.random.default_rng(1)) for _ in range(2)]
    assert draws[0] == draws[1]


def test_a_noisy_oracle_without_supports_will_do():
    h = HierarchicalHistogram(4, 1.0, branching=2, oracle=SHE)
    nodes = h.nodes(h.simulate([400, 300, 200, 100], np.random.default_rng(18)))
    assert [level.size for level in nodes] == [1, 2, 4]
