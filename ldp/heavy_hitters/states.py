"""What a server keeps of a search by public pools, whatever the number of users."""

from typing import NamedTuple

from ldp.assigned import Assigned, AssignedReports
from ldp.heavy_hitters.pool import HashPool
from ldp.types import Integers


class PoolStates(NamedTuple):
    """What a server keeps of rounds that are asked by pools: a table for each round.

    :func:`find_prefixes` takes it in place of the reports. Tables of several machines add.
    """

    tables: tuple[Integers, ...]


def pool_states(rounds: Assigned, reports: AssignedReports) -> PoolStates:
    """Count the reports of each round by function and bucket, and need them no more.

    Parameters
    ----------
    rounds : Assigned
        Parts whose mechanisms are all :class:`HashPool`.
    reports : AssignedReports

    Returns
    -------
    PoolStates

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.
    """
    if not isinstance(rounds, Assigned):
        raise TypeError(f"rounds must be Assigned, got {type(rounds).__name__}.")
    for _, mechanism, _ in rounds.parts:
        if not isinstance(mechanism, HashPool):
            raise TypeError(f"rounds must be asked by HashPool, got {mechanism}.")
    rounds._sizes(reports)
    parts = zip(rounds.parts, reports.reports, strict=True)
    return PoolStates(tuple(m.state(some) for (_, m, _), some in parts))  # type: ignore[attr-defined]
