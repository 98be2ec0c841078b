"""Vectors: the law of reports by enumeration, the choice of dimensions, what it costs."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy.optimize import brentq
from test_samplers import FALSE_ALARM, chi_square_p_value

from ldp import Tally
from ldp.means import HybridMean, LaplaceMean, OneBitMean, PiecewiseMean, VectorMean


def law_of_one_user(m, values):
    """Every report of one user, with its probability: a choice of dimensions and bits for them."""
    part = m.coordinate
    ends = (np.array(values) - m.lower) / (m.upper - m.lower)
    ones = np.stack([1 - ends, ends], axis=1) @ part.channel()[:, 1]
    for dimensions in combinations(range(m.num_dimensions), m.num_reported):
        for bits in product((0, 1), repeat=m.num_reported):
            chance = 1 / comb(m.num_dimensions, m.num_reported)
            for d, bit in zip(dimensions, bits, strict=True):
                chance *= ones[d] if bit else 1 - ones[d]
            report = np.array([list(zip(dimensions, bits, strict=True))], dtype=m.report.dtype)
            yield report, chance


@pytest.mark.parametrize("k", [1, 2, 3])
def test_means_and_variances_by_enumeration(k):
    m, values = VectorMean(OneBitMean, -1.0, 2.0, 1.0, 3, k), [1.7, -1.0, 0.4]
    total, mean, square = 0.0, np.zeros(3), np.zeros(3)
    for report, chance in law_of_one_user(m, values):
        estimate = m.mean(report)
        total += chance
        mean += chance * estimate
        square += chance * (estimate - values) ** 2
    assert total == pytest.approx(1, rel=1e-12)
    assert mean == pytest.approx(values, rel=1e-12)
    assert square == pytest.approx(m.variance(values), rel=1e-12)


def test_a_vector_of_one_number_is_that_number():
    m, part = VectorMean(OneBitMean, 0.0, 1.0, 1.0, 1), OneBitMean(0.0, 1.0, 1.0)
    reports = m.privatize(np.full((30, 1), 0.3), np.random.default_rng(8))
    assert m.mean(reports) == pytest.approx([part.mean(reports["report"][:, 0])], rel=1e-12)
    assert m.variance(0.3) == part.variance(0.3)


def test_estimates_of_users_average():
    m = VectorMean(OneBitMean, 0.0, 1.0, 1.0, 3, 2)
    reports = m.privatize(np.full((40, 3), 0.3), np.random.default_rng(1))
    each = [m.mean(reports[i : i + 1]) for i in range(40)]
    assert m.mean(reports) == pytest.approx(np.mean(each, axis=0), rel=1e-12)


@pytest.mark.parametrize("make", [OneBitMean, LaplaceMean, HybridMean])
def test_tallies_add_and_carry_the_estimate(make):
    m = VectorMean(make, -1.0, 2.0, 2.0, 6, 2)
    given = np.random.default_rng(6).uniform(-1, 2, (50, 6)) ** 2 / 2 - 1
    reports = m.privatize(given, np.random.default_rng(7))
    parts = zip(m.tally(reports[:1]), m.tally(reports[1:]), strict=True)
    assert np.array_equal(m.mean([a + b for a, b in parts]), m.mean(reports))
    numbers = np.zeros((50, 6))  # by hand: three times the way from the middle, or nothing
    for i, row in enumerate(reports):
        numbers[i, row["dimension"]] = 3 * (m.coordinate.unbiased(row["report"]) - 0.5)
    assert m.mean(reports) == pytest.approx(0.5 + numbers.mean(axis=0), rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 1]] * 2, "reports must be 3 tallies"),
        ([[0, 0]] * 3, "at least one report"),
        ([[1, 1], [0, 0], [1, 0]], "reports must be of 2 dimensions of every user, got 3"),
        ([[4, 0], [1, 0], [1, 0]], "got 6 in all and 4 of one"),
        ([[1, 1, 1], [1, 1, 1], [0, 0, 0]], "a tally of 2 integers"),
    ],
)
def test_refuses_tallies_that_cannot_be(counts, message):
    m = VectorMean(OneBitMean, 0.0, 1.0, 1.0, 3, 2)
    with pytest.raises(ValueError, match=message):
        m.mean([Tally(c, sum(c)) for c in counts])
    for bad in ([1, 2, 3], [None] * 3, "abc", None, Tally([1, 1], 2)):
        with pytest.raises(TypeError, match="reports must"):
            m.mean(bad)
    other = OneBitMean(0.0, 1.0, 1.0)  # the whole budget for one number
    with pytest.raises(ValueError, match="reports must be of OneBitMean"):
        m.mean([Tally([1, 1], 2, other)] * 3)


@pytest.mark.statistical
@pytest.mark.parametrize(("dimensions", "k"), [(5, 1), (5, 2), (6, 3), (7, 6)])
def test_every_set_of_dimensions_is_as_likely(dimensions, k):
    """One false alarm in 10**9; the control prefers one set by three users in a hundred."""
    m = VectorMean(OneBitMean, 0.0, 1.0, 1.0, dimensions, k)
    rng = np.random.default_rng(2)
    chosen = m.privatize(rng.random((60_000, dimensions)), rng)["dimension"]
    assert (np.diff(chosen, axis=1) > 0).all()
    sets = comb(dimensions, k)
    counts = np.unique((1 << chosen).sum(axis=1), return_counts=True)[1]
    assert counts.size == sets
    assert chi_square_p_value(counts, np.full(sets, 1 / sets)) > FALSE_ALARM
    counts[0] += 1_800
    assert chi_square_p_value(counts, np.full(sets, 1 / sets)) < FALSE_ALARM


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_choice_and_the_randomness_used_are_free_of_the_values(k, monkeypatch):
    monkeypatch.setattr("ldp._kernels._WORDS_PER_CHUNK", 256)
    m = VectorMean(PiecewiseMean, -1.0, 1.0, 2.0, 5, k)
    inputs = [np.full((500, 5), -1.0), np.full((500, 5), 1.0), np.zeros((500, 5))]
    chosen, states = [], set()
    for values in inputs:
        rng = np.random.default_rng(3)
        chosen.append(m.privatize(values, rng)["dimension"])
        states.add(str(rng.bit_generator.state))
    assert len(states) == 1
    assert np.array_equal(chosen[0], chosen[1])
    assert np.array_equal(chosen[0], chosen[2])


def test_parts_of_the_budget_never_exceed_the_whole():
    over = 0
    for epsilon in np.linspace(0.1, 4, 100).tolist():
        for k in range(1, 13):
            part = VectorMean(OneBitMean, 0.0, 1.0, epsilon, 12, k).coordinate.epsilon
            assert Fraction(part) * k <= Fraction(epsilon)
            assert part == pytest.approx(epsilon / k, rel=1e-15)
            over += Fraction(epsilon / k) * k > Fraction(epsilon)
    assert over > 0  # control: the plain quotient exceeds it somewhere


@pytest.mark.parametrize(
    ("make", "dimensions", "border"),
    [
        (OneBitMean, 2, 3.05714),
        (OneBitMean, 5, 4.71308),
        (LaplaceMean, 2, 4.0),
        (PiecewiseMean, 2, 3.499),
        (HybridMean, 2, 3.205),
    ],
)
def test_one_dimension_beats_a_split_budget_below_a_border(make, dimensions, border):
    def excess(epsilon):
        ends = -1.0, 1.0, epsilon, dimensions
        x = [-1.0, 0.0, 1.0]
        one, split = (VectorMean(make, *ends, k).variance(x).max() for k in (1, dimensions))
        return one - split

    assert excess(0.1) < 0 < excess(20.0)
    assert brentq(excess, 1, 10) == pytest.approx(border, abs=1e-3)


@pytest.mark.parametrize(("epsilon", "best"), [(1.0, 1), (3.0, 1), (4.0, 2), (10.0, 5)])
def test_the_best_number_of_dimensions(epsilon, best):
    variances = [VectorMean(OneBitMean, -1.0, 1.0, epsilon, 50, k).variance(0.0)
                 for k in range(1, 51)]  # fmt: skip
    assert 1 + int(np.argmin(variances)) == best


@pytest.mark.parametrize(
    "bad",
    [
        lambda lower, upper, epsilon: OneBitMean(lower, upper, 2 * epsilon),
        lambda lower, upper, epsilon: OneBitMean(lower, upper + 1, epsilon),
        lambda lower, upper, epsilon: None,
        lambda lower, upper, epsilon: 3.0,
        OneBitMean(0.0, 1.0, 1.0),
        None,
    ],
)
def test_refuses_what_makes_no_oracle_of_that_range_and_budget(bad):
    with pytest.raises((TypeError, ValueError), match="oracle must"):
        VectorMean(bad, 0.0, 1.0, 1.0, 3)


def test_refuses_reports_that_cannot_be():
    m = VectorMean(OneBitMean, 0.0, 1.0, 1.0, 3, 2)
    good = m.privatize(np.zeros((4, 3)), np.random.default_rng(4))
    for field, value, message in (
        ("dimension", [[1, 1]] * 4, "rise along a row"),
        ("dimension", [[1, 0]] * 4, "rise along a row"),
        ("dimension", [[1, 3]] * 4, "below 3"),
        ("report", [[0, 2]] * 4, "reports must be"),
    ):
        bad = good.copy()
        bad[field] = value
        with pytest.raises(ValueError, match=message):
            m.mean(bad)
    for bad in (good[:0], good[0], good[:, :1], good["report"], np.zeros((4, 2))):
        with pytest.raises((TypeError, ValueError), match="reports must "):
            m.mean(bad)


@pytest.mark.parametrize("bad", [np.zeros(3), np.zeros((2, 4)), [[0, 0, 2]], [[0, np.nan, 0]], "x"])
def test_refuses_bad_vectors_and_leaves_the_generator_alone(bad):
    rng = np.random.default_rng(5)
    before = str(rng.bit_generator.state)
    with pytest.raises((TypeError, ValueError), match="values must"):
        VectorMean(OneBitMean, 0.0, 1.0, 1.0, 3).privatize(bad, rng)
    assert str(rng.bit_generator.state) == before


@pytest.mark.statistical
@pytest.mark.parametrize("k", [1, 3, 5])
def test_vector_means_are_unbiased_with_that_variance(k):
    rng = np.random.default_rng(12)
    values = rng.uniform(-1, 2, (40_000, 5)) * [1, 0.5, 0.2, 0.8, 0]
    m = VectorMean(PiecewiseMean, -1.0, 2.0, 4.0, 5, k)
    reports = m.privatize(values, rng)
    assert reports.shape == (40_000, k)
    assert all(np.unique(row).size == k for row in reports["dimension"][:1_000])
    share = np.bincount(reports["dimension"].ravel(), minlength=5) / 40_000
    assert np.abs(share - k / 5).max() < 6.4 * np.sqrt(0.25 / 40_000)
    spread = m.variance(values).sum(axis=0) / 40_000**2
    z = (m.mean(reports) - values.mean(axis=0)) / np.sqrt(spread)
    assert np.abs(z).max() < 6.4
    shifted = (m.mean(reports) - values.mean(axis=0) - 0.5) / np.sqrt(spread)
    assert np.abs(shifted).min() > 6.4
