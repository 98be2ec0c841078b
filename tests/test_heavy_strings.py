"""Searches by pairs of pieces, and by a tree that grows while users are asked."""

import itertools

import numpy as np
import pytest

import ldp
from ldp.heavy_hitters import (
    find_strings,
    prefix_rounds,
    priv_trie,
    segment_pairs,
    simulate_strings,
    simulate_trie,
    strings,
    trie,
)


@pytest.mark.parametrize("pieces", [2, 3, 4])
@pytest.mark.parametrize("kept", [1, 6, 16])
def test_cliques_are_all_strings_whose_pairs_are_kept(pieces, kept):
    rng = np.random.default_rng(kept)
    for _ in range(20):
        pairs = {
            pair: np.sort(rng.permutation(16)[:kept])
            for pair in itertools.combinations(range(pieces), 2)
        }
        expected = []
        for value in range(4**pieces):
            piece = [value >> 2 * (pieces - 1 - i) & 3 for i in range(pieces)]
            if all(piece[i] << 2 | piece[j] in pairs[i, j] for i, j in pairs):
                expected.append(value)
        assert strings.cliques(pairs, 2, pieces).tolist() == expected


def population(rng):
    return np.append(np.repeat([7, 2**18 - 5], [900, 700]), rng.integers(0, 2**18, 900))


def test_pairs_are_joined_to_the_values_that_were_planted():
    rng = np.random.default_rng(1)
    rounds = segment_pairs(18, 4.0, num_segments=3)
    reports = rounds.privatize(population(rng), rng)
    found = find_strings(reports, rounds, top_k=2)
    assert found.values.tolist() == [7, 2**18 - 5]
    last = found.rounds[0]
    assert last.users == reports.reports[-1].size
    again = rounds.parts[-1][1].tally(reports.reports[-1], found.values)
    np.testing.assert_array_equal(found.frequencies, ldp.debias(again, rounds.parts[-1][1]))
    drawn = simulate_strings([7, 2**18 - 5], [900, 700], rounds, rng, top_k=2)
    assert drawn.values.tolist() == [7, 2**18 - 5]


def test_no_string_may_have_all_its_pairs():
    rng = np.random.default_rng(0)
    rounds = segment_pairs(18, 0.1, num_segments=3)
    found = find_strings(rounds.privatize(population(rng), rng), rounds, top_k=1, keep=1)
    assert found.values.size == found.frequencies.size == len(found.rounds) == 0
    assert ldp.heavy_hitters.certify(found, 0.1).size == 0
    assert [end.size for end in found.intervals()] == [0, 0]


def test_too_many_strings_are_refused():
    rng = np.random.default_rng(1)
    rounds = segment_pairs(30, 1.0, num_segments=3)
    reports = rounds.privatize(np.arange(100), rng)
    with pytest.raises(ValueError, match="keep must make at most 1048576 strings of pairs"):
        find_strings(reports, rounds, top_k=1, keep=2**18)
    with pytest.raises(ValueError, match="rounds must ask for each pair of pieces"):
        find_strings(reports, prefix_rounds(8, 1.0), top_k=1)
    with pytest.raises(TypeError, match="rounds must be Assigned"):
        find_strings(reports, None, top_k=1)


# -- the tree that grows with the users ------------------------------------------------------------


def asked(monkeypatch, **options):
    """Users that each call of `privatize` has asked, and what was found."""
    sizes, original = [], ldp.WideHashing.privatize

    def counting(self, values, rng):
        sizes.append(len(values))
        return original(self, values, rng)

    monkeypatch.setattr(ldp.WideHashing, "privatize", counting)
    rng = np.random.default_rng(5)
    found = priv_trie(population(rng), 18, 4.0, rng, top_k=2, **options)
    return sizes, found


@pytest.mark.parametrize("step", [1, 3, 9])
def test_nobody_is_asked_twice_and_nobody_is_left(monkeypatch, step):
    sizes, found = asked(monkeypatch, symbol_bits=step)
    assert sum(sizes) == 2_500 == sum(one.users for one in found.rounds)
    assert found.values.tolist() == [7, 2**18 - 5]
    assert [one.fixed for one in found.rounds] == [False] * (18 // step - 1) + [True]


def test_a_tree_that_forgets_whom_it_asked_is_noticed(monkeypatch):
    original = trie._ask_level  # control
    monkeypatch.setattr(trie, "_ask_level", lambda *given: (original(*given)[0], 0))
    sizes, _ = asked(monkeypatch, symbol_bits=3)
    assert sum(sizes) > 2_500


def test_each_user_is_asked_once(monkeypatch):
    seen, users = [], np.arange(4096) << 6  # the first 12 of 18 bits tell who it is

    def ask(mechanism, values, candidates):
        seen.extend(values.tolist())
        rng, hidden = np.random.default_rng(1), values >> (18 - mechanism.num_bits)
        return mechanism.tally(mechanism.privatize(hidden, rng), candidates)

    monkeypatch.setattr(trie, "Prefix", lambda bits, depth: lambda values: values)
    trie._grow(users, [6, 12, 18], 1.0, np.random.default_rng(2), 2, 4, ask)
    assert sorted(seen) == users.tolist()


def test_a_clear_level_leaves_its_users_to_the_next(monkeypatch):
    clear, _ = asked(monkeypatch, symbol_bits=9, keep=2)
    monkeypatch.undo()
    monkeypatch.setattr(trie, "_CLEAR", np.inf)
    never, _ = asked(monkeypatch, symbol_bits=9, keep=2)
    assert clear[-1] > never[-1] == 1_250


def test_drawn_counts_grow_the_same_tree():
    rng, hits = np.random.default_rng(3), []
    users = np.append(np.repeat([7, 70_000, 2**17], [250, 200, 150]), rng.integers(0, 2**18, 2_000))
    for _ in range(100):
        pair = [
            search(users, 18, 2.0, rng, top_k=3, symbol_bits=6, keep=6)
            for search in (priv_trie, simulate_trie)
        ]
        hits.append([np.isin([7, 70_000, 2**17], one.values).sum() for one in pair])
    gap = np.diff(hits, axis=1)
    assert abs(gap.mean()) < 5 * gap.std() / 10
    assert 0.3 < np.mean(hits) < 2.7


def test_trees_that_make_no_sense_are_refused():
    rng = np.random.default_rng(1)
    for arguments, options, message in [
        (([1] * 9, 8, 1.0), {"top_k": 1, "symbol_bits": 3}, "symbol_bits must divide the 8 bits"),
        (([1, 2], 8, 1.0), {"top_k": 1, "symbol_bits": 2}, "values must be at least one for each"),
        (([256] * 9, 8, 1.0), {"top_k": 1}, "values must be at least 0 and below 256"),
        (([1] * 9, 8, 1.0), {"top_k": 0}, "top_k must be an integer, at least 1"),
        (([1] * 9, 8, -1.0), {"top_k": 1}, "epsilon must be positive"),
        (([1] * 9, 60, 1.0), {"top_k": 1, "symbol_bits": 30}, "keep must make lists of at most"),
    ]:
        with pytest.raises(ValueError, match=message):
            priv_trie(*arguments, rng, **options)
