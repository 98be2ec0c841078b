"""The walk from short prefixes to whole values: what it keeps, what it returns, what it refuses."""

import itertools
import tracemalloc

import numpy as np
import pytest
from scipy.stats import binom, norm

import ldp
from ldp.assigned import Assigned, AssignedReports
from ldp.heavy_hitters import (
    Prefix,
    SegmentPair,
    _walk,
    find_prefixes,
    prefix_rounds,
    segment_pairs,
    simulate_prefixes,
)
from ldp.heavy_hitters._walk import Best, extensions


def bits(value, size):
    return format(value, f"0{size}b")


@pytest.mark.parametrize("depth", [1, 3, 6])
def test_a_prefix_is_the_first_letters_of_the_word(depth):
    seen = Prefix(6, depth)(np.arange(64))
    assert [bits(s, depth) for s in seen] == [bits(v, 6)[:depth] for v in range(64)]
    scattered = Prefix(6, depth, scattered=True)
    assert sorted(Prefix(6, 6, scattered=True)(np.arange(64))) == list(range(64))
    assert np.bincount(scattered(np.arange(64))).tolist() == [2 ** (6 - depth)] * 2**depth


def test_a_pair_is_two_pieces_of_the_word():
    for first, second in itertools.combinations(range(3), 2):
        seen = SegmentPair(6, 3, first, second)(np.arange(64))
        for value, pair in enumerate(seen):
            word = bits(value, 6)
            pieces = [word[:2], word[2:4], word[4:]]
            assert bits(pair, 4) == pieces[first] + pieces[second]


def test_default_rounds_are_few_and_equal():
    for size in range(1, 64):
        rounds = prefix_rounds(size, 1.0)
        depths = [view.depth for view, _, _ in rounds.parts]
        assert depths[-1] == size
        assert depths[0] <= 18
        assert max(np.diff(depths), default=0) <= 11
        assert set(rounds.shares) == {1 / len(depths)}
        assert all(m.num_bits == view.depth for view, m, _ in rounds.parts)


def slow_walk(rounds, reports, top_k, keep):
    """The walk with a dictionary: for each round the candidates, and what each of them counted."""
    survivors, seen = [""], []
    for i, (view, mechanism, _) in enumerate(rounds.parts):
        step = view.depth - len(survivors[0])
        tails = ["".join(t) for t in itertools.product("01", repeat=step)]
        words = [s + t for s in survivors for t in tails]
        counts = {w: mechanism.tally(reports.reports[i], [int(w, 2)]).counts[0] for w in words}
        order = sorted(words, key=lambda w: (-counts[w], w))
        size = top_k if view is rounds.parts[-1][0] else keep
        survivors = order[:size]
        seen.append((counts, order[size:]))
    return survivors, seen


ROUNDS = [
    prefix_rounds(8, 2.0, depths=(3, 5, 8)),
    prefix_rounds(8, 1.0, depths=(*range(1, 9), 8), shares=[0.5 / 8] * 8 + [0.5]),
    prefix_rounds(8, 1.0, depths=(8,)),
    prefix_rounds(8, 1.0, depths=(4, 8, 8), shares=(0.25, 0.25, 0.5)),
]


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize(("top_k", "keep"), [(2, 2), (3, 6), (1, 40), (300, 300)])
def test_the_walk_is_what_a_slow_twin_finds(rounds, top_k, keep):
    rng = np.random.default_rng(3)
    reports = rounds.privatize(rng.integers(0, 256, 400) & rng.integers(0, 256, 400), rng)
    found = find_prefixes(reports, rounds, top_k=top_k, keep=keep)
    words, seen = slow_walk(rounds, reports, top_k, keep)
    assert found.values.tolist() == [int(w, 2) for w in words]
    for one, (counts, dropped) in zip(found.rounds, seen, strict=True):
        assert one.num_candidates == len(counts)
        assert one.best_dropped == max((counts[w] for w in dropped), default=None)
        kept = [counts[bits(c, one.depth)] for c in one.tally.candidates]
        assert one.tally.counts.tolist() == kept
        assert one.users == one.tally.num_reports
    last = found.rounds[-1]
    p, q = last.mechanism.p, last.mechanism.q
    expected = [(seen[-1][0][w] / last.users - q) / (p - q) for w in words]
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-12)


def chunked(reports, number):
    """The reports of several machines, each with some users."""
    machine = np.arange(reports.part.size) % number
    chunks = []
    for m in range(number):
        mine = [some[machine[reports.part == i] == m] for i, some in enumerate(reports.reports)]
        chunks.append(AssignedReports(reports.part[machine == m], tuple(mine)))
    return chunks


@pytest.mark.parametrize("number", range(1, 9))
def test_chunks_of_reports_give_the_same_bit_by_bit(number):
    rounds = prefix_rounds(30, 2.0, depths=(8, 19, 30, 30))
    rng = np.random.default_rng(number)
    reports = rounds.privatize(rng.integers(0, 2**30, 4_000) >> rng.integers(0, 30, 4_000), rng)
    whole = find_prefixes(reports, rounds, top_k=4)
    parts = find_prefixes(chunked(reports, number), rounds, top_k=4)
    assert whole.values.tolist() == parts.values.tolist()
    assert whole.frequencies.tobytes() == parts.frequencies.tobytes()
    assert whole.rounds == parts.rounds
    lost = find_prefixes(chunked(reports, 9)[1:], rounds, top_k=4)  # control: a machine is lost
    assert lost.frequencies.tobytes() != whole.frequencies.tobytes()


def peak_of_walk(rounds, reports):
    find_prefixes(reports, rounds, top_k=2, keep=128)  # compile first
    tracemalloc.start()
    find_prefixes(reports, rounds, top_k=2, keep=128)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def test_the_walk_needs_little_memory(monkeypatch):
    # 2**21 candidates in the second round, whose codes and counts alone are 34 megabytes.
    rounds = prefix_rounds(28, 2.0, depths=(14, 28))
    reports = rounds.privatize(np.arange(60), np.random.default_rng(1))
    assert peak_of_walk(rounds, reports) < 64
    monkeypatch.setattr(_walk, "TILE", 2**26)  # control: all candidates at once
    assert peak_of_walk(rounds, reports) > 64


def test_the_walk_draws_nothing():
    rounds = prefix_rounds(12, 1.0, depths=(6, 12))
    reports = rounds.privatize(np.arange(4096), np.random.default_rng(1))
    first, second = (find_prefixes(reports, rounds, top_k=5) for _ in range(2))
    assert first.values.tolist() == second.values.tolist()


@pytest.mark.parametrize("size", [1, 3, 10, 30])
def test_the_best_are_the_best_in_any_order(size):
    rng = np.random.default_rng(size)
    for _ in range(200):
        codes = rng.permutation(100)[:25]
        counts = rng.integers(0, 5, 25)  # many ties
        best = Best(np.zeros(0, np.int64), np.zeros(0, np.int64))
        for part in np.array_split(np.arange(25), rng.integers(1, 8)):
            best = best.merge(codes[part], counts[part], size)
        order = np.lexsort((codes, -counts))
        assert best.codes.tolist() == codes[order[:size]].tolist()
        assert best.counts.tolist() == counts[order[:size]].tolist()
        assert best.dropped == max(counts[order[size:]], default=-1)


def test_extensions_are_all_and_in_order(monkeypatch):
    monkeypatch.setattr(_walk, "TILE", 5)
    tiles = list(extensions(np.array([6, 1]), 3))
    assert [tile.size for tile in tiles] == [5, 5, 5, 1]
    assert np.concatenate(tiles).tolist() == [*range(8, 16), *range(48, 56)]


# -- how often a value survives -----------------------------------------------------------------


def survival(users, mechanism, frequency, candidates, keep):
    """Exact chance that a value that wins ties is among the best `keep` of a round."""
    pi = mechanism.q + (mechanism.p - mechanism.q) * frequency
    counts = np.arange(users + 1)
    better = binom.sf(counts, users, mechanism.q)  # chance that one other candidate beats a count
    return float(binom.pmf(counts, users, pi) @ binom.cdf(keep - 1, candidates - 1, better))


def by_formula(users, mechanism, frequency, candidates, keep):
    """The normal approximation: Phi((f - t) / sigma), t leaving `keep` of the candidates."""
    sigma = np.sqrt(ldp.variance(mechanism, users))
    return norm.cdf(frequency / sigma - norm.isf(keep / candidates))


@pytest.mark.parametrize("sigmas", [3, 8, 15])
def test_a_planted_value_is_found_as_often_as_the_formula_says(sigmas):
    rounds, n, keep, runs = prefix_rounds(24, 1.0, depths=(8, 16, 24)), 30_000, 16, 1_000
    frequency = sigmas * np.sqrt(ldp.variance(rounds.parts[0][1], n))
    planted = round(frequency * n)
    counts = np.append(planted, rng_split(n - planted, 2_000))
    rng = np.random.default_rng(sigmas)
    hits = 0
    for _ in range(runs):
        values = spread(counts.size, rng)
        found = simulate_prefixes(values, counts, rounds, rng, top_k=keep, keep=keep)
        hits += int(0 in found.values)

    def chance(law, users):
        lists = [2**8, keep * 2**8, keep * 2**8]
        parts = zip(rounds.parts, lists, strict=True)
        return np.prod([law(users, m, planted / n, size, keep) for (_, m, _), size in parts])

    exact, formula = chance(survival, n // 3), chance(by_formula, n // 3)
    error = np.sqrt(exact * (1 - exact) / runs)
    # Prefixes of the first round are not empty: each holds 0.4 per cent of the others, which is a
    # twentieth of a standard deviation. Hence two per cent beside five standard errors.
    assert abs(hits / runs - exact) < 0.02 + 5 * error
    assert abs(formula - exact) < 0.04
    if sigmas == 3:  # control: as if everybody answered in every round
        assert abs(hits / runs - chance(survival, n)) > 0.02 + 5 * error


def rng_split(total, parts):
    return np.full(parts, total // parts) + (np.arange(parts) < total % parts)


def spread(size, rng):
    """The code 0, and others at random, all different."""
    codes = np.unique(rng.integers(1, 2**24, size + 200))
    return np.append(0, rng.permutation(codes)[: size - 1])


def test_reports_find_as_often_as_drawn_counts():
    rounds, runs = prefix_rounds(20, 2.0, depths=(7, 13, 20)), 150
    values, counts = np.array([5, 2**19, 77_777, 300_000]), np.array([200, 150, 120, 100])
    values = np.append(values, np.arange(1000) * 1000 + 3)
    counts = np.append(counts, np.ones(1000, np.int64))
    rng = np.random.default_rng(6)
    users, hits = np.repeat(values, counts), []
    for _ in range(runs):
        real = find_prefixes(rounds.privatize(users, rng), rounds, top_k=4, keep=8)
        drawn = simulate_prefixes(values, counts, rounds, rng, top_k=4, keep=8)
        hits.append([np.isin(values[:4], one.values).sum() for one in (real, drawn)])
    gap = np.diff(hits, axis=1)
    assert abs(gap.mean()) < 5 * gap.std() / np.sqrt(runs)
    assert 0.5 < np.mean(hits) < 3.5  # neither hopeless nor certain


# -- refusals -----------------------------------------------------------------------------------

GOOD = prefix_rounds(8, 1.0, depths=(4, 8))


def reports_of(rounds, users=50):
    return rounds.privatize(np.zeros(users, np.int64), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (prefix_rounds, {"depths": (5, 4, 8)}, "depths must not decrease"),
        (prefix_rounds, {"depths": (4, 7)}, "depths must end at the 8 bits"),
        (prefix_rounds, {"num_bits": 48, "depths": (27, 48)}, "depths must begin from 1 to 26"),
        (prefix_rounds, {"depths": (0, 8)}, "depths must begin from 1 to 26"),
        (prefix_rounds, {"depths": ()}, "depths must be at least one"),
        (prefix_rounds, {"num_bits": 64}, "num_bits must be an integer, at least 1 and at most 63"),
        (prefix_rounds, {"shares": (1.0, 0.0)}, "shares must be positive"),
        (prefix_rounds, {"shares": (0.5, 0.6)}, "shares must be non-negative and sum to 1"),
        (prefix_rounds, {"shares": (0.5, 0.25, 0.25)}, r"shares must have shape \(2,\)"),
        (prefix_rounds, {"epsilon": 0.0}, "epsilon must be positive"),
        (segment_pairs, {"num_segments": 5}, "num_segments must divide"),
        (segment_pairs, {"num_segments": 1}, "num_segments must be an integer, at least 2"),
        (segment_pairs, {"num_segments": 2}, "pieces of at most 13 bits"),
        (segment_pairs, {"final_share": 1.0}, "final_share must be between 0 and 1"),
    ],
)
def test_rounds_that_make_no_sense_are_refused(make, options, message):
    usual = (
        {"num_bits": 8, "depths": (4, 8)}
        if make is prefix_rounds
        else {"num_bits": 48, "num_segments": 6}
    )
    with pytest.raises(ValueError, match=message):
        make(**{"epsilon": 1.0} | usual | options)


def test_searches_that_make_no_sense_are_refused():
    reports = reports_of(GOOD)
    with pytest.raises(ValueError, match="top_k must be an integer, at least 1"):
        find_prefixes(reports, GOOD, top_k=0)
    with pytest.raises(ValueError, match="keep must be an integer, at least 5"):
        find_prefixes(reports, GOOD, top_k=5, keep=4)
    with pytest.raises(ValueError, match=r"keep must make lists of at most 2\*\*26 candidates"):
        find_prefixes(reports, prefix_rounds(48, 1.0, depths=(8, 28, 48)), top_k=100)
    with pytest.raises(ValueError, match="rounds must ask for prefixes"):
        find_prefixes(reports, segment_pairs(8, 1.0, num_segments=2), top_k=1)
    with pytest.raises(TypeError, match="rounds must be Assigned"):
        find_prefixes(reports, GOOD.parts, top_k=1)
    with pytest.raises(ValueError, match="depths that do not decrease and end at all bits"):
        find_prefixes(reports, Assigned([(*GOOD.parts[0][:2], 1.0)]), top_k=1)
    with pytest.raises(TypeError, match="reports must be AssignedReports"):
        find_prefixes([], GOOD, top_k=1)
    with pytest.raises(ValueError, match="reports must be of 2 parts, got"):
        find_prefixes(reports_of(prefix_rounds(8, 1.0, depths=(4, 6, 8))), GOOD, top_k=1)
    with pytest.raises(TypeError, match="reports must have dtype"):
        find_prefixes(reports_of(prefix_rounds(40, 1.0, depths=(20, 40))), GOOD, top_k=1)


def test_mechanisms_that_count_no_candidates_are_refused():
    whole, rng = Prefix(8, 8), np.random.default_rng(1)
    for mechanism in (ldp.GRR(256, 1.0), ldp.OUE(256, 1.0)):
        rounds = Assigned([(whole, mechanism, 1.0)])
        with pytest.raises(TypeError, match="rounds must be of hashing mechanisms, got"):
            find_prefixes(rounds.privatize([1, 2], rng), rounds, top_k=1)
    rounds = Assigned([(whole, ldp.OLH(256, 1.0), 1.0)])
    assert find_prefixes(rounds.privatize(np.full(99, 7), rng), rounds, top_k=1).values == [7]
    with pytest.raises(TypeError, match="rounds must be of WideHashing to be drawn, got"):
        simulate_prefixes([7], [99], rounds, rng, top_k=1)


def test_reports_count_once_and_for_their_own_round():
    reports = reports_of(GOOD)
    with pytest.raises(ValueError, match="reports must be given once"):
        find_prefixes([reports, reports], GOOD, top_k=1)
    first = reports.reports[0]
    for wrong in ((first, first), (first, None), (first, 3)):
        with pytest.raises((TypeError, ValueError), match=r"reports must .*\."):
            find_prefixes(AssignedReports(reports.part, wrong), GOOD, top_k=1)


def test_an_empty_round_is_refused():
    reports = reports_of(GOOD)
    empty = AssignedReports(
        reports.part[reports.part == 0], (reports.reports[0], reports.reports[1][:0])
    )
    with pytest.raises(ValueError, match="at least one in every round, got none in round 2"):
        find_prefixes(empty, GOOD, top_k=1)
    find_prefixes([empty, reports], GOOD, top_k=1)  # another machine has some
    with pytest.raises(ValueError, match="got none in round"):
        simulate_prefixes([3], [1], GOOD, np.random.default_rng(1), top_k=1)


def test_populations_that_make_no_sense_are_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="values must be different"):
        simulate_prefixes([3, 3], [10, 10], GOOD, rng, top_k=1)
    with pytest.raises(ValueError, match="counts must be 2, one a value"):
        simulate_prefixes([3, 4], [10], GOOD, rng, top_k=1)
    with pytest.raises(ValueError, match="values must be at least 0 and below 256"):
        simulate_prefixes([256], [10], GOOD, rng, top_k=1)
