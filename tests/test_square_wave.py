"""The square wave: its width, its printed law, its weights, and both ways to a tally."""

import numpy as np
import pytest

from ldp import GRR, SquareWave, _kernels, confidence_interval, debias, worst_case_epsilon
from ldp._words import at_least, shared_rest
from ldp.waves import optimal_half_width

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_default_width_tends_to_the_continuous_one(epsilon):
    # The window is one of two odd numbers around 2 b (d - 1): at most two cells away.
    d = 2**20
    window = 2 * SquareWave(d, epsilon).half_width + 1
    assert abs(window - 2 * optimal_half_width(epsilon) * (d - 1)) <= 2


@pytest.mark.parametrize("m", [SquareWave(5, 1.0), SquareWave(9, 2.0, 0), SquareWave(3, 0.5, 7)])
def test_the_channel_is_the_printed_law(m):
    channel = m.channel()
    scale = (2 * m.half_width + 1) * np.exp(m.epsilon) + m.domain_size - 1
    for x in range(m.domain_size):
        for y in range(m.num_outcomes):
            inside = x <= y <= x + 2 * m.half_width
            expected = (np.exp(m.epsilon) if inside else 1) / scale
            assert channel[x, y] == pytest.approx(expected, rel=1e-14)
    assert worst_case_epsilon(channel) == pytest.approx(m.epsilon, rel=1e-12)
    held = np.unpackbits(m.support(np.arange(m.num_outcomes)), axis=1, count=m.domain_size)
    assert ((channel > m.q * 1.01) == held.T).all()


@pytest.mark.parametrize("m", [SquareWave(5, 1.0), SquareWave(1000, 4.0), SquareWave(9, 0.1, 0)])
def test_the_sampler_uses_the_audited_weights(m, monkeypatch):
    """The weights of test_emitted_law.py are those that reach the loop: a sample would not tell."""
    seen = []
    monkeypatch.setattr(_kernels, "draw_near", lambda *given: seen.append(given[2:6]))
    m.privatize([0, 1], np.random.default_rng(1))
    outside, num_outside, window = at_least(m.q), m.domain_size - 1, 2 * m.half_width + 1
    assert seen == [(outside, shared_rest(outside, num_outside, window), window, num_outside)]


def test_without_a_width_it_is_randomized_response():
    assert np.array_equal(SquareWave(6, 1.0, half_width=0).channel(), GRR(6, 1.0).channel())


class Counting(np.random.Generator):
    """A generator that counts how often it draws a multinomial vector."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.drawn = 0

    def multinomial(self, *given):
        self.drawn += 1
        return super().multinomial(*given)


@pytest.mark.parametrize(("users", "drawn"), [(300, 1), (1_200, 1), (6_000, 1 + 60)])
def test_few_users_are_simulated_one_by_one_and_many_value_by_value(users, drawn):
    """Whichever is less work: a number per user near its value, or per pair of value and cell."""
    m, rng = SquareWave(60, 3.0, half_width=10), Counting(1)
    counts = np.zeros(60, dtype=np.int64)
    counts[[0, 30, 59]] = users // 3
    assert m.simulate(counts, rng).counts.sum() == users
    assert rng.drawn == drawn


def test_it_is_no_frequency_oracle():
    m = SquareWave(4, 1.0)
    tally = m.tally(m.privatize([0, 1, 2], np.random.default_rng(1)))
    for estimate in (debias, confidence_interval):
        with pytest.raises(TypeError, match=r"must be a frequency oracle.*got SquareWave"):
            estimate(tally, m)


def test_a_budget_lost_in_the_weights_of_many_values_is_refused():
    # All weights would be equal, or those inside the window even smaller.
    for d, epsilon, b in ((2**26, 1e-5, 0), (2**31, 0.1, 0), (2**16, 1e-12, 2**31)):
        with pytest.raises(ValueError, match=f"epsilon must be large enough for {d} values"):
            SquareWave(d, epsilon, b)
    for d, epsilon, b in ((2**26, 0.1, 0), (2**31, 1e-6, None), (2, 1e-11, 0)):
        m = SquareWave(d, epsilon, b)
        outside = at_least(m.q)
        inside = shared_rest(outside, d - 1, 2 * m.half_width + 1)
        spent = (int(inside) - int(outside)) / int(outside)
        assert 0.98 * epsilon < spent <= np.expm1(epsilon)
