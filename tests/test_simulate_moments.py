"""`simulate` of every mechanism: mean and covariance of its tally, so that three percent is seen.

The mean is that of tallies of so many users that a thousandth is seen, the covariance that of so
many tallies that three percent is: `draws_needed` says how many. One false alarm in 10**9 numbers,
some 400 of them. Every test has a control beside it that is off by as little as it claims to see.
"""

import numpy as np
import pytest
from catalogue import is_noisy, makers, scores
from scipy import stats

from ldp import SquareWave, variance

pytestmark = pytest.mark.statistical

FALSE_ALARM = 1e-9
FAULT = 0.03  # of the covariance
USERS = 10**9

every = pytest.mark.parametrize("make", makers().values(), ids=makers())
SIZE = 7


def uneven(size, total):
    """Users of each value, the last one more than the first."""
    counts = (total * np.arange(1, size + 1) / (size * (size + 1) / 2)).astype(np.int64)
    counts[-1] += total - counts.sum()
    return counts


def law_of_tally(m, counts):
    """Exact mean and covariance of the tally given the users' values."""
    n = counts.sum()
    if is_noisy(m) or hasattr(m, "num_buckets"):  # no channel
        spread = (n * (m.p - m.q)) ** 2 * variance(m, n, counts / n)
        return n * m.q + (m.p - m.q) * counts, np.diag(spread)
    channel, each = m.channel(), scores(m).astype(float)
    mean = channel @ each  # [x, v]
    second = np.einsum("x,xy,yu,yv->uv", counts, channel, each, each)
    return counts @ mean, second - np.einsum("x,xu,xv->uv", counts, mean, mean)


def whitened(tallies, mean, covariance):
    """Independent standard normal numbers, shape (draws, rank), if the tallies have that law."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-9 * values.max()
    return (tallies - mean) @ vectors[:, kept] / np.sqrt(values[kept])


def draws(m, counts, size, seed):
    return np.array(
        [m.simulate(counts, rng).counts for rng in np.random.default_rng(seed).spawn(size)]
    )


# -- means


def mean_p_value(simulator, law_of, size=80):
    """p-value of the mean of tallies of a billion users, a chi-square number."""
    counts = uneven(law_of.domain_size, USERS)
    mean, covariance = law_of_tally(law_of, counts)
    z = whitened(draws(simulator, counts, size, 1).mean(axis=0), mean, covariance / size)
    return stats.chi2.sf((z**2).sum(), z.size)


@every
def test_simulate_has_the_exact_mean(make):
    m = make(SIZE, 1.0)
    assert mean_p_value(m, m) > FALSE_ALARM
    for share in [] if is_noisy(m) else [0.999, 1.001]:  # noise has one mean at all budgets
        assert mean_p_value(make(SIZE, share), m) < FALSE_ALARM


# -- covariances


def power(size, rank, fault):
    """Chance that variances off by a fault are seen in so many draws."""
    k = size * rank
    low, high = stats.chi2.isf([1 - FALSE_ALARM / 2, FALSE_ALARM / 2], k)
    return stats.chi2.cdf(low / (1 - fault), k), stats.chi2.sf(high / (1 + fault), k)


def draws_needed(rank, fault):
    """Draws that see a fault of the covariance, up or down, with 95 percent probability."""
    size = 1_000
    while min(power(size, rank, fault)) < 0.95:
        size = size * 11 // 10
    return size


def covariance_p_value(z):
    """p-value of the sum of all squares, and of every entry of the sample covariance."""
    k, total = z.size, (z**2).sum()
    sides = stats.chi2.cdf(total, k), stats.chi2.sf(total, k)
    entries = z.T @ z / len(z) - np.eye(z.shape[1])
    entries *= np.sqrt(len(z) / (1 + np.eye(z.shape[1])))
    return min(2 * min(sides), 2 * stats.norm.sf(np.abs(entries).max()))


def whitened_draws(m, total):
    counts = uneven(m.domain_size, total)
    mean, covariance = law_of_tally(m, counts)
    rank = np.linalg.matrix_rank(covariance, hermitian=True)
    return whitened(draws(m, counts, draws_needed(rank, FAULT), 2), mean, covariance)


@every
def test_simulate_has_the_exact_covariance(make):
    """A million users each: tallies are normal to a thousandth."""
    z = whitened_draws(make(SIZE, 1.0), 10**6)
    assert covariance_p_value(z) > FALSE_ALARM
    for wrong in (1 - 1.3 * FAULT, 1 + 1.3 * FAULT):  # controls, on the same draws
        assert covariance_p_value(z * np.sqrt(wrong)) < FALSE_ALARM


def test_the_number_of_draws_sees_what_it_says():
    for rank in (1, 3, 6):
        size = draws_needed(rank, FAULT)
        assert min(power(size, rank, FAULT)) >= 0.95
        assert min(power(size // 2, rank, FAULT)) < 0.95


# -- branches of the square wave


@pytest.mark.parametrize("total", [400, 10**5])
def test_square_wave_near_shares_are_seen_to_two_percent_in_both_branches(total):
    """Few users fall on their window one by one, many at once: the mean of many tallies.

    The control takes a share near the value that is two percent larger.
    """
    m, size = SquareWave(60, 1.0, half_width=10), 6_000_000 // total
    counts = uneven(60, total)
    mean, covariance = law_of_tally(m, counts)
    share = m._window * (m.p - m.q)
    near = counts @ np.where(m.channel() > 1.01 * m.q, 1 / m._window, 0)  # if all users were near
    fault = 0.02 * share * (near - total / m.num_outcomes)
    one = whitened(mean + fault, mean, covariance / size)  # the direction in which to look
    assert np.linalg.norm(one) > -stats.norm.ppf(FALSE_ALARM) + 1.7  # seen with 95 percent
    average = draws(m, counts, size, 3).mean(axis=0)
    for shift, seen in ((0, False), (fault, True), (-fault, True)):
        z = whitened(average + shift, mean, covariance / size) @ one / np.linalg.norm(one)
        assert (2 * stats.norm.sf(abs(z)) < FALSE_ALARM) == seen
