r"""Reports of RRRR counted by subset, and Gibbs draws from the counts: O(d) for each subset.

The channel of a subset S has five numbers, so a report is noise, or explained by its own value, or
by "some value on one side": of S where ``across`` exceeds ``other_out``, outside S where it falls
short. Users explained by a side share one multinomial draw over its values.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp.likelihood.evidence import Evidence, gather
from ldp.likelihood.reports import read, whole_counts
from ldp.mechanisms.restricted import RRRR
from ldp.types import Bools, Floats, Integers


@dataclass(frozen=True, eq=False)
class SubsetCounts:
    """Counts of the reports under each subset.

    `inside` (r, d) says which values a subset holds, `inner` (r,) and `levels` (r, 5) are its
    epsilon_inner and its probabilities, and `counts` (r, d) its reports.
    """

    inside: Bools
    inner: Floats
    levels: Floats
    counts: Integers


def gather_counts(reports: Any, mechanism: Any) -> Evidence | SubsetCounts:
    """Count the reports of restricted response by subset, those of anything else as rows."""
    answers = read(reports, mechanism)
    # The class itself is asked for: a channel of such five numbers is restricted response.
    asked = [each.mechanism for each in answers if isinstance(each.mechanism, RRRR)]
    if len(asked) < len(answers):
        return gather(answers)
    inside, counts = np.zeros((2, len(asked), asked[0].domain_size))
    for row, m in enumerate(asked):
        inside[row, list(m.subset)] = 1
        counts[row, answers[row].reports] = answers[row].counts
    inner = np.array([m.epsilon_inner for m in asked])
    levels = np.array([m.levels for m in asked])
    return SubsetCounts(inside == 1, inner, levels, whole_counts(counts))


def likelihood_columns(given: Evidence | SubsetCounts) -> tuple[Floats, Floats]:
    """Likelihood of every value under every distinct report that came, shape (d, m), and counts.

    Up to a factor, a report within the subset says the same whatever the subset is.
    """
    if not isinstance(given, SubsetCounts):
        return np.ascontiguousarray(given.dense().T), np.ascontiguousarray(given.counts)
    d = given.inside.shape[1]
    columns, counts = [], []
    for inner in np.unique(given.inner):
        same = given.inner == inner
        columns.append(1 + math.expm1(inner) * np.eye(d))
        counts.append((given.counts * given.inside)[same].sum(axis=0))
    rows, reports = np.nonzero(given.counts * ~given.inside)
    _, _, across, own_out, other_out = given.levels[rows].T
    outside = np.where(given.inside[rows].T, across, other_out)
    outside[reports, np.arange(rows.size)] = own_out
    joined = np.concatenate([*counts, given.counts[rows, reports]]).astype(np.float64)
    seen = joined > 0
    return np.ascontiguousarray(np.hstack([*columns, outside])[:, seen]), joined[seen]


def draw_by_subset(given: SubsetCounts, law: Floats, rng: np.random.Generator) -> Integers:
    """Draw which users' reports are explained by which value, given the law, and count them."""
    inside = given.inside
    rows, reports = np.nonzero(given.counts)  # most subsets have met few of the reports
    counts, within = given.counts[rows, reports], inside[rows, reports]
    own_in, other_in, across, own_out, other_out = given.levels[rows].T
    noise = np.where(within, other_in, np.minimum(across, other_out))
    own = np.where(within, own_in - other_in, own_out - other_out) * law[reports]
    # Outside, a value of the likelier side explains the report as any other of that side would.
    mass = (inside @ law)[rows]
    of_side = np.abs(across - other_out) * np.where(across > other_out, mass, 1 - mass)
    side = np.where(within, 0.0, np.maximum(of_side, 0.0))
    by_own = rng.binomial(counts, own / (own + side + noise))
    by_side = np.zeros(len(inside), dtype=np.int64)
    np.add.at(by_side, rows, rng.binomial(counts - by_own, side / (side + noise)))
    tally = np.zeros(law.size, dtype=np.int64)
    np.add.at(tally, reports, by_own)
    some = by_side > 0
    side_is_inside = given.levels[some, 2] > given.levels[some, 4]
    weights = np.where(inside[some] == side_is_inside[:, None], law, 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    tally += rng.multinomial(by_side[some], weights).sum(axis=0)
    return tally
