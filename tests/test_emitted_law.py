"""The law a sampler really emits, from its integer thresholds, in exact arithmetic: no tolerance.

`channel()` is in float64. Here every emitted probability is a fraction with denominator 2**64 and
e**epsilon has sixty digits, so "never above epsilon" means what it says.
"""

from decimal import Decimal, getcontext
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from ldp import GRR, OLH, OUE, RRRR, SUE, THE, HadamardResponse, SquareWave, SubsetSelection
from ldp._words import at_least, at_most, shared_rest
from ldp.mechanisms._restricted import weights

getcontext().prec = 60
WORDS = 2**64
EPSILONS = (1e-6, 0.1, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0, 12.0, 20.0, 30.0)
DOMAINS = (2, 3, 7, 64, 1000, 2**20)


def budget(epsilon):
    """e**epsilon of the very float64 that was passed, as a fraction."""
    return Fraction(Decimal(epsilon).exp())


def near(emitted, stated):
    """Stated to float64, emitted within the margin and one step of 2**-64."""
    return abs(emitted - Fraction(stated)) <= Fraction(stated) / 2**48 + Fraction(1, WORDS)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("d", DOMAINS)
def test_randomized_response(d, epsilon):
    if (d, epsilon) == (2**20, 1e-6):  # six percent of the budget would be lost in rounding
        with pytest.raises(ValueError, match="epsilon must be large enough for 1048576 values"):
            GRR(d, epsilon)
        return
    m = GRR(d, epsilon)
    other = Fraction(int(at_least(m.q)), WORDS)
    own = 1 - (d - 1) * other
    assert near(other, m.q)
    assert own / other <= budget(epsilon)
    assert own / other - 1 > (budget(epsilon) - 1) * Fraction(99, 100)  # and spends nearly all


def emitted_by_restricted(m):
    """Probabilities of a report in the subset and outside it, by what the value may be."""
    other_in, across, other_out = (int(w) for w in weights(m.levels))
    k, outside = len(m.subset), m.domain_size - len(m.subset)
    own_in = WORDS - (k - 1) * other_in - outside * across
    own_out = WORDS - k * other_in - (outside - 1) * other_out
    reports_inside = [own_in, other_in] if k else []
    reports_outside = [own_out, *[across] * (k > 0), *[other_out] * (outside > 1)]
    return reports_inside, reports_outside


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("share", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("d", DOMAINS[:-1])
def test_restricted_response(d, share, epsilon):
    for k in sorted({0, 1, d // 2, d - 1}):
        m = RRRR(d, epsilon, range(k), share * epsilon)
        inside, outside = emitted_by_restricted(m)
        if k:
            assert near(Fraction(inside[1], WORDS), m.levels.other_in)
            assert Fraction(inside[0], inside[1]) <= budget(share * epsilon)
            across = Fraction(int(weights(m.levels)[1]), WORDS) - Fraction(2, WORDS)
            assert near(across / (1 + Fraction(1, 2**48)), m.levels.across)
        if d - k > 1:
            assert near(Fraction(outside[-1], WORDS), m.levels.other_out)
        assert Fraction(max(outside), min(outside)) <= budget(epsilon)
        spent = max(Fraction(max(cells), min(cells)) for cells in (inside, outside) if cells)
        assert spent - 1 > (budget(m.spent_epsilon) - 1) * Fraction(99, 100)


def test_control_restricted_response_with_weights_to_the_nearest_overspends():
    # Why `weights` raises them, and the one across by more: rounded, some law exceeds the budget.
    over = 0
    for epsilon in np.linspace(0.1, 4, 100):
        levels = RRRR(7, float(epsilon), [0, 1], 0.8 * float(epsilon)).levels
        other_in, across, other_out = (round(p * WORDS) for p in levels[1:3] + levels[4:])
        own_out = WORDS - 2 * other_in - 4 * other_out
        over += Fraction(own_out, across) > budget(float(epsilon))
    assert over > 0


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("d", DOMAINS)
def test_square_wave(d, epsilon):
    m = SquareWave(d, epsilon)
    window = 2 * m.half_width + 1
    outside = int(at_least(m.q))
    inside = int(shared_rest(np.uint64(outside), d - 1, window))
    left = WORDS - window * inside - (d - 1) * outside
    assert near(Fraction(outside, WORDS), m.q)
    # The units that are left go to the first cells, whatever the value: some have one more.
    assert 0 <= left < window
    assert Fraction(inside, outside) <= budget(epsilon)
    assert Fraction(inside + 1, outside + 1) <= budget(epsilon)
    assert Fraction(inside, outside) > budget(epsilon) * (1 - Fraction(1, 2**20))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("make", [SUE, OUE, THE])
def test_unary_encoding(make, epsilon):
    m = make(8, epsilon)
    own, other = Fraction(int(at_most(m.p)), WORDS), Fraction(int(at_least(m.q)), WORDS)
    assert near(own, m.p)
    assert near(other, m.q)
    assert own * (1 - other) / (other * (1 - own)) <= budget(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("d", DOMAINS[:-1])
def test_subset_selection(d, epsilon):
    m = SubsetSelection(d, epsilon)
    miss, k = Fraction(int(at_least(m._miss)), WORDS), m.subset_size
    with_own, without = (1 - miss) / comb(d - 1, k - 1), miss / comb(d - 1, k)
    assert near(miss, m._miss)
    assert with_own / without <= budget(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("d", DOMAINS)
def test_hadamard_response(d, epsilon):
    m = HadamardResponse(d, epsilon)
    others, half = m._others, m.block_size // 2
    miss = Fraction(int(at_least(others * m._any)), WORDS)
    assert near(miss, others * m._any)
    assert ((1 - miss) / half) / (miss / others) <= budget(epsilon)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.5, 4.0])
def test_local_hashing_is_randomized_response_on_buckets(epsilon):
    m = OLH(1000, epsilon)
    assert m.response == GRR(m.num_buckets, epsilon)


def test_control_the_plain_float_threshold_can_overspend():
    # Why the margin is there: thresholds rounded to nearest exceed the budget somewhere.
    over = 0
    for epsilon in np.linspace(0.1, 4, 200):
        m = SUE(2, float(epsilon))
        own, other = Fraction(m.p), Fraction(m.q)
        over += own * (1 - other) / (other * (1 - own)) > budget(float(epsilon))
    assert over > 0
