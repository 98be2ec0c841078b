"""What reports about sets really emit, from their integers, in exact arithmetic: no tolerance.

Given uniform words. That the rest of a report is uniform is enumerated in
`test_itemsets_kernels.py`. A set that is cut has a mixture of the laws of what it is cut to, so
that no ratio is larger than among sets of exactly L cells.
"""

import contextlib
import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from itemset_laws import hit_weight
from test_emitted_law import WORDS, budget

from ldp import GRR
from ldp._words import at_least, threshold
from ldp.itemsets import PadAndSample, SetSelection, amplified_epsilon

EPSILONS = (1e-6, 1e-3, 0.1, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0, 12.0, 20.0)
SHAPES = [(1, 1), (2, 1), (3, 2), (5, 5), (40, 600), (64, 8), (1000, 3), (1000, 64), (16_470, 8)]


def made(make):
    found = []
    for epsilon in EPSILONS:
        with contextlib.suppress(ValueError):  # too small or too large for so many cells
            found.append(make(epsilon))
    return found


def selections(d, length):
    sizes = {None, 1, max(1, min((d + length) // 2, d))}
    return [m for w in sizes for m in made(lambda e, w=w: SetSelection(d, length, e, w))]


def chances(m, hits):
    """Probability of one report, times 2**64, by its first own cell; last, with none of them."""
    D, w, missing = m.num_cells, m.subset_size, WORDS - sum(hits)
    found = [Fraction(t, hit_weight(D, w, i)) for i, t in enumerate(hits)]
    return [*found, Fraction(missing, comb(D - m.length, w))]


def stated(m, place):
    """Probability of one report, from the formula, e**epsilon with sixty digits."""
    D, w, odds = m.num_cells, m.subset_size, budget(m.epsilon)
    total = odds * (comb(D, w) - comb(D - m.length, w)) + comb(D - m.length, w)
    return (odds if place < m.length else 1) / total


@pytest.mark.parametrize("shape", SHAPES)
def test_no_report_of_set_selection_exceeds_the_budget(shape):
    found = selections(*shape)
    assert len(found) >= 20
    for m in found:
        hits = m._hits
        assert min(hits) > 0
        assert sum(hits) < WORDS
        law, odds = chances(m, hits), budget(m.epsilon)
        assert max(law) <= odds * min(law), m
        assert max(law) - min(law) > Fraction(98, 100) * (odds - 1) * min(law), m


@pytest.mark.parametrize("shape", SHAPES)
def test_what_set_selection_emits_is_what_is_stated(shape):
    for m in selections(*shape):
        hits = m._hits
        hair = Fraction(7 * m.length + 32, 2**53)  # the margin, and rounding within it
        for place, chance in enumerate(chances(m, hits)[:-1]):
            want = stated(m, place) * WORDS
            unit = Fraction(1, hit_weight(m.num_cells, m.subset_size, place))
            assert want * (1 - hair) - unit <= chance <= want, m


def test_at_the_size_of_a_shop_all_weights_are_large():
    """Each own cell is the first one in the report with a chance that 64 bits hold easily."""
    m = SetSelection(16_470, 8, 4.0)
    assert m.subset_size == 36
    hits = m._hits
    assert min(hits) > 0.06 * WORDS
    law = chances(m, hits)
    assert 1 - 1e-13 < max(law) / min(law) / budget(4.0) <= 1


def test_control_the_number_of_own_cells_underflows():
    """Eight own cells of eight in a report have chance 1e-20: as a threshold it is none at all."""
    d, length, w, odds = 16_470, 8, 39, budget(4.0)
    cells = d + length
    weights = [comb(length, j) * comb(cells - length, w - j) for j in range(length + 1)]
    total = weights[0] + odds * sum(weights[1:])
    chance = [weights[0] / total, *(odds * weight / total for weight in weights[1:])]
    assert sum(chance) == 1
    assert math.floor(chance[8] * WORDS) == 0  # a report that then tells for certain what is not


@pytest.mark.parametrize("rounding", ["up", "with no margin"])
def test_control_hits_rounded_the_other_way_exceed_the_budget(rounding):
    """The chances are products of rounded numbers; rounding them down alone is not enough."""
    exceeded = 0
    for m in [m for shape in SHAPES for m in selections(*shape)]:
        hits = [math.floor(t / (1 - (4 * m.length + 16) * 2.0**-53)) for t in m._hits]
        if rounding == "up":
            hits = [t + int(t * 2.0**-50) + 1 for t in hits]
        law = chances(m, hits)
        exceeded += max(law) > budget(m.epsilon) * min(law)
    assert exceeded > 0


def padded_odds(m, up=at_least):
    """Largest odds of a cell of a padded set to one of another."""
    other, cells = int(up(m.oracle.q)), m.oracle.domain_size
    own = WORDS - (cells - 1) * other
    return Fraction((m.length - 1) * other + own, m.length * other)


def padders(d, length):
    def meant(epsilon):
        oracle = GRR(d + length, amplified_epsilon(epsilon, length))
        return PadAndSample(d, length, oracle, epsilon)

    def derived(epsilon):
        return PadAndSample(d, length, GRR(d + length, epsilon))

    return [*made(meant), *made(derived)]


@pytest.mark.parametrize("shape", SHAPES)
def test_no_amplified_response_exceeds_the_budget(shape):
    found = padders(*shape)
    assert len(found) >= 18
    for m in found:
        odds = budget(m.epsilon)
        assert padded_odds(m) <= odds, m
        assert padded_odds(m) - 1 > Fraction(98, 100) * (odds - 1), m


def test_control_amplified_response_rounded_the_other_way_exceeds_the_budget():
    found = [m for shape in SHAPES for m in padders(*shape)]
    assert any(
        padded_odds(m, lambda q: threshold(q * (1 - 2.0**-46))) > budget(m.epsilon) for m in found
    )


@pytest.mark.parametrize("length", [1, 2, 8, 1000, 10**6])
def test_the_amplified_budget_never_needs_more_than_the_budget(length):
    for epsilon in np.geomspace(1e-9, 30, 400):
        oracle_epsilon = amplified_epsilon(epsilon, length)
        odds = 1 + (budget(oracle_epsilon) - 1) / length
        assert odds <= budget(epsilon)
        assert odds - 1 > (1 - 1e-12) * (budget(epsilon) - 1)


def emitted_spent(m):
    """Exact budget of the emitted subsets: the chance of each by its first own cell."""
    others, shares = Fraction(1), []
    for i, hit in enumerate(m._hits):
        first = others * m.subset_size / (m.num_cells - i)
        shares.append(hit / first)
        others *= Fraction(m.num_cells - m.subset_size - i, m.num_cells - i)
    shares.append((2**64 - sum(m._hits)) / others)
    return math.log1p(float(max(shares) / min(shares) - 1))


@pytest.mark.parametrize(("d", "length", "size"), [(1, 1687, 1), (3, 40, 2), (300, 40, 50)])
def test_the_smallest_budget_that_is_taken_is_kept(d, length, size):
    """What the own cells lose by rounding goes to the misses, which may be few."""
    taken = []
    for epsilon in np.geomspace(1e-12, 1e-5, 200):
        with contextlib.suppress(ValueError):
            taken.append(SetSelection(d, length, epsilon, size))
    assert 0 < len(taken) < 200
    assert all(emitted_spent(m) <= m.epsilon for m in taken[:3])
