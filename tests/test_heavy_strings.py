"""Searches by pairs of pieces."""

import itertools

import numpy as np
import pytest

import ldp
from ldp.heavy_hitters import find_strings, prefix_rounds, segment_pairs, simulate_strings, strings


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
