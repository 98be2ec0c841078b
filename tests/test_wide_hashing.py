"""Wide hashing: exactly pairwise independent, and counted as its definition says."""

from itertools import product

import numpy as np
import pytest
from catalogue import all_reports
from test_bad_input import BAD_EPSILONS, each_of, refuse
from test_hash_family import shares

import ldp
from ldp import GRR, OLH, WideHashing, debias, variance
from ldp.mechanisms.hash_family import HashFamily, MultilinearFamily

# Words of w bits, limbs of k, so many limbs, buckets.
SMALL = [(3, 2, 2, 3), (4, 2, 2, 5), (4, 2, 3, 2), (5, 3, 2, 7), (6, 3, 1, 2), (3, 1, 3, 4)]


def family_of(word, limb, limbs, buckets):
    return MultilinearFamily(limb * limbs, buckets, limb, word)


def all_seeds(word, limbs):
    words = np.arange(2**word, dtype=np.uint32) << np.uint32(32 - word)
    return np.array(list(product(words, repeat=limbs + 1)), dtype=np.uint32)


def joint_laws(buckets, num_buckets):
    """Joint law of the buckets of any two values, over all seeds, with the pair."""
    one_hot = (buckets[:, :, None] == np.arange(num_buckets)).astype(float)
    size = buckets.shape[1]
    for u, v in product(range(size), repeat=2):
        if u < v:
            yield one_hot[:, u].T @ one_hot[:, v] / len(buckets)


@pytest.mark.parametrize("sizes", SMALL, ids=str)
def test_any_two_values_hash_exactly_independently(sizes):
    family = family_of(*sizes)
    buckets = family.table(all_seeds(sizes[0], sizes[2]), np.arange(2**family.num_bits))
    share = shares(family.limb)
    for law in joint_laws(buckets, family.num_buckets):
        np.testing.assert_array_equal(law, np.outer(share, share))  # dyadic: no rounding at all


@pytest.mark.parametrize("sizes", SMALL[:-1], ids=str)  # limbs of one bit leave none
def test_control_one_bit_more_is_not_independent(sizes):
    word, _, limbs, _ = sizes
    family = family_of(*sizes)
    values = np.arange(2**family.num_bits)
    hashed = all_seeds(word, limbs)[:, :-1] @ family.keys(values).T
    hashed += all_seeds(word, limbs)[:, -1:]
    bits = family.limb.unit_bits + 1
    unit = hashed >> np.uint32(32 - bits)
    wrong = [not (law == 4.0**-bits).all() for law in joint_laws(unit, 2**bits)]
    assert 0 < sum(wrong) < len(wrong)


@pytest.mark.parametrize("num_bits", [1, 9, 16, 17, 31, 32, 48, 63])
def test_keys_tell_all_values_apart(num_bits):
    values = np.unique(np.random.default_rng(1).integers(0, 2**num_bits, 10_000))
    keys = WideHashing(num_bits, 1.0).hashes.keys(values)
    assert keys.shape == (values.size, -(-num_bits // 16))
    assert len(np.unique(keys, axis=0)) == values.size


def slow_bucket(m, seed, value):
    """The definition, in Python's integers."""
    limbs = [value >> (16 * j) & 0xFFFF for j in reversed(range(len(seed) - 1))]
    keys = HashFamily(2**16, m.num_buckets, 32).keys(np.array(limbs)).tolist()
    total = sum(a * k for a, k in zip(seed, keys, strict=False)) + seed[-1]
    unit = total % 2**32 >> 15
    return unit * m.num_buckets >> 17


@pytest.mark.parametrize("num_bits", [1, 16, 17, 48, 63])
def test_reports_and_counts_follow_the_definition(num_bits):
    m, rng = WideHashing(num_bits, 8.0, 7), np.random.default_rng(2)
    values = rng.integers(0, 2**num_bits, 300)
    values[:2] = 0, 2**num_bits - 1
    reports = m.privatize(values, rng)
    seeds, buckets = reports["seed"].tolist(), reports["bucket"].tolist()
    own = [slow_bucket(m, s, x) for s, x in zip(seeds, values.tolist(), strict=True)]
    assert sum(np.array(own) == buckets) >= 290  # kept with chance .998 each
    asked = np.concatenate(
        [values[:40], values[:40] ^ 1, rng.permutation(20) % (1 << min(num_bits, 62))]
    )
    counts = [
        sum(slow_bucket(m, s, v) == y for s, y in zip(seeds, buckets, strict=True))
        for v in asked.tolist()
    ]
    tally = m.tally(reports, asked)
    assert tally.counts.tolist() == counts
    assert (tally.candidates == asked).all()


def test_groups_of_every_size_are_counted_alike():
    """Above and below the size from which candidates are taken side by side, and over a tile."""
    m, rng = WideHashing(40, 2.0), np.random.default_rng(3)
    reports = m.privatize(rng.integers(0, 2**40, 2**15 + 7), rng)
    sizes = [1, 15, 16, 17, 4_095, 4_096, 4_097, 70_000]
    asked = np.concatenate([(i << 20) + np.arange(size) for i, size in enumerate(sizes)])
    together = m.tally(reports, asked).counts
    mixed = rng.permutation(asked.size)
    assert (m.tally(reports, asked[mixed]).counts == together[mixed]).all()
    few = rng.choice(asked.size, 50, replace=False)
    alone = [m.tally(reports, [v]).counts[0] for v in asked[few].tolist()]
    assert together[few].tolist() == alone


def test_tallies_add_bit_by_bit():
    m, rng = WideHashing(48, 1.0), np.random.default_rng(4)
    values, asked = rng.integers(0, 2**48, 40_000), rng.integers(0, 2**48, 100)
    reports = m.privatize(values, rng)
    whole = m.tally(reports, asked)
    for parts in range(1, 9):
        assert sum(m.tally(some, asked) for some in np.array_split(reports, parts)) == whole


def test_all_values_are_counted_where_they_are_few():
    m, rng = WideHashing(6, 1.0), np.random.default_rng(5)
    reports = m.privatize(rng.integers(0, 64, 3_000), rng)
    held = np.unpackbits(m.support(reports), axis=1, count=64)
    assert (m.tally(reports).counts == held.sum(axis=0)).all()


def test_probabilities_are_those_of_local_hashing():
    for epsilon in (0.3, 1.0, 2.5, 5.0):
        wide, narrow = WideHashing(60, epsilon), OLH(1_000, epsilon)
        assert wide.num_buckets == narrow.num_buckets
        assert (wide.p, wide.q) == (narrow.p, narrow.q)
    most = 2**17
    assert WideHashing(63, 20.0).num_buckets == most  # e^20 + 1 would be better
    m = WideHashing(4, 1.0, 3, limb_bits=2, word_bits=4)
    held = np.unpackbits(m.support(all_reports(m)), axis=1, count=16)
    chance = m.channel() @ held
    np.testing.assert_allclose(chance, m.q + (m.p - m.q) * np.eye(16), rtol=1e-13)
    assert abs(m.q - 1 / 3) > 1e-3  # the control: buckets of 3, 3 and 2 units are no thirds


def z_scores(m, reports, num_candidates=100_000):
    """Estimates of values that nobody holds, in standard deviations."""
    absent = 2**40 + np.arange(num_candidates)
    return debias(m.tally(reports, absent), m) / np.sqrt(variance(m, len(reports)))


@pytest.mark.statistical
def test_estimates_of_absent_values_have_the_stated_variance():
    """Mean square of 1e5 scores that are independent but for triples: standard error .0045."""
    m, rng = WideHashing(48, 1.0, 5), np.random.default_rng(6)
    reports = m.privatize(rng.integers(0, 2**39, 20_000), rng)
    z = z_scores(m, reports)
    assert abs((z**2).mean() - 1) < 6 * np.sqrt(2 / z.size)
    assert abs(z.mean()) < 6 / np.sqrt(z.size)


@pytest.mark.statistical
def test_control_seeds_used_twice_are_seen():
    m, rng = WideHashing(48, 1.0, 5), np.random.default_rng(6)
    users = rng.integers(0, 2**39, 20_000)
    reports = m.privatize(users, rng)
    reports["seed"][10_000:] = reports["seed"][:10_000]
    own = m.hashes.limb.bucket_of(
        (reports["seed"][:, :-1] * m.hashes.keys(users)).sum(axis=1, dtype=np.uint32)
        + reports["seed"][:, -1]
    )
    reports["bucket"] = GRR(5, 1.0).privatize(own, rng)
    doubled = reports[:10_000]["bucket"] == reports[10_000:]["bucket"]
    reports[10_000:][~doubled] = reports[:10_000][~doubled]  # who differ answer alike, too
    assert (z_scores(m, reports) ** 2).mean() > 1.5


@pytest.mark.statistical
def test_neighbours_collide_nearly_independently():
    """Beyond 6.5 / sqrt(n) once in 10**9; unscrambled keys, the control, make .3 to .5 of it."""
    assert triple_correlation(MultilinearFamily(48, 4, 16, 32)) < 6.5 / np.sqrt(200_000)


@pytest.mark.statistical
def test_control_unscrambled_limbs_are_seen(monkeypatch):
    monkeypatch.setattr(HashFamily, "keys", lambda self, values: values.astype(np.uint32))
    assert triple_correlation(MultilinearFamily(48, 4, 16, 32)) > 0.3


def triple_correlation(family):
    """Largest correlation between the collisions of x with x - 1 and with x + 1."""
    x = np.random.default_rng(7).integers(1, 2**47, 20)
    seeds = np.random.default_rng(8).integers(0, 2**32, (200_000, 4), dtype=np.uint32)
    found = []
    for three in np.column_stack([x - 1, x, x + 1]):
        below, own, above = family.table(seeds, three).T
        found.append(abs(np.corrcoef(below == own, above == own)[0, 1]))
    return max(found)


@pytest.mark.statistical
def test_simulated_counts_of_candidates_have_their_law():
    """Means and variances of 20,000 tallies: beyond six standard errors once in 10**8."""
    m, rng = WideHashing(48, 2.0), np.random.default_rng(9)
    asked, held = [5, 2**47, 77], np.array([300, 0, 20])
    drawn = np.array(
        [
            m.simulate(held, child, candidates=asked, others=680).counts
            for child in rng.spawn(20_000)
        ]
    )
    mean = m.p * held + m.q * (1_000 - held)
    spread = m.p * (1 - m.p) * held + m.q * (1 - m.q) * (1_000 - held)
    assert (np.abs(drawn.mean(axis=0) - mean) < 6 * np.sqrt(spread / 20_000)).all()
    assert (np.abs(drawn.var(axis=0) / spread - 1) < 6 * np.sqrt(2 / 20_000)).all()
    assert (np.abs(drawn.mean(axis=0) - m.q * 1_000) > 6 * np.sqrt(spread / 20_000))[0]


def test_simulated_tallies_name_candidates_and_users():
    m, rng = WideHashing(48, 2.0), np.random.default_rng(10)
    tally = m.simulate([3, 0], rng, candidates=[9, 8], others=4)
    assert tally.candidates.tolist() == [9, 8]
    assert tally.num_reports == 7
    assert tally.mechanism == m


# -- bad input -------------------------------------------------------------------------------------

WIDE = WideHashing(48, 1.0)
REPORTS = WIDE.privatize([1, 2**48 - 1], np.random.default_rng(1))


def drawn(counts, **options):
    return WIDE.simulate(counts, np.random.default_rng(1), **options)


BAD = [
    (lambda bad: WideHashing(48, bad), "epsilon", *BAD_EPSILONS, 1e4, 1e-17),
    (lambda bad: WideHashing(bad, 1.0), "num_bits", 0, -1, 64, 2.0, None, True, "4", [4], 10**400),
    (lambda bad: WideHashing(48, 1.0, bad), "num_buckets", 1, 2**17 + 1, 2.0),
    (lambda bad: WideHashing(48, 1.0, limb_bits=bad), "limb_bits", 0, 32),
    (lambda bad: WideHashing(48, 1.0, limb_bits=bad, word_bits=8), "limb_bits", 9),
    (lambda bad: WideHashing(48, 1.0, word_bits=bad), "word_bits", 33, 1),
    (lambda bad: WIDE.privatize(bad, np.random.default_rng(1)), "values", [2**48], [-1]),
    (lambda bad: WIDE.tally(REPORTS, bad), "candidates", [], [2**48], [0.5]),
    (lambda bad: WideHashing(bad, 1.0).tally(REPORTS, [1]), "reports", 63, 20),
    (lambda method: getattr(WIDE, method)(REPORTS), "num_bits", "tally", "support", "likelihood"),
    (WIDE.outcomes, "word_bits", REPORTS),
    (lambda num_bits: WideHashing(num_bits, 1.0).channel(), "num_bits and word_bits", 48, 4),
    (drawn, "num_bits", [1]),
    (lambda bad: drawn([1], candidates=bad), "value_counts", [1, 2]),
    (lambda bad: drawn(bad, candidates=[1]), "value_counts", [-1]),
    (lambda bad: drawn([1], candidates=[1], others=bad), "others", -1),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD))
def test_other_arguments(call, naming):
    refuse(call, naming=naming)


def test_a_candidate_is_drawn_once():
    m = ldp.WideHashing(4, 1.0)
    with pytest.raises(ValueError, match="candidates must be different, got one twice"):
        m.simulate([10, 10], np.random.default_rng(1), candidates=[1, 1])


def test_values_up_to_63_bits():
    m, rng = WideHashing(63, 8.0), np.random.default_rng(11)
    users = np.full(2_000, 2**63 - 1)
    tally = m.tally(m.privatize(users, rng), [2**63 - 1, 2**62, 0])
    assert (debias(tally, m).round(1) + 0.0).tolist() == [1, 0, 0]
    assert ldp.confidence_interval(tally, m)[0][0] > 0.9
