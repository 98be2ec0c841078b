r"""Reports of RRRR counted by subset, and Gibbs draws from the counts: O(d) per subset.

The channel of a subset S has five numbers, so a report is noise, or explained by its own value, or
by "some value on one side": of S where ``across`` exceeds ``other_out``, outside S where it falls
short. Users explained by a side share one multinomial draw over its values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp.estimators._evidence import tallied_outcomes
from ldp.mechanisms.restricted import RRRR
from ldp.tally import Tally
from ldp.types import Array, Floats, Integers

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RestrictedCounts:
    """Counts of the reports under each subset.

    `inside` (r, d) says which values a subset holds, `levels` (r, 5) are its probabilities, and
    `counts` (r, d) its reports.
    """

    inside: Bools
    levels: Floats
    counts: Integers


def count_restricted(
    mechanisms: Sequence[RRRR], reports: Sequence[Array | Tally]
) -> RestrictedCounts:
    """Count reports or take their tallies, checked, one of each mechanism."""
    d = mechanisms[0].domain_size
    inside = np.zeros((len(mechanisms), d), dtype=np.bool_)
    for row, m in zip(inside, mechanisms, strict=True):
        row[list(m.subset)] = True
    tallies = [
        r if isinstance(r, Tally) else m.tally(r) for m, r in zip(mechanisms, reports, strict=True)
    ]
    counts = [tallied_outcomes(t, m, "reports") for m, t in zip(mechanisms, tallies, strict=True)]
    levels = np.array([m.levels for m in mechanisms])
    return RestrictedCounts(inside, levels, np.array(counts).astype(np.int64))


def draw_explained_restricted(
    given: RestrictedCounts, law: Floats, rng: np.random.Generator
) -> Integers:
    """Draw which users' reports are explained by which value, given the law, and count them."""
    inside, counts = given.inside, given.counts
    own_in, other_in, across, own_out, other_out = given.levels.T[:, :, None]
    mass = inside @ law[:, None]
    noise = np.where(inside, other_in, np.minimum(across, other_out))
    own = np.where(inside, own_in - other_in, own_out - other_out) * law
    # Outside, a value of the likelier side explains the report as any other of that side would.
    side_is_inside = across > other_out
    of_side = np.where(side_is_inside, across - other_out, other_out - across)
    side = np.where(inside, 0.0, of_side * np.where(side_is_inside, mass, 1 - mass))
    side = np.maximum(side, 0.0)
    by_own = rng.binomial(counts, own / (own + side + noise))
    by_side = rng.binomial(counts - by_own, side / (side + noise)).sum(axis=1)
    tally: Integers = by_own.sum(axis=0)
    some = by_side > 0
    weights = np.where(inside == side_is_inside, law, 0.0)[some]
    weights /= weights.sum(axis=1, keepdims=True)
    tally += rng.multinomial(by_side[some], weights).sum(axis=0)
    return tally
