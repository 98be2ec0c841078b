"""Exact bits and exact Laplace noise on the integers, in exact arithmetic: no tolerance."""

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from ldp import SHE, _noise
from ldp._noise import add_laplace, draw_bits, exponential, laplace, logistic, multiple, reach
from ldp.means import LaplaceMean, central_laplace_mean

WORDS = 2**64
BUDGETS = (1e-6, 0.1, 1.0, 8.0, 30.0, 4500.0)


# -- digits of a probability -----------------------------------------------------------------------


def bounds_of_exp(x, terms=500):
    """Fractions just below and above e**x, x at most 80: the series and a bound of its rest."""
    total = term = Fraction(1)
    for k in range(1, terms):
        term *= x / k
        # Keep the numbers short; the error is far below the rest that is added at the end.
        term = Fraction(round(term * 2**900), 2**900)
        total += term
    return total - Fraction(1, 2**750), total + Fraction(1, 2**750)


def every_decay():
    """What the mechanisms pass to the sampler at every kind of budget they accept."""
    for epsilon, steps in product(BUDGETS, (1, 2, 7, 128, 2**20)):
        if 2.0**-40 < epsilon / steps < 36:
            yield Fraction(epsilon) / steps


def is_floor(f, n, low, high, more):
    """Say whether f is the floor of 2**n / (more + e**x), with e**x between low and high."""
    return f * (more + high) <= 2**n < (f + 1) * (more + low)


@pytest.mark.parametrize("decay", list(every_decay()), ids=lambda x: f"{float(x):.3g}")
def test_digits_are_those_of_the_probability(decay):
    multiples = [decay * 2**j for j in range(40) if decay * 2**j < 16] or [decay]
    for x in multiples[::3] + multiples[-1:]:
        low, high = bounds_of_exp(x)
        for n in (8, 72, 136, 500):
            assert is_floor(logistic(x)(n), n, low, high, 1)
            assert is_floor(exponential(x)(n), n, low, high, 0)
            assert not is_floor(logistic(x)(n) + 1, n, low, high, 1)


def test_the_series_holds_e():
    low, high = bounds_of_exp(Fraction(1))
    printed = Fraction("2.71828182845904523536028747135266249775724709369995")  # rounded down
    assert printed < low < high < printed + Fraction(1, 10**50)
    assert high - low < Fraction(1, 2**700)


def test_digits_close_to_an_integer_are_computed_again():
    # exp(-x) * 2**8 is within 1e-38 of 77: thirty digits do not tell on which side.
    with localcontext(prec=60):
        about = -(Decimal(77) / 256).ln()
    for x, floor in (
        (Fraction(about) + Fraction(1, 10**40), 76),
        (Fraction(about) - Fraction(1, 10**40), 77),
    ):
        assert exponential(x)(8) == floor


@pytest.mark.parametrize(
    "chance",
    [multiple(np.uint64(2**62 + 5)), multiple(np.uint64(WORDS - 1)), logistic(Fraction(1, 7)),
     logistic(Fraction(30)), exponential(Fraction(1e-6)), exponential(Fraction(9))],
)  # fmt: skip
@pytest.mark.parametrize("length", [8, 72, 136])
def test_bits_are_ones_exactly_below_the_chance(chance, length, monkeypatch):
    """Numbers that agree with the chance in 8, 72 or 136 digits and differ by one in the next."""
    same = chance(length)
    for number, one in ((same - 1, True), (same + 1, False)):
        if not 0 <= number < 2**length:
            continue
        digits = f"{number:0{length}b}" + ("1" if one else "0") * 136
        first = np.array([[-int(bit)] for bit in digits[:8]]).astype(np.uint64)
        later = {64: int(digits[8:72], 2), 1: int(digits[72:136], 2)}  # 64 at once, ties alone

        def words(_rng, shape, first=first, later=later):
            return (
                first
                if isinstance(shape, tuple)
                else np.full(shape, later.get(shape, 0), np.uint64)
            )

        monkeypatch.setattr(_noise, "words", words)
        out = np.zeros(1, dtype=np.uint64)
        draw_bits(out, chance, None)
        assert int(out[0]) == (WORDS - 1 if one else 0)


# -- Laplace noise ---------------------------------------------------------------------------------


def emitted(decay, most_passes, weigh=lambda m, _base: _base**m):
    """The exact law of `laplace`, run on every combination of its bits, at exp(-decay) = 2/5.

    The sampler only ever asks for chances of multiples m of the decay; `weigh` gives their
    exp(-m decay). What passes more often than `most_passes` is left out.
    """
    alpha, asked = Fraction(2, 5), []
    num_digits = max(0, int(np.ceil(np.log2(8 / float(decay)))))
    cases = list(product(*[(0, 1)] * num_digits, range(most_passes + 1), (0, 1)))
    plan = np.array(cases)
    weights = [Fraction(1)] * len(cases)
    alive = np.arange(len(cases))

    def bits(chance, size, _rng):
        nonlocal alive
        kind, m = chance
        w = weigh(m, alpha)
        one, step = (w, "pass") if kind == "exponential" else (w / (1 + w), "digit")
        asked.append(chance)
        if step == "digit":
            done = sum(k == "logistic" for k, _ in asked) - 1
            which, drawn = np.arange(len(cases)), plan[:, done + (done == num_digits)]
        else:
            rounds = sum(k == "exponential" for k, _ in asked) - 1
            which, drawn = alive, (plan[alive, num_digits] > rounds).astype(int)
            alive = alive[drawn == 1]
        assert size == len(which)
        for i, bit in zip(which, drawn, strict=True):
            weights[i] *= one if bit else 1 - one
        packed = np.packbits(drawn.astype(np.uint8), bitorder="little")
        return np.pad(packed, (0, -packed.size % 8)).view(np.uint64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_noise, "_bits", bits)
        patch.setattr(_noise, "logistic", lambda x: ("logistic", int(x / decay)))
        patch.setattr(_noise, "exponential", lambda x: ("exponential", int(x / decay)))
        drawn = laplace(decay, len(cases), 10**6, None)
    law = Counter()
    for z, weight in zip(drawn.tolist(), weights, strict=True):
        law[z] += weight
    assert asked[0][1] == 1  # multiples are whole: nothing was rounded away above
    return law, alpha, 2**num_digits * (most_passes + 1)


def stated(alpha, z):
    return (1 - alpha) / (1 + alpha) * alpha ** abs(z)


@pytest.mark.parametrize(
    "decay", [Fraction(9), Fraction(8), Fraction(3), Fraction(1), Fraction(3, 10)]
)
def test_laplace_noise_has_the_stated_law_exactly(decay):
    law, alpha, reached = emitted(decay, most_passes=2)
    assert sorted(law) == list(range(-reached, reached))
    assert all(law[z] == stated(alpha, z) for z in law)


def test_control_a_digit_that_is_rounded_down_is_seen():
    law, alpha, _ = emitted(Fraction(1), 2, lambda m, base: base**m * (1 - Fraction(1, WORDS)))
    assert any(law[z] != stated(alpha, z) for z in law)


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_mechanisms_ask_for_noise_of_their_very_budget(epsilon, monkeypatch):
    asked = []

    def spy(points, top, decay, rng):
        asked.append((top, decay))
        return points

    rng = np.random.default_rng(1)
    for module in ("mechanisms.histogram_encoding", "means.laplace"):
        monkeypatch.setattr(f"ldp.{module}.add_laplace", spy)
    for r in (1, 64, 1000):
        if 2.0**-39 < epsilon / r < 72:
            assert (
                SHE(3, epsilon, r).privatize([0, 2], rng) == np.eye(3, dtype=int)[[0, 2]] * r
            ).all()
            assert asked.pop() == (r, Fraction(epsilon) / (2 * r))
        if 2.0**-24 < epsilon / r < 36:
            LaplaceMean(0.0, 1.0, epsilon, r).privatize([0.5], rng)
            central_laplace_mean([0.0, 1.0, 0.5], 0.0, 1.0, epsilon, rng, resolution=r)
            assert asked == [(r, Fraction(epsilon) / r), (3 * r, Fraction(epsilon) / r)]
            asked.clear()


def test_sums_are_put_at_the_same_ends_whatever_the_point(monkeypatch):
    far, points = reach(0.5), np.arange(6)
    for noise in (10**15, -(10**15), far + 5, -far - 5):
        monkeypatch.setattr(_noise, "laplace", lambda *_, z=noise: np.full(6, z))
        assert (
            add_laplace(points, 5, Fraction(1, 2), None).tolist()
            == [5 + far if noise > 0 else -far] * 6
        )
    monkeypatch.setattr(_noise, "laplace", lambda *_: np.full(6, far))
    assert add_laplace(points, 5, Fraction(1, 2), None).tolist() == (points + far).tolist()


@pytest.mark.parametrize("decay", [2.0**-40, 1e-6, 0.3, 1.0, 35.0])
def test_the_ends_are_passed_less_than_once_in_so_many_draws(decay):
    low, _ = bounds_of_exp(Fraction(45))
    assert reach(decay) * Fraction(decay) >= 45
    assert low > WORDS
    assert reach(decay) == 1 or reach(decay) / 2 * decay < 45


def test_noise_that_passes_again_and_again_stops_beyond_the_end(monkeypatch):
    # Random words that are all zero are below every chance: without an end this would never end.
    def zeros(_rng, shape):
        zeros.calls += 1
        assert zeros.calls < 10_000
        return np.zeros(shape, dtype=np.uint64)

    zeros.calls = 0
    monkeypatch.setattr(_noise, "words", zeros)
    drawn = add_laplace(np.array([0, 3]), 5, Fraction(1, 2), None)
    assert drawn.tolist() == [-reach(0.5)] * 2
