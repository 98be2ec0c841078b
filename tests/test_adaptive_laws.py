"""The law of adaptive reports, and of what is believed after them.

Statistical tests say their false-alarm rate; that of the whole file is below 10**-6.
"""

from functools import cache

import numpy as np
import pytest
from adaptive_runs import every_sampler, run_of
from calibration import p_value, rank, summaries
from scipy import stats

from ldp import GRR, RRRR, adobest
from ldp.bayes import slice_sample
from ldp.protocols import (
    BestPrefix,
    EmptyPrefix,
    GibbsSampler,
    LangevinSampler,
    MassPrefix,
    SliceSampler,
)

FALSE_ALARM = 1e-8


# -- the law of reports


def deviations(runs, subset_at):
    """z of the number of reports y of users of value x, and of those inside, given the subsets.

    User x has value x. Each report differs from its chance given everything before by a martingale
    difference.
    """
    excess, variance = np.zeros((4, 5)), np.zeros((4, 5))
    for run in runs:
        for value, report in enumerate(run.reports):
            mask = subset_at(run, value)
            chances = channel_of(mask.tobytes())[value]
            chances = np.append(chances, chances[mask].sum())
            excess[value] += [*np.eye(4)[report], mask[report]] - chances
            variance[value] += chances * (1 - chances)
    excess, variance = (np.append(each[:, :4], each[:, 4].sum()) for each in (excess, variance))
    usual = variance > 50
    assert usual[-1]
    assert usual.sum() > 6
    return (excess / np.sqrt(variance))[usual]


@cache
def channel_of(mask):
    return RRRR(4, 4.0, np.flatnonzero(np.frombuffer(mask, dtype=bool)), 4.0).channel()


def some_runs(sampler):
    rng = np.random.default_rng(1)
    return [adobest(range(4), 4, 4.0, MassPrefix(0.4), sampler, rng) for _ in range(6_000)]


LIVELY = [LangevinSampler(0.2, 5, 40), SliceSampler(2)]
every_lively = pytest.mark.parametrize("sampler", LIVELY, ids=lambda s: type(s).__name__)


@pytest.mark.statistical
@every_lively
def test_reports_have_the_law_of_the_subset_that_was_asked(sampler):
    """Of 17 deviations one beyond 8: by Bernstein's inequality, at variance 50, below 1e-8."""
    asked = deviations(some_runs(sampler), lambda run, i: run.subsets[i])
    assert np.abs(asked).max() < 8


@pytest.mark.statistical
@every_lively
def test_control_reports_do_not_have_the_law_of_the_subset_that_came_after(sampler):
    """The next subset knows the report: it holds what was reported too often."""
    after = deviations(some_runs(sampler), lambda run, i: run.subsets[min(i + 1, 3)])
    assert after[-1] > 8


@pytest.mark.statistical
@every_sampler
def test_without_subsets_users_answer_by_plain_randomized_response(sampler):
    values = np.arange(40_000) % 4
    run = run_of(sampler, EmptyPrefix(), values, users_per_round=500)
    assert run.mechanisms == [RRRR(4, 1.5, [], 1.5)]
    wanted = 10_000 * GRR(4, 1.5).channel()
    seen = np.bincount(4 * values + run.reports, minlength=16).reshape(4, 4)
    statistic = ((seen - wanted) ** 2 / wanted).sum()
    assert stats.chi2.sf(statistic, 12) > FALSE_ALARM


# -- the posterior


def truth_among_draws(sampler, simulations, mechanisms_of):
    """Ranks of the truth among the last law and 18 draws given all that was asked and answered."""
    rng, rule, found = np.random.default_rng(2), BestPrefix("honest", 0.8), []
    for _ in range(simulations):
        truth = rng.dirichlet(np.ones(3))
        values = rng.choice(3, 20, p=truth)
        run = adobest(values, 3, 2.0, rule, sampler, rng)
        counts = np.concatenate([tally.counts for tally in run.tallies])
        rows = np.concatenate([m.likelihood(range(3)) for m in run.mechanisms])
        tallies = [m.tally(np.repeat(range(3), t.counts)) for m, t in mechanisms_of(run)]
        assumed = [m for m, _ in mechanisms_of(run)]
        drawn = slice_sample(tallies, assumed, np.ones(3), 1, rng, burn_in=8, num_chains=18)
        laws = np.concatenate([drawn.laws[:, 0], run.laws[-1:]])
        both = [summaries(each, rows, counts) for each in (truth[None], laws)]
        found.append(rank(both[0][0], both[1], rng))
    return np.array(found)


@pytest.mark.statistical
@pytest.mark.parametrize("sampler", [GibbsSampler(3), SliceSampler(3)], ids=repr)
def test_adaptive_reports_are_analysed_as_if_subsets_had_been_given(sampler):
    """The choice of a subset looks at earlier reports only, so it says nothing more of the law."""

    def asked(run):
        return list(zip(run.mechanisms, run.tallies, strict=True))

    assert p_value(truth_among_draws(sampler, 400, asked), 19) > FALSE_ALARM


def last_law_ranks(sampler, simulations):
    """Ranks of the truth against the last law alone: its entries, and how far it is spread."""
    rng, rule, found = np.random.default_rng(3), BestPrefix("honest", 0.8), []
    for _ in range(simulations):
        truth = rng.dirichlet(np.ones(3))
        run = adobest(rng.choice(3, 20, p=truth), 3, 2.0, rule, sampler, rng)
        drawn = slice_sample(run.tallies, run.mechanisms, np.ones(3), 20, rng, burn_in=8)
        centre = drawn.mean  # any number made of the reports would do
        both = [np.append(law, ((law - centre) ** 2).sum()) for law in (truth, run.laws[-1])]
        found.append(rank(both[0], both[1][None], rng))
    return np.array(found)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "sampler", [LangevinSampler(0.01, 20, 200), GibbsSampler(3), SliceSampler(3)], ids=repr
)
def test_the_last_law_of_a_run_is_one_more_draw_from_the_posterior(sampler):
    """Langevin dynamics have steps of finite length: off by at most 0.02, we say."""
    assert p_value(last_law_ranks(sampler, 2_000), 1, tolerance=0.02) > FALSE_ALARM


@pytest.mark.statistical
@pytest.mark.parametrize(
    "sampler", [LangevinSampler(0.01, 20, 2), LangevinSampler(0.3, 1, 40)], ids=repr
)
def test_control_dynamics_that_lag_or_are_too_wide_are_seen(sampler):
    assert p_value(last_law_ranks(sampler, 2_000), 1, tolerance=0.02) < FALSE_ALARM


@pytest.mark.statistical
def test_control_other_subsets_than_the_asked_ones_are_seen():
    def shifted(run):
        subsets = [[(min(m.subset, default=0) + 1) % 3] for m in run.mechanisms]
        return [(RRRR(3, 2.0, s, 1.6), t) for s, t in zip(subsets, run.tallies, strict=True)]

    ranks = truth_among_draws(SliceSampler(4), 1_200, shifted)
    assert p_value(ranks, 19) < FALSE_ALARM
