"""Samplers against their laws. Each test says its false-alarm rate and has a control that fails.

All comparisons are chi-square tests of a sample of fixed seed with the exact law; one false alarm
in 10**9 tests, so the whole file stays below 10**-6 were the seeds drawn afresh.
"""

import numpy as np
import pytest
from catalogue import ORACLES, is_noisy, makers, scores, small_makers, word_bits
from scipy import stats

from ldp import OUE, SHE, variance
from ldp.linear import debias

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


# What makes small mechanisms, of reports so few kinds that each is seen often.
SAMPLED = [make for make in small_makers() if make(1.0).channel().shape[1] <= 2_048]
every_small = pytest.mark.parametrize("make", SAMPLED, ids=lambda make: repr(make(1.0)))


@every_small
def test_reports_follow_the_channel(make):
    m = make(1.0)
    assert reports_p_value(m, m, seed=11) > FALSE_ALARM
    # Control: a budget too large by three tenths is seen.
    assert reports_p_value(make(1.3), m, seed=12) < FALSE_ALARM


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
    each, same = np.unique(scores(m), axis=0, return_inverse=True)
    channel = m.channel() @ np.eye(len(each))[same.ravel()]  # reports that count alike are one
    law = {(0,) * each.shape[1]: 1.0}
    for x in values:
        following = {}
        for counts, probability in law.items():
            for y in range(len(each)):
                key = tuple(a + b for a, b in zip(counts, each[y].tolist(), strict=True))
                following[key] = following.get(key, 0.0) + probability * channel[x, y]
        law = following
    return law


def simulated_p_value(simulator, law, values, seed, draws=6_000):
    index = {counts: i for i, counts in enumerate(law)}
    value_counts = np.bincount(values, minlength=simulator.domain_size)
    observed = np.zeros(len(law))
    for rng in np.random.default_rng(seed).spawn(draws):
        counts = tuple(simulator.simulate(value_counts, rng).counts.tolist())
        if counts not in index:
            return 0.0
        observed[index[counts]] += 1
    return chi_square_p_value(observed, np.array(list(law.values())))


def can_be_enumerated(m):
    """Hashes of a short word leave dependence among three values: counts are drawn apart."""
    return not is_noisy(m) and word_bits(m) == 32 and m.domain_size <= 6


SIMULATED = [make for make in SAMPLED if can_be_enumerated(make(1.0))]


@pytest.mark.parametrize("make", SIMULATED, ids=lambda make: repr(make(1.0)))
def test_simulate_draws_the_joint_law_of_the_tally(make):
    m = make(1.0)
    values = np.array([0, 0, m.domain_size - 1])
    law = law_of_tally(m, values)
    assert simulated_p_value(m, law, values, seed=21) > FALSE_ALARM
    # Control: another budget is seen.
    assert simulated_p_value(make(2.5), law, values, seed=22) < FALSE_ALARM


# Of hashes the full word is tested here, since short ones leave dependence among three values.
MOMENTS = [m for make in small_makers(ORACLES) if (m := make(1.5)).domain_size > 2]
MOMENTS += [make(6, 1.5) for make in makers(ORACLES).values()]
MOMENTS = [m for m in MOMENTS if word_bits(m) == 32]


def exact_covariance(m, frequencies, n):
    """Covariance of the estimates given the users' values, from the channel where it is short."""
    if is_noisy(m) or hasattr(m, "num_buckets"):
        return np.diag(variance(m, n, frequencies))  # counts of different values are independent
    channel, each = m.channel(), (scores(m) - m.q) / (m.p - m.q)
    mean = channel @ each  # [x, v]
    second = np.einsum("x,xy,yu,yv->uv", frequencies, channel, each, each)
    return (second - np.einsum("x,xu,xv->uv", frequencies, mean, mean)) / n


def moment_p_value(sample, frequencies, covariance):
    """Smallest p-value of means, variances and covariances, as for normal estimates."""
    draws, spread = len(sample), np.diag(covariance)
    z_mean = (sample.mean(axis=0) - frequencies) / np.sqrt(spread / draws)
    ratio = (draws - 1) * sample.var(axis=0, ddof=1) / spread
    tails = [stats.chi2.cdf(ratio, draws - 1), stats.chi2.sf(ratio, draws - 1)]
    error = np.sqrt((np.outer(spread, spread) + covariance**2) / (draws - 1))
    z_pairs = ((np.cov(sample.T) - covariance) / error)[np.triu_indices(len(spread), 1)]
    z_all = np.abs(np.concatenate([z_mean, z_pairs]))
    return min(2 * stats.norm.sf(z_all.max()), 2 * np.min(tails))


@pytest.mark.parametrize("m", MOMENTS, ids=repr)
def test_both_ways_to_a_tally_have_the_moments_of_theory(m, monkeypatch):
    """Each of the two p-values is below 1e-9 / 50 once in 10**9 runs: some 50 moments each.

    Runs of words are cut short, so that every sampler needs many and reusing one would show.
    """
    monkeypatch.setattr("ldp._kernels._WORDS_PER_CHUNK", 512)
    counts = np.full(m.domain_size, 100)
    counts[1] += 2_000 - counts.sum()
    values, frequencies = np.repeat(np.arange(m.domain_size), counts), counts / 2_000
    covariance = exact_covariance(m, frequencies, 2_000)
    np.testing.assert_allclose(np.diag(covariance), variance(m, 2_000, frequencies), rtol=1e-7)
    rngs = np.random.default_rng(31).spawn(2_400)
    drawn = np.array([debias(m.simulate(counts, rng), m) for rng in rngs[:2_000]])
    made = np.array([debias(m.tally(m.privatize(values, rng)), m) for rng in rngs[2_000:]])
    assert moment_p_value(drawn, frequencies, covariance) > FALSE_ALARM / 50
    assert moment_p_value(made, frequencies, covariance) > FALSE_ALARM / 50


def test_control_noise_shared_by_the_values_is_seen():
    m, counts = SHE(4, 1.5), np.full(4, 500)
    rng = np.random.default_rng(33)
    apart = np.array([debias(m.simulate(counts, child), m) for child in rng.spawn(2_000)])
    shared = 0.25 + (apart - 0.25 + np.roll(apart, 1, axis=1) - 0.25) / np.sqrt(2)
    covariance = exact_covariance(m, np.full(4, 0.25), 2_000)
    assert moment_p_value(apart, np.full(4, 0.25), covariance) > FALSE_ALARM / 50
    assert moment_p_value(shared, np.full(4, 0.25), covariance) < FALSE_ALARM / 50


def test_control_a_variance_off_by_a_third_is_seen():
    m, frequencies = OUE(4, 1.5), np.full(4, 0.25)
    rngs = np.random.default_rng(32).spawn(2_000)
    sample = np.array([debias(m.simulate([500] * 4, rng), m) for rng in rngs])
    covariance = exact_covariance(m, frequencies, 2_000)
    assert moment_p_value(sample, frequencies, covariance) > FALSE_ALARM / 50
    assert moment_p_value(sample, frequencies, 1.33 * covariance) < FALSE_ALARM / 50


def test_a_reused_generator_state_is_seen():
    # Control of the randomness itself: two users given the same words send equal reports.
    m = OUE(64, 1.0)
    first = m.privatize([3], np.random.default_rng(5))
    again = m.privatize([3], np.random.default_rng(5))
    fresh = m.privatize([3, 3], np.random.default_rng(5))
    assert (first == again).all()
    assert (fresh[0] != fresh[1]).any()
