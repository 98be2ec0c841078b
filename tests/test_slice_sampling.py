"""Slice sampling of the posterior, and Gibbs draws from counts by subset, against exact laws.

Statistical tests say their false-alarm rate; that of the whole file is below 10**-6.
"""

import numpy as np
import pytest
from catalogue import drawn
from scipy import stats
from test_gibbs import step_p_value, tally_law

from ldp import GRR, OUE, RRRR, SHE, maximum_likelihood
from ldp.bayes import SliceSample, exact_posterior, gibbs, slice_sample, slice_sampling
from ldp.bayes._slice_kernels import UNIFORMS_EACH, slice_pair
from ldp.bayes.subset_counts import draw_by_subset, gather_counts

FALSE_ALARM = 1e-8
# Both sides of the subset are likelier somewhere, budgets left over and none, one value outside.
SEVERAL = [
    RRRR(4, 1.0, [0], 0.8),
    RRRR(4, 1.0, [0, 3], 0.9),
    RRRR(4, 1.0, [1, 2], 0.2),
    RRRR(4, 3.0, [2], 3.0),
    RRRR(4, 1.0, [0, 1, 3], 0.5),
    RRRR(4, 2.0, [], 1.0),
]


# -- chains against the exact posterior


def worst_t(sample, exact):
    """Largest distance of mean and variance from the exact ones, in standard errors."""
    means, squares = sample.laws.mean(axis=1), ((sample.laws - exact.mean) ** 2).mean(axis=1)
    found = []
    for each, wanted in [(means, exact.mean), (squares, exact.variance)]:
        error = each.std(axis=0, ddof=1) / np.sqrt(len(each))
        found.append(np.abs(each.mean(axis=0) - wanted) / error)
    return np.max(found)


@pytest.mark.statistical
@pytest.mark.parametrize("alpha", [[1.0] * 4, [2.5, 1.0, 1.0, 6.0]], ids=str)
@pytest.mark.parametrize("m", [GRR(4, 1.0), OUE(4, 1.0), SHE(4, 1.0), *SEVERAL], ids=repr)
def test_chains_have_the_moments_of_the_posterior(m, alpha):
    """64 chains; Student's t with 63 degrees of freedom beyond 8 is a 4e-11 event."""
    reports, rng = drawn(m, 15), np.random.default_rng(7)
    sample = slice_sample(reports, m, alpha, 150, rng, burn_in=20, num_chains=64)
    assert worst_t(sample, exact_posterior(reports, m, alpha)) < 8


@pytest.mark.statistical
def test_control_wrong_channels_and_priors_miss_the_moments():
    m, rng = GRR(4, 1.0), np.random.default_rng(7)
    reports, alpha = drawn(m, 15), np.ones(4)
    exact = exact_posterior(reports, m, alpha)
    for wrong, prior in [(GRR(4, 1.6), alpha), (m, np.full(4, 1.6))]:
        sample = slice_sample(reports, wrong, prior, 150, rng, burn_in=20, num_chains=64)
        assert worst_t(sample, exact) > 8


@pytest.mark.statistical
@pytest.mark.parametrize("n", [30, 20_000])
def test_users_of_several_mechanisms_as_gibbs_has_them(n):
    """Two samplers that share no step; 12 differences, Student's t (31) beyond 9: 4e-10 each."""
    reports = [drawn(m, n, 3) for m in SEVERAL]
    alpha, rng = np.array([1.0, 2.0, 1.0, 1.0]), np.random.default_rng(1)
    samples = [
        draw(reports, SEVERAL, alpha, 200, rng, burn_in=burn_in, num_chains=32).laws
        for draw, burn_in in [(slice_sample, 30), (gibbs, 300)]
    ]
    for power in (1, 2):
        centre = samples[0].mean(axis=(0, 1)) if power == 2 else 0.0
        means = [((laws - centre) ** power).mean(axis=1) for laws in samples]
        error = np.sqrt(sum(each.var(axis=0, ddof=1) for each in means) / 32)
        assert (np.abs(means[0].mean(axis=0) - means[1].mean(axis=0)) < 9 * error).all()


@pytest.mark.statistical
def test_many_users_have_a_normal_posterior():
    """The mean lies at the likeliest law up to 1/n, the spread is that of the curvature.

    At 500,000 users a value's standard deviation is above 3e-4; 64 chains of 100 draws know it to
    2 percent, and the mean to a tenth of itself.
    """
    theta, m = np.array([0.5, 0.3, 0.1, 0.1]), RRRR(4, 1.0, [0], 0.9)
    rng = np.random.default_rng(2)
    tally = m.simulate(np.round(500_000 * theta).astype(int), rng)
    sample = slice_sample(tally, m, np.ones(4), 100, rng, burn_in=30, num_chains=64)
    channel, basis = m.channel(), np.vstack([np.eye(3), -np.ones(3)])
    slopes = basis.T @ channel
    inverse = np.linalg.inv(slopes @ np.diag(500_000 / (theta @ channel)) @ slopes.T)
    wanted = np.sqrt(np.diag(basis @ inverse @ basis.T))
    spread = sample.laws.reshape(-1, 4).std(axis=0)
    np.testing.assert_allclose(spread, wanted, rtol=0.15)
    likeliest = maximum_likelihood(tally, m).theta
    assert (np.abs(sample.mean - likeliest) < 0.2 * wanted).all()


# -- one Gibbs draw by subset


@pytest.mark.statistical
@pytest.mark.parametrize("m", SEVERAL, ids=repr)
def test_one_draw_by_subset_has_the_law_of_the_tally(m):
    """Tallies expected below 10 times in 20,000 are one cell of the chi-square test."""
    outside = [v for v in range(4) if v not in m.subset]
    reports = np.array([*m.subset[:1], outside[0], outside[0], outside[-1]])
    law = np.random.default_rng(3).dirichlet(np.ones(4))
    expected, evidence = tally_law(m, reports, law), gather_counts(reports, m)
    assert step_p_value(evidence, law, expected, draw_by_subset) > FALSE_ALARM


# -- one move


def moved(law, columns, counts, prior, uniforms):
    law = law.copy()
    scratch = (np.empty(counts.size), np.empty(counts.size), np.empty(counts.size, dtype=np.int64))
    likelihood = law @ columns
    slice_pair(0, 1, law, likelihood, columns, counts, prior, uniforms, scratch)
    np.testing.assert_allclose(likelihood[counts > 0], (law @ columns)[counts > 0], rtol=1e-12)
    return law


@pytest.mark.statistical
@pytest.mark.parametrize("n", [0, 4, 400])
@pytest.mark.parametrize("prior", [1.0, 2.5])
def test_one_move_leaves_the_conditional_law_unchanged(n, prior):
    """20,000 states drawn from the law of the share, by inversion on a grid, then moved once.

    Sixteen cells of equal probability before and after; chi-square at 1e-8.
    """
    rng, joint = np.random.default_rng(n), 0.7
    columns = np.array([[3.0, 1.0, 1.0], [1.0, 3.0, 1.5], [1.0, 1.0, 3.0]])
    counts, priors = np.array([2.0, 1.0, 1.0]) * n / 4, np.full(3, prior)
    grid = (np.arange(100_000) + 0.5) / 100_000 * joint
    laws = np.column_stack([grid, joint - grid, np.full(grid.size, 1 - joint)])
    density = np.log(laws @ columns) @ counts + (prior - 1) * np.log(grid * (joint - grid))
    cumulative = np.cumsum(np.exp(density - density.max()))
    cumulative /= cumulative[-1]
    starts = np.interp(rng.random(20_000), cumulative, grid)
    ends = [
        moved(
            np.array([a, joint - a, 1 - joint]), columns, counts, priors, rng.random(UNIFORMS_EACH)
        )
        for a in starts
    ]
    ends = np.array(ends)
    np.testing.assert_allclose(ends[:, 0] + ends[:, 1], joint, rtol=1e-12)
    assert (ends[:, 2] == 1 - joint).all()
    cells = np.histogram(np.interp(ends[:, 0], grid, cumulative), bins=16, range=(0, 1))[0]
    assert stats.chisquare(cells).pvalue > FALSE_ALARM
    assert np.abs(np.corrcoef(starts, ends[:, 0])[0, 1]) < 0.2  # and forgets


def test_there_are_enough_uniforms_to_shrink_to_a_narrow_slice():
    """The widest interval first: ten million reports beside one that tells nearly everything."""
    columns, counts = 1 + np.expm1(12) * np.eye(3), np.array([1.0, 1e7, 0.7e7])
    rng, law = np.random.default_rng(0), np.array([0.3, 0.3, 0.4])
    for _ in range(5_000):
        new = moved(law, columns, counts, np.ones(3), rng.random(UNIFORMS_EACH))
        assert new[0] != law[0]
        law = new


def test_values_without_mass_are_left_alone():
    law = np.array([0.0, 0.0, 1.0])
    columns, uniforms = 1 + np.eye(3), np.random.default_rng(0).random(UNIFORMS_EACH)
    assert (moved(law, columns, np.ones(3), np.ones(3), uniforms) == law).all()


def test_a_law_that_was_rounded_to_the_border_comes_off_it():
    # Under such a prior a law often has all its mass, in float64, on one value.
    alpha = np.array([1.5, 2.0**53])
    assert (np.random.default_rng(0).dirichlet(alpha, 40)[:, 1] == 1).any()
    sample = slice_sample(
        [0], GRR(2, 1.0), alpha, 20, np.random.default_rng(0), burn_in=0, num_chains=40
    )
    # theta_0 is Gamma(1.5) / 2**53 nearly: above 32 of 2**53 with probability below 1e-12.
    assert (sample.laws[:, :, 0] < 2.0**-48).all()
    assert len(np.unique(sample.laws[:, :, 0])) > 100


# -- the interface


def test_tallies_and_reports_say_the_same():
    reports = [drawn(m, 20, 5) for m in SEVERAL]
    tallies = [m.tally(r) for m, r in zip(SEVERAL, reports, strict=True)]
    one, two = (
        slice_sample(given, SEVERAL, np.ones(4), 5, np.random.default_rng(0), burn_in=0)
        for given in (reports, tallies)
    )
    assert (one.laws == two.laws).all()


def test_without_information_the_posterior_is_the_prior():
    """2,000 draws of 4 chains know a mean to about 0.005."""
    prior, rng = np.array([1.0, 2.0, 5.0]), np.random.default_rng(0)
    sample = slice_sample([0] * 10, GRR(3, 1e-7), prior, 2_000, rng, burn_in=10)
    np.testing.assert_allclose(sample.mean, prior / 8, atol=0.03)


def test_chains_start_at_draws_from_the_prior(monkeypatch):
    monkeypatch.setattr(slice_sampling, "swept", lambda law, *_: law)
    rng, again = np.random.default_rng(5), np.random.default_rng(5)
    sample = slice_sample([0, 1], GRR(3, 1.0), [1, 2, 3], 1, rng, burn_in=0, num_chains=3)
    assert sample.laws[:, 0].tolist() == [c.dirichlet([1, 2, 3]).tolist() for c in again.spawn(3)]


def test_standard_error_of_two_chains_by_hand():
    sample = SliceSample(np.array([[[0.2, 0.8], [0.4, 0.6]], [[0.6, 0.4], [0.8, 0.2]]]))
    np.testing.assert_allclose(sample.mean, [0.5, 0.5], rtol=1e-12)
    expected = np.std([0.3, 0.7], ddof=1) / np.sqrt(2)
    np.testing.assert_allclose(sample.standard_error, expected, rtol=1e-12)
