"""Mean oracles: channels, means and variances by enumeration, and what is published of them."""

import numpy as np
import pytest
from catalogue import EPSILONS, LOWER, MEANS, UPPER, law_given, numbers_and_laws, small
from scipy import stats
from scipy.optimize import brentq

import ldp
from ldp import GRR, worst_case_epsilon
from ldp._words import at_least, shared_rest
from ldp.means import HybridMean, LaplaceMean, OneBitMean, PiecewiseMean, mean_interval

WORDS = 2**64
FINE = 2**14
LEAST_HYBRID = 0.6093525  # root of 3 s^3 - s^2 + s - 7 at s = e^(eps/2)

every_oracle = pytest.mark.parametrize(
    "m", [m for e in EPSILONS for m in small(e, MEANS)], ids=repr
)


# -- privacy ---------------------------------------------------------------------------------------


@every_oracle
def test_rows_of_the_channel_are_laws_that_spend_epsilon(m):
    channel = m.channel()
    assert channel.shape == (m.grid.points.size, m.num_outcomes)
    assert np.abs(channel.sum(axis=1) - 1).max() < 1e-14
    assert worst_case_epsilon(channel) == pytest.approx(m.epsilon, rel=1e-12)


def words_at_borders(weights):
    """The last word of each cell and the first of the next, cells in order of their words."""
    borders = np.cumsum(weights, dtype=object)
    return [word for border in borders for word in (border - 1, border) if word < WORDS]


def test_the_sampler_has_these_weights(monkeypatch):
    m = PiecewiseMean(0.0, 1.0, 1.0, resolution=5, window=3)
    outside = int(at_least(m.q))
    inside = int(shared_rest(np.uint64(outside), 5, 3))
    words = words_at_borders([outside] * 5 + [inside] * 3)
    stream = np.array([words], dtype=np.uint64).ravel()
    for j in range(6):
        drawn = [np.zeros(stream.size, dtype=np.uint64), stream]
        names = PiecewiseMean._randomize.__globals__
        monkeypatch.setitem(names, "words", lambda _rng, _shape, d=drawn: d.pop(0))
        reports = m.privatize(np.full(stream.size, j / 5), np.random.default_rng(1))
        cells = [c for c in range(8) if not j <= c < j + 3] + [j, j + 1, j + 2]
        expected = np.repeat(cells, 2).tolist()[1:]  # the first word of the first cell is not there
        if stream.size > len(expected):  # there are words left: they mean the first cells
            expected.append(0)
        assert reports.tolist() == expected


def test_a_bit_is_randomized_response():
    m = OneBitMean(LOWER, UPPER, 1.0)
    assert np.array_equal(m.channel(), GRR(2, 1.0).channel())
    ends = np.array([0, 1, 1, 0] * 50)
    rng = np.random.default_rng(3)
    ldp._words.words(rng, ends.size)  # those of the rounding
    expected = GRR(2, 1.0).privatize(ends, rng)
    given = np.where(ends, UPPER, LOWER)
    assert np.array_equal(m.privatize(given, np.random.default_rng(3)), expected)


# -- means and variances by enumeration ------------------------------------------------------------


@every_oracle
def test_numbers_are_unbiased_with_the_stated_variance(m):
    numbers, laws = numbers_and_laws(m)
    values = np.append(m.grid.points, np.linspace(LOWER, UPPER, 41))
    mean = np.array([law_given(m, x, laws) @ numbers for x in values])
    spread = np.array([law_given(m, x, laws) @ (numbers - x) ** 2 for x in values])
    size = np.sqrt(m.worst_variance) + UPPER - LOWER
    assert np.abs(mean - values).max() < 1e-12 * size
    assert m.variance(values) == pytest.approx(spread, rel=1e-9, abs=1e-13 * size**2)


@every_oracle
def test_worst_variance_is_the_largest(m):
    variances = m.variance(np.linspace(LOWER, UPPER, 100_001))
    assert variances.max() <= m.worst_variance * (1 + 1e-12)
    assert variances.max() >= m.worst_variance * (1 - 1e-6)


@every_oracle
def test_grid(m):
    assert m.grid.points.size == m.grid.resolution + 1
    assert (m.grid.points[0], m.grid.points[-1]) == (LOWER, UPPER)
    assert np.diff(m.grid.points) == pytest.approx((UPPER - LOWER) / m.grid.resolution, rel=1e-12)


@pytest.mark.parametrize("m", small(1.0, MEANS), ids=repr)
def test_variance_keeps_the_shape(m):
    values = np.linspace(LOWER, UPPER, 6).reshape(2, 3)
    assert m.variance(values).shape == (2, 3)
    assert np.array_equal(m.variance(values).ravel(), m.variance(values.ravel()))
    assert np.ndim(m.variance(0.5)) == 0


# -- one bit, in three dresses ---------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_bit_is_three_published_mechanisms(epsilon):
    e, x = np.exp(epsilon), np.linspace(0, 1, 11)
    # Ding et al., [0, m]: a one with this chance, the number m (y (e + 1) - 1) / (e - 1)
    ding, chance = OneBitMean(0.0, 10.0, epsilon), 1 / (e + 1) + x * (e - 1) / (e + 1)
    law = np.stack([1 - x, x], axis=1) @ ding.channel()
    assert law[:, 1] == pytest.approx(chance, rel=1e-12)
    expected = [10 * (y * (e + 1) - 1) / (e - 1) for y in (0, 1)]
    assert ding.unbiased([0, 1]) == pytest.approx(expected, rel=1e-12)
    variance = 100 / np.tanh(epsilon / 2) ** 2 * chance * (1 - chance)
    assert ding.variance(10 * x) == pytest.approx(variance, rel=1e-12)
    # Duchi et al., [-1, 1]: the number is +- coth(eps / 2)
    duchi, coth = OneBitMean(-1.0, 1.0, epsilon), 1 / np.tanh(epsilon / 2)
    assert duchi.unbiased([0, 1]) == pytest.approx([-coth, coth], rel=1e-12)
    assert duchi.variance(2 * x - 1) == pytest.approx(coth**2 - (2 * x - 1) ** 2, rel=1e-12)
    # S004: a bit of mean v, then a frequency oracle of two values: twice the frequency less one
    by_oracle = [2 * ldp.debias(ldp.Tally(c, 1), GRR(2, epsilon))[1] - 1 for c in ([1, 0], [0, 1])]
    assert duchi.unbiased([0, 1]) == pytest.approx(by_oracle, rel=1e-9)


def test_a_shifted_and_stretched_range_changes_nothing():
    x = np.random.default_rng(4).integers(0, 65, 1_000) / 64
    for make in (OneBitMean, LaplaceMean, PiecewiseMean, HybridMean):
        unit, other = make(0.0, 1.0, 1.0), make(-4.0, 12.0, 1.0)
        reports = unit.privatize(x, np.random.default_rng(5))
        assert np.array_equal(reports, other.privatize(16 * x - 4, np.random.default_rng(5)))
        assert other.unbiased(reports) == pytest.approx(16 * unit.unbiased(reports) - 4, rel=1e-12)
        assert other.worst_variance == pytest.approx(256 * unit.worst_variance, rel=1e-12)


# -- the continuous limits -------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_laplace_noise_of_scale_one_over_epsilon(epsilon):
    # 1 / (2 K^2 sinh^2(eps / 2K)) = 2 / eps^2 - 1 / 6 K^2 + ..., and rounding adds up to 1 / 4 K^2
    for resolution in (16, 256):
        m, steps = LaplaceMean(0.0, 1.0, epsilon, resolution), 1 / resolution**2
        noise = 2 / epsilon**2 - steps / 6
        assert m.variance(0.5) == pytest.approx(noise, abs=epsilon**2 * steps**2)
        assert m.worst_variance == pytest.approx(noise + steps / 4, abs=epsilon**2 * steps**2)


def test_one_bit_beats_laplace_noise_below_a_budget_of_2_324():
    def excess(epsilon):
        return (
            LaplaceMean(0.0, 1.0, epsilon, FINE).worst_variance
            - OneBitMean(0.0, 1.0, epsilon).worst_variance
        )

    crossing = brentq(excess, 1, 4, xtol=1e-12)
    # 2 / eps^2 = coth^2(eps / 2) / 4; the grid moves the variance by less than 1 / 4 K^2.
    assert crossing == pytest.approx(2 * np.sqrt(2) * np.tanh(crossing / 2), abs=1e-8)
    assert crossing == pytest.approx(2.32417, abs=5e-6)
    assert excess(2.3) > 0 > excess(2.35)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_published_piecewise_mechanism(epsilon):
    s = np.exp(epsilon / 2)
    m = PiecewiseMean(-1.0, 1.0, epsilon, FINE, window=round(FINE / s))
    # Window and rounding are each off by at most half a cell of 1 / w of the window.
    rtol = 4 * s / FINE
    reach = (s + 1) / (s - 1)  # C: reports lie in [-C, C], half a cell from its ends
    assert m.unbiased([0, m.num_outcomes - 1]) == pytest.approx([-reach, reach], rel=rtol)
    t = np.linspace(-1, 1, 9)
    published = t**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)
    assert m.variance(t) == pytest.approx(published, rel=rtol)
    assert m.worst_variance == pytest.approx(4 * s / (3 * (s - 1) ** 2), rel=rtol)


@pytest.mark.parametrize("epsilon", [0.7, 1.0, 2.0, 4.0, 8.0])
def test_the_published_hybrid_mechanism(epsilon):
    s, e = np.exp(epsilon / 2), np.exp(epsilon)
    m = HybridMean(-1.0, 1.0, epsilon, FINE, window=round(FINE / s))
    rtol = 4 * s / FINE
    assert m.share == pytest.approx(1 - 1 / s, rel=rtol)
    published = (s + 3) / (3 * s * (s - 1)) + (e + 1) ** 2 / (s * (e - 1) ** 2)
    assert m.worst_variance == pytest.approx(published, rel=rtol)
    assert np.ptp(m.variance(m.grid.points)) < 1e-9 * published  # the same for all values


def test_below_0_61_the_hybrid_sends_the_bit():
    s = np.exp(LEAST_HYBRID / 2)
    assert 3 * s**3 - s**2 + s - 7 == pytest.approx(0, abs=1e-5)
    for epsilon, sends_cells in ((0.3, False), (0.605, False), (0.615, True), (1.0, True)):
        published = HybridMean(0.0, 1.0, epsilon, FINE, round(FINE / np.exp(epsilon / 2)))
        assert (published.share > 0) == sends_cells
    # The best window moves the border by less than a hundredth.
    assert HybridMean(0.0, 1.0, 0.6).share == 0 < HybridMean(0.0, 1.0, 0.61).share
    below = HybridMean(0.0, 1.0, 0.3)
    assert below.worst_variance == pytest.approx(0.25 / np.tanh(0.15) ** 2, rel=1e-12)


# -- the best windows ------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("resolution", [1, 2, 7, 40, 300])
@pytest.mark.parametrize("make", [PiecewiseMean, HybridMean])
def test_no_window_has_a_smaller_worst_variance(make, resolution, epsilon):
    best = make(0.0, 1.0, epsilon, resolution).worst_variance
    windows = range(1, 4 * resolution + 1)
    others = [make(0.0, 1.0, epsilon, resolution, w).worst_variance for w in windows]
    assert best <= min(others) * (1 + 1e-12)


@pytest.mark.parametrize(("epsilon", "excess"), [(1.0, 0.03), (4.0, 0.49), (8.0, 2.02)])
def test_the_published_window_is_too_narrow(epsilon, excess):
    best = PiecewiseMean(0.0, 1.0, epsilon, FINE)
    published = PiecewiseMean(0.0, 1.0, epsilon, FINE, round(FINE * np.exp(-epsilon / 2)))
    assert published.window < best.window
    ratio = published.worst_variance / best.worst_variance
    assert ratio - 1 == pytest.approx(excess, abs=0.005)


def test_the_best_window_falls_like_the_cube_root():
    # Up to higher orders the worst variance is w^2 / 12 + 1 / (3 w e^eps) widths squared.
    for epsilon in (12.0, 14.0):
        m = PiecewiseMean(0.0, 1.0, epsilon, 2**18)
        scale = np.cbrt(2 * np.exp(-epsilon))
        assert m.window / m.grid.resolution == pytest.approx(scale, rel=scale)
        assert m.worst_variance == pytest.approx(scale**2 / 4, rel=2 * scale)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_hybrid_is_best_of_three_in_the_worst_case(epsilon):
    ends = LOWER, UPPER, epsilon
    hybrid, width = HybridMean(*ends).worst_variance, UPPER - LOWER
    rounding = width**2 / (4 * 1024**2)
    assert hybrid <= PiecewiseMean(*ends).worst_variance
    assert hybrid <= OneBitMean(*ends).worst_variance + rounding
    if epsilon > 0.7:
        others = PiecewiseMean(*ends).worst_variance, OneBitMean(*ends).worst_variance
        assert hybrid < 0.997 * min(others)


# -- intervals -------------------------------------------------------------------------------------


def coverage(m, ends, population, target):
    """Chance that the interval holds the target, over all numbers of ones among 400 reports.

    The users are as many for every row of chances of the two ends.
    """
    law, size = np.ones(1), 400 // len(ends)
    for chance in ends @ m.channel()[:, 1]:
        law = np.convolve(law, stats.binom.pmf(np.arange(size + 1), size, chance))
    covered = 0.0
    for ones, weight in enumerate(law):
        if weight > 1e-12:
            tally = ldp.Tally([400 - ones, ones], 400, m)
            lower, upper = mean_interval(tally, m, population=population)
            covered += weight * (lower <= target <= upper)
    return covered


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("value", [0.1, 0.3, 0.5])
def test_exact_coverage_of_users_drawn_alike(epsilon, value):
    """The normal approximation of 400 bits costs less than two percent of 95."""
    m = OneBitMean(0.0, 1.0, epsilon)
    covered = coverage(m, np.array([[1 - value, value]]), True, value)
    assert 0.93 < covered < 0.97


def test_exact_coverage_of_the_users_at_hand_is_too_much_if_anything():
    # Half of 400 users at either end: the sample variance holds theirs, 1/4, as well as the noise.
    m = OneBitMean(0.0, 1.0, 4.0)
    both = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert coverage(m, both, False, 0.5) > 0.9999
    assert coverage(OneBitMean(0.0, 1.0, 0.5), both, False, 0.5) > 0.95


def test_a_channel_of_one_row_too_many_is_refused():
    with pytest.raises(ValueError, match="got 4096 rows of 4097 outcomes"):
        PiecewiseMean(0.0, 1.0, 1.0, 4095, window=2).channel()
