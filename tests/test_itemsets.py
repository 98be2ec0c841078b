"""Sets of items: the joint law of padding, sampling and reporting, over all sets of few items.

Every law is enumerated in `itemset_laws.py`; privacy is the largest ratio over all pairs of sets,
those of no items and those of more than L items among them.
"""

import math
from fractions import Fraction
from itertools import combinations

import catalogue
import numpy as np
import pytest
from itemset_laws import all_sets, cell_law, held, kept, padded, subset_law
from test_samplers import FALSE_ALARM, chi_square_p_value

import ldp
from ldp import GRR, OLH, OUE, HadamardResponse, LocalHashing, SubsetSelection, worst_case_epsilon
from ldp.itemsets import (
    ItemSets,
    PadAndSample,
    SetSelection,
    amplified_epsilon,
    cut_frequencies,
    cut_variance,
)

EPSILONS = (0.5, 1.0, 2.0, 4.0)
SHAPES = [(1, 1), (1, 2), (3, 1), (3, 2), (3, 4), (5, 1), (5, 2), (5, 3)]  # items, length


def amplified(d, length, epsilon):
    oracle = GRR(d + length, amplified_epsilon(epsilon, length))
    return PadAndSample(d, length, oracle, epsilon)


def padders(d, length, epsilon):
    """Padding and sampling over every kind of oracle."""
    cells = d + length
    oracles = [
        OUE(cells, epsilon),
        GRR(cells, epsilon),
        SubsetSelection(cells, epsilon),
        HadamardResponse(cells, epsilon, block_size=1 << cells.bit_length()),  # one block
        LocalHashing(cells, epsilon, num_buckets=3, hash_bits=5),
    ]
    plain = [PadAndSample(d, length, oracle) for oracle in oracles if cells <= 7]
    return [amplified(d, length, epsilon), *plain]


def selections(d, length, epsilon):
    most = max(1, min((d + length) // 2, d))
    return [SetSelection(d, length, epsilon, w) for w in range(1, most + 1)]


def scores(m):
    """Which items each column of a channel supports."""
    if isinstance(m, SetSelection):
        return held(m.num_items, m.length, m.subset_size)
    return catalogue.scores(m.oracle)[:, : m.num_items].astype(float)


SMALL = [m for d, n in SHAPES for m in [*padders(d, n, 1.0), *selections(d, n, 1.0)]]
small = pytest.mark.parametrize("m", SMALL, ids=repr)


# -- privacy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_set_selection_and_amplified_response_spend_exactly_the_budget(shape, epsilon):
    for m in [amplified(*shape, epsilon), *selections(*shape, epsilon)]:
        assert worst_case_epsilon(m.channel()) == pytest.approx(epsilon, abs=1e-12), m


@small
def test_channels_are_the_enumerated_laws(m):
    sets = all_sets(m.num_items)
    if isinstance(m, SetSelection):
        laws = [subset_law(s, m.num_items, m.length, m.subset_size, math.e) for s in sets]
    else:
        cells = [cell_law(s, m.num_items, m.length) for s in sets]
        laws = np.array(cells, dtype=float) @ m.oracle.channel()
    np.testing.assert_allclose(m.channel(), laws, rtol=1e-12, atol=0)


@small
def test_no_set_costs_more_than_the_budget(m):
    assert worst_case_epsilon(m.channel()) <= m.epsilon * (1 + 1e-12)


@pytest.mark.parametrize("length", [2, 3, 4])
def test_control_dummies_that_are_shared_spend_more(length):
    """A set of no items then has one cell, with all of the mass and not with 1/L of it."""
    d, budget = 4, amplified_epsilon(1.0, length)
    law = np.zeros((16, 5))
    for row, items in zip(law, all_sets(d), strict=True):
        size = max(length, len(items))
        row[items] = 1 / size
        row[d] = 1 - len(items) / size
    assert worst_case_epsilon(law @ GRR(5, budget).channel()) == pytest.approx(budget, abs=1e-12)
    assert budget > 1.4


@pytest.mark.parametrize("make", [OUE, SubsetSelection])
def test_control_reports_of_many_cells_at_the_amplified_budget_spend_all_of_it(make):
    """With L cells that one set holds and another does not, and a report that supports them all."""
    d, length, epsilon = 5, 2, 1.0
    budget = amplified_epsilon(epsilon, length)
    oracle = make(d + length, budget, subset_size=3) if make is SubsetSelection else make(7, budget)
    m = PadAndSample(d, length, oracle)
    assert m.epsilon == budget
    assert worst_case_epsilon(m.channel()) == pytest.approx(budget, abs=1e-12)
    assert budget > 1.4 * epsilon
    with pytest.raises(ValueError, match=r"oracle must spend at most 1\.0 on a set"):
        PadAndSample(d, length, oracle, epsilon)


def test_control_a_silent_user_without_items_tells_that_there_are_none():
    m = amplified(3, 2, 1.0)
    channel = np.pad(m.channel(), ((0, 0), (0, 1)))
    channel[0] = 0.0
    channel[0, -1] = 1.0
    assert worst_case_epsilon(channel) == math.inf


# -- what is estimated, and how well ---------------------------------------------------------------


@small
def test_debias_estimates_the_share_of_each_set_that_is_kept(m):
    mean = (m.channel() @ scores(m) - m.q) / (m.p - m.q)
    want = [kept(s, m.num_items, m.length) for s in all_sets(m.num_items)]
    np.testing.assert_allclose(mean, want, rtol=0, atol=2e-13 / (m.p - m.q))


@small
def test_the_variance_and_that_of_cut_sets_are_exact(m):
    """A population with sets of every size, weighted unevenly, so that no term cancels."""
    users = np.repeat(np.arange(2**m.num_items), 1 + np.arange(2**m.num_items) % 3)
    sets = ItemSets.every(m.num_items)[users]
    channel, each = m.channel()[users], (scores(m) - m.q) / (m.p - m.q)
    exact = (channel @ each**2 - (channel @ each) ** 2).sum(axis=0) / len(sets) ** 2
    noise = ldp.variance(m, len(sets), cut_frequencies(sets, m.length))
    extra = cut_variance(sets, m.length)
    np.testing.assert_allclose(noise + extra, exact, rtol=1e-10)
    if m.length < m.num_items:  # control: the extra term is seen
        assert (exact - noise > 0.01 * extra).all()


def test_cut_frequencies_and_variance_by_hand():
    sets = ItemSets.of([[0, 1, 2], [1], [], [0, 1]], num_items=4)
    np.testing.assert_allclose(cut_frequencies(sets, 2), [5 / 12, 8 / 12, 2 / 12, 0], rtol=1e-15)
    np.testing.assert_allclose(cut_variance(sets, 2), [2 / 144, 2 / 144, 2 / 144, 0], rtol=1e-14)
    np.testing.assert_allclose(cut_frequencies(sets, 3), sets.counts() / 4, rtol=1e-15)
    assert not cut_variance(sets, 3).any()


# -- identities ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_cell_is_amplified_randomized_response(shape, epsilon):
    one, other = SetSelection(*shape, epsilon, 1), amplified(*shape, epsilon)
    np.testing.assert_allclose(one.channel(), other.channel(), rtol=1e-13)
    assert (one.p, one.q) == pytest.approx((other.p, other.q), rel=1e-13)


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_sets_of_one_item_are_subset_selection(d, epsilon):
    for w in range(1, min((d + 1) // 2, d) + 1):
        one, other = SetSelection(d, 1, epsilon, w), SubsetSelection(d + 1, epsilon, w)
        single = [2**v for v in range(d)]
        np.testing.assert_allclose(one.channel()[single], other.channel()[:d], rtol=1e-13)
        np.testing.assert_allclose(one.channel()[0], other.channel()[d], rtol=1e-13)
        assert (one.p, one.q) == pytest.approx((other.p, other.q), rel=1e-13)


# -- samplers --------------------------------------------------------------------------------------


def smallest_p_value(sampler, law_of, seed, num_users=20_000):
    rng, channel, sets = np.random.default_rng(seed), law_of.channel(), ItemSets.every(3)
    p_values = []
    for i in range(len(sets)):
        reports = sampler.privatize(sets[np.full(num_users, i)], rng)
        observed = np.bincount(law_of.outcomes(reports), minlength=channel.shape[1])
        p_values.append(chi_square_p_value(observed, channel[i]))
    return min(p_values)


SAMPLED = [
    *[m for length in (1, 2, 4) for m in padders(3, length, 1.0)],
    *[m for length in (1, 2, 4) for m in selections(3, length, 1.0)],
    SetSelection(3, 2, 3.0, 2),
    amplified(3, 2, 0.3),
]


@pytest.mark.statistical
@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_reports_follow_the_channel(m):
    """All sets of three items, cut ones among them; one false alarm in 10**9 tests of a set."""
    assert smallest_p_value(m, m, seed=41) > FALSE_ALARM


@pytest.mark.statistical
@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_control_another_budget_is_seen(m):
    if isinstance(m, SetSelection):
        other = SetSelection(m.num_items, m.length, m.epsilon + 2.0, m.subset_size)
    else:
        fields = {k: getattr(m.oracle, k) for k in type(m.oracle).__dataclass_fields__}
        other = PadAndSample(m.num_items, m.length, with_budget(m.oracle, fields))
    assert smallest_p_value(other, m, seed=42) < FALSE_ALARM


def with_budget(oracle, fields):
    if isinstance(oracle, ldp.UnaryEncoding):
        return OUE(oracle.domain_size, oracle.epsilon + 0.6)
    return type(oracle)(**(fields | {"epsilon": oracle.epsilon + 0.6}))


@pytest.mark.statistical
@pytest.mark.parametrize("d", [40, 300])  # one word of bits, and several
def test_reports_about_many_items_have_the_moments_of_theory(d):
    """Means, variances and covariances of counts; below 1e-9 / d**2 once in 10**9 runs.

    Covariances of pairs of own items and of an own item and another are enumerated: they depend
    on whether both, one or none of the pair is in the cut or padded set.
    """
    m, rng = SetSelection(d, 3, 1.0), np.random.default_rng(43)
    own = [0, d // 2, d - 1, 7, 9]  # more than three
    n = 40_000
    rows = m.privatize(ItemSets.of([own] * n, num_items=d), rng)
    assert (np.diff(rows.astype(int), axis=1) > 0).all()
    bits = np.zeros((n, m.num_cells))
    bits[np.arange(n)[:, None], rows] = 1
    t = 3 / 5
    pair = math.comb(m.num_cells - 2, m.subset_size - 2) / math.comb(m.num_cells, m.subset_size)
    mean = np.full(m.num_cells, m.q)
    mean[own] = m.q + (m.p - m.q) * t
    z = (bits.mean(axis=0) - mean) / np.sqrt(mean * (1 - mean) / n)
    assert abs(z).max() < 7.5
    # A pair with an own cell that is kept is in the report e^epsilon times likelier.
    scale = m.p * m.num_cells / m.subset_size * pair
    for u, v in [(0, d // 2), (0, 7), (7, 9)]:
        both, one = 3 / 10, 6 / 10  # of the ten ways to keep three of five
        none = 1 - both - one
        joint = (both + one) * scale + none * pair_beside(m, 3)
        found = (bits[:, u] * bits[:, v]).mean()
        assert abs(found - joint) < 7 * math.sqrt(joint / n)


def shop_scores(sampler, law_of, seed, n=50_000):
    """z-score of all own items' count together, and mean square of those of all other items."""
    rng, d = np.random.default_rng(seed), law_of.num_items
    own = [0, 63, 64, 5_000, *range(d - 6, d)]  # ten items, cut to eight
    tally = sampler.tally(sampler.privatize(ItemSets.of([own] * n, num_items=d), rng))
    p = law_of.q + 0.8 * (law_of.p - law_of.q)
    total = tally.counts[own].sum()
    others = np.delete(tally.counts, own)
    square = (others - n * law_of.q) ** 2 / (n * law_of.q * (1 - law_of.q))
    return (total - 10 * n * p) / math.sqrt(10 * n * p * (1 - p)), square.mean()


@pytest.mark.statistical
def test_reports_at_the_size_of_a_shop_hold_items_as_often_as_they_should():
    """Own items of one report hardly correlate; false alarms below 1e-9, as 6.1 deviations have."""
    m = SetSelection(16_470, 8, 4.0)
    z, square = shop_scores(m, m, seed=44)
    assert abs(z) < 6.1
    assert abs(square - 1) < 6.1 * math.sqrt(2 / 16_460)
    other = SetSelection(16_470, 8, 4.2, m.subset_size)  # control
    assert abs(shop_scores(other, m, seed=45)[0]) > 6.1
    wider = SetSelection(16_470, 8, 4.0, m.subset_size + 2)
    assert shop_scores(wider, m, seed=45)[1] > 1.2


def pair_beside(m, length):
    """Chance that a report holds two cells that are not own ones."""
    cells, w, odds = m.num_cells, m.subset_size, math.exp(m.epsilon)
    total = odds * math.comb(cells, w) - (odds - 1) * math.comb(cells - length, w)
    ways = math.comb(cells - 2, w - 2)
    return (odds * ways - (odds - 1) * math.comb(cells - length - 2, w - 2)) / total


@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_cuts_of_the_work_do_not_show(m, monkeypatch):
    sets = ItemSets.every(3)[np.arange(400) % 8]
    simulated = m.simulate(sets, np.random.default_rng(5))
    made = m.tally(m.privatize(sets, np.random.default_rng(5)))
    monkeypatch.setattr("ldp._kernels._WORDS_PER_CHUNK", 64)
    if isinstance(m, SetSelection):
        assert simulated == made
    again = m.privatize(sets, np.random.default_rng(5))
    assert m.tally(again).num_reports == 400


@pytest.mark.statistical
@pytest.mark.parametrize("m", padders(3, 2, 1.0), ids=repr)
def test_simulated_tallies_of_padded_sets_have_the_moments_of_made_ones(m):
    sets = ItemSets.every(3)[np.arange(800) % 8]
    target = cut_frequencies(sets, 2)
    spread = np.sqrt((ldp.variance(m, 800, target) + cut_variance(sets, 2)) / 500)
    rngs = np.random.default_rng(6).spawn(500)
    drawn = np.array([ldp.debias(m.simulate(sets, rng), m) for rng in rngs])
    assert (abs(drawn.mean(axis=0) - target) < 7 * spread).all()
    ratio = drawn.var(axis=0, ddof=1) / spread**2 / 500
    assert (abs(ratio - 1) < 7 * math.sqrt(2 / 499)).all()


# -- dummies ---------------------------------------------------------------------------------------


@small
def test_dummies_estimate_the_sizes_of_sets(m):
    """Dummy d + i is held by the sets of fewer than L - i items."""
    d, length = m.num_items, m.length
    if isinstance(m, SetSelection):
        rows = np.array(list(combinations(range(d + length), m.subset_size)), dtype=np.uint32)
    else:
        rows = catalogue.all_reports(m.oracle)
    cells = np.arange(d, d + length)
    each = np.stack([m.tally(rows[i : i + 1], cells).counts for i in range(len(rows))])
    mean = (m.channel() @ each - m.q) / (m.p - m.q)
    want = [[len(s) < length - i for i in range(length)] for s in all_sets(d)]
    np.testing.assert_allclose(mean, want, rtol=0, atol=2e-13 / (m.p - m.q))


def test_padded_has_all_ways():
    assert padded([0, 1, 2], 3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert padded([1], 3, 3) == [(1, 3, 4)]


def test_hashing_is_asked_for_the_items_alone():
    m = PadAndSample(1000, 8, OLH(1008, 1.0))
    sets = ItemSets.of([[1, 2]] * 50, num_items=1000)
    reports = m.privatize(sets, np.random.default_rng(1))
    assert m.tally(reports, [3, 1]).counts.tolist() == m.tally(reports).counts[[3, 1]].tolist()


# -- the size of the subset ------------------------------------------------------------------------


def exact_variance(d, length, epsilon, w, frequency):
    """Of an estimate of an item of this frequency, one user, from counts of subsets."""
    cells, odds = d + length, Fraction(math.exp(epsilon))
    every, missing = math.comb(cells, w), math.comb(d, w)
    total = odds * (every - missing) + missing
    with_it, beside = math.comb(cells - 1, w - 1), math.comb(d - 1, w - 1)
    p, q = odds * with_it / total, (odds * (with_it - beside) + beside) / total
    return frequency * p * (1 - p) / (p - q) ** 2 + (1 - frequency) * q * (1 - q) / (p - q) ** 2


@pytest.mark.parametrize(("d", "length"), [(1, 1), (2, 3), (5, 2), (30, 1), (60, 4), (150, 10)])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("frequency", [0.0, 0.1, 1.0])
def test_the_size_is_the_one_of_least_variance(d, length, epsilon, frequency):
    m = SetSelection(d, length, epsilon, frequency=frequency)
    sizes = range(1, max(1, min((d + length) // 2, d)) + 1)
    exact = [exact_variance(d, length, epsilon, w, Fraction(frequency)) for w in sizes]
    assert float(exact[m.subset_size - 1]) == pytest.approx(float(min(exact)), rel=1e-12)
    assert ldp.variance(m, 1, frequency) == pytest.approx(float(min(exact)), rel=1e-10)


def test_sizes_for_a_shop():
    """Of 16,470 items at L = 8; the sizes beside them, from binomial coefficients, are worse."""
    for epsilon, frequency, size in [(4.0, 0.0, 36), (2.0, 0.0, 236), (4.0, 0.1, 89)]:
        m = SetSelection(16_470, 8, epsilon, frequency=frequency)
        assert m.subset_size == size
        near = [
            float(exact_variance(16_470, 8, epsilon, w, Fraction(frequency)))
            for w in (size - 1, size, size + 1)
        ]
        assert min(near) == near[1] == pytest.approx(ldp.variance(m, 1, frequency), rel=1e-9)


def test_in_a_large_domain_the_size_is_still_the_best():
    """The grid of sizes has gaps there, and the search between them must close them."""
    for length, epsilon in [(1, 1.0), (3, 0.5), (8, 2.0), (20, 1.0)]:
        m = SetSelection(100_000, length, epsilon)
        assert m.subset_size > 500
        at = ldp.variance(m, 1)
        for w in range(m.subset_size - 30, m.subset_size + 31):
            assert at <= ldp.variance(SetSelection(100_000, length, epsilon, w), 1) * (1 + 1e-13)
