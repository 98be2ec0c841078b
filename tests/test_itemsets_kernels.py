"""Loops over sets: slow twins, and every choice of the sampler enumerated."""

from collections import Counter
from itertools import combinations, product
from math import comb, prod

import numpy as np
import pytest

from ldp.itemsets._kernels import count_rising, draw_cells, draw_sets

WORDS = 2**64


def word(place, bound):
    """A word that stands for a place among `bound`, and is even."""
    return place * WORDS // bound + WORDS // (2 * bound)


def draw(items, random_words, hits, num_items, size):
    """Draw one report; return its cells and how many words were uneven, and which."""
    given = np.array([random_words], dtype=np.uint64)
    out, uneven = np.zeros((1, size), dtype=np.uint32), np.ones(given.shape, dtype=bool)
    count = draw_sets(
        np.array([0]),
        np.array([len(items)]),
        np.array(items, dtype=np.int64),
        given,
        np.array(hits, dtype=np.uint64),
        num_items,
        size,
        out,
        uneven,
    )
    return out[0].tolist(), count, uneven[0]


@pytest.mark.parametrize("items", [[], [2], [0, 4], [1, 3, 4]])  # D = 8, L = 3
@pytest.mark.parametrize("first", [0, 1, 2, 3])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_rest_of_a_report_is_uniform(items, first, size):
    """All places that its words can stand for: every subset that may come, equally often."""
    num_items, length = 5, 3
    hits = [10, 20, 30]
    own = [*items, *range(num_items, num_items + length - len(items))]
    hit = first < length
    left = 8 - min(first + hit, length)
    drawn = size - hit
    bounds = [left - drawn + k + 1 for k in range(drawn)]
    seen = Counter()
    for places in product(*(range(b) for b in bounds)):
        chosen = [word(p, b) for p, b in zip(places, bounds, strict=True)]
        given = [[5, 15, 25, 35][first], 0, 0, 0, *chosen, *[0] * hit]
        cells, count, _ = draw(items, given, hits, num_items, size)
        assert count == 0
        seen[tuple(sorted(cells))] += 1
    others = [c for c in range(8) if c not in own[: first + hit]]
    ends = (own[first],) if hit else ()
    expected = {tuple(sorted((*s, *ends))) for s in combinations(others, drawn)}
    assert set(seen) == expected
    assert set(seen.values()) == {prod(bounds) // comb(left, drawn)}


def test_long_sets_are_cut_uniformly():
    """Five items, three of them kept: seen by which one is the first own cell, and by misses."""
    items, hits = [0, 2, 3, 5, 6], [10, 20, 30]
    kept = Counter()
    for places in product(range(3), range(4), range(5)):
        cut = [word(p, b) for p, b in zip(places, (3, 4, 5), strict=True)]
        own = [draw(items, [w, *cut, 0], hits, 7, 1)[0][0] for w in (5, 15, 25)]
        assert len(set(own)) == 3
        kept[tuple(sorted(own))] += 1
        missed = {
            draw(items, [35, *cut, word(p, 7)], hits, 7, 1)[0][0] for p in range(7)
        }  # seven cells are left, none of them kept
        assert missed == set(range(10)) - set(own)
    assert set(kept) == set(combinations(items, 3))
    assert set(kept.values()) == {6}


def test_a_first_own_cell_starts_at_its_word():
    hits = [10, 20, 30]
    for given, own in [(0, 0), (9, 0), (10, 4), (19, 4), (20, 5), (29, 5)]:
        assert draw([0, 4], [given, 0, 0, 0, 0], hits, 5, 1)[0] == [own]
    assert draw([0, 4], [30, 0, 0, 0, word(4, 5)], hits, 5, 1)[0] == [7]  # 1, 2, 3, 6, 7 are left


def first_words(bound):
    """The first word of each number below a bound, at most a thousand of them."""
    return [-(-place * WORDS // bound) for place in range(0, bound, 1 + bound // 1000)]


def is_uneven(given, bound):
    return given * bound % WORDS < WORDS % bound


@pytest.mark.parametrize("bound", [3, 5, 6, 7, 8, 11, 100, 1000, 2**31 - 1])
def test_words_that_make_some_numbers_likelier_are_found(bound):
    """They are among the first of a number: with them left out, all have equally many."""
    words = first_words(bound)
    words += [w + 1 for w in words]
    n = len(words)
    out, none = np.zeros(n, dtype=np.int64), np.zeros(0, dtype=np.int64)
    draw_cells(np.zeros(n, int), np.zeros(n, int), none, np.array(words, "u8"), 0, bound, out)
    expected = [-1 if is_uneven(w, bound) else w * bound // WORDS for w in words]
    assert out.tolist() == expected
    assert (-1 in expected) == (WORDS % bound > 0)


def test_uneven_words_of_a_report_are_marked_and_no_others():
    # D = 8, L = 3, w = 3, a miss: bounds 3, 4, 5 of the cut, then again 3, 4, 5.
    items, hits = [0, 1, 2, 3, 4], [10, 20, 30]
    good = [35, *(word(1, b) for b in (3, 4, 5)), *(word(1, b) for b in (3, 4, 5))]
    assert draw(items, good, hits, 5, 3)[1] == 0
    for at, bound in [(1, 3), (3, 5), (4, 3), (6, 5)]:
        bad = next(w for w in first_words(bound) if is_uneven(w, bound))
        given = [*good[:at], bad, *good[at + 1 :]]
        _, count, marked = draw(items, given, hits, 5, 3)
        assert count == 1
        assert np.flatnonzero(marked).tolist() == [at]


@pytest.mark.parametrize("length", [1, 2, 5])
def test_draw_cells_against_its_twin(length):
    rng = np.random.default_rng(1)
    lengths = np.array([0, 1, 2, 3, 5, 0, 4] * 20)
    starts = np.cumsum(lengths) - lengths
    items = rng.integers(0, 50, lengths.sum())
    given = rng.integers(0, WORDS - 1, lengths.size, dtype=np.uint64, endpoint=True)
    out = np.zeros(lengths.size, dtype=np.int64)
    draw_cells(starts, lengths, items, given, 50, length, out)
    for i, (start, size) in enumerate(zip(starts, lengths, strict=True)):
        place = int(given[i]) * max(int(size), length) // WORDS
        expected = items[start + place] if place < size else 50 + place - size
        assert out[i] == expected


def test_count_rising_against_its_twin():
    rng = np.random.default_rng(2)
    rows = np.sort(rng.permuted(np.tile(np.arange(9), (50, 1)), axis=1)[:, :4], axis=1)
    counts = np.zeros(9, dtype=np.int64)
    assert count_rising(rows.astype(np.uint32), counts) == -1
    assert counts.tolist() == np.bincount(rows.ravel(), minlength=9).tolist()
    for wrong in ([3, 3, 4, 5], [3, 2, 4, 5], [3, 4, 5, 9]):
        bad = rows.copy()
        bad[7] = wrong
        assert count_rising(bad.astype(np.uint32), np.zeros(9, dtype=np.int64)) == 7
