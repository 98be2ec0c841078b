r"""All ways in which users can hold values, numbered so that fewer users come first.

A tally :math:`t` of :math:`j` users is numbered by its parts :math:`t_1,\dots,t_{d-1}`; the part
:math:`t_0` is the rest. Numbers rise with :math:`t_1+\dots+t_{d-1}`, so that the tallies of
:math:`j` users are the first :math:`\binom{j+d-1}{d-1}` numbers, whatever :math:`j`.
"""

import math
from typing import NamedTuple

import numpy as np

from ldp.types import Array, Floats, Integers


class Tallies(NamedTuple):
    """The numbering, for at most so many users and so many values.

    ``parts[i]`` are the parts of tally i without the part of value 0, shape (k, d - 1);
    ``sizes[j]`` is how many tallies of j users there are; ``follower[v - 1][i]`` is the tally that
    has one more user at value v than tally i; one more user at value 0 leaves the number as it is.
    """

    parts: Integers
    sizes: Integers
    follower: Integers

    def of(self, num_users: int) -> Integers:
        """All tallies of so many users, in order, shape (sizes[num_users], d)."""
        rest = self.parts[: self.sizes[num_users]]
        return np.column_stack([num_users - rest.sum(axis=1), rest])


def count_tallies(num_users: int, domain_size: int) -> float:
    r"""Number of tallies :math:`\binom{n+d-1}{d-1}`; infinite where it is long to write."""
    total, chosen = num_users + domain_size - 1, min(num_users, domain_size - 1)
    # (total / chosen)**chosen is a lower bound.
    if chosen and chosen * math.log(total / chosen) > 700:
        return math.inf
    return math.comb(total, chosen)


def written(count: float) -> str:
    """Spell a count, which may be too large for a float."""
    return f"{count:.3g}" if count < 10**300 else "more than 1e300"


def number_tallies(num_users: int, domain_size: int) -> Tallies:
    r"""Number the tallies by their partial sums :math:`s_k=t_1+\dots+t_k`.

    The number is :math:`\sum_k\binom{s_k+k-1}{k}`: the binomials count the tallies with a smaller
    total, then those with a smaller sum of all parts but the last, and so on.
    """
    free = domain_size - 1
    before = np.empty((free, num_users + 2), dtype=np.int64)  # before[k-1, s]: C(s+k-1, k)
    before[0] = np.arange(num_users + 2)
    for k in range(1, free):
        before[k] = np.cumsum(before[k - 1])
    sizes = before[-1, 1:]
    rest: Integers = np.arange(sizes[-1], dtype=np.int64)
    sums = np.empty((free, rest.size), dtype=np.int64)
    for k in range(free - 1, -1, -1):
        sums[k] = np.searchsorted(before[k], rest, side="right") - 1
        rest = rest - before[k, sums[k]]
    fewer = sums[:, : sizes[num_users - 1] if num_users else 0]
    # One more user at value v raises s_v, s_(v+1), ...: their binomials change, the others stay.
    row = np.arange(free)[:, None]
    raised = before[row, fewer + 1] - before[row, fewer]
    follower = np.arange(fewer.shape[1]) + np.cumsum(raised[::-1], axis=0)[::-1]
    return Tallies(np.diff(sums, axis=0, prepend=0).T, sizes, follower)


def learn(
    log_weights: Floats, log_likelihood: Floats, concentration: Floats, tallies: Tallies
) -> Floats:
    """Multiply posteriors by one more report each: shape (..., sizes[j]) to (..., sizes[j + 1]).

    A component gives its next user value x with probability (alpha_x + t_x) / (|alpha| + j), and
    that user the report with likelihood L_x, shape (..., d).
    """
    num_held = log_weights.shape[-1]
    j = int(np.searchsorted(tallies.sizes, num_held))
    parts = tallies.parts[:num_held]
    log_total = np.log(concentration.sum() + j)
    log_next = np.log(concentration[0] + (j - parts.sum(axis=1))) - log_total  # integers first
    longer: Array = np.full((*log_weights.shape[:-1], tallies.sizes[j + 1]), -np.inf)
    longer[..., :num_held] = log_weights + log_next + log_likelihood[..., :1]
    for v in range(1, concentration.size):
        to = tallies.follower[v - 1, :num_held]
        log_next = np.log(concentration[v] + parts[:, v - 1]) - log_total
        added = log_weights + log_next + log_likelihood[..., v : v + 1]
        longer[..., to] = np.logaddexp(longer[..., to], added)
    return longer
