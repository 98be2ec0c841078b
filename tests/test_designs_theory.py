"""Linear estimates from blocks: which inverse of the channel `debias` is, and what the others win.

A linear estimate is a matrix L, of which column y is added up for each report y; without bias if
L times the transposed channel is the identity. All here are exact sums over all reports.
"""

from functools import cache

import numpy as np
import pytest
from catalogue import PURE, small
from catalogue import scores as scores_of

from ldp import GRR, OUE, SUE, AffineResponse, CyclicResponse, HadamardResponse, SubsetSelection
from ldp.rivals import PIRAPPOR

SMALL = [m for m in small(1.0, PURE) if m.channel().shape[1] <= 2**11]
every = pytest.mark.parametrize("m", SMALL, ids=repr)


@cache
def scores(m):
    """What each report adds to the counts, a report at a time."""
    return scores_of(m)


def debiasing(m):
    """What a report adds to the estimates by `ldp.debias`, shape (d, m)."""
    return (scores(m).T - m.q) / (m.p - m.q)


def moore_penrose(m):
    """The shortest inverse; the channel has full rank."""
    channel = m.channel()
    return np.linalg.solve(channel @ channel.T, channel)


def least_squares(m):
    """The one of least variance where all values are as frequent."""
    channel = m.channel()
    weighted = channel / channel.mean(axis=0)
    return np.linalg.solve(weighted @ channel.T, weighted)


def total(linear, m):
    """Variance of all estimates from one report together, under the uniform law."""
    return float((linear**2 @ m.channel().mean(axis=0)).sum()) - 1 / m.domain_size


def summing_to_one(linear):
    """The same with what all estimates share taken away."""
    return linear - linear.mean(axis=0) + 1 / len(linear)


def same(one, other):
    return np.allclose(one, other, rtol=0, atol=1e-9 * np.abs(one).max())


@every
def test_debias_is_the_moore_penrose_inverse_exactly_where_all_blocks_are_of_one_size(m):
    for inverse in (debiasing(m), moore_penrose(m), least_squares(m)):
        assert np.allclose(inverse @ m.channel().T, np.eye(m.domain_size), atol=1e-8)
    one_size = np.ptp(scores(m).sum(axis=1)) == 0
    assert same(debiasing(m), moore_penrose(m)) == one_size
    if one_size:
        assert same(debiasing(m), least_squares(m))
        assert same(debiasing(m), summing_to_one(debiasing(m)))


def test_which_are_of_one_size():
    equal = [GRR(5, 1.0), SubsetSelection(6, 1.0, 3), CyclicResponse(7, 1.0, (2, 3))]
    equal += [AffineResponse(7, 1.0), AffineResponse(5, 1.0, window=2)]
    unequal = [OUE(5, 1.0), SUE(5, 1.0), HadamardResponse(7, 1.0), PIRAPPOR(5, 1.0)]
    unequal += [CyclicResponse(6, 1.0, (2, 3)), AffineResponse(6, 1.0)]  # a point is no value
    for m in equal:
        assert same(debiasing(m), moore_penrose(m))
    for m in unequal:
        assert not same(debiasing(m), moore_penrose(m))


def test_what_the_inverses_cost_where_blocks_are_of_several_sizes():
    """Unary encoding of six values: the shortest inverse is worse than what is used."""
    m = OUE(6, 1.0)
    used, shortest, best = (total(f(m), m) for f in (debiasing, moore_penrose, least_squares))
    assert (used, shortest, best) == pytest.approx((23.93, 26.12, 19.59), abs=5e-3)
    mean = m.q + (m.p - m.q) / 6  # of each bit
    assert used == pytest.approx(6 * mean * (1 - mean) / (m.p - m.q) ** 2, rel=1e-12)
    m = HadamardResponse(7, 1.0)
    used, shortest, best = (total(f(m), m) for f in (debiasing, moore_penrose, least_squares))
    assert (used, shortest, best) == pytest.approx((32.64, 26.25, 26.24), abs=5e-3)


def test_estimates_that_sum_to_one_win_most_of_it_back():
    m = OUE(6, 1.0)
    used, best = debiasing(m), total(least_squares(m), m)
    projected = total(summing_to_one(used), m)
    assert projected == pytest.approx(20.08, abs=5e-3)
    assert (total(used, m) - projected) / (total(used, m) - best) == pytest.approx(0.888, abs=5e-4)
    for m in (SUE(6, 1.0), AffineResponse(6, 1.0), HadamardResponse(7, 1.0)):
        used, best = debiasing(m), total(least_squares(m), m)
        left = total(summing_to_one(used), m) - best
        assert -1e-9 < left < 0.21 * (total(used, m) - best)
    assert left == pytest.approx(0, abs=1e-9)  # Hadamard response loses nothing else


@pytest.mark.parametrize("prime", [3, 5, 7])
def test_maps_of_slope_zero_cost_one_value_once_estimates_sum_to_one(prime):
    """P / (P - 1) times the variance of the same windows without them, which are a design."""
    m = PIRAPPOR(prime, 1.0)
    design = AffineResponse(prime, 1.0, window=m.design.block_size)
    assert same(debiasing(design), moore_penrose(design))
    wanted = prime / (prime - 1) * total(debiasing(design), design)
    assert total(summing_to_one(debiasing(m)), m) == pytest.approx(wanted, rel=1e-9)
    assert total(least_squares(m), m) == pytest.approx(wanted, rel=1e-9)  # nothing does better
    assert total(debiasing(m), m) > 1.2 * wanted
