"""Mean oracles: the best windows; samplers; intervals; a curator.

Chi-square and z tests raise one false alarm in 10**9; each has a control that fails.
"""

from fractions import Fraction

import numpy as np
import pytest
from catalogue import law_given
from scipy import integrate, optimize
from test_samplers import FALSE_ALARM, chi_square_p_value

from ldp import SquareWave, datasets
from ldp._noise import reach
from ldp.means import (
    HybridMean,
    LaplaceMean,
    OneBitMean,
    PiecewiseMean,
    central_laplace_mean,
    mean_interval,
)

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)

# -- widths ----------------------------------------------------------------------------


def test_piecewise_is_a_square_wave():
    m = PiecewiseMean(0.0, 1.0, 1.3, 20, window=9)
    assert np.array_equal(m.channel(), SquareWave(21, 1.3, half_width=4).channel())


def worst_of_continuous_window(width, epsilon):
    """Worst variance on a range of width 1 when the window has this width, by quadrature."""
    q = 1 / (width * np.exp(epsilon) + 1)
    p = np.exp(epsilon) * q
    slope = width * (p - q)
    centre = (1 + width) / 2

    def square(y):  # report y of value 1, whose window is [1, 1 + width]
        return ((y - centre) / slope) ** 2

    flat = integrate.quad(square, 0, 1 + width)[0]
    near = integrate.quad(square, 1, 1 + width)[0]
    return q * flat + (p - q) * near - 1 / 4


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_default_window_is_best(epsilon):
    best = optimize.minimize_scalar(
        lambda log_width: worst_of_continuous_window(np.exp(log_width), epsilon),
        bounds=(-6, 1.5), method="bounded",
    )  # fmt: skip
    fine = PiecewiseMean(0.0, 1.0, epsilon, 2**14)
    assert fine.worst_variance == pytest.approx(best.fun, rel=1e-3)
    published = worst_of_continuous_window(np.exp(-epsilon / 2), epsilon)
    assert fine.worst_variance < published


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.7, 1.0, 2.0, 4.0])
def test_no_other_share_of_the_hybrid_is_better(epsilon):
    m = HybridMean(-1.0, 1.0, epsilon, 64)
    p, b = m.piecewise.variance(m.grid.points), m.one_bit.variance(m.grid.points)
    shares = np.linspace(0, 1, 1001)[:, None]
    mixed = (shares * p + (1 - shares) * b).max(axis=1)
    own = (m.share * p + (1 - m.share) * b).max()
    assert own <= mixed.min() * (1 + 1e-3)


# -- samplers --------------------------------------------------------------------------------------

SAMPLED = [
    OneBitMean(-1.0, 2.0, 1.0),
    LaplaceMean(-1.0, 2.0, 2.0, 4),
    PiecewiseMean(-1.0, 2.0, 1.0, 4),
    HybridMean(-1.0, 2.0, 1.5, 4),
]


@pytest.mark.statistical
@pytest.mark.parametrize("m", SAMPLED, ids=repr)
@pytest.mark.parametrize("value", [-1.0, 0.1, 0.875, 2.0])
def test_reports_follow_the_channel(m, value):
    reports = m.privatize(np.full(200_000, value), np.random.default_rng(5))
    observed = np.bincount(m.outcomes(reports), minlength=m.num_outcomes)
    assert chi_square_p_value(observed, law_given(m, value, m.channel())) > FALSE_ALARM
    off = value - 0.3 if value > 0 else value + 0.3
    assert chi_square_p_value(observed, law_given(m, off, m.channel())) < FALSE_ALARM


def test_all_reports_of_few_users_add_up():
    for m in SAMPLED:
        reports = m.privatize(np.linspace(-1, 2, 50), np.random.default_rng(7))
        halves = m.tally(reports[:20]) + m.tally(reports[20:])
        assert halves == m.tally(reports)
        assert m.mean(halves) == m.mean(reports)
        assert m.mean(reports) == pytest.approx(m.unbiased(reports).mean(), rel=1e-12)
        again = m.privatize(np.linspace(-1, 2, 50), np.random.default_rng(7))
        assert np.array_equal(reports, again)


@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_words_say_nothing_of_the_values(m):
    states = set()
    for values in (np.full(999, -1.0), np.full(999, 2.0), np.linspace(-1, 2, 999)):
        rng = np.random.default_rng(8)
        m.privatize(values, rng)
        states.add(str(rng.bit_generator.state))
    assert len(states) == 1


# -- intervals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_interval_by_hand(m):
    reports = m.privatize(np.linspace(0, 1, 500), np.random.default_rng(9))
    numbers = m.unbiased(reports)
    spread = max(numbers.var(ddof=1), min(m.variance(x) for x in m.grid.points))
    half = 1.959963984540054 * np.sqrt(spread / 500)
    expected = numbers.mean() - half, numbers.mean() + half
    assert mean_interval(reports, m, population=True) == pytest.approx(expected, rel=1e-9)
    least = 1.959963984540054 * np.sqrt(min(spread, m.worst_variance) / 500)
    lower, upper = mean_interval(m.tally(reports), m)
    assert (upper - lower) / 2 == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("reports", [[0, 1], [3, 3], [-7, 2**29 + 1, 12345], [2**30, -(2**30) + 5]])
def test_sums_of_squares_are_exact(reports):
    """Their two limbs hold 62 bits: here of the largest reports that the smallest budgets make."""
    m = LaplaceMean(-1.0, 2.0, 1.01 * 2**-24 * 1024, 1024)
    n, mean, spread = m._moments(reports)
    exact = [Fraction(y) for y in reports]
    middle = sum(exact) / n
    squares = sum((y - middle) ** 2 for y in exact) / (n - 1)
    assert n == len(reports)
    assert mean == pytest.approx(-1 + 3 / 1024 * float(middle), rel=1e-15)
    assert spread == pytest.approx((3 / 1024) ** 2 * float(squares), rel=1e-14)


def test_the_smallest_budget_keeps_reports_below_31_bits():
    least = 2.0**-24
    for resolution in (1, 1024, 2**20):
        m = LaplaceMean(0.0, 1.0, least * resolution * (1 + 1e-9), resolution)
        assert resolution + reach(m.epsilon / resolution) < 2**31
        with pytest.raises(ValueError, match="epsilon must lie between 2"):
            LaplaceMean(0.0, 1.0, least * resolution, resolution)


def test_interval_of_two_reports():
    m = OneBitMean(0.0, 1.0, 1.0)
    low, high = m.unbiased([0, 1])
    half = 1.959963984540054 * (high - low) / 2  # the standard error of two numbers
    lower, upper = mean_interval([0, 1], m, population=True)
    assert (lower, upper) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-12)


def test_reports_that_agree_are_not_certain():
    m = OneBitMean(0.0, 1.0, 1.0)
    lower, upper = mean_interval(np.ones(20, dtype=int), m, population=True)
    # e / (e - 1)^2 is the variance at the ends of the range, the least.
    expected = 2 * 1.959963984540054 * np.sqrt(np.e / (np.e - 1) ** 2 / 20)
    assert upper - lower == pytest.approx(expected, rel=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_intervals_cover(m):
    """800 runs: below 90.4 % with probability 1e-8 were the coverage 95 %, normal and exact."""
    ages = np.repeat(np.arange(17, 91.0), datasets.adult_age().counts)[::16]
    values = -1 + 3 * (ages - 17) / 73
    rngs = np.random.default_rng(10).spawn(800)
    covered, narrow, target = 0, 0, values.mean()
    for rng in rngs:
        lower, upper = mean_interval(m.privatize(values, rng), m)
        covered += lower <= target <= upper
        half = (upper - lower) / 4  # control: half the length covers two thirds
        narrow += abs(target - (lower + upper) / 2) <= half
    assert covered > 0.904 * 800
    assert narrow < 0.8 * 800


# -- a trusted curator -----------------------------------------------------------------------------


@pytest.mark.statistical
def test_central_noise_has_the_stated_variance():
    values = np.linspace(0, 1, 21)  # on the grid of 20 steps: nothing is rounded
    rngs = np.random.default_rng(11).spawn(4_000)
    errors = (
        np.array([central_laplace_mean(values, 0, 1, 0.5, rng, resolution=20) for rng in rngs])
        - 0.5
    )
    spread = LaplaceMean(0.0, 1.0, 0.5, 20).variance(0.0) / 21**2
    assert abs(errors.mean()) < 6.1 * np.sqrt(spread / 4_000)
    # Laplace noise has kurtosis 6.
    assert abs(errors.var() / spread - 1) < 6.1 * np.sqrt(5 / 4_000)
    assert abs(errors.var() / (2 * spread) - 1) > 6.1 * np.sqrt(5 / 4_000)


def test_the_curator_stretches_the_range_and_hears_everybody():
    # The same words make the same noise and the same rounding, whatever the values are.
    unit, x = np.linspace(0, 1, 200_001), [0.0] * 5
    rngs = [np.random.default_rng(12) for _ in range(4)]
    assert central_laplace_mean(16 * unit - 4, -4, 12, 1.0, rngs[0]) == pytest.approx(
        16 * central_laplace_mean(unit, 0, 1, 1.0, rngs[1]) - 4, rel=1e-12
    )
    # One person's other value moves the mean by a fifth of the range: all that the noise hides.
    moved = central_laplace_mean([*x[1:], 1.0], 0, 1, 1.0, rngs[2])
    assert moved - central_laplace_mean(x, 0, 1, 1.0, rngs[3]) == pytest.approx(0.2, rel=1e-12)
