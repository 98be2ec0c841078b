"""The hash of local hashing is exactly pairwise independent: all functions of a short word."""

import numpy as np
import pytest
from catalogue import all_reports

from ldp import LocalHashing
from ldp.mechanisms.hash_family import HashFamily

FAMILIES = [HashFamily(4, 2, 5), HashFamily(5, 3, 6), HashFamily(8, 5, 6), HashFamily(3, 7, 7)]


def all_seeds(family):
    words = np.arange(2**family.word_bits, dtype=np.uint64) << np.uint64(32 - family.word_bits)
    return (words[:, None] << np.uint64(32) | words).ravel()


def shares(family):
    return np.diff(family.edges) / 2**family.unit_bits


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_keys_are_a_bijection(family):
    keys = family.keys(np.arange(2**family.key_bits))
    assert np.unique(keys).size == keys.size
    assert keys.max() < 2**family.key_bits


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_any_two_values_hash_exactly_independently(family):
    d, g = family.domain_size, family.num_buckets
    buckets = family.bucket(all_seeds(family)[:, None], np.arange(d))
    expected = np.outer(shares(family), shares(family))
    for u in range(d):
        for v in range(u):
            joint = np.zeros((g, g))
            np.add.at(joint, (buckets[:, u], buckets[:, v]), 1 / len(buckets))
            np.testing.assert_array_equal(joint, expected)  # dyadic: no rounding at all


def test_control_one_bit_more_is_not_independent():
    # Were one more low bit used as a unit, some pair would depend: the bound is tight.
    family = HashFamily(4, 2, 5)
    words = np.arange(2**5)
    a, b = np.meshgrid(words, words, indexing="ij")
    bits = 5 - family.key_bits + 2
    u, v = ((a * k + b) % 2**5 >> (5 - bits) for k in (0, 2 ** (family.key_bits - 1)))
    joint = np.zeros((2**bits, 2**bits))
    np.add.at(joint, (u.ravel(), v.ravel()), 1 / a.size)
    assert not np.array_equal(joint, np.full_like(joint, 1 / joint.size))


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_buckets_are_within_one_unit_of_equal(family):
    widths = np.diff(family.edges)
    assert widths.sum() == 2**family.unit_bits
    assert widths.max() - widths.min() <= 1


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_a_bucket_is_an_interval_of_words(family):
    every = np.arange(family.num_buckets)
    starts, widths = family.intervals(every)
    words = np.arange(2**family.word_bits, dtype=np.uint32) << np.uint32(32 - family.word_bits)
    unit = words >> np.uint32(32 - family.unit_bits)
    bucket = unit.astype(np.int64) * family.num_buckets >> family.unit_bits
    inside = (words[:, None] - starts) < widths
    np.testing.assert_array_equal(inside, bucket[:, None] == every)


def test_the_model_of_one_over_g_would_be_biased():
    # Three buckets of 6, 5 and 5 units: q is not 1/3, and dividing as if it were would move the
    # estimate of an absent value by (q - 1/3)/(p - 1/3), the same for any number of users.
    m = LocalHashing(4, 1.0, num_buckets=3, hash_bits=6)
    held = np.unpackbits(m.support(all_reports(m)), axis=1, count=4)
    exact = (m.channel() @ held)[0, 1]
    assert m.q == pytest.approx(exact, rel=1e-12)
    bias = (exact - 1 / 3) / (m.p - 1 / 3)
    assert abs(bias) > 1e-3


@pytest.mark.statistical
def test_three_values_are_nearly_independent():
    """Correlations of supports given the user's value; beyond 6.5/sqrt(n) has rate below 1e-9.

    Only pairs are independent exactly; with three values the scrambled keys leave too little
    dependence to see in a million reports.
    """
    m = LocalHashing(8, 1.0, num_buckets=4)
    assert support_correlation(m) < 6.5 / np.sqrt(400_000)


@pytest.mark.statistical
def test_control_unscrambled_keys_are_seen(monkeypatch):
    monkeypatch.setattr(HashFamily, "keys", lambda self, values: values.astype(np.uint32))
    assert support_correlation(LocalHashing(8, 1.0, num_buckets=4)) > 0.03


def support_correlation(m):
    reports = m.privatize(np.zeros(400_000, dtype=int), np.random.default_rng(41))
    bits = np.unpackbits(m.support(reports), axis=1, count=m.domain_size).astype(float)
    correlations = np.corrcoef(bits.T)
    return np.abs(correlations - np.eye(m.domain_size)).max()


@pytest.mark.statistical
@pytest.mark.parametrize("hash_bits", [8, 32])
def test_every_bit_of_a_seed_is_a_fair_coin(hash_bits):
    """Of 64 counts out of 4,000, one beyond 7 standard errors has probability below 2e-10."""
    m = LocalHashing(8, 1.0, num_buckets=4, hash_bits=hash_bits)
    seeds = m.privatize(np.zeros(4_000, dtype=int), np.random.default_rng(42))["seed"]
    ones = [int((seeds >> np.uint64(k) & np.uint64(1)).sum()) for k in range(64)]
    used = [k for k in range(64) if not int(m.hashes.unused) >> k & 1]
    assert len(used) == 2 * hash_bits
    for k in range(64):
        assert abs(ones[k] - 2_000) < 7 * np.sqrt(1_000) if k in used else ones[k] == 0


def test_a_long_tally_counts_every_report():
    m = LocalHashing(5, 1.0, num_buckets=3)
    reports = m.privatize(np.arange(2**17 + 5) % 5, np.random.default_rng(43))
    held = np.unpackbits(m.support(reports), axis=1, count=5)
    np.testing.assert_array_equal(m.tally(reports).counts, held.sum(axis=0))
