"""Simulation-based calibration: is the truth one more draw from the posterior?

A law is drawn from the prior and reports from the law. Given the reports, the law and exact
posterior draws are then exchangeable, so the rank of any number made from the law, among the same
number made from L draws, is uniform on 0..L.
"""

import numpy as np
from scipy import stats


def rank(truth, draws, rng):
    """Rank of each number of `truth` (k,) among `draws` (L, k); ties are broken at random."""
    below, equal = (draws < truth).sum(axis=0), (draws == truth).sum(axis=0)
    return below + rng.integers(0, equal + 1)


def summaries(laws, likelihood, counts):
    """Every entry of each law, and its log-likelihood, which sees what the entries do not.

    Sums, and no matrix products, whose last digits would depend on how many laws there are: a
    chain that stands still gives equal numbers.
    """
    chances = (laws[:, None] * likelihood).sum(axis=2)
    return np.column_stack([laws, (np.log(chances) * counts).sum(axis=1)])


def around(start, move, num_draws, rng):
    """States of a reversible chain on both sides of the truth, which stands at a random place.

    A stationary chain has the same law forwards and backwards, so the ranks are exactly uniform
    however slowly it moves.
    """
    before = rng.integers(0, num_draws + 1)
    draws = []
    for steps in (before, num_draws - before):
        state = start
        for _ in range(steps):
            state = move(state)
            draws.append(state)
    return np.array(draws)


def distances(ranks, num_draws):
    """Share of ranks (n, k) up to each of 0..L-1 less the uniform share, shape (L, k)."""
    shares = np.array([(ranks <= r).mean(axis=0) for r in range(num_draws)])
    return shares - (np.arange(1, num_draws + 1) / (num_draws + 1))[:, None]


def p_value(ranks, num_draws, tolerance=0.0):
    """Chance that some share of ranks up to r, of some number, is as far from uniform or farther.

    Binomial tails, summed over all shares and numbers: a bound that holds for any dependence, and
    a band around the whole distribution function. With a `tolerance` the true shares may be off by
    as much.
    """
    n, tails = len(ranks), []
    for r in range(num_draws):
        below = (ranks <= r).sum(axis=0)
        share = (r + 1) / (num_draws + 1)
        least, most = max(share - tolerance, 0.0), min(share + tolerance, 1.0)
        few, many = stats.binom.cdf(below, n, least), stats.binom.sf(below - 1, n, most)
        tails.append(np.minimum(few, many))
    return min(1.0, 2 * np.size(tails) * np.min(tails))
