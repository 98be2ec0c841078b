"""The compiled loops of private sampling against twins of a few lines of plain Python."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling_twins import factor

from ldp._words import words
from ldp.samplers import _law_kernels, fixed_point_window, minimax_mollifier, relative_mollifier

PRIOR = np.array([0.4, 0.001, 0.3, 0.2, 0.099])
masses = st.lists(st.floats(0, 1), min_size=5, max_size=5).filter(lambda x: sum(x) > 0.1)


def clipped_twin(p, lower, upper):
    """The nearest law in fractions: among the pieces between all kinks, the one that sums to 1."""
    p, lower, upper = ([Fraction(x) for x in row] for row in (p, lower, upper))
    kinks = {end / x for x, *ends in zip(p, lower, upper, strict=True) if x for end in ends}
    kinks = sorted(kinks)
    for low, high in pairwise(kinks):
        inside = [a < x * (low + high) / 2 < b for x, a, b in zip(p, lower, upper, strict=True)]
        fixed = sum(
            b if x * low >= b else a
            for x, a, b, free in zip(p, lower, upper, inside, strict=True)
            if not free
        )
        free = sum(x for x, own in zip(p, inside, strict=True) if own)
        if free and low <= (1 - fixed) / free <= high:
            c = (1 - fixed) / free
            return [min(max(c * x, a), b) for x, a, b in zip(p, lower, upper, strict=True)]
    full = [b if x else a for x, a, b in zip(p, lower, upper, strict=True)]
    room = sum(b - a for x, a, b in zip(p, lower, upper, strict=True) if not x)
    part = (1 - sum(full)) / room if room else 0
    return [b if x else a + part * (b - a) for x, a, b in zip(p, lower, upper, strict=True)]


@given(masses, st.sampled_from([0.1, 1.0, 5.0]), st.booleans())
def test_project(p, epsilon, relative):
    m = (relative_mollifier if relative else fixed_point_window)(PRIOR, epsilon)
    law = np.array([p]) / np.sum(p)
    out = np.empty_like(law)
    _law_kernels.project(law, m.lower, m.upper, out)
    expected = np.array(clipped_twin(law[0], m.lower, m.upper), float)
    assert np.abs(out[0] - expected).max() < 1e-14


def test_the_search_ends_soon(monkeypatch):
    """Far fewer steps than are allowed, for masses of any size."""
    rng, m = np.random.default_rng(1), relative_mollifier(PRIOR, 2.0)
    calls = []
    twin = _law_kernels.clipped_sum.py_func
    monkeypatch.setattr(_law_kernels, "clipped_sum", lambda *a: calls.append(1) or twin(*a))
    longest = 0
    for power in np.repeat([1.0, 10.0, 200.0], 200):
        law = rng.dirichlet(np.ones(5)) ** power
        law = np.maximum(law / law.sum(), 5e-324)
        calls.clear()
        _law_kernels.clipping_factor.py_func(law, m.lower, m.upper)
        longest = max(longest, len(calls))
    assert longest <= 100


def weights_twin(law, low, high):
    out = [min(max(int(x * 2.0**64), a), b) for x, a, b in zip(law, low, high, strict=True)]
    missing = 2**64 - sum(out)
    for x, (a, b) in enumerate(zip(low, high, strict=True)):
        moved = min(max(missing, a - out[x]), b - out[x])
        out[x] += moved
        missing -= moved
    return out


@given(masses, st.sampled_from([1e-9, 0.1, 1.0, 5.0]))
def test_integer_weights(p, epsilon):
    m = relative_mollifier(PRIOR, epsilon)
    law = m.law(np.array([p]) / np.sum(p))
    out = np.empty(law.shape, dtype=np.uint64)
    _law_kernels.integer_weights(law, m._low, m._high, out)
    assert out[0].tolist() == weights_twin(law[0].tolist(), m._low.tolist(), m._high.tolist())


def test_draw():
    rng = np.random.default_rng(2)
    weights = relative_mollifier(PRIOR, 1.0).weights(rng.dirichlet(np.ones(5), 400))
    weights[:2] = [[0, 0, 2**64 - 1, 0, 1]] * 2
    drawn = words(rng, 400)
    drawn[:2] = 2**64 - 1, 2**64 - 2
    drawn[2] = weights[2, :3].sum()  # the first word of the fourth value
    drawn[3] = weights[3, :3].sum() - np.uint64(1)  # the last of the third
    reports = np.empty(400, dtype=np.int64)
    _law_kernels.draw(weights, drawn, reports)
    for row, word, report in zip(weights.tolist(), drawn.tolist(), reports.tolist(), strict=True):
        assert sum(row[:report]) <= word < sum(row[: report + 1])
    assert reports[:4].tolist() == [4, 2, 3, 2]


@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 40.0])
def test_a_hundred_thousand_values(epsilon):
    rng = np.random.default_rng(10)
    laws = rng.dirichlet(np.full(100_000, 0.01), 2)
    prior = (laws[0] + 1e-6) / (1 + 100_000 * 1e-6)
    for m in (minimax_mollifier(100_000, epsilon), fixed_point_window(prior, epsilon)):
        weights = m.weights(laws[1])
        assert sum(weights.tolist()) == 2**64
        assert (weights >= m._low).all()
        assert (weights <= m._high).all()
        assert np.abs(weights / 2.0**64 - m.law(laws[1])).max() < 1e-11
        ends = {*zip(m._high.tolist(), m._low.tolist(), strict=True)}
        limit = factor(epsilon)
        assert all(Fraction(*pair) <= limit for pair in ends)
