"""Samplers against their laws. Each test says its false-alarm rate and has a control that fails.

All comparisons are chi-square tests of a sample of fixed seed with the exact law; one false alarm
in 10**9 tests, so the whole file stays below 10**-6 were the seeds drawn afresh.
"""

import numpy as np
import pytest
from instances import every, scores
from scipy import stats

from ldp import GRR, OUE, SHE, SUE, THE, HadamardResponse, LocalHashing, SubsetSelection, variance
from ldp.estimators.linear import debias

pytestmark = pytest.mark.statistical

FALSE_ALARM = 1e-9


def chi_square_p_value(observed, law):
    """p-value of counts under a law; cells of expectation below 10 are pooled."""
    expected = observed.sum() * law
    rare = expected < 10
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    keep = expected > 0
    assert (observed[~keep] == 0).all()
    statistic = ((observed - expected)[keep] ** 2 / expected[keep]).sum()
    return stats.chi2.sf(statistic, keep.sum() - 1)


def reports_p_value(sampler, law_of, seed):
    """Compare the reports of one sampler with the channel of a mechanism, value by value."""
    rng = np.random.default_rng(seed)
    channel = law_of.channel()
    p_values = []
    for x in range(sampler.domain_size):
        reports = sampler.privatize(np.full(60_000, x), rng)
        observed = np.bincount(law_of.outcomes(reports), minlength=channel.shape[1])
        p_values.append(chi_square_p_value(observed, channel[x]))
    return min(p_values)


SAMPLED = [
    GRR(5, 1.0),
    SUE(4, 1.0),
    OUE(5, 1.0),
    OUE(9, 4.0),  # rows of two bytes, seven of their bits padding
    THE(4, 2.0),
    LocalHashing(4, 1.0, num_buckets=3, hash_bits=4),
    SubsetSelection(6, 1.0),
    SubsetSelection(9, 0.5, subset_size=4),
    HadamardResponse(6, 1.0),
    HadamardResponse(7, 2.0, block_size=4),
    HadamardResponse(5, 3.0, block_size=2),
    SHE(2, 1.0, resolution=3),
]


@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_reports_follow_the_channel(m):
    assert reports_p_value(m, m, seed=11) > FALSE_ALARM


def with_budget(m, epsilon):
    fields = {name: getattr(m, name) for name in m.__dataclass_fields__}
    for name in ("p", "q", "epsilon"):
        fields.pop(name, None)
    if type(m).__name__ == "UnaryEncoding":
        return next(
            f(m.domain_size, epsilon) for f in (SUE, OUE, THE) if f(m.domain_size, m.epsilon) == m
        )
    return type(m)(epsilon=epsilon, **fields)


@pytest.mark.parametrize("m", SAMPLED, ids=repr)
def test_control_a_budget_too_large_by_three_tenths_is_seen(m):
    assert reports_p_value(with_budget(m, m.epsilon + 0.3), m, seed=12) < FALSE_ALARM


def test_a_probability_off_by_one_percent_is_seen():
    # The 2 million bits of one sample tell q from 1.01 q: their z-score is about
    # 0.01 q sqrt(n / q(1-q)) = 8.6 at q = 0.27.
    m = OUE(8, 1.0)
    ones = m.tally(m.privatize(np.zeros(250_000, dtype=int), np.random.default_rng(13)))
    observed = np.array([ones.counts[1:].sum(), 7 * 250_000 - ones.counts[1:].sum()])
    assert chi_square_p_value(observed, np.array([m.q, 1 - m.q])) > FALSE_ALARM
    wrong = 1.01 * m.q
    assert chi_square_p_value(observed, np.array([wrong, 1 - wrong])) < FALSE_ALARM


def law_of_tally(m, values):
    """Exact joint law of the tally of a few users: tuple of counts -> probability."""
    channel, each = m.channel(), scores(m)
    law = {(0,) * m.domain_size: 1.0}
    for x in values:
        following = {}
        for counts, probability in law.items():
            for y in range(len(each)):
                key = tuple(a + b for a, b in zip(counts, each[y].tolist(), strict=True))
                following[key] = following.get(key, 0.0) + probability * channel[x, y]
        law = following
    return law


def simulated_p_value(simulator, law_of, values, seed, draws=6_000):
    law = law_of_tally(law_of, values)
    index = {counts: i for i, counts in enumerate(law)}
    value_counts = np.bincount(values, minlength=law_of.domain_size)
    observed = np.zeros(len(law))
    for rng in np.random.default_rng(seed).spawn(draws):
        observed[index[tuple(simulator.simulate(value_counts, rng).counts.tolist())]] += 1
    return chi_square_p_value(observed, np.array(list(law.values())))


SIMULATED = [
    GRR(3, 1.0),
    SUE(3, 1.0),
    OUE(3, 2.0),
    SubsetSelection(4, 1.0, subset_size=2),
    SubsetSelection(5, 0.7, subset_size=3),
    HadamardResponse(3, 1.0),
    HadamardResponse(6, 1.0),
    HadamardResponse(5, 2.0, block_size=4),
    HadamardResponse(3, 2.0, block_size=2),
]


@pytest.mark.parametrize("m", SIMULATED, ids=repr)
def test_simulate_draws_the_joint_law_of_the_tally(m):
    values = np.array([0, 0, m.domain_size - 1])
    assert simulated_p_value(m, m, values, seed=21) > FALSE_ALARM


@pytest.mark.parametrize("m", SIMULATED, ids=repr)
def test_control_simulate_at_another_budget_is_seen(m):
    values = np.array([0, 0, m.domain_size - 1])
    assert simulated_p_value(with_budget(m, m.epsilon + 0.6), m, values, seed=22) < FALSE_ALARM


# Hashes of a short word leave dependence among three values, so the full word is tested here.
MOMENTS = [m for m in every(1.5) if m.domain_size > 2 and getattr(m, "hash_bits", 32) == 32] + [
    SHE(4, 1.5),
    LocalHashing(6, 1.5, 5),
    LocalHashing(9, 1.5, 2),
]


@pytest.mark.parametrize("m", MOMENTS, ids=repr)
def test_both_ways_to_a_tally_have_the_mean_variance_and_covariance_of_theory(m):
    """z-scores of 300 repetitions at n = 2000; a normal beyond 6.5 has probability 1e-10."""
    counts = np.full(m.domain_size, 100)
    counts[1] += 2_000 - counts.sum()
    values, frequencies = np.repeat(np.arange(m.domain_size), counts), counts / 2_000
    expected = variance(m, 2_000, frequencies)
    rngs = np.random.default_rng(31).spawn(600)
    drawn = np.array([debias(m.simulate(counts, rng), m) for rng in rngs[:300]])
    made = np.array([debias(m.tally(m.privatize(values, rng)), m) for rng in rngs[300:]])
    for sample in (drawn, made):
        z_mean = (sample.mean(axis=0) - frequencies) / np.sqrt(expected / 300)
        assert np.abs(z_mean).max() < 6.5
        # The sample variance of a near-normal variable has relative error sqrt(2 / 299).
        z_variance = (sample.var(axis=0, ddof=1) / expected - 1) / np.sqrt(2 / 299)
        assert np.abs(z_variance).max() < 6.5
    # Off the diagonal the two covariances, each with error at most sd_u sd_v sqrt(2/300), agree.
    error = np.sqrt(2) * np.sqrt(2 / 300) * np.sqrt(np.outer(expected, expected))
    assert np.abs((np.cov(drawn.T) - np.cov(made.T)) / error).max() < 6.5


def test_control_a_variance_off_by_half_fails_the_same_test():
    m = OUE(4, 1.5)
    sample = np.array(
        [debias(m.simulate([500] * 4, rng), m) for rng in np.random.default_rng(32).spawn(300)]
    )
    wrong = 1.6 * variance(m, 2_000, 0.25)
    assert np.abs((sample.var(axis=0, ddof=1) / wrong - 1) / np.sqrt(2 / 299)).max() > 4.5


def test_a_reused_generator_state_is_seen():
    # Control of the randomness itself: two users given the same words send equal reports.
    m = OUE(64, 1.0)
    first = m.privatize([3], np.random.default_rng(5))
    again = m.privatize([3], np.random.default_rng(5))
    fresh = m.privatize([3, 3], np.random.default_rng(5))
    assert (first == again).all()
    assert (fresh[0] != fresh[1]).any()
