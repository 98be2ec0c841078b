"""The Gibbs sampler against enumeration and the exact posterior."""

import math
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from arviz_stats.base import array_stats
from catalogue import drawn, small
from test_posterior import Rows
from test_samplers import chi_square_p_value

from ldp import GRR, OLH, OUE, SHE, SubsetSelection
from ldp.bayes import GibbsSample, exact_posterior, gibbs, slice_sample
from ldp.bayes import gibbs_sampling as module
from ldp.likelihood import evidence as _evidence
from ldp.likelihood.evidence import gather
from ldp.likelihood.reports import read
from ldp.types import SupportMechanism

FALSE_ALARM = 1e-9
both = pytest.mark.parametrize("sampler", [gibbs, slice_sample])
SMALL = [GRR(3, 1.0), OUE(3, 1.0), SubsetSelection(4, 2.0, 2), SHE(3, 1.0, resolution=3)]


# -- one step: which reports are explained by which values, given the law


def chances_of(m, reports, law):
    """Row i: chance that report i is explained by each value, and last that it is noise."""
    likelihood = m.likelihood(reports)
    least = np.ones(len(reports)) if isinstance(m, SupportMechanism) else likelihood.min(axis=1)
    chances = np.column_stack([likelihood * law - np.outer(least, law), least])
    return chances / (likelihood @ law)[:, None]


def tally_law(m, reports, law):
    """Law of the tally of explained users, by summing over all that the reports may be."""
    chances = chances_of(m, reports, law)
    n, d = len(reports), m.domain_size
    found = {}
    for values in product(range(d + 1), repeat=n):
        tally = tuple(np.bincount(values, minlength=d + 1)[:d])
        found[tally] = found.get(tally, 0.0) + np.prod(chances[range(n), values])
    return found


def step_p_value(evidence, law, expected, draw, runs=20_000):
    rng = np.random.default_rng(1)
    seen = Counter(tuple(draw(evidence, law, rng).tolist()) for _ in range(runs))
    assert set(seen) <= set(expected)
    observed = np.array([seen[tally] for tally in expected])
    return chi_square_p_value(observed, np.array(list(expected.values())))


def by_report(evidence, law, rng):
    return module._draw_by_report(evidence, evidence.counts.astype(np.int64), law, rng)


@pytest.mark.statistical
@pytest.mark.parametrize("draw", [module.draw_explained, by_report])
@pytest.mark.parametrize("m", [m for m in small(1.0) if m.domain_size < 10], ids=repr)
def test_one_step_draws_the_tally_from_its_law(m, draw):
    reports = drawn(m, 3)
    reports = reports[[0, 1, 1, 2]] if m.domain_size < 7 else reports[[0, 1, 1]]
    law = np.random.default_rng(4).dirichlet(np.ones(m.domain_size))
    expected = tally_law(m, reports, law)
    assert step_p_value(gather(read(reports, m)), law, expected, draw) > FALSE_ALARM


@pytest.mark.statistical
def test_control_wrong_odds_are_seen():
    m = OUE(5, 1.0)
    reports = drawn(m, 3)
    law = np.random.default_rng(4).dirichlet(np.ones(5))
    evidence = gather(read(reports, m))
    expected = tally_law(m, reports, law)
    wrong = replace(evidence, odds=1.3 * m.odds)
    for draw in (module.draw_explained, by_report):
        assert step_p_value(evidence, law, expected, draw) > FALSE_ALARM
        assert step_p_value(wrong, law, expected, draw, runs=100_000) < FALSE_ALARM


@pytest.mark.statistical
@pytest.mark.parametrize("m", [OUE(1024, 1.0), OUE(16, 1.0), OLH(37, 2.0)], ids=repr)
def test_one_step_at_many_values_has_the_exact_mean(m):
    """Mean tally of 2,000 users over 400 draws; z = 8 for up to 1,024 means: 1e-7."""
    reports = drawn(m, 2_000)
    rng = np.random.default_rng(2)
    law = rng.dirichlet(np.full(m.domain_size, 0.5))
    chances = chances_of(m, reports, law)[:, :-1]
    evidence = gather(read(reports, m))
    runs = 400
    mean = np.mean([module.draw_explained(evidence, law, rng) for _ in range(runs)], axis=0)
    error = np.sqrt((chances * (1 - chances)).sum(axis=0) / runs)
    # A sum of small chances is nearly Poisson: with 20 expected, eight deviations have 1e-10.
    usual = chances.sum(axis=0) * runs > 20
    z = np.abs(mean - chances.sum(axis=0))[usual] / error[usual]
    assert usual.sum() >= 16
    assert z.max() < 8


# -- the chain


@pytest.mark.statistical
@pytest.mark.parametrize("m", SMALL, ids=repr)
@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_chains_have_the_exact_posterior_mean(m, alpha):
    """64 independent chains: Student's t with 63 degrees of freedom beyond 8 is a 4e-11 event."""
    reports = drawn(m, 12)
    prior = np.full(m.domain_size, alpha)
    rng = np.random.default_rng(7)
    sample = gibbs(reports, m, prior, 300, rng, burn_in=100, num_chains=64)
    exact = exact_posterior(reports, m, prior)
    assert (np.abs(sample.mean - exact.mean) < 8 * sample.standard_error).all()
    laws = sample.laws.mean(axis=1)
    error = laws.std(axis=0, ddof=1) / 8
    assert (np.abs(laws.mean(axis=0) - exact.mean) < 8 * error).all()
    second = ((sample.laws - exact.mean) ** 2).mean(axis=1)
    error = second.std(axis=0, ddof=1) / 8
    assert (np.abs(second.mean(axis=0) - exact.variance) < 8 * error).all()
    frequencies = (sample.frequency_mean - exact.frequency_mean) / (1 + prior.sum() / 12)
    assert (np.abs(frequencies) < 8 * sample.standard_error).all()
    # Averaging what is known exactly given the tally cannot add noise; 2 allows for its estimate.
    assert (sample.standard_error < 2 * laws.std(axis=0, ddof=1) / 8).all()


@pytest.mark.statistical
def test_control_chains_with_wrong_odds_miss_the_posterior_mean():
    reports, prior = drawn(GRR(3, 1.0), 12), np.full(3, 2.0)
    exact = exact_posterior(reports, GRR(3, 1.0), prior).mean
    rng = np.random.default_rng(7)
    wrong = gibbs(reports, GRR(3, 1.3), prior, 300, rng, burn_in=100, num_chains=64)
    assert (np.abs(wrong.mean - exact) > 8 * wrong.standard_error).any()


@pytest.mark.statistical
def test_standard_error_is_that_of_the_autocorrelation():
    """ArviZ gets the error of the mean from within the chains, we from between them.

    With 64 chains ours has a relative error of 9 percent; six of them are 0.54.
    """
    m = OUE(4, 1.0)
    rng = np.random.default_rng(3)
    sample = gibbs(drawn(m, 40), m, np.ones(4), 500, rng, burn_in=100, num_chains=64)
    means = sample.concentrations / sample.concentrations.sum(axis=2, keepdims=True)
    ours = sample.standard_error
    for v in range(4):
        assert ours[v] == pytest.approx(array_stats.mcse(means[:, :, v]), rel=0.54)
        assert array_stats.rhat(means[:, :, v]) < 1.05


def test_without_information_the_posterior_is_the_prior():
    """A report of odds 1 + 1e-7 is explained once in 10**7 times, and would move means by 1e-3."""
    prior = np.array([0.5, 1.0, 2.0])
    rng = np.random.default_rng(0)
    sample = gibbs([0] * 10, GRR(3, 1e-7), prior, 200, rng, burn_in=10)
    np.testing.assert_allclose(sample.mean, prior / 3.5, atol=5e-3)
    assert len(np.unique(sample.laws)) == sample.laws.size


def test_reports_that_tell_all_are_all_explained():
    sample = gibbs([0, 1, 1], GRR(3, 35.0), np.ones(3), 50, np.random.default_rng(0), burn_in=9)
    assert (sample.concentrations == [2, 3, 1]).all()
    np.testing.assert_allclose(sample.mean, np.array([2, 3, 1]) / 6, rtol=1e-14)
    np.testing.assert_allclose(sample.frequency_mean, np.array([1, 2, 0]) / 3, atol=1e-14)
    assert (sample.standard_error == 0).all()


@both
@pytest.mark.parametrize("m", [GRR(3, 1.0), OUE(20, 1.0), SHE(3, 1.0), SMALL[2]], ids=repr)
def test_same_seed_same_numbers_and_more_chains_keep_the_first(m, sampler):
    def laws_of(num_draws, burn_in, num_chains):
        options = {"burn_in": burn_in, "num_chains": num_chains}
        rng = np.random.default_rng(9)
        return sampler(reports, m, np.ones(m.domain_size), num_draws, rng, **options).laws

    reports = drawn(m, 50)
    laws = laws_of(5, 2, 3)
    assert (laws == laws_of(5, 2, 3)).all()
    assert (laws == laws_of(5, 2, 5)[:3]).all()
    assert not (laws[0] == laws[1]).all()
    assert laws.shape == (3, 5, m.domain_size)
    np.testing.assert_allclose(laws.sum(axis=2), 1, rtol=1e-12)
    assert laws.min() >= 0
    assert (laws[:, 2:] == laws_of(3, 4, 3)).all()  # the first draws are dropped


@pytest.mark.parametrize("m", [GRR(5, 1.0), OUE(5, 1.0), OUE(70, 0.5), SHE(3, 1.0)], ids=repr)
def test_draws_are_laws_and_no_user_counts_twice(m):
    for n in (1, 300):
        prior = np.full(m.domain_size, 0.1)
        sample = gibbs(drawn(m, n), m, prior, 20, np.random.default_rng(1), burn_in=0)
        explained = sample.concentrations - prior
        assert explained.min() > -1e-12
        assert explained.sum(axis=2).max() <= n + 1e-9
        np.testing.assert_allclose(sample.laws.sum(axis=2), 1, rtol=1e-12)
        assert sample.mean.sum() == pytest.approx(1, rel=1e-12)
        assert sample.frequency_mean.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("alpha", [1e-4, 1e-300])
def test_a_start_that_rounds_to_zero_makes_no_report_impossible(alpha):
    """The first laws drawn from this prior are zero in two places out of three."""
    rng = np.random.default_rng(0)
    assert (rng.dirichlet(np.full(3, alpha)) == 0).any()
    said = Rows(*np.eye(3))  # every user says the value
    sample = gibbs(np.array([0, 1, 1]), said, np.full(3, alpha), 3, rng, burn_in=0)
    assert (sample.concentrations == alpha + np.array([1, 2, 0])).all()


@pytest.mark.parametrize("users", [1, 7, 100])
@pytest.mark.parametrize("m", [OUE(6, 1.0), SHE(6, 1.0)], ids=repr)
def test_parts_of_users_are_drawn_like_the_whole(m, users, monkeypatch):
    evidence = gather(read(drawn(m, 100), m))
    law = np.random.default_rng(3).dirichlet(np.ones(6))
    whole = module.draw_explained(evidence, law, np.random.default_rng(4))
    by_whole = by_report(evidence, law, np.random.default_rng(4))
    monkeypatch.setattr(module, "_USERS_AT_ONCE", users)
    monkeypatch.setattr(_evidence, "_CELLS_AT_ONCE", users)
    assert (module.draw_explained(evidence, law, np.random.default_rng(4)) == whole).all()
    assert (by_report(evidence, law, np.random.default_rng(4)) == by_whole).all()


@both
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"concentration": [1.0, 1.0]}, "concentration must have shape"),
        ({"num_draws": 0}, "num_draws must be"),
        ({"burn_in": -1}, "burn_in must be"),
        ({"num_chains": 1}, "num_chains must be"),
        ({"reports": np.array([], dtype=int)}, "reports must be at least one, got 0."),
        ({"reports": [0, 3]}, "reports must be from 0 to 2, got 3."),
        ({"mechanism": [GRR(3, 1.0)] * 2, "reports": [[0]]}, "reports must be of 2 mechanisms"),
        ({"rng": np.random.RandomState(0)}, r"rng must be a numpy\.random\.Generator"),
    ],
)
def test_bad_input(change, message, sampler):
    arguments = {
        "mechanism": GRR(3, 1.0), "reports": [0, 1], "concentration": np.ones(3), "num_draws": 2,
        "burn_in": 0, "rng": np.random.default_rng(0),
    }  # fmt: skip
    with pytest.raises((TypeError, ValueError), match="^" + message):
        sampler(**(arguments | change))


@pytest.mark.parametrize(
    ("sampler", "concentration", "message"),
    [
        (gibbs, [1.0, 0.0, 1.0], "positive, got 0.0."),
        (slice_sample, [1, 0.5, 1], "at least 1, got 0.5."),
    ],
)
def test_concentrations_too_small(sampler, concentration, message):
    with pytest.raises(ValueError, match="^concentration must be " + message):
        sampler([0], GRR(3, 1.0), concentration, 2, np.random.default_rng(0), burn_in=0)


def test_burn_in_is_required_and_reports_must_be_sent_by_somebody():
    with pytest.raises(TypeError, match="burn_in"):
        gibbs([0], GRR(3, 1.0), np.ones(3), 2, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"reports must be possible under some value"):
        gibbs([0], Rows([0.0, 0.0]), np.ones(2), 2, np.random.default_rng(0), burn_in=0)


def test_small_concentrations_make_a_chain_sticky():
    """A value that nobody holds comes back rarely: fewer effective draws, and that is seen."""
    m = OUE(10, 1.0)
    reports = drawn(m, 100)
    size = {}
    for alpha in (0.05, 2.0):
        rng = np.random.default_rng(0)
        sample = gibbs(reports, m, np.full(10, alpha), 1_000, rng, burn_in=200)
        size[alpha] = min(array_stats.ess(sample.laws[:, :, v]) for v in range(10))
    assert size[0.05] < size[2.0] < 4_000
    assert math.isfinite(size[0.05])


def test_standard_error_of_two_chains_by_hand():
    # Chain means of the first value: 2/3 and 1/3; their standard deviation over the root of two.
    concentrations = np.array([[[2.0, 1.0]], [[1.0, 2.0]]])
    sample = GibbsSample(np.full((2, 1, 2), 0.5), concentrations, np.ones(2), 1)
    expected = np.std([2 / 3, 1 / 3], ddof=1) / np.sqrt(2)
    np.testing.assert_allclose(sample.standard_error, expected, rtol=1e-12)
