"""Uniform sets: their law by enumeration, whatever the start; and that the start is a cheap one."""

import itertools
from math import comb

import numpy as np
import pytest
from scipy.stats import chi2

from ldp import SubsetSelection
from ldp.mechanisms import _set_kernels, uniform_sets
from ldp.mechanisms.uniform_sets import Start, cheapest_start, draw_sets

FALSE_ALARM = 1e-9
STARTS = [Start(0, 0, 1.0), Start(1, 0, 1.0), Start(1, 1, 1.0), Start(1, 2, 1.0), Start(5, 3, 1.0)]


# -- the corrections, all of them ------------------------------------------------------------------


@pytest.mark.parametrize("num_places", [1, 2, 3, 5, 64, 1000, 1023, 40_000, 2**20 + 7])
def test_all_places_have_as_many_numbers(num_places):
    """Of the 2**32 numbers that may be drawn: counted by the rule, and met by the kernel."""
    spare = 2**32 % num_places
    firsts = [-(-place * 2**32 // num_places) for place in (0, 1, num_places // 2, num_places - 1)]
    for place, first in zip((0, 1, num_places // 2, num_places - 1), firsts, strict=True):
        if place >= num_places:
            continue
        behind = -(-(place + 1) * 2**32 // num_places)
        # Products grow by num_places, which is above spare: the first number alone can be uneven.
        uneven = first * num_places % 2**32 < spare
        assert behind - first - uneven == 2**32 // num_places
        for number, taken in ((first, not uneven), (behind - 1, True)):
            rows, missing = np.zeros((1, num_places // 8 + 1), dtype=np.uint8), np.array([1])
            numbers = np.array([number], dtype=np.uint32)
            done = _set_kernels.resize_sets(0, rows, missing, numbers, num_places, np.uint64(spare))
            assert done == taken
            assert np.flatnonzero(np.unpackbits(rows)).tolist() == [place] * taken


def test_numbers_that_make_a_place_likelier_are_passed_over():
    """Of 2**32 numbers one is too many for 5 places: 0, which would mean place 0."""

    class Scripted:
        def integers(self, *_, size, **__):
            return np.array([0, 2**31] * size, dtype=np.uint32).view(np.uint64)

    rows = np.zeros((1, 1), dtype=np.uint8)
    draw_sets(np.array([1]), 5, Start(0, 0, 1.0), Scripted(), rows)
    assert np.flatnonzero(np.unpackbits(rows)).tolist() == [2]


def law_of_resized(chances, size, tries):
    """Integer weight of each set that is made in so many tries from independent bits.

    Bit v is one with odds chances[v] : 4 - chances[v]; each place is tried as often as any other.
    """
    num_places = len(chances)
    middles = [(2 * place + 1) * 2**31 // num_places for place in range(num_places)]
    sequences = np.array(list(itertools.product(middles, repeat=tries)), dtype=np.uint32)
    weights = {}
    for held in itertools.product((0, 1), repeat=num_places):
        weight = 1
        for bit, chance in zip(held, chances, strict=True):
            weight *= chance if bit else 4 - chance
        for numbers in sequences:
            rows = np.packbits(np.array([[*held, 0]], dtype=bool), axis=1)
            missing = np.array([size - sum(held)])
            spare = np.uint64(2**32 % num_places)
            if _set_kernels.resize_sets(0, rows, missing, numbers, num_places, spare):
                made = rows.tobytes()
                weights[made] = weights.get(made, 0) + weight
    return weights


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
def test_corrected_sets_are_uniform_exactly(size):
    for chance in (1, 2, 3):
        weights = law_of_resized([chance] * 4, size, tries=4)
        assert len(weights) == comb(4, size)
        assert len(set(weights.values())) == 1  # equal integers


def test_control_a_bit_of_another_chance_is_seen():
    assert len(set(law_of_resized([1, 1, 1, 2], 2, tries=4).values())) > 1


class Counting:
    """A generator whose words hold all combinations of so many digits, one at each place."""

    def integers(self, low, high, size, dtype, endpoint):
        digits, width = size
        lanes = (np.arange(64 * width) >> np.arange(digits)[:, None]) & 1
        return np.packbits(lanes, axis=1).view(np.uint64)


@pytest.mark.parametrize("digits", [1, 2, 3, 6, 8])
def test_bits_have_exactly_their_chance(digits):
    for odd in range(1, 2**digits, 2):
        rows = uniform_sets._independent_bits(1, 255, Start(odd, digits, 1.0), Counting())
        bits = np.unpackbits(rows.view(np.uint8))
        # The last combination, whose bit is a one, is at the place that is none.
        assert bits[-1] == 0
        assert bits.sum() + 1 == 2 ** (8 - digits) * odd


# -- by chance -------------------------------------------------------------------------------------


def deviation(drawn, num_places):
    """Chi-square of sets of one size beside the uniform law, over its critical value."""
    kinds, counts = np.unique(drawn, axis=0, return_counts=True)
    size = int(np.unpackbits(kinds[0]).sum())
    number = comb(num_places, size)
    expected = counts.sum() / number
    statistic = ((counts - expected) ** 2).sum() / expected + (number - len(kinds)) * expected
    return statistic / chi2.isf(FALSE_ALARM, number - 1)


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_sets_are_uniform_from_every_start(start):
    """10 rows by chance: false alarms below 1e-8 in all."""
    for num_places, size in ((5, 2), (9, 5)):
        rows = np.zeros((30_000, 2), dtype=np.uint8)
        rng = np.random.default_rng(num_places)
        draw_sets(np.full(30_000, size), num_places, start, rng, rows)
        held = np.unpackbits(rows, axis=1)
        assert (held.sum(axis=1) == size).all()
        assert not held[:, num_places:].any()
        assert deviation(rows, num_places) < 1


def test_control_numbers_that_are_not_rejected_enough_are_seen():
    """Places by the remainder of a number of four bits: 0 comes twice as often as 9."""
    num_places, rng = 9, np.random.default_rng(5)
    rows = np.zeros((30_000, 2), dtype=np.uint8)
    for row in rows:
        held = np.zeros(16, dtype=bool)
        while held.sum() < 5:
            held[rng.integers(0, 16) % num_places] = True
        row[:] = np.packbits(held)
    assert deviation(rows, num_places) > 1


def test_sets_of_mixed_sizes_none_and_all():
    sizes = np.tile([0, 1, 99, 100, 37], 200)
    for start in STARTS:
        rows = np.zeros((1_000, 13), dtype=np.uint8)
        draw_sets(sizes, 100, start, np.random.default_rng(1), rows)
        held = np.unpackbits(rows, axis=1)
        assert (held.sum(axis=1) == sizes).all()
        assert not held[:, 100:].any()


def test_too_few_numbers_are_followed_by_more():
    """A start that says a hundredth of what it takes: the same law, in many rounds."""
    rows = np.zeros((30_000, 1), dtype=np.uint8)
    draw_sets(np.full(30_000, 3), 6, Start(1, 2, 0.03), np.random.default_rng(3), rows)
    assert deviation(rows, 6) < 1


# -- the cost --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("num_places", "size"), [(1023, 275), (1023, 18), (99, 27), (5, 3)])
def test_the_tries_are_about_what_it_takes(num_places, size):
    rng = np.random.default_rng(8)
    for digits in range(6):
        for odd in range(1, 2**digits, 2):
            share = odd / 2**digits
            foreseen = uniform_sets._tries(num_places, size, share)
            ones = rng.binomial(num_places, share, 2_000)
            rest = num_places - np.arange(num_places + 1)
            free = num_places / np.maximum(rest, 1)  # tries for one more place, and for one less
            held = num_places / np.maximum(np.arange(num_places + 1), 1)
            taken = np.mean(
                [free[c:size].sum() + held[size + 1 : c + 1].sum() for c in ones.tolist()]
            )
            # The normal law stands for the binomial, and a mean of logarithms for one of the mean.
            assert foreseen == pytest.approx(taken, rel=0.2, abs=1.5)


def test_starts():
    assert cheapest_start(1023, 274.5)[:2] == (1, 2)
    assert cheapest_start(1023, 18.0)[:2] == (0, 0)  # few: put in one by one
    assert cheapest_start(1023, 1022.5)[:2] == (1, 0)  # nearly all: taken out one by one
    assert cheapest_start(1, 0.5).digits == 0
    for size in (1, 10, 100, 300, 500, 723, 1000):
        start = cheapest_start(1023, size)
        assert start.words_each(1023) <= min(size, 1023 - size) + 17  # never more than one by one


class Metered(np.random.Generator):
    """A generator that counts its words, and can put numbers of its own first."""

    def __init__(self, first=()):
        super().__init__(np.random.PCG64(1))
        self.drawn, self.first = 0, np.array(first, np.uint32)

    def integers(self, *given, size, **options):
        drawn = super().integers(*given, size=size, **options)
        self.drawn += drawn.size
        drawn.reshape(-1).view(np.uint32)[: self.first.size] = self.first
        return drawn


def test_a_number_that_would_make_a_place_likelier_is_passed_over():
    rows = np.zeros((1, 1), dtype=np.uint8)
    evens = [-(-2 * 2**32 // 5), -(-3 * 2**32 // 5)]  # the first number of place 2, and of place 3
    assert [number * 5 % 2**32 < 2**32 % 5 for number in (0, *evens)] == [True, False, False]
    draw_sets(np.array([1]), 5, Start(0, 0, 1.0), Metered([0, evens[1]]), rows)
    assert np.flatnonzero(np.unpackbits(rows)).tolist() == [3]


@pytest.mark.parametrize(("epsilon", "most"), [(0.5, 70), (1.0, 52), (2.0, 105), (4.0, 12)])
def test_words_of_a_report(epsilon, most):
    """Of 1,024 values: a fraction of a word for each value that the set holds."""
    m, rng = SubsetSelection(1024, epsilon), Metered()
    m.privatize(np.zeros(20_000, dtype=int), rng)
    assert rng.drawn / 20_000 < most
