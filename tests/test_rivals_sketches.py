"""Count-mean sketches: their functions by enumeration, and beside published orderings."""

import math

import numpy as np
import pytest
from catalogue import all_reports, scores

from ldp import GRR, OLH, SUE, AffineResponse, LocalHashing, SubsetSelection, variance
from ldp.mechanisms.primes import next_prime
from ldp.rivals import BalancedSketch, CountMeanSketch
from ldp.rivals.affine_hashes import (
    VALUES_AT_ONCE,
    AffineHashes,
    count_in_buckets,
)
from ldp.utilities import attack_success

ROUNDING = 1e-12


# -- the functions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("prime", "buckets"), [(2, 2), (5, 2), (7, 3), (11, 4), (11, 11), (13, 6)])
@pytest.mark.parametrize("balanced", [False, True])
def test_two_values_collide_as_often_as_any_other_two(prime, buckets, balanced):
    family = AffineHashes(prime, buckets, balanced)
    functions, values = np.arange(family.num_functions), np.arange(prime)
    table = family.bucket(functions[:, None], values)
    same = (table[:, :, None] == table[:, None, :]).mean(axis=0)
    others = same[~np.eye(prime, dtype=bool)]
    np.testing.assert_allclose(others, family.collision, rtol=ROUNDING)
    # Buckets are runs of places, of two sizes at most.
    sizes = np.diff(family.edges)
    assert np.ptp(sizes) <= 1
    np.testing.assert_array_equal(family.buckets, np.repeat(np.arange(buckets), sizes))
    if not balanced:  # slope zero: the shift is the place
        places = family.bucket(np.arange(prime), np.zeros(1, int))
        np.testing.assert_array_equal(places, family.buckets)
    if balanced:  # below the 1/g of independent buckets, which no slope would make it
        assert family.collision < 1 / buckets <= AffineHashes(prime, buckets, False).collision


def test_primes():
    assert [next_prime(n) for n in (2, 3, 4, 8, 90, 2**16)] == [2, 3, 5, 11, 97, 65_537]


def test_functions_are_drawn_evenly():
    """2,000 draws of each of 42 functions; chi-square of 41 degrees, a false alarm in 10**9."""
    family = AffineHashes(7, 3, True)
    drawn = family.draw(42 * 2_000, np.random.default_rng(1))
    counts = np.bincount(drawn, minlength=42)
    assert counts.size == 42
    assert ((counts - 2_000) ** 2 / 2_000).sum() < 120


@pytest.mark.parametrize("prime", [5, 1009, 2**31 - 1, next_prime(2**31)])
def test_places_are_compared_exactly_though_in_floats(prime):
    """Widths that a place misses, or meets, by one; the twin computes in integers."""
    rng, size = np.random.default_rng(1), 400
    values = np.arange(min(prime, VALUES_AT_ONCE))
    slopes, places = rng.integers(1, prime, size), rng.integers(0, prime, size)
    exact = (places[:, None] + slopes[:, None] * values) % prime
    near = exact[np.arange(size), rng.integers(0, values.size, size)]
    widths = np.clip(near + rng.integers(0, 2, size), 1, prime)
    counts = np.zeros(values.size, dtype=np.int32)
    count_in_buckets(slopes, places, widths, prime, counts)
    np.testing.assert_array_equal(counts, (exact < widths[:, None]).sum(axis=0))


# -- exact chances, where ideal ones would do ------------------------------------------------------


@pytest.mark.parametrize("m", [CountMeanSketch(4, 1.0, 3), BalancedSketch(6, 1.0, 3)], ids=repr)
def test_the_ideal_one_in_g_is_not_the_chance_to_collide(m):
    held = m.channel() @ scores(m)
    others = held[~np.eye(m.domain_size, dtype=bool)]
    np.testing.assert_allclose(others, m.q, rtol=ROUNDING)
    bit = m.row if isinstance(m, CountMeanSketch) else m.response
    ideal = bit.q + (bit.p - bit.q) / m.num_buckets
    assert np.abs(others - ideal).min() > 0.005


def test_a_few_public_functions_are_biased_and_all_of_them_are_not():
    """Pairs that collide under a few functions are debiased by a chance that is not theirs."""
    m = CountMeanSketch(5, 1.0, 3)
    counted = (m.channel()[:, :, None] * scores(m)).reshape(5, m.family.num_functions, -1, 5)
    by_function = counted.sum(axis=2) * m.family.num_functions  # [x, function, v]
    biases = (by_function - m.q) / (m.p - m.q) - np.eye(5)[:, None]
    np.testing.assert_allclose(biases.mean(axis=1), 0, atol=1e-12)
    few = biases[:, [6, 8, 13, 21]].mean(axis=1)
    assert few.max() > 0.2
    assert few.min() < -0.5


def test_local_hashing_is_the_sketch_with_randomized_response():
    """Its channel is a function of a whole public family, then GRR of the bucket."""
    m = LocalHashing(4, 1.0, num_buckets=3, hash_bits=4)
    reports = all_reports(m)
    buckets = m.hashes.table(reports["seed"], np.arange(4)).T
    wanted = GRR(3, 1.0).channel()[buckets, reports["bucket"]] / 4**4
    np.testing.assert_allclose(m.channel(), wanted, rtol=ROUNDING)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_longer_rows_are_better_and_the_row_of_all_values_is_best(epsilon):
    found = [variance(CountMeanSketch(1000, epsilon, 2**k), 1) for k in range(1, 15)]
    assert (np.diff(found) < 0).all()
    least = variance(SUE(1000, epsilon), 1)
    assert least < found[-1] < 1.002 * least


@pytest.mark.parametrize("prime", [7, 11, 13])
def test_counts_of_even_values_are_correlated_by_minus_one_in_d(prime):
    m = BalancedSketch(prime, 1.0)
    channel, held = m.channel(), scores(m).astype(float)
    mean = channel @ held
    covariance = np.einsum("xy,yu,yv->uv", channel, held, held) / prime - mean.T @ mean / prime
    spread = np.diag(covariance)
    correlation = covariance[~np.eye(prime, dtype=bool)] / spread[0]
    np.testing.assert_allclose(spread, spread[0], rtol=1e-9)
    np.testing.assert_allclose(correlation, correlation[0], rtol=1e-9)
    assert -1.05 < prime * correlation[0] < -0.98


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(("prime", "buckets"), [(5, 2), (7, 3), (11, 4)])
def test_the_balanced_sketch_is_a_mixture_of_two_affine_responses(prime, buckets, epsilon):
    """Reports that support one set, put together: blocks of two sizes, each size a 2-design."""
    m, size = BalancedSketch(prime, epsilon, buckets), prime // buckets
    held, where = np.unique(scores(m), axis=0, return_inverse=True)
    channel = m.channel() @ np.eye(len(held))[where.ravel()]
    e, p, q = math.exp(epsilon), 0.0, 0.0
    for width, many in ((size, buckets - prime % buckets), (size + 1, prime % buckets)):
        part = AffineResponse(prime, epsilon, width)
        share = many * (width * e + prime - width) / (prime * (e + buckets - 1))
        blocks, cell = np.unique(scores(part), axis=0, return_inverse=True)
        wanted = part.channel() @ np.eye(len(blocks))[cell.ravel()]
        found = channel[:, held.sum(axis=1) == width]
        # The affine response rounds e^epsilon down, for so few values by less than 2^-40 of it.
        np.testing.assert_allclose(found / share, wanted, rtol=1e-10)
        p, q = p + share * part.p, q + share * part.q
    assert (m.p, m.q) == pytest.approx((p, q), rel=1e-10)


# -- the best number of buckets, and published orderings -------------------------------------------


def rare_variance(prime, epsilon, buckets):
    sizes = np.full(buckets, prime // buckets) + (np.arange(buckets) < prime % buckets)
    together = (sizes * (sizes - 1)).sum() / (prime * (prime - 1))
    e = math.exp(epsilon)
    p, other = e / (e + buckets - 1), 1 / (e + buckets - 1)
    q = p * together + other * (1 - together)
    return q * (1 - q) / (p - q) ** 2


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0, 6.0])
@pytest.mark.parametrize("d", [2, 3, 8, 50, 101, 997])
def test_there_are_as_many_buckets_as_is_best(d, epsilon):
    prime, m = next_prime(d), BalancedSketch(d, epsilon)
    costs = {g: rare_variance(prime, epsilon, g) for g in range(2, prime + 1)}
    assert costs[m.num_buckets] <= min(costs.values()) * (1 + 1e-12)
    assert variance(m, 1) == pytest.approx(costs[m.num_buckets], rel=1e-9)


def test_a_prime_beyond_all_domains_bounds_no_bucket():
    m = BalancedSketch(2**31, 36.0)  # its prime is 2**31 + 11
    assert m.num_buckets == m.response.domain_size == 2**31


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("d", [8, 100, 1000, 4096])
def test_it_lies_between_subset_selection_and_local_hashing(d, epsilon):
    least, most = variance(SubsetSelection(d, epsilon), 1), variance(OLH(d, epsilon), 1)
    assert least < variance(BalancedSketch(d, epsilon), 1) < most


def test_with_100_values_and_a_budget_of_one_no_difference_is_seen():
    """A quarter of a per cent in variance; local hashing is nearly three above."""
    least = variance(SubsetSelection(100, 1.0), 1)
    assert variance(BalancedSketch(100, 1.0), 1) / least == pytest.approx(1.0023, abs=5e-5)
    assert variance(OLH(100, 1.0), 1) / least == pytest.approx(1.0284, abs=5e-5)
    # Where one bucket is one value it is randomized response, and optimal.
    assert variance(BalancedSketch(101, 4.0), 1) == pytest.approx(variance(GRR(101, 4.0), 1))


@pytest.mark.parametrize("d", [5, 7, 11])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_best_guess_is_right_as_often_as_with_local_hashing_of_many_values(d, epsilon):
    """All buckets hold a value: (g / d) e / (e + g - 1), which is (e + 1) / 2d at g = e + 1."""
    m, e = BalancedSketch(d, epsilon), math.exp(epsilon)
    found = attack_success(np.full(d, 1 / d), m.channel())
    assert found == pytest.approx(m.num_buckets / d * e / (e + m.num_buckets - 1), rel=ROUNDING)


def test_bits_of_a_report():
    """Three more than the strictly optimal configuration of P (P - 1) / 2 sets, at four buckets."""
    m = BalancedSketch(101, 1.0)
    outcomes = m.family.num_functions * m.num_buckets
    assert math.log2(outcomes) == pytest.approx(math.log2(101 * 100 / 2) + 3)
    assert m.report.dtype.itemsize == 3
