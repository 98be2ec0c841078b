"""Simulation-based calibration of the samplers, with samplers that must fail it.

Every test has a false-alarm rate of at most 10**-8.
"""

import numpy as np
import pytest
from calibration import around, p_value, rank, summaries
from test_langevin import Altered
from test_slice_sampling import SEVERAL

from ldp import GRR, RRRR
from ldp.bayes import sgld
from ldp.bayes.slice_sampling import swept
from ldp.bayes.subset_counts import draw_by_subset, gather_counts, likelihood_columns

FALSE_ALARM = 1e-8


def test_ranks_by_hand():
    rng = np.random.default_rng(0)
    draws = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    assert rank(np.array([2.5, 6.0]), draws, rng).tolist() == [2, 3]
    ties = [rank(np.array([2.5, 5.0]), draws, rng)[1] for _ in range(200)]
    assert set(ties) == {0, 1, 2, 3}
    uniform = np.tile(np.arange(20), 50)[:, None]
    assert p_value(uniform, 19) == 1
    # Of 1,000 ranks all are below 19: the chance is 0.95**1000, for one of 19 shares and two ends.
    assert p_value(uniform[uniform < 19][:, None], 19) == pytest.approx(2 * 19 * 0.95**950)


# -- sweeps: exactly reversible


def by_slices(evidence, prior, rng):
    columns, counts = likelihood_columns(evidence)
    return lambda law: swept(law, columns, counts, prior, rng)


def by_guesses(evidence, prior, rng):
    return lambda law: rng.dirichlet(prior + draw_by_subset(evidence, law, rng))


def sweep_ranks(sampler, mechanisms, prior, simulations, assumed=None):
    """Ranks of the truth among 19 states, two sweeps apart; its reports are of `mechanisms`."""
    rng, found = np.random.default_rng(4), []
    fitted = assumed or mechanisms
    for _ in range(simulations):
        truth = rng.dirichlet(prior)
        tallies = [m.simulate(rng.multinomial(15, truth), rng) for m in mechanisms]
        again = [
            m.tally(np.repeat(range(4), t.counts)) for m, t in zip(fitted, tallies, strict=True)
        ]
        sweep = sampler(gather_counts(again, fitted), prior, rng)
        draws = around(truth, lambda law, s=sweep: s(s(law)), 19, rng)
        rows = np.concatenate([m.channel().T for m in fitted])
        counts = np.concatenate([t.counts for t in tallies])
        both = [summaries(each, rows, counts) for each in (truth[None], draws)]
        found.append(rank(both[0][0], both[1], rng))
    return np.array(found)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("sampler", "prior"), [(by_slices, 1.0), (by_slices, 3.0), (by_guesses, 1.0), (by_guesses, 0.4)]
)
def test_sweeps_are_calibrated(sampler, prior):
    """600 simulations; exactly uniform ranks, so no tolerance."""
    found = sweep_ranks(sampler, SEVERAL, np.full(4, prior), 600)
    assert p_value(found, 19) > FALSE_ALARM


@pytest.mark.statistical
@pytest.mark.parametrize("sampler", [by_slices, by_guesses])
def test_control_one_wrong_subset_of_six_is_not_calibrated(sampler):
    wrong = [*SEVERAL[:3], RRRR(4, 3.0, [0], 3.0), *SEVERAL[4:]]
    assert p_value(sweep_ranks(sampler, SEVERAL, np.ones(4), 600, wrong), 19) < FALSE_ALARM


# -- Langevin dynamics: reversible in the limit of small steps


def langevin_ranks(
    m, num_users, step, thinning, simulations, *, stretch=1.0, assumed=None, prior=1.0
):
    """Ranks of the truth among 19 states on the way, by a sampler that `assumed` a mechanism.

    The continuous dynamics are reversible, so small steps make the ranks uniform.
    """
    rng, steps = Altered(seed=1), np.full(thinning, step)
    fitted = assumed or m
    found = []
    for _ in range(simulations):
        rng.stretch = 1.0
        start = rng.gamma(prior, size=m.domain_size)
        values = rng.choice(m.domain_size, num_users, p=start / start.sum())
        tally = m.tally(m.privatize(values, rng)).counts
        reports = np.repeat(np.arange(tally.size), tally)
        rng.stretch = stretch
        moved = around(start, lambda phi, r=reports: sgld(r, fitted, phi, steps, rng).phi, 19, rng)
        truth, laws = start / start.sum(), moved / moved.sum(axis=1, keepdims=True)
        both = [summaries(each, fitted.channel().T, tally) for each in (truth[None], laws)]
        found.append(rank(both[0][0], both[1], rng))
    return np.array(found)


RESTRICTED = RRRR(3, 1.5, [1], 1.0)


@pytest.mark.statistical
def test_langevin_with_small_steps_is_calibrated():
    """Steps of finite length are off: the shares of ranks by at most 0.02, we say."""
    assert p_value(langevin_ranks(RESTRICTED, 20, 0.01, 200, 600), 19, tolerance=0.02) > FALSE_ALARM


@pytest.mark.statistical
@pytest.mark.parametrize(
    "wrong",
    [
        {"stretch": np.sqrt(0.01)},
        {"stretch": np.sqrt(0.5)},
        {"assumed": RRRR(3, 1.5, [2], 1.0)},
        {"prior": 0.3},
    ],
    ids=["gamma W as printed", "drift without its half", "another subset", "another prior"],
)
def test_control_wrong_dynamics_are_not(wrong):
    found = langevin_ranks(RESTRICTED, 20, 0.01, 50, 600, **wrong)
    assert p_value(found, 19, tolerance=0.02) < FALSE_ALARM


@pytest.mark.statistical
def test_fifty_reports_an_update_make_draws_of_many_users_too_wide():
    """S000 looks at 50 reports an update, whatever their number n, and states no step size.

    Where the log-density bends by H, the gradient's noise adds about step * n * H / (4 * 50) to
    the variance of 1: steps in proportion to 1/n let that grow with n, as H does.
    """
    m, n = GRR(2, 3.0), 2_000
    wide = langevin_ranks(m, n, 1 / n, 20, 300)
    assert p_value(wide, 19, tolerance=0.02) < FALSE_ALARM
    outermost = ((wide[:, 0] == 0) | (wide[:, 0] == 19)).mean()
    assert outermost < 0.5 * 2 / 20  # draws too wide: the truth lies in their middle
    assert p_value(langevin_ranks(m, n, 0.003 / n, 300, 300), 19, tolerance=0.02) > FALSE_ALARM
