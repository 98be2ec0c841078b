"""Every mechanism at a small, a usual and a large size, where lists of small ones cannot look.

Defaults are compared with an optimum that is found from the formulas of this file alone, among
all choices. Samplers and simulators are compared with the moments of theory; `ALARM` standard
errors are a 2e-9 event for a normal number, and the file compares some 20,000: 4e-5 if all were
independent draws. Controls beside them are off by as little as three percent.
"""

import numpy as np
import pytest
from catalogue import LARGE, LARGEST_TAKEN, ORACLES, PURE, is_noisy, makers
from scipy import optimize, special

from ldp import (
    BLH,
    GRR,
    OLH,
    OUE,
    RRRR,
    SHE,
    SUE,
    THE,
    HadamardResponse,
    SquareWave,
    SubsetSelection,
    debias,
    variance,
)
from ldp.means import HybridMean, LaplaceMean, OneBitMean, PiecewiseMean

SIZES = (2, 3, 5, 7, 50, 100, 137, 3_000, 100_000)
BUDGETS = (0.1, 0.3, 0.7, 1.0, 1.5, 2.5, 4.0, 6.0)
ALARM = 6.0


# -- defaults: the best of all, by formulas of this file -------------------------------------------


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("d", SIZES)
def test_the_subset_is_of_the_best_size(d, epsilon):
    """Variance of a rare value's estimate, q (1 - q) / (p - q)^2, for all sizes of the subset."""
    k, e = np.arange(1, d, dtype=float), np.exp(epsilon)
    p = k * e / (k * e + d - k)
    q = k / (d - 1) * ((k - 1) * e + d - k) / (k * e + d - k)
    cost = q * (1 - q) / (p - q) ** 2
    assert cost[SubsetSelection(d, epsilon).subset_size - 1] <= cost.min() * (1 + 1e-12)


def hadamard_cost(d, epsilon, b):
    """Variance for a rare value, all others held evenly often, by blocks of b - 1 values."""
    blocks, e = -(-d // (b - 1)), np.exp(epsilon)
    total = b / 2 * e + blocks * b - b / 2
    sizes = np.full(blocks, b - 1)
    sizes[-1] = d - (b - 1) * (blocks - 1)
    own = sizes @ (sizes - 1) / (d * (d - 1))  # another user's value in the same block
    inside = own * (b / 2 * e + b / 2) / total + (1 - own) * b / total
    p = (b / 2 * e + (blocks * b - b) / 2) / total
    return ((1 / 2 - (1 - inside) / 4) - 1 / 4) / (p - 1 / 2) ** 2


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("d", [*SIZES, 2**20 + 7])
def test_the_blocks_are_of_the_best_size(d, epsilon):
    """At budgets so near each other that a change of size two per cent too early is seen."""
    for budget in [epsilon, *(np.arange(0.1, 8, 0.02) if (d, epsilon) == (100, 1.0) else [])]:
        cost = {2**k: hadamard_cost(d, budget, 2**k) for k in range(1, d.bit_length() + 1)}
        assert cost[HadamardResponse(d, budget).block_size] <= min(cost.values()) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [*BUDGETS, 9.0])
@pytest.mark.parametrize("d", [*SIZES, 2**20 + 7])
def test_there_are_as_many_buckets_as_is_best(d, epsilon):
    """A bucket holds another value with chance 1/g, up to the shares of whole words."""
    g = np.arange(2, 30_000, dtype=float)
    p = np.exp(epsilon) / (np.exp(epsilon) + g - 1)
    cost = (1 - 1 / g) / g / (p - 1 / g) ** 2
    if (best := 2 + int(np.argmin(cost))) < 2_000:  # else the words of a large domain are too short
        assert OLH(d, epsilon).num_buckets == best
    assert BLH(d, epsilon).num_buckets == 2


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("d", SIZES)
def test_bits_have_the_best_chances(d, epsilon):
    def cost(t):
        p, q = 1 - np.exp(epsilon * (t - 1) / 2) / 2, np.exp(-epsilon * t / 2) / 2
        return q * (1 - q) / (p - q) ** 2

    best = optimize.minimize_scalar(cost, bounds=(0.5, 1), method="bounded").x
    t = -2 / epsilon * np.log(2 * THE(d, epsilon).q)
    assert cost(t) <= cost(best) * (1 + 1e-9)
    assert THE(d, epsilon).p == pytest.approx(1 - np.exp(epsilon * (t - 1) / 2) / 2, rel=1e-12)
    assert (OUE(d, epsilon).p, SUE(d, epsilon).p) == pytest.approx(
        (0.5, special.expit(epsilon / 2)), rel=1e-14
    )
    assert OUE(d, epsilon).q == pytest.approx(special.expit(-epsilon), rel=1e-14)


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("d", [2, 3, 4, 5, 10, 33, 100, 3_000])
def test_the_wave_is_of_the_best_width(d, epsilon):
    """The report of a uniform value taken as uniform, less the entropy of a report: for all b."""
    b = np.arange(2 * d)
    cells, window, e = d + 2 * b, 2 * b + 1, np.exp(epsilon)
    q = 1 / (window * e + d - 1)
    noise = -window * q * e * np.log(q * e) - (d - 1) * q * np.log(q)
    told = np.log(cells) - noise
    assert told[SquareWave(d, epsilon).half_width] >= told.max() - 1e-14


def spread_of_window(size, epsilon, w, u):
    """Variance, in steps, of the number that a cell stands for, `u` steps from the middle."""
    cells, e = size + w, np.exp(epsilon)
    q = 1 / (w * e + size)
    slope = w * q * (e - 1)
    everywhere = slope * (u**2 + (w**2 - 1) / 12) + (1 - slope) * (cells**2 - 1) / 12
    return everywhere / slope**2 - u**2


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("resolution", [4, 64, 1024, 2**14])
def test_windows_are_of_the_best_size(resolution, epsilon):
    """Worst at an end or in the middle, up to the rounding between two points."""
    w, half = np.arange(1.0, 4 * resolution + 1), resolution / 2
    ends = spread_of_window(resolution, epsilon, w, half)
    middle = spread_of_window(resolution, epsilon, w, 0.0)
    worst = np.maximum(ends, middle)
    chosen = PiecewiseMean(0.0, 1.0, epsilon, resolution).window
    assert worst[chosen - 1] <= worst.min() * (1 + 1e-9)
    # The mixture that is as uncertain about all values has the share of the window's slope.
    slope = w * np.expm1(epsilon) / (w * np.exp(epsilon) + resolution)
    bit = half**2 / np.tanh(epsilon / 2) ** 2
    mixed = slope * middle + (1 - slope) * bit
    m = HybridMean(0.0, 1.0, epsilon, resolution)
    if m.share:
        assert mixed[m.window - 1] <= mixed.min() * (1 + 1e-9)
        assert m.share == pytest.approx(slope[m.window - 1], rel=1e-9)
        rounding = 1 / 4  # at most, halfway between two points
        assert m.worst_variance * resolution**2 == pytest.approx(mixed.min() + rounding, rel=1e-9)
    else:
        assert (middle > bit)[m.window - 1]
    assert OneBitMean(0.0, 1.0, epsilon).worst_variance == pytest.approx(bit / resolution**2)


# -- samplers and simulators -----------------------------------------------------------------------


LARGE_ONES = [
    make(min(d, LARGEST_TAKEN.get(name, (d,))[0]), epsilon)
    for d, epsilon in [(2, 1.0), (1_000, 1.0), (LARGE, 4.0)]
    for name, make in makers(ORACLES if d < LARGE else PURE).items()
    if " " not in name  # with the parameters that it chooses itself
]


def worst_z(tally, m, counts):
    """Largest distance from the values' shares, of up to 500 values, in standard errors."""
    n, d = counts.sum(), m.domain_size
    z = (debias(tally, m) - counts / n) / np.sqrt(variance(m, n, counts / n))
    return np.abs(z[np.unique(np.linspace(0, d - 1, 500).astype(int))]).max()


@pytest.mark.statistical
@pytest.mark.parametrize("m", LARGE_ONES, ids=repr)
def test_samplers_of_any_size_have_the_moments_of_theory(m):
    """All users hold the first, the middle or the last value, which a wrong branch would move."""
    rng, d = np.random.default_rng(3), m.domain_size
    more = 500 if isinstance(m, GRR) else 1  # counts of GRR are rare, and normal only if many
    values = np.repeat([0, d // 2, d - 1], more * np.array([700, 500, 800]))
    counts = np.bincount(values, minlength=d)
    assert worst_z(m.tally(m.privatize(values, rng)), m, counts) < ALARM
    crowd = 100_000 // more * counts
    assert worst_z(m.simulate(crowd, rng), m, crowd) < ALARM


@pytest.mark.statistical
@pytest.mark.parametrize("m", [m for m in LARGE_ONES if not is_noisy(m)], ids=repr)
def test_control_a_share_of_three_percent_moved_is_seen(m):
    rng, d = np.random.default_rng(3), m.domain_size
    counts = 10**8 * np.bincount([0, d // 2, d - 1], minlength=d)
    moved = counts.copy()
    moved[0] -= 3 * 10**6
    moved[d - 1] += 3 * 10**6
    assert worst_z(m.simulate(moved, rng), m, counts) > ALARM


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("d", "b"), [(d, b) for d in (50, 20_000) for b in (None, 0, 5_000)] + [(2**30, None)]
)
def test_the_wave_of_any_size_reports_near_its_value(d, b):
    m, rng, n = SquareWave(d, 2.0, b), np.random.default_rng(4), 40_000
    window = 2 * m.half_width + 1
    share = window * np.exp(2.0) / (window * np.exp(2.0) + d - 1)
    for value in (0, d - 1):
        reports = m.privatize(np.full(n, value), rng)
        near = ((reports >= value) & (reports < value + window)).mean()
        assert abs(near - share) < ALARM * np.sqrt(share * (1 - share) / n)


@pytest.mark.statistical
@pytest.mark.parametrize("size", [0, 1, 100, 9_998, 9_999])
def test_restriction_of_any_size_answers_inside_as_often_as_it_should(size):
    """Of values inside and outside: how often the answer is the truth, and lies in the subset."""
    d, n, rng = 10_000, 40_000, np.random.default_rng(5)
    m = RRRR(d, 4.0, range(size), 3.0)
    e, inside = np.exp(3.0), size / (np.exp(3.0) + size)
    chances = {d - 1: inside} | ({0: (e + size - 1) / (e + size)} if size else {})
    for value, chance in chances.items():
        for reports in (
            m.privatize(np.full(n, value), rng),
            np.repeat(np.arange(d), m.simulate(n * np.eye(1, d, value, dtype=int)[0], rng).counts),
        ):
            error = np.sqrt(max(chance * (1 - chance), 1e-12) / n)
            assert abs((reports < size).mean() - chance) <= ALARM * error
            truth = m.levels.own_in if value < size else m.levels.own_out
            error = np.sqrt(truth * (1 - truth) / n)
            assert abs((reports == value).mean() - truth) <= ALARM * error


@pytest.mark.statistical
@pytest.mark.parametrize("make", [OneBitMean, PiecewiseMean, HybridMean, LaplaceMean])
@pytest.mark.parametrize("n", [2_000, 300_000])
def test_means_of_any_number_of_users(make, n):
    m, rng = make(-1.0, 3.0, 1.5), np.random.default_rng(6)
    values = np.linspace(-1, 3, n)
    error = np.sqrt(m.variance(values).sum()) / n
    assert abs(m.mean(m.privatize(values, rng)) - values.mean()) < ALARM * error
    spread = m.unbiased(m.privatize(np.full(n, 0.4), rng)).var() / m.variance(0.4)
    assert abs(spread - 1) < 4 * ALARM / np.sqrt(n)  # a variance is off by two errors at most


def test_sums_of_noise_are_exact_up_to_the_largest_crowd():
    m, rng = SHE(2, 50.0, resolution=1), np.random.default_rng(7)
    assert m.simulate([2**53, 0], rng).num_reports == 2**53
    with pytest.raises(ValueError, match=f"value_counts must be .*{2**53}"):
        m.simulate([2**53, 1], rng)
