"""Users who answered by different mechanisms on one domain: likelihood and posterior."""

import math
import re

import numpy as np
import pytest
from test_gibbs import FALSE_ALARM, step_p_value, tally_law
from test_likelihood import log_posterior, reference
from test_posterior import by_assignments

from ldp import (
    GRR,
    OLH,
    OUE,
    RRRR,
    SHE,
    SUE,
    HadamardResponse,
    SquareWave,
    SubsetSelection,
    maximum_likelihood,
)
from ldp.bayes import exact_posterior, gibbs
from ldp.bayes.subset_counts import draw_by_subset, gather_counts
from ldp.likelihood import maximum_posterior

RESTRICTED = [
    RRRR(4, 1.0, [], 0.8),
    RRRR(4, 1.0, [2], 0.8),
    RRRR(4, 1.0, [2, 0], 0.8),
    RRRR(4, 1.0, [2, 0, 3], 0.8),
]
BLIND = [RRRR(4, 2.0, [1], 2.0), RRRR(4, 2.0, [1, 3], 2.0)]
SEQUENCES = {
    "restricted": RESTRICTED,
    "several budgets": [RRRR(4, 1.0, [0], 0.5), RRRR(4, 3.0, [1], 3.0), RRRR(4, 3.0, [1], 2.0)],
    "outsiders alike": BLIND,
    "with randomized response": [GRR(4, 1.0), *RESTRICTED[1:]],
    "supports of equal odds": [GRR(4, 1.0), HadamardResponse(4, 1.0), SubsetSelection(4, 1.0)],
    "supports of other odds": [GRR(4, 1.0), GRR(4, 2.0), OUE(4, 0.5)],
    "bits": [OUE(4, 1.0), SUE(4, 1.0), OLH(4, 1.0)],
    "rows": [SquareWave(4, 1.0), RRRR(4, 1.0, [0], 0.8), SHE(4, 1.0, resolution=3)],
    "the same twice": [RESTRICTED[1], RESTRICTED[1]],
    "one": [RESTRICTED[2]],
}
of_each = pytest.mark.parametrize("mechanisms", SEQUENCES.values(), ids=SEQUENCES.keys())
TALLIED = (GRR, RRRR, SquareWave)


def answered(mechanisms, each, seed=1):
    """Reports of users with an uneven law: some values stay unheld."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.full(mechanisms[0].domain_size, 0.5))
    return [m.privatize(rng.choice(law.size, each, p=law), rng) for m in mechanisms]


def stacked(mechanisms, reports):
    """Every user's row of likelihoods."""
    return np.concatenate([m.likelihood(r) for m, r in zip(mechanisms, reports, strict=True)])


# -- maximum likelihood


@of_each
@pytest.mark.parametrize("with_prior", [False, True])
def test_no_convex_solver_finds_a_better_law(mechanisms, with_prior):
    reports = answered(mechanisms, 40)
    rows = stacked(mechanisms, reports)
    counts = np.ones(len(rows))
    prior = np.array([0.5, 0.0, 2.0, 0.0]) if with_prior else np.zeros(4)
    fit = (
        maximum_posterior(reports, mechanisms, 1 + prior)
        if with_prior
        else maximum_likelihood(reports, mechanisms)
    )
    assert fit.converged
    assert fit.theta.sum() == pytest.approx(1, rel=1e-12)
    ours = log_posterior(fit.theta, rows, counts, prior)
    _, theirs = reference(rows, counts, prior)
    assert theirs <= ours + fit.gap * len(rows) + 1e-10  # rounding of sums of some 160 logarithms
    assert ours <= theirs + 1e-4


def test_no_law_of_a_fine_grid_is_better():
    """By brute force: all laws of three values in steps of 1/200."""
    mechanisms = [RRRR(3, 1.0, [1], 0.8), RRRR(3, 2.0, [0, 2], 1.5), GRR(3, 0.7)]
    reports = answered(mechanisms, 30, seed=4)
    rows = stacked(mechanisms, reports)
    fit = maximum_likelihood(reports, mechanisms)
    steps = np.arange(201) / 200
    grid = np.array([(a, b, 1 - a - b) for a in steps for b in steps if a + b <= 1 + 1e-12])
    values = np.log(np.maximum(grid, 0) @ rows.T).sum(axis=1)
    best = np.log(rows @ fit.theta).sum()
    assert values.max() <= best + fit.gap * len(rows) + 1e-10
    assert values.max() > best - 0.05  # the grid comes near, so it could have been better
    assert np.abs(grid[values.argmax()] - fit.theta).max() < 0.05


@of_each
def test_tallies_say_what_the_reports_say(mechanisms):
    reports = answered(mechanisms, 50)
    tallies = [
        m.tally(r) if isinstance(m, TALLIED) else r
        for m, r in zip(mechanisms, reports, strict=True)
    ]
    by_reports, by_tallies = (maximum_likelihood(given, mechanisms) for given in (reports, tallies))
    np.testing.assert_allclose(by_tallies.theta, by_reports.theta, rtol=0, atol=1e-9)
    by_reports, by_tallies = (
        maximum_posterior(given, mechanisms, np.full(4, 1.5)) for given in (reports, tallies)
    )
    np.testing.assert_allclose(by_tallies.theta, by_reports.theta, rtol=0, atol=1e-9)


@of_each
def test_order_and_division_of_the_users_do_not_matter(mechanisms):
    reports = answered(mechanisms, 60)
    whole = maximum_posterior(reports, mechanisms, np.full(4, 2.0))
    turned = maximum_posterior(tuple(reports[::-1]), mechanisms[::-1], np.full(4, 2.0))
    halves = maximum_posterior(
        [*(r[:25] for r in reports), *(r[25:] for r in reports)],
        [*mechanisms, *mechanisms],
        np.full(4, 2.0),
    )
    for other in (turned, halves):
        np.testing.assert_allclose(other.theta, whole.theta, rtol=0, atol=1e-7)  # the solver's


@pytest.mark.parametrize(
    "m", [RESTRICTED[2], GRR(4, 1.0), OUE(4, 1.0), SquareWave(4, 1.0)], ids=str
)
def test_a_list_of_one_is_that_mechanism(m):
    [reports] = answered([m], 80)
    np.testing.assert_allclose(
        maximum_likelihood([reports], [m]).theta,
        maximum_likelihood(reports, m).theta,
        rtol=0,
        atol=1e-6,  # that of randomized response is in closed form, the other a solver's
    )


def test_where_outsiders_are_alike_only_their_sum_is_learned():
    m = RRRR(4, 2.0, [1], 2.0)
    tally = m.tally([1] * 30 + [0] * 10 + [2] * 6 + [3] * 4)
    fit = maximum_likelihood([tally], [m])
    assert fit.converged
    gained = np.expm1(2.0) / (np.exp(2.0) + 1)
    share = (30 / 50 - m.levels.other_in) / gained
    assert fit.theta[1] == pytest.approx(share, abs=1e-4)  # a gap of 1e-9 is quadratic in the law


def test_a_mechanism_that_is_left_out_is_missed():
    """Control: the fit to a part of the users is not the fit to all of them."""
    reports = answered(RESTRICTED, 200)
    whole = maximum_likelihood(reports, RESTRICTED).theta
    part = maximum_likelihood(reports[:3], RESTRICTED[:3]).theta
    swapped = maximum_likelihood(reports, RESTRICTED[::-1]).theta
    assert np.abs(whole - part).max() > 1e-3
    assert np.abs(whole - swapped).max() > 1e-3


# -- the posterior


@pytest.mark.parametrize("m", RESTRICTED + BLIND, ids=repr)
def test_exact_posterior_of_restricted_response(m):
    [reports] = answered([m], 6)
    alpha = np.array([0.5, 1.0, 2.0, 0.3])
    expected = by_assignments(m.channel()[:, reports].T, alpha)
    total = sum(expected.values())
    posterior = exact_posterior(reports, m, alpha)
    listed = [expected[tuple(t)] / total for t in posterior.tallies]
    np.testing.assert_allclose(posterior.weights, listed, rtol=1e-11)


@pytest.mark.statistical
@pytest.mark.parametrize("given", [RESTRICTED, BLIND, SEQUENCES["several budgets"]], ids=str)
def test_one_step_from_counts_draws_the_tally_from_its_law(given):
    """One report of each subset; false alarms below 1e-9."""
    reports = [[2, 0, 1, 3][i % 4 : i % 4 + 1] for i in range(len(given))]
    law = np.array([0.4, 0.3, 0.2, 0.1])

    class All:
        """The mechanisms as one whose reports are numbered."""

        domain_size = 4

        def likelihood(self, _):
            return stacked(given, reports)

    expected = tally_law(All(), range(len(given)), law)
    counts = gather_counts([np.array(r) for r in reports], given)
    assert step_p_value(counts, law, expected, draw_by_subset) > FALSE_ALARM
    off = np.array([0.35, 0.35, 0.2, 0.1])
    assert step_p_value(counts, off, expected, draw_by_subset) < FALSE_ALARM  # control


def test_one_step_from_large_counts_has_the_exact_mean():
    """The mean number explained by each value, from the rows; z beyond 6 is a 2e-9 event."""
    law = np.array([0.1, 0.2, 0.3, 0.4])
    rng = np.random.default_rng(3)
    for given in (RESTRICTED, BLIND, SEQUENCES["several budgets"]):
        tallies = [m.simulate([500, 300, 100, 100], rng) for m in given]
        wanted = np.zeros(4)
        for m, tally in zip(given, tallies, strict=True):
            rows = m.channel().T  # [y, x]
            explained = (rows - rows.min(axis=1, keepdims=True)) * law / (rows @ law)[:, None]
            wanted += tally.counts @ explained
        counts = gather_counts(tallies, given)
        draws = np.array([draw_by_subset(counts, law, rng) for _ in range(400)])
        error = draws.std(axis=0, ddof=1) / 20
        assert (np.abs(draws.mean(axis=0) - wanted) < 6 * error + 1e-9).all()
        assert (draws.sum(axis=1) <= 1000 * len(given)).all()


CHAINS = {name: SEQUENCES[name] for name in ("restricted", "several budgets", "outsiders alike")}
CHAINS |= {name: SEQUENCES[name] for name in ("with randomized response", "rows")}


@pytest.mark.statistical
@pytest.mark.parametrize("mechanisms", CHAINS.values(), ids=CHAINS.keys())
def test_chains_have_the_exact_posterior_mean(mechanisms):
    """64 independent chains: Student's t with 63 degrees of freedom beyond 8 is a 4e-11 event."""
    reports = answered(mechanisms, 8 // len(mechanisms), seed=5)
    alpha = np.array([1.0, 0.7, 2.0, 1.5])
    weights = by_assignments(stacked(mechanisms, reports), alpha)
    tallies, chances = np.array(list(weights)), np.array(list(weights.values()))
    num_users = sum(map(len, reports))
    mean = (alpha + chances @ tallies / chances.sum()) / (alpha.sum() + num_users)
    sample = gibbs(
        reports, mechanisms, alpha, 400, np.random.default_rng(9), burn_in=100, num_chains=64
    )
    assert (np.abs(sample.mean - mean) < 8 * sample.standard_error).all()
    assert sample.standard_error.max() < 0.01
    assert np.abs(mean - alpha / alpha.sum()).max() > 0.02  # control: the prior is elsewhere


@pytest.mark.statistical
def test_control_chains_with_subsets_exchanged_miss_the_posterior_mean():
    one, other = RRRR(4, 3.0, [0], 2.9), RRRR(4, 3.0, [1, 2], 2.9)
    reports = [np.array([0, 0, 3, 0]), np.array([1, 2, 1, 3])]
    alpha = np.ones(4)
    weights = by_assignments(stacked([one, other], reports), alpha)
    tallies, chances = np.array(list(weights)), np.array(list(weights.values()))
    mean = (alpha + chances @ tallies / chances.sum()) / 12
    rng = np.random.default_rng(9)
    right = gibbs(reports, [one, other], alpha, 400, rng, burn_in=100, num_chains=64)
    wrong = gibbs(reports, [other, one], alpha, 400, rng, burn_in=100, num_chains=64)
    assert (np.abs(right.mean - mean) < 8 * right.standard_error).all()
    assert (np.abs(wrong.mean - mean) > 8 * wrong.standard_error).any()


def test_tallies_and_reports_make_the_same_chain():
    reports = answered(RESTRICTED, 30)
    tallies = [m.tally(r) for m, r in zip(RESTRICTED, reports, strict=True)]
    chains = [
        gibbs(given, RESTRICTED, np.ones(4), 20, np.random.default_rng(1), burn_in=5).laws
        for given in (reports, tallies)
    ]
    assert np.array_equal(*chains)


# -- what is refused


def by_each_estimator(mechanisms, reports):
    rng = np.random.default_rng(1)
    yield lambda: maximum_likelihood(reports, mechanisms)
    yield lambda: maximum_posterior(reports, mechanisms, np.full(4, 2.0))
    yield lambda: gibbs(reports, mechanisms, np.ones(4), 2, rng, burn_in=1)


ONE, TWO, BITS = RESTRICTED[1], GRR(4, 1.0), OUE(4, 1.0)


@pytest.mark.parametrize(
    ("mechanisms", "reports", "naming"),
    [
        ([], [], "mechanism"),
        ([ONE, RRRR(5, 1.0, [0], 0.8)], [[1], [1]], "mechanism"),
        ([ONE, "GRR"], [[1], [1]], "mechanism"),
        ([ONE, GRR], [[1], [1]], "mechanism"),
        ("RRRR", [1], "mechanism"),
        ([ONE, TWO], [[1]], "reports"),
        ([ONE, TWO], [[1], [1], [1]], "reports"),
        ([ONE, TWO], np.array([[1], [1]]), "reports"),
        ([ONE, TWO], ONE.tally([1]), "reports"),
        ([ONE, TWO], None, "reports"),
        ([ONE, TWO], [[4], [1]], "reports"),
        ([ONE, TWO], [[1], [1.0]], "reports"),
        ([ONE, TWO], [[], []], "reports"),
        ([ONE, TWO], [TWO.tally([1]), TWO.tally([1])], "reports"),
        ([ONE, ONE], [ONE.tally([1]), RESTRICTED[2].tally([1])], "reports"),
        ([ONE, ONE], [[], []], "reports"),
        ([ONE, BITS], [[1], BITS.simulate([1] * 4, np.random.default_rng(1))], "reports"),
    ],
)
def test_bad_input(mechanisms, reports, naming):
    for call in by_each_estimator(mechanisms, reports):
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
        assert re.fullmatch(rf"{naming} must [^\n]*, got [^\n]*\.", str(caught.value)), caught.value
    assert math.isfinite(maximum_likelihood([[1], [1]], [ONE, TWO]).log_likelihood)
