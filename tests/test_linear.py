"""The linear estimator, its variances and its intervals."""

import numpy as np
import pytest
from catalogue import ORACLES, PURE, scores, small
from scipy import stats

from ldp import (
    BLH,
    GRR,
    OLH,
    OUE,
    SHE,
    SUE,
    THE,
    HadamardResponse,
    LocalHashing,
    SubsetSelection,
    Tally,
    UnaryEncoding,
    confidence_interval,
    debias,
    sampling_variance,
    variance,
    worst_case_epsilon,
)
from ldp.linear import noise_variance


@pytest.mark.parametrize("m", [m for eps in (0.5, 3.0) for m in small(eps, PURE)], ids=repr)
def test_debias_is_unbiased_and_its_variance_exact(m):
    """Mean and variance of the estimate over one user of a given law, by enumeration."""
    theta = np.random.default_rng(3).dirichlet(np.ones(m.domain_size))
    law = theta @ m.channel()
    estimates = (scores(m) - m.q) / (m.p - m.q)
    mean = law @ estimates
    np.testing.assert_allclose(mean, theta, atol=1e-9)
    np.testing.assert_allclose(
        sampling_variance(m, 1, theta), law @ estimates**2 - mean**2, rtol=1e-7
    )
    # Given the data, the spread of each value's own conditional law, averaged over users.
    given = m.channel() @ estimates**2 - (m.channel() @ estimates) ** 2  # [x, v]
    np.testing.assert_allclose(variance(m, 1, theta), theta @ given, rtol=1e-7)


E = np.exp
FORMULAS = {  # per user, f -> 0: wang2017locally, Table 1; ye2018optimal; acharya2019hadamard
    "GRR": (lambda e: GRR(50, e), lambda e: (50 - 2 + E(e)) / (E(e) - 1) ** 2),
    "SUE": (lambda e: SUE(50, e), lambda e: E(e / 2) / (E(e / 2) - 1) ** 2),
    "OUE": (lambda e: OUE(50, e), lambda e: 4 * E(e) / (E(e) - 1) ** 2),
    "BLH": (lambda e: BLH(50, e), lambda e: (E(e) + 1) ** 2 / (E(e) - 1) ** 2),
    "THE at 1": (
        lambda e: THE(50, e, threshold=1.0),
        lambda e: (2 * E(e / 2) - 1) / (E(e / 2) - 1) ** 2,
    ),
    "one Hadamard block": (
        lambda e: HadamardResponse(50, e, block_size=64),
        lambda e: (E(e) + 1) ** 2 / (E(e) - 1) ** 2,
    ),
    "OLH with 8 equal buckets": (
        lambda e: OLH(50, e, num_buckets=8),
        lambda e: (E(e) + 7) ** 2 / ((E(e) - 1) ** 2 * 7),
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0, 8.0])
def test_variance_equals_the_published_formula(name, epsilon):
    make, formula = FORMULAS[name]
    assert variance(make(epsilon), 1) == pytest.approx(formula(epsilon), rel=1e-11)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_histogram_encoding_tends_to_laplace_noise(epsilon):
    # Var Z / r^2 = 8/eps^2 - 1/(6 r^2) + O(eps^2/r^4), from the series of 1/sinh^2.
    for resolution in (16, 64, 256):
        gap = 8 / epsilon**2 - variance(SHE(5, epsilon, resolution), 1)
        assert gap == pytest.approx(1 / (6 * resolution**2), rel=0.02)


def test_sampling_adds_the_variance_of_drawing_users():
    theta = np.array([0.5, 0.3, 0.2])
    for m in small(1.0, ORACLES):
        if m.domain_size == 3:
            extra = sampling_variance(m, 10, theta) - variance(m, 10, theta)
            np.testing.assert_allclose(extra, theta * (1 - theta) / 10, rtol=1e-9)


# The parameters that a mechanism chooses: test_large_instances.py compares them with all others.


def test_rounding_the_ideal_subset_size_is_not_enough():
    rounded = [
        max(1, round(d / (E(eps) + 1))) == SubsetSelection(d, eps).subset_size
        for d in range(2, 100)
        for eps in (0.5, 1.0, 2.0)
    ]
    assert 0 < np.mean(rounded) < 1


def test_rounding_the_ideal_number_of_buckets_is_not_enough():
    assert OLH(100, 1.5).num_buckets == 6
    assert round(E(1.5)) + 1 == 5


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 4.0])
def test_optimized_unary_encoding_is_the_best_pair(epsilon):
    best = variance(OUE(4, epsilon), 1)
    for p in np.linspace(0.02, 0.98, 97):
        q = p / (p + E(epsilon) * (1 - p))  # spends epsilon exactly
        assert variance(UnaryEncoding(4, epsilon, p, q), 1) >= best * (1 - 1e-12)


def test_unary_encoding_refuses_probabilities_that_overspend():
    with pytest.raises(ValueError, match="p and q must spend at most epsilon"):
        UnaryEncoding(4, 1.0, p=0.5, q=0.25)
    with pytest.raises(ValueError, match="p and q must spend at most epsilon"):
        UnaryEncoding(4, 1.0 - 1e-9, OUE(4, 1.0).p, OUE(4, 1.0).q)


# Intervals.


@pytest.mark.parametrize("m", small(1.0, ORACLES), ids=repr)
@pytest.mark.parametrize("population", [False, True])
def test_interval_ends_are_z_standard_errors_away_at_their_own_variance(m, population):
    counts = np.full(m.domain_size, 1_000)
    tally = m.simulate(counts, np.random.default_rng(9))
    n, z = tally.num_reports, stats.norm.isf(0.05)
    estimate = debias(tally, m)
    ends = confidence_interval(tally, m, level=0.9, population=population)
    assert_score_ends(ends, estimate, m, n, z, population)
    together = confidence_interval(tally, m, level=0.9, simultaneous=True, population=population)
    z = stats.norm.isf(0.05 / m.domain_size)  # Bonferroni: a tenth shared by d two-sided intervals
    assert_score_ends(together, estimate, m, n, z, population)


def assert_score_ends(ends, estimate, m, n, z, population):
    for end in ends:
        spread = [
            noise_variance(m.p, m.q, m.second_moment(f, estimate)[v], f) / n
            if isinstance(m, HadamardResponse) and m.num_blocks > 1
            else variance(m, n, 0.0) + (variance(m, n, 1.0) - variance(m, n, 0.0)) * f
            for v, f in enumerate(end)
        ]
        spread = np.array(spread) + population * end * (1 - end) / n
        np.testing.assert_allclose(np.abs(estimate - end), z * np.sqrt(spread), rtol=1e-9)


@pytest.mark.statistical
def test_intervals_of_hadamard_blocks_cover_beside_a_dominant_value():
    """800 runs: the standard error of a coverage of 0.95 is 0.0077; 6 of them are below 0.904.

    Control: intervals that spread the other users evenly cover far less than that.
    """
    m, n = HadamardResponse(74, 4.0), 100_000
    assert m.num_blocks > 1
    counts = np.full(74, 100)
    counts[0] += n - counts.sum()
    true = counts[1] / n
    covered = even = 0
    for rng in np.random.default_rng(71).spawn(800):
        tally = m.simulate(counts, rng)
        low, high = confidence_interval(tally, m)
        covered += low[1] <= true <= high[1]
        even += abs(debias(tally, m)[1] - true) <= 1.96 * np.sqrt(variance(m, n, true))
    assert covered / 800 > 0.904
    assert even / 800 < 0.8


def exact_coverage(m, n, holders, level):
    """Probability that the interval of value 0 holds the truth, over the exact law of its count."""
    count = np.arange(n + 1)
    law = np.convolve(
        stats.binom.pmf(np.arange(holders + 1), holders, m.p),
        stats.binom.pmf(np.arange(n - holders + 1), n - holders, m.q),
    )
    covered = [
        low[0] <= holders / n <= high[0]
        for low, high in (confidence_interval(Tally([c, n - c], n), m, level=level) for c in count)
    ]
    return law @ np.array(covered)


@pytest.mark.parametrize("holders", [0, 3, 200, 397, 400])
def test_coverage_is_near_the_level(holders):
    # The count is a lattice variable of standard deviation s >= 8: an atom at an end of the
    # interval weighs phi(1.96)/s < 0.0075, and there are two ends.
    coverage = exact_coverage(GRR(2, 1.0), 400, holders, 0.95)
    assert abs(coverage - 0.95) < 0.015


def test_control_intervals_of_half_the_length_do_not_cover():
    assert exact_coverage(GRR(2, 1.0), 400, 200, 0.67) < 0.8


@pytest.mark.statistical
def test_simultaneous_intervals_hold_together():
    """Bonferroni covers at least 0.95, up to the normal approximation.

    352 or fewer of 400 runs, the bound below, have probability 3e-8 at a coverage of 0.95.
    """
    m, theta = OUE(30, 1.0), np.full(30, 1_000)
    together = single = 0
    for rng in np.random.default_rng(17).spawn(400):
        tally = m.simulate(theta, rng)
        low, high = confidence_interval(tally, m, simultaneous=True)
        together += ((low <= 1 / 30) & (high >= 1 / 30)).all()
        low, high = confidence_interval(tally, m)
        single += ((low <= 1 / 30) & (high >= 1 / 30)).all()
    assert together / 400 > 0.88
    assert single / 400 < 0.5  # control: pointwise intervals do not hold together (0.95**30 = 0.21)


def test_candidates_are_estimated_as_the_whole_domain_would_be():
    m = OLH(1000, 1.0)
    reports = m.privatize(np.arange(1000).repeat(20), np.random.default_rng(2))
    asked = np.array([7, 999, 0])
    whole, part = m.tally(reports), m.tally(reports, candidates=asked)
    np.testing.assert_array_equal(debias(part, m), debias(whole, m)[asked])
    low, high = confidence_interval(part, m, simultaneous=True)
    whole_low, whole_high = confidence_interval(whole, m, simultaneous=True)
    assert (high - low < (whole_high - whole_low)[asked]).all()  # three intervals, not a thousand


def test_tallies_add_to_the_tally_of_all():
    for m in small(1.0, ORACLES):
        values = np.arange(40) % m.domain_size
        reports = m.privatize(values, np.random.default_rng(1))
        parts = [m.tally(reports[i : i + 13]) for i in range(0, 40, 13)]
        assert sum(parts) == m.tally(reports)
        assert sum(parts[::-1]) == m.tally(reports)


def test_two_spellings_of_one_law_share_their_tallies():
    assert LocalHashing(9, 1.0, 2) == BLH(9, 1.0)
    assert SubsetSelection(9, 1.0, SubsetSelection(9, 1.0).subset_size) == SubsetSelection(9, 1.0)


def test_frequencies_may_come_in_any_shape():
    m = OUE(9, 1.0)
    grid = np.array([[0.0, 0.1], [0.2, 1.0]])
    expected = [[variance(m, 10, f) for f in row] for row in grid]
    np.testing.assert_array_equal(variance(m, 10, grid), expected)
    with pytest.raises(ValueError, match="frequency must be from 0 to 1"):
        variance(m, 10, [0.5, 1.5])


def test_a_tally_keeps_its_own_counts():
    given = np.array([1, 2])
    tally = Tally(given, 3)
    given[0] = 7
    assert tally.counts[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        tally.counts[0] = 7


def test_candidates_are_kept_and_checked():
    m = OLH(1000, 1.0)
    reports = m.privatize(np.arange(50), np.random.default_rng(2))
    asked = np.array([1, 2])
    tally = m.tally(reports, asked)
    asked[0] = 99
    assert tally.candidates.tolist() == [1, 2]
    with pytest.raises(ValueError, match="candidates must name at least one value"):
        m.tally(reports, [])
    with pytest.raises(ValueError, match="candidates must be as many as the 2 counts, got 3"):
        Tally([1, 1], 2, candidates=[0, 1, 2])


def test_mistaking_reports_for_a_tally_or_a_mechanism_for_a_channel():
    m = GRR(3, 1.0)
    with pytest.raises(TypeError, match=r"tally must be a Tally, got ndarray\."):
        debias(m.privatize([0, 1], np.random.default_rng(0)), m)
    with pytest.raises(TypeError, match=r"channel must be a matrix of real numbers, got GRR\."):
        worst_case_epsilon(m)
