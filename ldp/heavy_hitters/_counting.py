"""Where the counts of a search come from: from reports, or drawn without making reports."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.assigned.drawn import drawn_tally, held_counts, sums, wide_oracle
from ldp.assigned.users import Assigned, AssignedReports, part_sizes
from ldp.heavy_hitters._walk import Count, counting
from ldp.heavy_hitters.states import PoolStates, pools
from ldp.tally import Tally
from ldp.types import Integers

Reports = AssignedReports | PoolStates | Sequence[AssignedReports | PoolStates]


def counted(rounds: Assigned, reports: Reports) -> Count:
    """Count candidates of a round in the reports, chunk by chunk."""
    mechanisms, chunks = counting(rounds), _check_reports(rounds, reports)

    def count(i: int, candidates: Integers) -> Tally:
        tallies = [mechanisms[i].tally(one[i], candidates) for one in chunks]
        return sum(tallies[1:], tallies[0])

    return count


def drawn(
    rounds: Assigned, values: npt.ArrayLike, counts: npt.ArrayLike, rng: np.random.Generator
) -> Count:
    """Draw the counts of candidates, for so many users of each value, split over the rounds once.

    A candidate must be asked for only once, as a walk does.
    """
    for part in rounds.parts:
        wide_oracle(part.mechanism, "rounds")
    held, users = held_counts(values, counts, rounds.domain_size)
    split = rounds.split(users, rng)
    _check_full(split.sum(axis=1))
    asked = [sums(part.view(held), some) for part, some in zip(rounds.parts, split, strict=True)]

    def count(i: int, candidates: Integers) -> Tally:
        return drawn_tally(rounds.parts[i].mechanism, *asked[i], candidates, rng)

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
    asked, tables = pools(rounds), states.tables
    if len(tables) != len(asked):
        raise ValueError(f"reports must be of {len(asked)} tables, got {len(tables)}.")
    return [int(pool.table(table).sum()) for pool, table in zip(asked, tables, strict=True)]


def _check_full(sizes: Integers) -> None:
    """Refuse a round that nobody answered in: its survivors would be chosen by their codes."""
    if sizes.min() == 0:
        empty = int(sizes.argmin()) + 1
        raise ValueError(f"reports must be at least one in every round, got none in round {empty}.")
