"""Finite input gives finite output, and the right one: from 5e-324 to 1e308, by exact fractions."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp import GRR, OUE, SUE, WideHashing, debias, metrics, norm_sub, variance
from ldp.metrics import ks, l_inf, mean_error, mse, range_error, tv, variance_error, wasserstein
from ldp.postprocess import (
    base_cut,
    base_pos,
    mle_apx,
    norm_add,
    norm_cut,
    norm_mul,
    post_pos,
    power_ns,
)
from ldp.trees import hh_admm, least_squares_tree

SIZES = [0.0, 5e-324, 1e-308, 1e-16, 0.125, 0.3, 1.0, 3.0, 1e15, 1e16, 1e100, 1e307, 1.7e308]
ANY = st.sampled_from(SIZES) | st.floats(0, 1.7e308) | st.floats(0, 2)
ENTRIES = st.tuples(ANY, st.sampled_from([-1, 1])).map(lambda pair: pair[0] * pair[1])
VECTORS = st.lists(ENTRIES, min_size=1, max_size=9).map(np.array)
POSITIVE = st.lists(ANY, min_size=2, max_size=9).map(np.array)
PAIRS = st.integers(1, 6).flatmap(
    lambda d: st.tuples(*[st.lists(ENTRIES, min_size=d, max_size=d).map(np.array)] * 2)
)
TINY = Fraction(1, 2**52)
WITHIN = Fraction(sys.float_info.max) * (1 - 2**10 * TINY)  # but for rounding
BEYOND = Fraction(sys.float_info.max) * (1 + 2**10 * TINY)


def fractions(vector):
    return [Fraction(float(entry)) for entry in vector]


def near(found, exact, size=0, factor=64):
    """Within some roundings of numbers as large as the exact one, or as `size`."""
    for one, other in zip(np.atleast_1d(found), exact, strict=True):
        assert math.isfinite(one)
        room = factor * TINY * max(abs(other), Fraction(size)) + Fraction(5e-324)
        assert abs(Fraction(float(one)) - other) <= room, (float(one), float(other))


def shifted(x, at_zero, slope):
    """max(0, x + t (at_zero + slope x)) of sum one, entry by entry in fractions."""
    x, a, b = fractions(x), Fraction(at_zero), Fraction(slope)
    order = sorted(x, reverse=True)
    for m in range(len(x), 0, -1):
        t = (1 - sum(order[:m])) / (m * a + b * sum(order[:m]))
        if order[m - 1] + t * (a + b * order[m - 1]) > 0:
            return [max(Fraction(0), entry + t * (a + b * entry)) for entry in x]
    raise AssertionError("the largest entry alone can be kept")


@given(VECTORS)
def test_the_projection_is_exact_at_every_size(x):
    near(norm_sub(x), shifted(x, 1.0, 0.0), size=1)


@given(POSITIVE)
def test_mle_apx_is_exact_at_every_size(x):
    for m in (OUE(x.size, 1.0), SUE(x.size, 1.0), OUE(x.size, 0.01)):
        at_zero = variance(m, 1, 0.0)
        slope = variance(m, 1, 1.0) - at_zero
        # Rounding of the mean counts a / b times where all entries are large.
        size = 1 if slope <= 0 else max(1, int(x.size * at_zero / slope))
        if slope >= 0:
            near(mle_apx(x, m), shifted(x, at_zero, slope), size=size)


def test_mle_apx_where_it_was_wrong():
    for large in (1e15, 1e16, 1e100, 1e308):
        np.testing.assert_allclose(mle_apx(np.full(8, large), OUE(8, 1.0)), 1 / 8, rtol=1e-15)
    for wrong in ("garbage", WideHashing):  # the class itself has p, q and all else
        with pytest.raises(TypeError, match=r"^mechanism must be a frequency oracle, .*\.$"):
            mle_apx([0.5, 0.5], wrong)


@given(VECTORS)
def test_norm_is_exact_or_refused_where_float64_ends(x):
    exact = fractions(x)
    wanted = [entry + (1 - sum(exact)) / len(exact) for entry in exact]
    largest = max(abs(entry) for entry in exact)
    if max(abs(entry) for entry in wanted) < WITHIN:
        near(norm_add(x), wanted, size=max(1, largest))
    elif max(abs(entry) for entry in wanted) > BEYOND:
        with pytest.raises(OverflowError, match=r"^the result must fit into float64"):
            norm_add(x)


@given(VECTORS)
def test_norm_mul_is_exact_at_every_size(x):
    positive = [max(Fraction(0), entry) for entry in fractions(x)]
    if sum(positive):
        near(norm_mul(x), [entry / sum(positive) for entry in positive], size=Fraction(1, 2**53))


@given(VECTORS)
def test_norm_cut_keeps_what_fits_at_every_size(x):
    exact = [max(Fraction(0), entry) for entry in fractions(x)]
    for entry, kept in zip(exact, norm_cut(x), strict=True):
        reached = sum(other for other in exact if other >= entry)
        assert kept in (0, entry)
        if abs(reached - 1) > Fraction(1, 10**11):  # one itself is met up to rounding
            assert (kept == entry) == (reached < 1 or entry == 0)


def test_norm_cut_gives_zeros_where_its_definition_does():
    # The largest is kept last; one above 1 can never be, however large: this is no overflow.
    for large in (1.1, 1e15, 1.7e308):
        assert norm_cut([large, large, 0.3]).tolist() == [0, 0, 0]
    assert norm_cut([-1.7e308, -1.7e308, 0.3]).tolist() == [0, 0, 0.3]


@given(VECTORS)
def test_clipping_and_sums_of_sets(x):
    assert base_pos(x).tolist() == [max(0.0, entry) for entry in x]
    whole = max(Fraction(0), sum(fractions(x)))
    largest = max(abs(entry) for entry in fractions(x))
    if whole < WITHIN:
        near(post_pos(x, np.ones((1, x.size), dtype=bool)), [whole], size=largest)


def test_base_cut_at_a_level_below_the_smallest_number():
    # log(5e-324 / 2) = -745.13 is reached at 38.48 deviations, not nowhere: the tail there is
    # exp(-z^2 / 2) / (z sqrt(2 pi)), up to a factor of 1 - 1 / z^2.
    assert -(38.4**2) / 2 - math.log(38.4 * math.sqrt(2 * math.pi)) > -745.13
    assert -(38.6**2) / 2 - math.log(38.6 * math.sqrt(2 * math.pi)) < -745.13
    kept = base_cut([38.4, 38.6], 1.0, significance=5e-324)
    assert kept.tolist() == [0.0, 38.6]
    assert base_cut([1.7e308, 1e150], 1.7e308).tolist() == [1.7e308, 0.0]


DISTANCES = {
    mse: lambda z: sum(e * e for e in z),
    tv: lambda z: sum(map(abs, z)) / 2,
    l_inf: lambda z: max(map(abs, z)),
    wasserstein: lambda z: sum(abs(sum(z[: v + 1])) for v in range(len(z))),
    ks: lambda z: max(abs(sum(z[: v + 1])) for v in range(len(z))),
    mean_error: lambda z: abs(sum(e * place for e, place in zip(z, places(len(z)), strict=True))),
}


def places(size):
    return [Fraction(2 * v - size + 1, 2) for v in range(size)]


@pytest.mark.parametrize("metric", DISTANCES)
@given(pair=PAIRS)
def test_metrics_are_exact_or_refused_where_float64_ends(metric, pair):
    exact = DISTANCES[metric]([a - b for a, b in zip(*map(fractions, pair), strict=True)])
    largest = max(map(abs, fractions(pair[0]) + fractions(pair[1])))
    size = largest**2 if metric is mse else largest * len(pair[0]) ** 2
    if exact > BEYOND:
        with pytest.raises(OverflowError, match=r"^the result must fit into float64"):
            metric(*pair)
    elif exact < WITHIN:
        near(metric(*pair), [exact], size=size)


def test_sums_over_places():
    one, none = np.array([1.7e308, 0.0, 0.0]), np.zeros(3)
    assert range_error(one, none, 2) == pytest.approx(1.7e308 / 2, rel=1e-15)
    assert variance_error(one, one) == 0
    with pytest.raises(OverflowError, match=r"^the result must fit into float64"):
        variance_error(one, none)
    with pytest.raises(OverflowError, match=r"^the result must fit into float64"):
        mean_error([1.0, 0.0], [0.0, 1.0], bin_width=1.7e308) + mean_error(
            [4.0, 0.0], [0.0, 4.0], bin_width=1.7e308
        )


def test_control_plain_sums_overflow():
    # What the functions above would do without dividing first.
    x = np.array([1.7e308, 1.7e308])
    with np.errstate(over="ignore", invalid="ignore"):
        assert not np.isfinite(x - x.mean()).all()
        assert not np.isfinite(np.sum(x / x.sum()) - 1) or np.sum(x / x.sum()) != 1
    scale = metrics.power_of_two(x)
    assert np.isfinite((x / scale).sum())


def test_the_smallest_numbers_are_laws_too():
    least = 5e-324
    assert norm_mul([least, least]).tolist() == [0.5, 0.5]
    assert norm_sub([least]).tolist() == [1.0]
    assert norm_add([least, -least]).tolist() == [0.5, 0.5]
    assert norm_mul([least, -1.7e308]).tolist() == [1.0, 0.0]


def test_large_counts_are_debiased_and_repaired():
    m = GRR(4, 1.0)
    tally = m.simulate([2**51] * 4, np.random.default_rng(0))
    for law in (norm_sub(debias(tally, m)), mle_apx(debias(tally, m), m)):
        np.testing.assert_allclose(law, 0.25, atol=1e-6)  # noise of 2**53 reports: 3e-8


@pytest.mark.parametrize("large", [1e101, 1.7e308])
def test_trees_and_power_laws_refuse_what_their_squares_cannot_hold(large):
    nodes = [[1.0], [large, 0.0]]
    for call in (
        lambda: least_squares_tree(nodes),
        lambda: hh_admm(nodes),
        lambda: least_squares_tree([[1.0], [0.5, 0.5]], [0, large]),
        lambda: least_squares_tree([[1.0], [0.5, 0.5]], [0, 1 / large]),
        lambda: power_ns([large, 0.0], 1.0, 10),
    ):
        with pytest.raises(ValueError, match=r"^(nodes|variances|estimates) must be [^\n]*\.$"):
            call()
