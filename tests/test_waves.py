"""Waves on the real line: the best width, densities, exact channels, and the lemmas of S004."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize

from ldp import waves, worst_case_epsilon
from ldp.waves import COSINE, SQUARE, TRAPEZOID, TRIANGLE, Wave

SHAPES = [SQUARE, TRIANGLE, TRAPEZOID, COSINE, (1.0, 0.9, 0.3, 0.3, 0.1)]
BUDGETS = st.floats(0.05, 6)
WIDTHS = st.floats(0.02, 2)
HEIGHTS = st.lists(st.floats(0, 1), min_size=1, max_size=6).map(lambda h: (1.0, *sorted(h)[::-1]))


# -- the best width --------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-9, 1e-4, 0.01, 0.3, 0.4999999, 0.5, 1.0, 3.0, 30.0, 700.0])
def test_best_width_to_the_last_digits(epsilon):
    """The printed quotient, its exponential summed in fractions."""
    e = Fraction(epsilon)
    power = sum(e**k / factorial(k) for k in range(60 if epsilon < 20 else 2500))
    exact = (e * power - power + 1) / (2 * power * (power - 1 - e))
    assert waves.optimal_half_width(epsilon) == pytest.approx(float(exact), rel=1e-14)


def test_best_width_at_the_ends():
    # 1/2 - eps/3 + O(eps^2), and eps e^-eps / 2 (1 - 1/eps) for large eps
    assert waves.optimal_half_width(1e-12) == pytest.approx(0.5, abs=1e-12)
    assert waves.optimal_half_width(1e-4) == pytest.approx(0.5 - 1e-4 / 3, abs=1e-8)
    assert waves.optimal_half_width(40.0) == pytest.approx(39 * np.exp(-40.0) / 2, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_best_width_maximises_the_bound(epsilon):
    best = optimize.minimize_scalar(
        lambda b: -waves.mutual_information_bound(epsilon, b), bounds=(1e-6, 2), method="bounded",
        options={"xatol": 1e-12},
    )  # fmt: skip
    assert waves.optimal_half_width(epsilon) == pytest.approx(best.x, abs=1e-6)  # a flat top


@given(BUDGETS, WIDTHS)
def test_bound_is_the_entropy_of_a_flat_report_less_that_of_the_noise(epsilon, half_width):
    square = Wave(epsilon, half_width)
    window = 2 * half_width
    noise = -window * square.p * np.log(square.p) - square.q * np.log(square.q)
    assert waves.mutual_information_bound(epsilon, half_width) == pytest.approx(
        np.log(1 + window) - noise, abs=1e-12
    )


# -- densities -------------------------------------------------------------------------------------


@given(BUDGETS, WIDTHS, HEIGHTS)
def test_density_is_a_law_within_the_budget(epsilon, half_width, heights):
    wave = Wave(epsilon, half_width, heights)
    knots = half_width * np.linspace(0, 1, len(heights))
    values = wave.density(knots)
    bump = integrate.trapezoid(values - wave.q, knots)  # exact for a piecewise linear wave
    assert 2 * bump + wave.q * (1 + 2 * half_width) == pytest.approx(1, rel=1e-12)
    assert np.log(wave.p / wave.q) == pytest.approx(epsilon, rel=1e-12)
    assert wave.q <= values.min() * (1 + 1e-12)
    assert values[0] == pytest.approx(wave.p, rel=1e-12)
    assert values.max() <= wave.p * (1 + 1e-12)
    assert wave.density(1.001 * half_width) == wave.q


@given(BUDGETS, WIDTHS, HEIGHTS, st.floats(0, 1))
def test_cdf_integrates_the_density(epsilon, half_width, heights, value):
    wave = Wave(epsilon, half_width, heights)
    # Between the knots the density is linear and the middle rule exact.
    knots = value + half_width * np.linspace(-1, 1, 2 * len(heights) - 1)
    edges = np.unique(np.concatenate([[-half_width, 1 + half_width], knots]))
    middles = (edges[1:] + edges[:-1]) / 2
    mass = wave.density(middles - value) * np.diff(edges)
    np.testing.assert_allclose(np.diff(wave.cdf(edges, value)), mass, atol=1e-11)
    assert wave.cdf(1 + half_width, value) == pytest.approx(1, abs=1e-11)
    assert wave.cdf(-half_width, value) == pytest.approx(0, abs=1e-11)


# -- the channel of bins ---------------------------------------------------------------------------


@pytest.mark.parametrize("heights", SHAPES)
@pytest.mark.parametrize(("d", "m"), [(3, 4), (4, None)])
def test_channel_is_the_double_integral(heights, d, m):
    wave = Wave(1.3, 0.3, heights)
    channel = wave.channel(d, m)
    edges = np.linspace(-0.3, 1.3, channel.shape[1] + 1)
    # The mean over a value bin of what the cdf gives a report bin, by a fine middle rule: its error
    # is (1/d / 4000)^2 / 24 times a second derivative below 100, or of order 1/4000^2 at a jump.
    for x in range(d):
        points = (x + (np.arange(4_000) + 0.5) / 4_000) / d
        mean = np.mean([np.diff(wave.cdf(edges, v)) for v in points], axis=0)
        np.testing.assert_allclose(channel[x], mean, atol=2e-7)


@given(BUDGETS, WIDTHS, HEIGHTS, st.integers(2, 40), st.integers(2, 60))
def test_channel_is_private_and_symmetric(epsilon, half_width, heights, d, m):
    channel = Wave(epsilon, half_width, heights).channel(d, m)
    np.testing.assert_allclose(channel.sum(axis=1), 1, rtol=1e-13)
    assert worst_case_epsilon(channel) <= epsilon + 1e-11  # Theorem 1, averaged over bins
    np.testing.assert_allclose(channel, channel[::-1, ::-1], atol=1e-11)


def test_fine_bins_spend_the_budget_and_a_wrong_one_is_seen():
    for heights in SHAPES:
        spent = worst_case_epsilon(Wave(1.0, 0.25, heights).channel(400, 600))
        assert 0.98 < spent <= 1 + 1e-9
        assert worst_case_epsilon(Wave(1.1, 0.25, heights).channel(400, 600)) > 1.05


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0, 10.0, 20.0])
@pytest.mark.parametrize("heights", SHAPES)
def test_channel_of_narrow_waves_keeps_its_digits(epsilon, heights):
    """Sums of 1024 doubles of size 1/1024; a cell loses 2^-53 (p - q) 1024, or 1e-8 of q/1024."""
    wave = Wave(epsilon, waves.optimal_half_width(epsilon), heights)
    channel = wave.channel(1024)
    np.testing.assert_allclose(channel.sum(axis=1), 1, rtol=1e-14)
    least = wave.q * (1 + 2 * wave.half_width) / 1024
    assert channel.min() == pytest.approx(least, rel=1e-8)
    assert worst_case_epsilon(channel) <= epsilon + 1e-8


@pytest.mark.parametrize("heights", SHAPES)
def test_channel_of_a_needle_is_the_overlap_of_bins(heights):
    """A wave far narrower than a bin moves at most a share b / (1/4) over an edge."""
    wave = Wave(25.0, 1e-11, heights)
    edges = [np.linspace(0, 1, 5), np.linspace(-1e-11, 1 + 1e-11, 8)]
    ends = np.minimum(edges[0][1:, None], edges[1][1:])
    overlap = 4 * np.maximum(ends - np.maximum(edges[0][:-1, None], edges[1][:-1]), 0)
    expected = (1 - wave.q * (1 + 2e-11)) * overlap + wave.q * (1 + 2e-11) / 7
    np.testing.assert_allclose(wave.channel(4, 7), expected, atol=4e-11)


def test_square_in_closed_form():
    """Overlap of a report bin with the window, for bins as wide as those of the values."""
    d, cells = 10, 2  # half-width of two bins
    wave = Wave(1.0, cells / d)
    channel = wave.channel(d, d + 2 * cells)
    distance = np.arange(d + 2 * cells) - np.arange(d)[:, None] - cells
    inside = np.where(np.abs(distance) < cells, 1.0, np.where(np.abs(distance) == cells, 0.5, 0.0))
    np.testing.assert_allclose(channel, (wave.q + (wave.p - wave.q) * inside) / d, rtol=1e-11)


# -- the lemmas ------------------------------------------------------------------------------------


def wasserstein_of_reports(wave, first, second):
    """Area between the two distribution functions, by a fine middle rule."""
    y = np.linspace(-wave.half_width, 1 + wave.half_width, 20_001)
    y = (y[1:] + y[:-1]) / 2
    step = (1 + 2 * wave.half_width) / y.size
    return np.abs(wave.cdf(y, first) - wave.cdf(y, second)).sum() * step


@pytest.mark.parametrize("heights", SHAPES)
@pytest.mark.parametrize(("first", "second"), [(0.0, 1.0), (0.2, 0.25), (0.5, 0.9)])
def test_lemma_1(heights, first, second):
    wave = Wave(1.0, 0.25, heights)
    expected = (second - first) * (1 - (2 * wave.half_width + 1) * wave.q)
    assert wasserstein_of_reports(wave, first, second) == pytest.approx(expected, rel=1e-6)
    assert wasserstein_of_reports(wave, first, second) != pytest.approx(1.001 * expected, rel=1e-6)


@given(BUDGETS, WIDTHS, HEIGHTS)
def test_lemma_2_and_theorem_2(epsilon, half_width, heights):
    wave, square = Wave(epsilon, half_width, heights), Wave(epsilon, half_width)
    assert square.q == pytest.approx(1 / (2 * half_width * np.exp(epsilon) + 1), rel=1e-12)
    assert wave.q >= square.q * (1 - 1e-12)
    if min(heights) < 0.999:
        assert wave.q > square.q
        apart = [wasserstein_of_reports(w, 0.1, 0.8) for w in (wave, square)]
        assert apart[0] < apart[1]


# -- input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Wave(0, 0.25), "epsilon must be positive"),
        (lambda: Wave(1.0, 0.0), "half_width must be positive"),
        (lambda: Wave(1.0, -0.1), "half_width must be positive"),
        (lambda: Wave(1.0, np.nan), "half_width must be positive"),
        (lambda: Wave(1.0, "0.1"), "half_width must be positive"),
        (lambda: Wave(1.0, 0.25, (1.0, 0.2, 0.3)), "heights must be at least two that fall"),
        (lambda: Wave(1.0, 0.25, (1.0,)), "heights must be at least two"),
        (lambda: Wave(1.0, 0.25, (0.9, 0.5)), "heights must be at least two that fall from 1"),
        (lambda: Wave(1.0, 0.25, (1.0, -0.1)), "heights must be .* stay above 0"),
        (lambda: Wave(1.0, 0.25, (1.0, np.nan)), "heights must be finite"),
        (lambda: Wave(1.0, 0.25).channel(1), "domain_size must be an integer, at least 2"),
        (lambda: Wave(1.0, 0.25).channel(4, 1), "num_outcomes must be an integer, at least 2"),
        (lambda: Wave(1.0, 0.25).channel(2**13, 2**13), "domain_size must keep the channel"),
        (lambda: Wave(1.0, 0.25).cdf(0.5, 1.5), "value must be from 0"),
        (lambda: Wave(1.0, 0.25).cdf(1.3, 0.5), "report must be from -0.25"),
        (lambda: waves.optimal_half_width(-1.0), "epsilon must be positive"),
        (lambda: Wave(1.0, 1025.0), "half_width must be at most 1024"),
        (lambda: Wave(1e-17, 0.25), "epsilon must leave 0 < q < p"),
        (lambda: Wave(1e4, 0.25), "epsilon must leave 0 < q < p"),
        (lambda: Wave(1.0, 0.25).density(np.nan), "z must be"),
        (lambda: Wave(1.0, 0.25).density(None), "z must be real numbers"),
        (lambda: Wave(1.0, 0.25).cdf("a", 0.5), "report must be real numbers"),
        (lambda: Wave(1.0, 0.25).cdf(np.nan, 0.5), "report must be from -0.25"),
        (lambda: waves.mutual_information_bound(1.0, -0.5), "half_width must be"),
        (lambda: waves.mutual_information_bound(1.0, [0.1, 0.0]), "half_width must be positive"),
        (lambda: waves.mutual_information_bound(1.0, "a"), "half_width must be real numbers"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_waves_are_values():
    assert Wave(1.0, 0.25) == Wave(1.0, 0.25, [1, 1])
    assert len({Wave(1.0, 0.25), Wave(1.0, 0.25, SQUARE), Wave(1.0, 0.25, TRIANGLE)}) == 2
