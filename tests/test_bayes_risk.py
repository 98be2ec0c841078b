"""The least error of any estimator, against sums over everything and simulation."""

import math
from itertools import product

import numpy as np
import pytest
from catalogue import all_reports
from scipy import stats
from test_posterior import by_assignments, prior_for

from ldp import GRR, OUE, SubsetSelection
from ldp.bayes import enumerate_reports, exact_posterior, minimum_mse


@pytest.mark.parametrize("m", [GRR(3, 1.0), OUE(2, 0.5), SubsetSelection(3, 2.0, 2)], ids=repr)
def test_least_error_is_the_sum_over_all_sequences_of_reports(m):
    n, d, alpha = 3, m.domain_size, prior_for(m.domain_size)
    reports, channel = all_reports(m), m.channel()
    law = frequencies = total = 0.0
    for y in product(range(channel.shape[1]), repeat=n):
        chance = sum(by_assignments(channel[:, list(y)].T, alpha).values())
        posterior = exact_posterior(reports[list(y)], m, alpha)
        total += chance
        law += chance * posterior.variance.sum()
        frequencies += chance * posterior.frequency_variance.sum()
    assert total == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(minimum_mse(channel, n, alpha), (law, frequencies), rtol=1e-11)
    assert d == len(channel)


def test_no_estimator_beats_the_posterior_mean():
    """For any estimator the error is the least one plus its mean squared distance from the mean."""
    channel, n, alpha = GRR(3, 1.0).channel(), 4, np.array([0.5, 1.0, 2.0])
    every_report = enumerate_reports(channel, n, alpha)
    chances = every_report.probabilities
    means = np.array([posterior.mean for posterior in every_report.posteriors()])
    np.testing.assert_allclose(every_report.means, means, rtol=1e-13)
    least = minimum_mse(channel, n, alpha).law
    prior_square = (stats.dirichlet(alpha).var() + stats.dirichlet(alpha).mean() ** 2).sum()
    assert chances.sum() == pytest.approx(1, rel=1e-12)
    assert prior_square - chances @ (means**2).sum(axis=1) == pytest.approx(least, rel=1e-11)
    rng = np.random.default_rng(0)
    for size in (1e-3, 0.1, 1.0):
        other = means + size * rng.normal(size=means.shape)
        # E|g - theta|^2 = E|g|^2 - 2 E g.theta + E|theta|^2, and E[theta | s] is the mean.
        cross = chances @ (other * means).sum(axis=1)
        error = chances @ (other**2).sum(axis=1) - 2 * cross + prior_square
        distance = chances @ ((other - means) ** 2).sum(axis=1)
        assert error == pytest.approx(least + distance, rel=1e-9)
        assert error > least


def test_lists_of_reports_compare_by_identity():
    one, other = (enumerate_reports(GRR(2, 1.0).channel(), 1, [1.0, 1.0]) for _ in range(2))
    same = one
    assert one == same
    assert one != other


def test_least_error_of_many_simulated_users():
    """Monte Carlo of the whole experiment; z = 6 has a false-alarm rate of 2e-9."""
    m, n, alpha = GRR(3, 1.0), 4, np.array([0.5, 1.0, 2.0])
    rng, runs = np.random.default_rng(5), 20_000
    every_report = enumerate_reports(m.channel(), n, alpha)
    estimate = dict(zip(map(tuple, every_report.histograms), every_report.means, strict=True))
    laws = rng.dirichlet(alpha, runs)
    histograms = rng.multinomial(n, laws @ m.channel())
    errors = np.array(
        [((estimate[tuple(s)] - law) ** 2).sum() for s, law in zip(histograms, laws, strict=True)]
    )
    standard_error = errors.std(ddof=1) / math.sqrt(runs)
    assert abs(errors.mean() - minimum_mse(m.channel(), n, alpha).law) < 6 * standard_error
    # Control: the least error at another budget is far away.
    assert (
        abs(errors.mean() - minimum_mse(GRR(3, 1.5).channel(), n, alpha).law) > 6 * standard_error
    )


@pytest.mark.parametrize("n", [1, 2, 5])
def test_impossible_reports_change_nothing(n):
    channel = GRR(3, 1.0).channel()
    padded = np.column_stack([channel[:, 0], np.zeros(3), channel[:, 1:]])
    alpha = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(
        minimum_mse(padded, n, alpha), minimum_mse(channel, n, alpha), rtol=1e-12
    )


def test_more_users_and_more_budget_help():
    alpha = np.array([0.5, 0.5])
    by_users = [minimum_mse(GRR(2, 1.0).channel(), n, alpha).law for n in (1, 2, 10, 100)]
    assert (np.diff(by_users) < 0).all()
    by_budget = [minimum_mse(GRR(2, eps).channel(), 10, alpha).law for eps in (0.1, 1.0, 5.0)]
    assert (np.diff(by_budget) < 0).all()


@pytest.mark.parametrize(
    ("channel", "n", "message"),
    [
        ([[0.5, 0.6], [0.5, 0.5]], 2, "channel must have rows that sum to 1"),
        ([[1.0], [1.0]], 2, "channel must have two values and two outcomes"),
        ([[0.5, 0.5]], 2, "channel must have two values and two outcomes"),
        (np.eye(2), 0, "num_reports must be"),
        (np.eye(2), 10**5, "num_reports and channel must be small enough"),
        (np.full((4, 16), 1 / 16), 100, "num_reports and channel must be small enough"),
        # Few pairs, but a table of every histogram or tally; more than a float can say.
        (np.full((2, 10**5), 1e-5), 1, "num_reports and channel must be small enough"),
        (np.full((10**4, 2), 0.5), 1, "num_reports and channel must be small enough"),
        (np.full((200, 2), 0.5), 10**4, "num_reports and channel .* more than 1e300 tallies"),
    ],
)
def test_refuses_what_cannot_be_enumerated(channel, n, message):
    with pytest.raises(ValueError, match=f"^{message}.*\\.$"):
        minimum_mse(channel, n, np.ones(len(channel)))


def test_a_channel_without_information_is_the_right_answer_too():
    """Reports that do not depend on the value leave the prior's variance."""
    alpha = np.array([0.5, 1.0, 2.0])
    least = minimum_mse(np.full((3, 2), 0.5), 3, alpha)
    assert least.law == pytest.approx(stats.dirichlet(alpha).var().sum(), rel=1e-12)
