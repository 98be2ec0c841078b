"""Expectation maximisation: the slides' algorithm, the dense product, certificates, stopping."""

import numpy as np
import pytest
from test_bad_input import each_of

from ldp import GRR, OUE, SquareWave, SubsetSelection, Tally, datasets, em, maximum_likelihood

SIZES, BUDGETS, HALF_WIDTHS = (2, 3, 16, 200), (0.1, 1.0, 4.0), (None, 0, 3)
WAVES = [SquareWave(d, e, b) for d in SIZES for e in BUDGETS for b in HALF_WIDTHS]


def tally_of(m, num_users=5_000, seed=1):
    rng = np.random.default_rng(seed)
    theta = datasets.jeffreys_dirichlet(m.domain_size, rng)
    return m.simulate(rng.multinomial(num_users, theta), rng)


def algorithm_1(channel, counts, steps):
    """Algorithm 1 of S004, letter by letter."""
    d, num_cells = channel.shape
    x = [1 / d] * d
    for _ in range(steps):
        shares = []
        for i in range(d):
            total = 0.0
            for j in range(num_cells):
                total += counts[j] * channel[i, j] / sum(channel[k, j] * x[k] for k in range(d))
            shares.append(x[i] * total)
        x = [share / sum(shares) for share in shares]
    return np.array(x)


@pytest.mark.parametrize("m", [SquareWave(4, 1.0, 1), SquareWave(3, 3.0, 2), GRR(4, 1.0)], ids=repr)
def test_it_is_the_algorithm_of_the_slides(m):
    tally = tally_of(m)
    expected = algorithm_1(m.channel(), tally.counts, 3)
    fit = em(tally, m, max_iterations=3)
    assert fit.iterations == 3
    np.testing.assert_allclose(fit.theta, expected, rtol=1e-12)


@pytest.mark.parametrize("smooth", [None, (1, 2, 1)])
@pytest.mark.parametrize("m", WAVES, ids=repr)
def test_prefix_sums_are_the_dense_product(m, smooth):
    tally = tally_of(m)
    fast = em(tally, m, smooth=smooth, max_iterations=200)
    dense = em(tally.counts, m.channel(), smooth=smooth, max_iterations=200)
    np.testing.assert_allclose(fast.theta, dense.theta, rtol=0, atol=1e-12)
    assert fast.log_likelihood == pytest.approx(dense.log_likelihood, rel=1e-12)
    assert fast.gap == pytest.approx(dense.gap, abs=1e-12 * np.exp(m.epsilon))


@pytest.mark.parametrize("m", WAVES, ids=repr)
def test_the_likelihood_never_falls_and_the_gap_bounds_what_is_missing(m):
    tally = tally_of(m)
    best = maximum_likelihood(tally, m, tolerance=1e-10)
    law = best.theta @ m.channel()
    most = (tally.counts * np.log(law)).sum()
    fits = [em(tally, m, max_iterations=steps) for steps in (1, 2, 3, 10, 30, 100)]
    reached = np.array([fit.log_likelihood for fit in fits])
    assert (np.diff(reached) >= -1e-9).all()  # the sum of 5,000 logs rounds at 1e-11
    for fit in fits:
        assert most <= fit.log_likelihood + 5_000 * fit.gap + 1e-9
    assert fits[-1].gap < fits[0].gap or fits[0].converged
    smoothed = em(tally, m, smooth=(1, 2, 1), max_iterations=30)
    assert most <= smoothed.log_likelihood + 5_000 * smoothed.gap + 1e-9


def test_it_reaches_the_certified_maximum():
    m = SquareWave(5, 3.0, 1)
    tally = tally_of(m, 100_000)
    fit = em(tally, m, tolerance=1e-12, max_iterations=100_000)
    assert fit.converged
    assert fit.gap <= 1e-12
    np.testing.assert_allclose(
        fit.theta, maximum_likelihood(tally, m, tolerance=1e-12).theta, atol=1e-5
    )


def test_expected_counts_lead_back_to_the_law():
    m, theta = SquareWave(6, 2.0, 1), np.array([0.1, 0.3, 0.05, 0.25, 0.2, 0.1])
    fit = em(1e6 * theta @ m.channel(), m, tolerance=1e-13, max_iterations=100_000)
    np.testing.assert_allclose(fit.theta, theta, atol=1e-6)


# -- smoothing -------------------------------------------------------------------------------------


def smoothing_matrix(d, weights=(1, 2, 1)):
    left, own, right = weights
    matrix = own * np.eye(d) + left * np.eye(d, k=-1) + right * np.eye(d, k=1)
    return matrix / matrix.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("weights", [(1, 2, 1), (0.25, 0.5, 0.25), (0, 1, 3), (1e300, 2e300, 0)])
def test_smoothing_follows_every_step(weights):
    m = SquareWave(7, 1.0)
    tally = tally_of(m)
    x = np.full(7, 1 / 7)
    for _ in range(4):
        law = x @ m.channel()
        x = x * (m.channel() @ (tally.counts / law)) / tally.num_reports
        x = smoothing_matrix(7, weights) @ x
        x /= x.sum()
    np.testing.assert_allclose(em(tally, m, smooth=weights, max_iterations=4).theta, x, rtol=1e-12)


def test_smoothing_of_the_slides():
    matrix = smoothing_matrix(4)
    assert np.allclose(matrix[1], [1 / 4, 1 / 2, 1 / 4, 0])
    assert np.allclose(matrix[0], [2 / 3, 1 / 3, 0, 0])  # the ends are our convention


def test_smoothing_settles_where_a_step_moves_nothing():
    m = SquareWave(32, 1.0)
    tally = tally_of(m, 50_000)
    fit = em(tally, m, smooth=(1, 2, 1), tolerance=1e-10)
    assert fit.converged
    law = fit.theta @ m.channel()
    after = smoothing_matrix(32) @ (fit.theta * (m.channel() @ (tally.counts / law)))
    assert np.abs(after / after.sum() - fit.theta).sum() <= 1e-10
    assert fit.gap > 1e-6  # and it is not the most likely law
    assert np.abs(np.diff(fit.theta, 2)).sum() < np.abs(np.diff(em(tally, m).theta, 2)).sum() / 10


def test_smoothing_with_no_weight_on_the_neighbours_is_none():
    m = SquareWave(9, 1.0)
    tally = tally_of(m)
    plain, same = em(tally, m, max_iterations=20), em(tally, m, smooth=(0, 3, 0), max_iterations=20)
    np.testing.assert_allclose(plain.theta, same.theta, rtol=1e-13)


# -- stopping --------------------------------------------------------------------------------------


def test_the_rule_of_the_literature():
    m = SquareWave(32, 1.0)
    tally = tally_of(m, 50_000)
    least = 1e-3 * np.e
    fit = em(tally, m, min_rise=least)
    assert not fit.converged
    steps = fit.iterations
    reached = [em(tally, m, max_iterations=k).log_likelihood for k in range(steps - 3, steps + 1)]
    rises = np.diff(reached)
    assert rises[-1] < least
    assert (rises[:-1] >= least).all()
    assert fit.log_likelihood == reached[-1]


def test_proportional_counts_have_the_same_law():
    m = SquareWave(12, 1.0)
    counts = tally_of(m).counts
    first, second = em(counts, m, max_iterations=50), em(8 * counts, m, max_iterations=50)
    assert np.array_equal(first.theta, second.theta)
    assert second.log_likelihood == pytest.approx(8 * first.log_likelihood, rel=1e-12)


# -- input -----------------------------------------------------------------------------------------


def test_one_report_is_enough_and_none_is_not():
    m = SquareWave(4, 1.0)
    counts = np.zeros(m.num_outcomes, dtype=int)
    with pytest.raises(ValueError, match="counts must hold at least one report, got 0"):
        em(counts, m)
    with pytest.raises(ValueError, match="counts must be at least one, got 0"):
        em(Tally(counts, 0, m), m)
    counts[2] = 1
    assert em(counts, m, smooth=(1, 2, 1), max_iterations=20).theta.sum() == pytest.approx(
        1, rel=1e-15
    )


M = SquareWave(4, 1.0, half_width=1)
GOOD = [1, 2, 3, 4, 5, 6]


OTHER = Tally(GOOD, 21, SquareWave(4, 2.0, 1))
BAD = [
    (lambda bad: em(bad, M), "counts must have shape", [1, 2, 3]),
    (lambda bad: em(bad, M), "counts must be at most 1e100", [1e308] * 6),
    (lambda bad: em(bad, M), "counts must be non-negative, got -6", [1, 2, 3, 4, 5, -6]),
    (lambda bad: em(bad, M), "counts must be finite", [1, 2, 3, 4, 5, np.nan]),
    (lambda bad: em(bad, M), "counts must be real numbers", ["1"] * 6),
    (lambda bad: em(bad, M), "counts must be of SquareWave", OTHER),
    (lambda bad: em(bad, M), "sum to the 20 reports", Tally(GOOD, 20)),
    (lambda bad: em(bad, [[0.5, 0.5, 0], [0.1, 0.9, 0]]), "counts must be possible", [1, 1, 1]),
    (lambda bad: em(GOOD, M, smooth=bad), "smooth must have shape", (1, 1)),
    (lambda bad: em(GOOD, M, smooth=bad), "smooth must be non-negati", (1, 0, 1), (-1, 3, -1)),
    (lambda bad: em(GOOD, M, smooth=bad), "smooth must be finite", (1, np.inf, 1)),
    (lambda bad: em(GOOD, M, tolerance=bad), "tolerance must be positive", 0),
    (lambda bad: em(GOOD, M, max_iterations=bad), "max_iterations must be an integer", 0),
    (lambda bad: em(GOOD, M, min_rise=bad), "min_rise must be non-negative", -1, np.nan),
    (lambda bad: em(GOOD, bad), "channel must have rows that sum", M.channel().T, 2 * M.channel()),
    (lambda bad: em([1, 1], bad), "channel must be finite and", [[1.5, -0.5], [0.5, 0.5]]),
    (lambda bad: em([1, 1], bad), "channel must be a matrix", "wave"),
]


@pytest.mark.parametrize(("call", "message"), each_of(BAD))
def test_bad_input(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("m", [OUE(2, 1.0), SubsetSelection(4, 1.0, 3)], ids=repr)
def test_counts_of_supports_are_not_counts_of_outcomes(m):
    tally = m.tally(m.privatize([0, 1, 1], np.random.default_rng(1)))
    for channel in (m, m.channel()):
        with pytest.raises(TypeError, match="counts must be counts of outcomes, got a tally of"):
            em(tally, channel)


def test_a_tally_brings_its_mechanism_to_a_matrix():
    m = SquareWave(5, 1.0)
    tally = tally_of(m)
    assert np.array_equal(em(tally, m.channel()).theta, em(tally.counts, m.channel()).theta)
    with pytest.raises(ValueError, match="counts must have shape"):
        em(tally, GRR(4, 1.0).channel())


def test_an_impossible_outcome_that_never_occurred_is_no_matter():
    fit = em([3, 1, 0], [[0.75, 0.25, 0], [0.25, 0.75, 0]])
    assert fit.theta[0] > 0.9
