"""The law that every sampler really emits, from its integers, in exact arithmetic: no tolerance.

`channel()` is in float64. Here every emitted probability is a fraction with denominator 2**64 and
e**epsilon has sixty digits, so "never above epsilon" means what it says. Of each mechanism there
are the weights of one report under values between which they differ most, up to a common factor:
uniform draws are exact (`test_kernels.py`), and so is Laplace noise (`test_noise.py`).
"""

import inspect
import sys
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
from test_noise import emitted as emitted_laplace

import ldp
from ldp import (
    BLH,
    GRR,
    OLH,
    OUE,
    RRRR,
    SHE,
    SUE,
    THE,
    Assigned,
    HadamardResponse,
    HierarchicalHistogram,
    LocalHashing,
    SquareWave,
    SubsetSelection,
    UnaryEncoding,
    WideHashing,
)
from ldp._words import at_least, at_most, shared_rest, threshold
from ldp.assigned import Intervals
from ldp.means import (
    HybridMean,
    LaplaceMean,
    OneBitMean,
    PiecewiseMean,
    VectorMean,
    central_laplace_mean,
)
from ldp.mechanisms import restricted_levels

getcontext().prec = 60
WORDS = 2**64
EPSILONS = (1e-6, 0.1, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0, 12.0, 20.0, 30.0)
SIZES = (2, 3, 7, 64, 1000, 2**20, 2**31)
REAL = (at_least, at_most)
WRONG = (lambda p: threshold(p * (1 - 2.0**-49)), lambda p: threshold(p * (1 + 2.0**-49)))


def budget(epsilon):
    """e**epsilon of the very float64 that was passed, as a fraction."""
    return Fraction(Decimal(epsilon).exp())


# -- weights of one report under two values, and (emitted, stated) probabilities -------------------


def response(m, up, _down):
    other = int(up(m.q))
    return [(WORDS - (m.domain_size - 1) * other, other)], [(other, m.q)]


def bits(m, up, down):
    own, other = int(down(m.p)), int(up(m.q))
    return [(own * (WORDS - other), other * (WORDS - own))], [(own, m.p), (other, m.q)]


def subset(m, up, _down):
    # A set is one of comb(d - 1, k - 1) with the own value or one of comb(d - 1, k) without it.
    d, k, miss = m.domain_size, m.subset_size, int(up(m._miss))
    return [((WORDS - miss) * (d - k), miss * k)], [(miss, m._miss)]


def hadamard(m, up, _down):
    others, stated = m._others, m._others * m._any
    miss = int(up(stated))
    return [((WORDS - miss) * others, miss * (m.block_size // 2))], [(miss, stated)]


def window(m, up, _down, size=None):
    size = size or m.window
    num_outside = m.num_outcomes - size
    outside = int(up(m.q))
    inside = int(shared_rest(np.uint64(outside), num_outside, size))
    # The units that are left go to the first cells, whatever the value: some have one more.
    assert 0 <= WORDS - size * inside - num_outside * outside < size
    return [(inside, outside), (inside + 1, outside + 1)], [(outside, m.q)]


def restricted(m, up, down):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(restricted_levels, "at_least", up)
        other_in, across, other_out = (int(w) for w in restricted_levels.weights(m.levels))
    k, outside = len(m.subset), m.domain_size - len(m.subset)
    own_in = WORDS - (k - 1) * other_in - outside * across
    own_out = WORDS - k * other_in - (outside - 1) * other_out
    in_subset = [(own_in, other_in)] if k else []
    reports = [own_out, *[across] * (k > 0), *[other_out] * (outside > 1)]
    stated = [(other_in, m.levels.other_in)] if k else []
    stated += [(other_out, m.levels.other_out)] if outside > 1 else []
    return [*in_subset, (max(reports), min(reports))], stated


def one_bit(m, up, down):
    return response(GRR(2, m.epsilon), up, down)


def hybrid(m, up, down):
    # A coin that knows no value says which of the two kinds of reports is sent.
    cells, bit = window(m.piecewise, up, down), one_bit(m.one_bit, up, down)
    return cells[0] + bit[0], cells[1] + bit[1]


def vector(m, up, down):
    pairs, stated = one_bit(m.coordinate, up, down)
    return [(own**m.num_reported, other**m.num_reported) for own, other in pairs], stated


def levels(m, up, down):
    # The level is drawn whatever the value is.
    of_each = [LAWS[type(level)](level, up, down) for level in m.levels]
    return [p for pairs, _ in of_each for p in pairs], [s for _, near in of_each for s in near]


def assigned(m, up, down):
    # So is the part of the users.
    of_each = [LAWS[type(part)](part, up, down) for _, part, _ in m.parts]
    return [p for pairs, _ in of_each for p in pairs], [s for _, near in of_each for s in near]


LAWS = {
    GRR: response,
    UnaryEncoding: bits,
    LocalHashing: lambda m, up, down: response(m.response, up, down),
    WideHashing: lambda m, up, down: response(m.response, up, down),
    SubsetSelection: subset,
    HadamardResponse: hadamard,
    SquareWave: lambda m, up, down: window(m, up, down, 2 * m.half_width + 1),
    RRRR: restricted,
    OneBitMean: one_bit,
    PiecewiseMean: window,
    HybridMean: hybrid,
    VectorMean: vector,
    HierarchicalHistogram: levels,
    Assigned: assigned,
}


def some_encoding(d, epsilon):
    rare = 3 * np.exp(-epsilon)
    return UnaryEncoding(d, epsilon, 0.75, rare / (1 + rare))


def two_parts(d, epsilon):
    half = max(2, (d + 1) // 2)
    hashed = WideHashing(d.bit_length(), epsilon)
    first = Intervals(d, 1 + (d > 2))
    return Assigned([(first, GRR(half, epsilon), 0.3), (Intervals(d, 1), hashed, 0.7)])


def part(d, epsilon, size, share):
    return RRRR(d, epsilon, range(min(size, d - 1)), share * epsilon)


CATALOGUE = {
    "GRR": GRR,
    "UnaryEncoding": some_encoding,
    "SUE": SUE,
    "OUE": OUE,
    "THE": THE,
    "THE at 1": partial(THE, threshold=1.0),
    "LocalHashing": partial(LocalHashing, num_buckets=5),
    "BLH": BLH,
    "OLH": OLH,
    "WideHashing": lambda d, e: WideHashing((d - 1).bit_length(), e),
    "WideHashing of many bits": lambda d, e: WideHashing(63, e, min(d, 2**17)),
    "SubsetSelection": SubsetSelection,
    "SubsetSelection of one": partial(SubsetSelection, subset_size=1),
    "HadamardResponse": HadamardResponse,
    "HadamardResponse blocks": partial(HadamardResponse, block_size=2),
    "SquareWave": SquareWave,
    "SquareWave narrow": partial(SquareWave, half_width=0),
    "RRRR": partial(part, size=1, share=0.8),
    "RRRR evenly outside": partial(part, size=3, share=1.0),
    "RRRR half": lambda d, e: part(d, e, min(d // 2, 500), 0.5),
    "RRRR one outside": lambda d, e: part(min(d, 1000), e, d, 0.5),
    "RRRR of nothing": partial(part, size=0, share=1.0),
    "OneBitMean": lambda d, e: OneBitMean(0.0, 1.0, e),
    "PiecewiseMean": lambda d, e: PiecewiseMean(0.0, 1.0, e, min(d, 2**14)),
    "PiecewiseMean of one cell": lambda d, e: PiecewiseMean(0.0, 1.0, e, min(d, 2**20), 1),
    "HybridMean": lambda d, e: HybridMean(0.0, 1.0, e, min(d, 2**14)),
    "VectorMean": lambda d, e: VectorMean(OneBitMean, 0.0, 1.0, e, d, min(d, 7)),
    "Assigned": two_parts,
    "HierarchicalHistogram": lambda d, e: HierarchicalHistogram(2 ** (d.bit_length() - 1), e, 2),
}  # fmt: skip
every = pytest.mark.parametrize("make", CATALOGUE.values(), ids=CATALOGUE.keys())


@cache
def accepted(make, d):
    """The budgets of the list that are accepted, and the largest of all, to the last bit."""

    def made(epsilon):
        try:
            return make(d, epsilon)
        except ValueError:
            return None

    low, high = np.array([4.0, 1000.0]).view(np.int64).tolist()
    assert made(4.0) or d > 2**20  # too little for so many values
    assert not made(1000.0)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if made(np.int64(middle).view(np.float64).item()) else (low, middle)
        )
    found = [made(epsilon) for epsilon in (*EPSILONS, np.int64(low).view(np.float64).item())]
    return [m for m in found if m is not None]


def law(m, rounding=REAL):
    return LAWS[type(m)](m, *rounding)


def meant(m):
    """The largest odds that the mechanism means to have: THE has fewer than it may, as has RRRR."""
    if isinstance(m, UnaryEncoding):
        p, q = Fraction(m.p), Fraction(m.q)
        return p * (1 - q) / (q * (1 - p))
    return budget(getattr(m, "spent_epsilon", m.epsilon))


def exceeds(m, odds, rounding=REAL):
    """Whether some report is likelier under one value than under another by more than that."""
    return any(Fraction(own, other) > odds for own, other in law(m, rounding)[0])


@every
@pytest.mark.parametrize("d", SIZES)
def test_no_report_exceeds_the_budget(make, d):
    for m in accepted(make, d):
        assert all(other > 0 for _, other in law(m)[0])
        assert not exceeds(m, budget(m.epsilon)), m


@every
def test_what_is_emitted_is_what_is_stated(make):
    """Stated to float64, emitted within the margin and one step of 2**-64."""
    for d in SIZES:
        for m in accepted(make, d):
            for emitted, stated in law(m)[1]:
                gap = abs(Fraction(emitted, WORDS) - Fraction(stated))
                assert gap <= Fraction(stated) / 2**48 + Fraction(3, WORDS), m


def some_values(m, num_users=200):
    if isinstance(m, VectorMean):
        return np.full((num_users, m.num_dimensions), 0.5)
    return np.full(num_users, 0.5 if hasattr(m, "lower") else 1)


ROOMS = ("ldp.mechanisms", "ldp.means")


@every
def test_samplers_round_these_very_probabilities(make, monkeypatch):
    for m in (m for d in (2, 7, 64) for m in accepted(make, d)):
        here, there = set(), set()

        def spy(rounding, seen):
            return lambda p: (seen.add((rounding, p)), rounding(p))[1]

        law(m, [spy(rounding, here) for rounding in REAL])
        for module in [module for name, module in sys.modules.items() if name.startswith(ROOMS)]:
            for rounding in REAL:
                if hasattr(module, rounding.__name__):
                    monkeypatch.setattr(module, rounding.__name__, spy(rounding, there))
        m.privatize(some_values(m), np.random.default_rng(1))
        monkeypatch.undo()
        assert here == there, m


@every
def test_nearly_all_of_the_budget_is_spent(make):
    """Up to a budget of 30: beyond it a weight of one out of 2**64 may be too much already."""
    for d in SIZES[:5]:
        for m in accepted(make, d)[:-1]:
            spent = max(Fraction(own, other) for own, other in law(m)[0])
            assert spent - 1 > (meant(m) - 1) * Fraction(98, 100), m


@every
def test_control_weights_rounded_the_wrong_way_are_refused(make):
    assert any(exceeds(m, meant(m), WRONG) for d in SIZES for m in accepted(make, d))


# -- Laplace noise ---------------------------------------------------------------------------------

LAPLACE = {"SHE": SHE, "LaplaceMean": LaplaceMean, "central_laplace_mean": central_laplace_mean}


def worst_odds(law, reached, steps):
    """Largest odds of a report of two points that are so many steps apart."""
    reports = range(steps - reached, reached)
    return max(max(law[y] / law[y - steps], law[y - steps] / law[y]) for y in reports)


@pytest.mark.parametrize("decay", [Fraction(3, 10), Fraction(1), Fraction(9), Fraction(36)])
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_laplace_noise_spends_exactly_its_decay_for_each_step(decay, steps):
    """And `test_noise.py` finds that the steps between two values times the decay are epsilon."""
    law, alpha, reached = emitted_laplace(decay, most_passes=5)
    assert worst_odds(law, reached, steps) == alpha**-steps


@pytest.mark.parametrize("decay", [Fraction(3, 10), Fraction(1), Fraction(9)])
def test_control_laplace_noise_from_digits_rounded_down_is_refused(decay):
    def rounded(m, alpha):  # the odds of a digit whose chance is a multiple of 2**-64
        chance = Fraction(int(alpha**m / (1 + alpha**m) * WORDS), WORDS)
        return chance / (1 - chance)

    law, alpha, reached = emitted_laplace(decay, 5, rounded)
    assert worst_odds(law, reached, 1) > 1 / alpha


# -- nothing is left out ---------------------------------------------------------------------------


def draws(name):
    """Whether a public name makes something that randomizes values, or does so itself."""
    made = getattr(ldp, name, None) or getattr(ldp.means, name)
    if inspect.isclass(made):
        return hasattr(made, "privatize") and not getattr(made, "_is_protocol", False)
    if not callable(made):
        return False
    parameters = inspect.signature(made).parameters
    required = [p for p in parameters.values() if p.default is p.empty]
    return [p.name for p in required] == ["domain_size", "epsilon"] or (
        {"epsilon", "rng", "values"} <= set(parameters) and "sampler" not in parameters
    )


def test_every_mechanism_of_the_package_is_covered():
    names = {name for name in (*ldp.__all__, *ldp.means.__all__) if draws(name)}
    assert names == {name for name in (*CATALOGUE, *LAPLACE) if " " not in name}
    assert {"GRR", "SHE", "OLH", "THE", "central_laplace_mean", "VectorMean"} <= names
