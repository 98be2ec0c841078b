"""Where the counts of a search come from: from reports, or drawn without making reports."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.assigned.drawn import drawn_tally, held_counts, sums
from ldp.assigned.users import Assigned, AssignedReports, part_sizes
from ldp.heavy_hitters._walk import Count
from ldp.heavy_hitters.pool import HashPool
from ldp.heavy_hitters.states import PoolStates
from ldp.mechanisms.wide_hashing import WideHashing
from ldp.tally import Tally
from ldp.types import Integers

Reports = AssignedReports | PoolStates | Sequence[AssignedReports | PoolStates]


def counted(rounds: Assigned, reports: Reports) -> Count:
    """Count candidates of a round in the reports, chunk by chunk."""
    chunks = _check_reports(rounds, reports)

    def count(i: int, candidates: Integers) -> Tally:
        mechanism = rounds.parts[i][1]
        tallies = [mechanism.tally(one[i], candidates) for one in chunks]  # type: ignore[call-arg]
        return sum(tallies[1:], tallies[0])

    return count


def drawn(
    rounds: Assigned, values: npt.ArrayLike, counts: npt.ArrayLike, rng: np.random.Generator
) -> Count:
    """Draw the counts of candidates, for so many users of each value, split over the rounds once.

    A candidate must be asked for only once, as a walk does.
    """
    for _, mechanism, _ in rounds.parts:
        if not isinstance(mechanism, WideHashing):
            raise TypeError(f"rounds must be of WideHashing to be drawn, got {mechanism}.")
    held, users = held_counts(values, counts, rounds.domain_size)
    split = rounds.split(users, rng)
    _check_full(split.sum(axis=1))
    asked = [sums(view(held), some) for (view, _, _), some in zip(rounds.parts, split, strict=True)]

    def count(i: int, candidates: Integers) -> Tally:
        return drawn_tally(rounds.parts[i][1], *asked[i], candidates, rng)

    return count


def _check_reports(rounds: Assigned, reports: Reports) -> list[tuple[Any, ...]]:
    """Return the arrays of each chunk, one a round, with a report in each round."""
    chunks = [reports] if isinstance(reports, AssignedReports | PoolStates) else reports
    if not isinstance(chunks, list | tuple) or not chunks:
        raise TypeError(
            f"reports must be AssignedReports, or a list of them, got {_checks.shown(reports)}."
        )
    sizes = np.zeros(len(rounds.parts), dtype=np.int64)
    for one in chunks:
        sizes += (
            _state_sizes(rounds, one) if isinstance(one, PoolStates) else part_sizes(rounds, one)
        )
    if len({id(one) for one in chunks}) < len(chunks):
        raise ValueError("reports must be given once, got the same ones twice.")
    _check_full(sizes)
    return [one.tables if isinstance(one, PoolStates) else one.reports for one in chunks]


def _state_sizes(rounds: Assigned, states: PoolStates) -> list[int]:
    """Number of reports in the table of each round."""
    pools = [mechanism for _, mechanism, _ in rounds.parts]
    if not all(isinstance(pool, HashPool) for pool in pools) or len(states.tables) != len(pools):
        raise ValueError(f"reports must be tables of {len(pools)} pools, got others.")
    return [int(m.table(t).sum()) for m, t in zip(pools, states.tables, strict=True)]  # type: ignore[attr-defined]


def _check_full(sizes: Integers) -> None:
    """Refuse a round that nobody answered in: its survivors would be chosen by their codes."""
    if sizes.min() == 0:
        empty = int(sizes.argmin()) + 1
        raise ValueError(f"reports must be at least one in every round, got none in round {empty}.")
