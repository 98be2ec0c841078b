"""Frequencies pooled over rounds, and hash functions from a public pool."""

import pickle

import numpy as np
import pytest

import ldp
from ldp.assigned import Assigned
from ldp.heavy_hitters import (
    HashPool,
    PoolStates,
    Prefix,
    certify,
    find_prefixes,
    gather,
    pool_states,
    pooled_frequencies,
    prefix_rounds,
    scatter,
)


def seeds(size, limbs, rng):
    return rng.integers(0, 2**32, (size, limbs + 1), dtype=np.uint32)


# -- all rounds ------------------------------------------------------------------------------------


def test_all_rounds_say_more_than_the_last():
    rounds, runs = prefix_rounds(30, 2.0, depths=(10, 20, 30), scattered=True), 600
    rng, n = np.random.default_rng(1), 3_000
    users = np.append(np.repeat([5, 9], [900, 300]), rng.integers(0, 2**30, n - 1_200))
    pooled, last = [], []
    for _ in range(runs):
        reports = rounds.privatize(users, rng)
        pooled.append(pooled_frequencies(reports, rounds, [5, 9, 77]))
        m = rounds.parts[-1][1]
        codes = scatter([5, 9, 77], 30)
        last.append(ldp.debias(m.tally(reports.reports[-1], codes), m))
    truth = [0.3, 0.1, 0.0]
    error = np.std(pooled, axis=0) / np.sqrt(runs)
    # A prefix of ten bits is shared by about 2 of the 1,800 others: 0.001 of the users.
    assert (np.abs(np.mean(pooled, axis=0) - truth) < 5 * error + 0.001).all()
    ratio = np.var(last, axis=0) / np.var(pooled, axis=0)  # 3, or less where users are sampled
    assert (np.abs(ratio - 3) < 5 * 3 * np.sqrt(4 / runs)).all()


def test_natural_codes_are_refused_because_their_prefixes_hold_others():
    rng = np.random.default_rng(2)
    natural = prefix_rounds(30, 2.0, depths=(10, 20, 30))
    users = np.arange(20_000) % 100
    with pytest.raises(ValueError, match="prefixes of scattered codes, got natural ones"):
        pooled_frequencies(natural.privatize(users, rng), natural, [5])
    m = natural.parts[0][1]  # control: all hundred values have one prefix
    reports = natural.privatize(users, rng)
    assert ldp.debias(m.tally(reports.reports[0], [0]), m)[0] > 0.9


def test_scattered_searches_return_what_users_hold():
    rounds = prefix_rounds(40, 3.0, depths=(14, 27, 40), scattered=True)
    rng = np.random.default_rng(3)
    users = np.append(np.repeat([123, 2**39], 2_000), rng.integers(0, 2**40, 2_000))
    reports = rounds.privatize(users, rng)
    found = find_prefixes(reports, rounds, top_k=2)
    assert sorted(found.values.tolist()) == [123, 2**39]
    assert gather(found.rounds[-1].tally.candidates, 40).tolist() == found.values.tolist()
    assert pooled_frequencies(reports, rounds, []).size == 0


# -- a public pool ---------------------------------------------------------------------------------


def small_pool(epsilon=1.0, size=5):
    m = ldp.WideHashing(4, epsilon, 3, limb_bits=2, word_bits=4)
    rng = np.random.default_rng(4)
    return HashPool(m, rng.integers(0, 16, (size, 3), dtype=np.uint32) << np.uint32(28))


def slow_bucket(pool, function, value):
    """The bucket, by Python's integers."""
    h = pool.hashing.hashes
    keys = h.keys(np.array([value]))[0].tolist()
    *multipliers, offset = (int(w) >> (32 - h.word_bits) for w in pool.seeds[function])
    word = (sum(a * k for a, k in zip(multipliers, keys, strict=True)) + offset) % 2**h.word_bits
    unit = word >> (h.word_bits - h.limb.unit_bits)
    return unit * h.num_buckets >> h.limb.unit_bits


def test_the_channel_is_the_law_and_spends_the_budget():
    pool = small_pool()
    q = pool.channel()
    response = pool.hashing.response
    for value in range(16):
        for function in range(5):
            own = slow_bucket(pool, function, value)
            for bucket in range(3):
                chance = response.p if bucket == own else response.q
                assert q[value, 3 * function + bucket] == pytest.approx(chance / 5, rel=1e-12)
    assert ldp.worst_case_epsilon(q) == pytest.approx(1.0, abs=1e-12)
    rng, n = np.random.default_rng(5), 60_000
    for value in (0, 11):
        seen = np.bincount(pool.outcomes(pool.privatize(np.full(n, value), rng)), minlength=15)
        chi2 = ((seen - n * q[value]) ** 2 / (n * q[value])).sum()
        assert chi2 < 14 + 5 * np.sqrt(28) + 10  # false alarm below 1e-5
        other = ((seen - n * q[(value + 1) % 16]) ** 2 / (n * q[(value + 1) % 16])).sum()
        assert other > 1_000  # control


def test_counts_are_those_of_a_loop():
    pool, rng = small_pool(), np.random.default_rng(6)
    reports = pool.privatize(rng.integers(0, 16, 300), rng)
    expected = [
        sum(slow_bucket(pool, a, value) == y for a, y in reports.tolist()) for value in range(16)
    ]
    assert pool.tally(reports).counts.tolist() == expected
    parts = [pool.state(part) for part in np.array_split(reports, 7)]
    merged = pool.tally(np.sum(parts, axis=0), [3, 3, 9])
    assert merged.counts.tolist() == [expected[3], expected[3], expected[9]]
    assert merged.num_reports == 300
    likely = pool.likelihood(reports[:4])
    np.testing.assert_array_equal(likely, pool.channel().T[pool.outcomes(reports[:4])])


@pytest.mark.parametrize("size", [4, 64])
def test_the_pool_adds_the_variance_that_it_says(size):
    # Pools differ from run to run; the values are spread so that three hash almost independently.
    m, runs, n = ldp.WideHashing(48, 1.0), 1_500, 2_000
    rng = np.random.default_rng(size)
    counts = np.array([1_000, 600, 400, 0])
    errors = []
    for _ in range(runs):
        values = rng.integers(0, 2**48, 4)
        pool = HashPool(m, seeds(size, 3, rng))
        tally = pool.tally(pool.privatize(np.repeat(values, counts), rng), values)
        errors.append(ldp.debias(tally, pool) - counts / n)
    # The mean over pools: unbiased; the mean square: noise of the reports and of the pool.
    f = counts / n
    expected = ldp.variance(pool, n, f) + pool.pool_variance(f, n)
    square = np.square(errors)
    spread = square.std(axis=0) / np.sqrt(runs)
    assert (np.abs(np.mean(errors, axis=0)) < 5 * np.std(errors, axis=0) / np.sqrt(runs)).all()
    assert (np.abs(square.mean(axis=0) - expected) < 5 * spread).all()
    if size == 4:  # control: without the pool's part
        assert (np.abs(square.mean(axis=0) - ldp.variance(pool, n, f)) > 5 * spread).any()


def test_a_walk_over_states_is_the_walk_over_reports():
    rng = np.random.default_rng(8)
    parts = [
        (Prefix(30, depth), HashPool(ldp.WideHashing(depth, 3.0), seeds(512, limbs, rng)), 1 / 3)
        for depth, limbs in ((10, 1), (20, 2), (30, 2))
    ]
    rounds = Assigned(parts)
    users = np.append(np.repeat([123, 2**29], 3_000), rng.integers(0, 2**30, 3_000))
    reports = rounds.privatize(users, rng)
    kept = pool_states(reports, rounds)
    first, second = find_prefixes(reports, rounds, top_k=2), find_prefixes(kept, rounds, top_k=2)
    assert first.values.tolist() == second.values.tolist()
    assert first.frequencies.tobytes() == second.frequencies.tobytes()
    assert sorted(first.values.tolist()) == [123, 2**29]
    with pytest.raises(TypeError, match="found must be by reports that each support a set"):
        certify(first, 0.1)
    states = kept.tables
    with pytest.raises(ValueError, match="at least one in every round, got none in round 2"):
        find_prefixes(PoolStates((states[0], 0 * states[1], states[2])), rounds, top_k=2)
    with pytest.raises(ValueError, match="reports must be of 3 tables, got 2"):
        find_prefixes(PoolStates(states[:2]), rounds, top_k=2)
    with pytest.raises(TypeError, match="rounds must be asked by HashPool"):
        pool_states(reports, prefix_rounds(8, 1.0))


def test_pools_that_make_no_sense_are_refused():
    m, rng = ldp.WideHashing(8, 1.0), np.random.default_rng(1)
    good = HashPool(m, seeds(4, 1, rng))
    with pytest.raises(TypeError, match="hashing must be WideHashing"):
        HashPool(ldp.OLH(8, 1.0), seeds(4, 1, rng))
    with pytest.raises(TypeError, match="seeds must be of dtype uint32"):
        HashPool(m, [[1, 2]])
    with pytest.raises(ValueError, match=r"seeds must have shape \(A, 2\)"):
        HashPool(m, seeds(4, 2, rng))
    with pytest.raises(ValueError, match="seeds must be of 4-bit words"):
        HashPool(small_pool().hashing, np.ones((2, 3), np.uint32))
    with pytest.raises(ValueError, match="values must be at least 0 and below 256"):
        good.privatize([256], rng)
    with pytest.raises(ValueError, match="reports' function must be at least 0 and below 4, got 9"):
        good.tally(np.array([(9, 0)], dtype=[("function", "<u4"), ("bucket", "<u4")]))
    with pytest.raises(TypeError, match="reports must be reports or a state of shape"):
        good.tally(np.zeros((3, 2), np.int64))
    with pytest.raises(ValueError, match="others must be an integer, at least 0 and at most 0"):
        good.simulate([1], rng, candidates=[3], others=4)


def test_a_pool_is_what_its_functions_are():
    m, rng = ldp.WideHashing(48, 2.0), np.random.default_rng(1)
    seeds = rng.integers(0, 2**32, (8, 4), dtype=np.uint32)
    pool, copy = HashPool(m, seeds), pickle.loads(pickle.dumps(HashPool(m, seeds)))
    assert pool == copy
    assert hash(pool) == hash(copy)
    assert not copy.seeds.flags.writeable
    assert pool != HashPool(m, seeds[::-1])
    assert pool != m
    tallies = [p.tally(p.privatize([1, 2], rng), [1]) for p in (pool, copy)]
    assert sum(tallies).num_reports == 4


def test_pools_refuse_what_they_cannot_count():
    m, rng = ldp.WideHashing(48, 2.0), np.random.default_rng(1)
    pool = HashPool(m, rng.integers(0, 2**32, (8, 4), dtype=np.uint32))
    with pytest.raises(ValueError, match="a state must be of at most 9007199254740992 reports"):
        pool.tally(np.full((8, m.num_buckets), 2**62), [1])  # their sum wraps around to zero
    with pytest.raises(ValueError, match="num_bits must be at most 26 for all values to be listed"):
        pool.simulate([1, 2], rng)
