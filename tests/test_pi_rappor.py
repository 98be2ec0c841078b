"""PI-RAPPOR beside the affine response: what maps of slope zero cost, in fractions."""

from fractions import Fraction

import numpy as np
import pytest

from ldp import OUE, AffineResponse, variance
from ldp.mechanisms.families import law_of
from ldp.rivals import PIRAPPOR
from ldp.tally import Tally

PRIMES = (2, 3, 5, 7, 11, 13)
BUDGETS = (0.1, 0.5, 1.0, 2.0, 4.0, 7.0)
both = pytest.mark.parametrize("epsilon", [0.4, 1.0, 2.0])


def rows_of(m):
    """Every report's block, from the definition alone, as integers of any size."""
    prime, window, first, count = m.design
    a, s, x = np.ix_(range(first, first + count), range(prime), range(m.domain_size))
    return ((a * x + s) % prime < window).reshape(-1, m.domain_size).astype(object)


def exact_moments(m, law, value):
    """Of one report's supports, given a value: their means, and the means of their products."""
    rows = rows_of(m)
    weights = law.outside + (law.inside - law.outside) * rows[:, value]
    total = int(weights.sum())
    over = np.vectorize(lambda number: Fraction(int(number), total), otypes=[object])
    return over(weights @ rows), over((rows * weights[:, None]).T @ rows)


@pytest.mark.parametrize("prime", PRIMES)
def test_supports_of_two_values_are_independent_over_all_maps(prime):
    """Of P^2 maps P w have one value below the window, and w^2 any two."""
    for epsilon in BUDGETS:
        m = PIRAPPOR(prime, epsilon)
        rows, w = rows_of(m), m.design.block_size
        held = np.unpackbits(m.support(np.arange(m.num_outcomes)), axis=1, count=prime)
        np.testing.assert_array_equal(held, rows)
        shared = rows.T @ rows
        assert (np.diag(shared) == prime * w).all()
        assert (shared[~np.eye(prime, dtype=bool)] == w**2).all()
        assert set(rows[:prime].sum(axis=1)) == {0, prime}  # of slope zero


@both
@pytest.mark.parametrize("d", [2, 3, 4, 6, 8, 11])
def test_p_and_q_are_exact_on_a_part_of_the_points_too(d, epsilon):
    m = PIRAPPOR(d, epsilon)
    for value in range(d):
        means, _ = exact_moments(m, law_of(m), value)
        assert float(means[value]) == m.p
        assert {float(mean) for i, mean in enumerate(means) if i != value} == {m.q}


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_the_window_is_the_best(epsilon):
    for d in [*range(2, 60), 1000, 2048]:
        m = PIRAPPOR(d, epsilon)
        w, e = np.arange(1, m.design.num_points), np.exp(epsilon)
        q = w / m.design.num_points
        p = w * e / (w * e + m.design.num_points - w)
        least = (q * (1 - q) / (p - q) ** 2).min()
        assert variance(m, 1) == pytest.approx(least, rel=1e-5)  # tickets are rounded


def test_the_variance_is_that_of_unary_encoding():
    """Which has no bound but the budget to choose q; a window is a whole number."""
    for epsilon in (0.5, 1.0, 2.0):
        ratio = variance(PIRAPPOR(1024, epsilon), 1) / variance(OUE(1024, epsilon), 1)
        assert 1 - 1e-6 < ratio < 1 + 1e-4


@both
@pytest.mark.parametrize("prime", PRIMES[1:])
def test_what_slope_zero_costs_a_rare_value(prime, epsilon):
    """w (P - w) / ((w - p) (P - 1 - w + p)), for the same prime and window, in fractions."""
    m = PIRAPPOR(prime, epsilon)
    w = m.design.block_size
    same = AffineResponse(prime, epsilon, w)
    # Budgets are rounded to as many tickets as fit; both laws are taken at the same ones.
    assert law_of(m)[2:4] == law_of(same)[2:4] == (w, prime)
    p = Fraction(w * law_of(m).inside, law_of(m).total)
    q_all, q = Fraction(w, prime), (w - p) / (prime - 1)
    ratio = q_all * (1 - q_all) / (p - q_all) ** 2 / (q * (1 - q) / (p - q) ** 2)
    assert ratio == w * (prime - w) / ((w - p) * (prime - 1 - w + p))
    stated = variance(m, 1) / variance(same, 1)
    assert stated == pytest.approx(float(ratio), rel=1e-6)


def shifted_to_one(m, law, value):
    """Total second moment of one report's estimates about 1 / P, and total square of their means.

    The estimates are shifted so that they sum to one.
    """
    means, second = exact_moments(m, law, value)
    size, gap = len(means), means[value] - means[value - 1]
    square = (np.trace(second) - second.sum() / size) / gap**2
    return square, (sum(means**2) - sum(means) ** 2 / size) / gap**2


@pytest.mark.parametrize("prime", PRIMES[1:])
def test_estimates_that_sum_to_one_lose_one_part_in_p(prime):
    """About 1 / P the loss is a factor P / (P - 1): that is the variance of users drawn evenly.

    About what a user holds, whose indicator is 1 - 1 / P away from it, squared, it is 1 / P more.
    """
    m = PIRAPPOR(prime, 1.0)
    law, same = law_of(m), AffineResponse(prime, 1.0, m.design.block_size)
    factor = Fraction(prime, prime - 1)
    for value in range(prime):
        square, mean = shifted_to_one(m, law, value)
        least, mean_too = shifted_to_one(same, law, value)
        assert mean == mean_too == 1 - Fraction(1, prime)
        assert square == least * factor
        assert square - mean == (least - mean) * factor + Fraction(1, prime)


def test_a_constant_map_supports_all_or_none():
    m = PIRAPPOR(4, 1.0)
    assert m.tally([0]).counts.tolist() == [1, 1, 1, 1]
    assert m.tally([4]).counts.tolist() == [0, 0, 0, 0]
    assert Tally([0, 0, 0, 0], 1, m).num_reports == 1
    np.testing.assert_allclose(m.likelihood([0]), m.odds)
    np.testing.assert_allclose(m.likelihood([4]), 1)


def test_too_many_values_are_refused():
    with pytest.raises(ValueError, match=r"^domain_size must be at most 2048 for PIRAPPOR, .* got"):
        PIRAPPOR(2049, 1.0)
