"""The law that every sampler really emits, from its integers, in exact arithmetic: no tolerance.

`channel()` is in float64. Here every emitted probability is a fraction with denominator 2**64 and
e**epsilon has sixty digits, so "never above epsilon" means what it says. Of each mechanism there
are the weights of one report under values between which they differ most, up to a common factor:
uniform draws are exact (`test_kernels.py`), and so is Laplace noise (`test_noise.py`).
"""

import sys
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from catalogue import CATALOGUE, LARGEST, WORDS, emitted, is_noisy, makers
from test_noise import emitted as emitted_laplace

from ldp import UnaryEncoding, WideHashing
from ldp._words import at_least, at_most, threshold
from ldp.means import VectorMean

getcontext().prec = 60
EPSILONS = (1e-11, 1e-6, 0.1, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0, 12.0, 20.0, 30.0)
SIZES = (2, 3, 7, 64, 1000, 2**20, LARGEST)
REAL = (at_least, at_most)
WRONG = (lambda p: threshold(p * (1 - 2.0**-49)), lambda p: threshold(p * (1 + 2.0**-49)))


def budget(epsilon):
    """e**epsilon of the very float64 that was passed, as a fraction."""
    return Fraction(Decimal(epsilon).exp())


def draws_words(make):
    return not is_noisy(make(4, 1.0))


MAKERS = {name: make for name, make in makers(CATALOGUE).items() if draws_words(make)}
MAKERS["WideHashing of many bits"] = lambda d, e: WideHashing(63, e, min(d, 2**17))
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@cache
def accepted(make, d):
    """The budgets of the list that are accepted, and the largest of all, to the last bit."""

    too_large = []

    def made(epsilon):
        try:
            return make(d, epsilon)
        except ValueError as error:
            too_large.append("domain_size must be at most" in str(error))
            return None

    low, high = np.array([4.0, 1000.0]).view(np.int64).tolist()
    assert made(4.0) or d > 2**20 or all(too_large)  # too little for so many values
    assert not made(1000.0)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if made(np.int64(middle).view(np.float64).item()) else (low, middle)
        )
    found = [made(epsilon) for epsilon in (*EPSILONS, np.int64(low).view(np.float64).item())]
    return [m for m in found if m is not None]


def meant(m):
    """The largest odds that the mechanism means to have: THE has fewer than it may, as has RRRR."""
    if isinstance(m, UnaryEncoding):
        p, q = Fraction(m.p), Fraction(m.q)
        return p * (1 - q) / (q * (1 - p))
    return budget(getattr(m, "spent_epsilon", m.epsilon))


def exceeds(m, odds, rounding=REAL):
    """Whether some report is likelier under one value than under another by more than that."""
    laws = emitted(m, *rounding)[0]
    return any(max(Fraction(own, other), Fraction(other, own)) > odds for own, other in laws)


@every
@pytest.mark.parametrize("d", SIZES)
def test_no_report_exceeds_the_budget(make, d):
    for m in accepted(make, d):
        assert all(other > 0 for _, other in emitted(m, *REAL)[0])
        assert not exceeds(m, budget(m.epsilon)), m


@every
def test_what_is_emitted_is_what_is_stated(make):
    """Stated to float64, emitted within the margin and one step of 2**-64."""
    for d in SIZES:
        for m in accepted(make, d):
            for drawn, stated in emitted(m, *REAL)[1]:
                gap = abs(Fraction(drawn, WORDS) - Fraction(stated))
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

        emitted(m, *(spy(rounding, here) for rounding in REAL))
        for module in [module for name, module in sys.modules.items() if name.startswith("ldp.")]:
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
            spent = max(Fraction(own, other) for own, other in emitted(m, *REAL)[0])
            assert spent - 1 > (meant(m) - 1) * Fraction(98, 100), m


@every
def test_control_weights_rounded_the_wrong_way_are_refused(make):
    assert any(exceeds(m, meant(m), WRONG) for d in SIZES for m in accepted(make, d))


# -- Laplace noise ---------------------------------------------------------------------------------


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
