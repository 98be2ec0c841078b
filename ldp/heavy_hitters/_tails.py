"""Exact binomial tails: what a count says about a frequency, for all candidates together."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from ldp import _checks
from ldp.types import Bools, Floats, PureMechanism

HIDDEN = (
    "found must be of a walk that counts all continuations of what it kept, "
    "got one that may lose values uncounted."
)


def risk(level: float) -> float:
    """Return the chance of any error that a confidence level leaves."""
    return 1 - _checks.between(level, "level")


def check_exact(one: Any) -> None:
    """Refuse a round whose counts are no sums of independent answers with the chances p and q."""
    if not isinstance(one.mechanism, PureMechanism):
        wrong = _checks.shown(one.mechanism)
        raise TypeError(f"found must be by reports that each support a set, got {wrong}.")


def support_chance(mechanism: Any, frequency: float) -> float:
    """Mean chance that a user's report supports a value of a frequency among the users."""
    return float(mechanism.q + (mechanism.p - mechanism.q) * frequency)


def _at_least(counts: Any, n: int, chance: float) -> Any:
    """Chance that a binomial number reaches each count (the beta function has its far tails)."""
    tail = scipy.special.betainc(np.maximum(counts, 1), n - counts + 1, chance)
    return np.where(counts > 0, tail, 1.0)


def _at_most(count: int, n: int, chance: float) -> float:
    """Chance that a binomial number does not exceed a count."""
    return float(scipy.special.betaincc(count + 1, n - count, chance)) if count < n else 1.0


def surely_above(one: Any, threshold: float, chance: float) -> Bools:
    """Which counts of a round have at most this chance if the frequency is at most a threshold.

    Answers of different users have different chances; the binomial tail at their mean bounds that
    of their sum from one above its mean (checked by enumeration in the tests).
    """
    pi, counts = support_chance(one.mechanism, threshold), one.tally.counts
    tail = _at_least(counts, one.users, pi)
    above: Bools = (tail <= chance) & (counts >= one.users * pi + 1)
    return above


def frequency_interval(one: Any, chance: float) -> tuple[Floats, Floats]:
    """Frequencies whose counts are as large, and as small, with half of a chance.

    The ends of Clopper and Pearson, and at least one count away, where the tail is a bound.
    """
    counts, n, p, q = one.tally.counts, one.users, one.mechanism.p, one.mechanism.q
    low = scipy.special.betaincinv(np.maximum(counts, 1), n - counts + 1, chance / 2)
    high = 1 - scipy.special.betaincinv(np.maximum(n - counts, 1), counts + 1, chance / 2)
    low = np.where(counts > 0, np.minimum(low, (counts - 1) / n), 0.0)
    high = np.where(counts < n, np.maximum(high, (counts + 1) / n), 1.0)
    return (low - q) / (p - q), (high - q) / (p - q)


def all_counted(rounds: Sequence[Any]) -> bool:
    """Whether every prefix was counted until it was dropped, and nothing was lost otherwise."""
    survivors, depth = 1, 0
    for one in rounds:
        if one.depth < depth or one.num_candidates != survivors << (one.depth - depth):
            return False
        survivors, depth = one.tally.counts.size, one.depth
    return depth > 0


def largest_missed(rounds: Sequence[Any], alpha: float) -> float:
    """Return the largest frequency that a dropped candidate of any round may have."""
    dropping = [one for one in rounds if one.best_dropped is not None]
    return max((_missed(one, alpha / len(dropping)) for one in dropping), default=0.0)


def _missed(one: Any, weight: float) -> float:
    """Largest f for which a count as small as the best dropped has a chance above weight * f."""
    count, n, p, q = one.best_dropped, one.users, one.mechanism.p, one.mechanism.q

    def excess(frequency: float) -> float:
        return _at_most(count, n, support_chance(one.mechanism, frequency)) - weight * frequency

    # From here on the tail is a bound.
    least = float(np.clip(((count + 1) / n - q) / (p - q), 0.0, 1.0))
    if excess(1.0) > 0:
        return 1.0
    if least == 1.0 or excess(least) <= 0:
        return least
    eps = np.finfo(float).eps
    return float(scipy.optimize.brentq(excess, least, 1.0, xtol=1e-15, rtol=8 * eps))
