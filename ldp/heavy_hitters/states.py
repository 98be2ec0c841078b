"""What a server keeps of a search by public pools, whatever the number of users."""

from typing import NamedTuple

from ldp.assigned.users import Assigned, AssignedReports, part_sizes
from ldp.heavy_hitters._walk import check_rounds
from ldp.heavy_hitters.pool import HashPool
from ldp.types import Integers


class PoolStates(NamedTuple):
    """What a server keeps of rounds that are asked by pools: a table for each round.

    :func:`find_prefixes` takes it in place of the reports. Tables of several machines add.
    """

    tables: tuple[Integers, ...]


def pool_states(
    reports: AssignedReports,
    rounds: Assigned,
) -> PoolStates:
    """Count the reports of each round by function and bucket, and need them no more.

    Parameters
    ----------
    reports : AssignedReports
    rounds : Assigned
        Parts whose mechanisms are all :class:`HashPool`.

    Returns
    -------
    PoolStates

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> import numpy as np
    >>> from ldp import WideHashing
    >>> from ldp.heavy_hitters import Prefix, find_prefixes
    >>> rng = np.random.default_rng(1)
    >>> parts = []
    >>> for bits in (8, 16):
    ...     seeds = rng.integers(0, 2**32, (1024, 2), dtype=np.uint32)
    ...     parts.append((Prefix(16, bits), HashPool(WideHashing(bits, 3.0), seeds), 0.5))
    >>> rounds = Assigned(parts)
    >>> users = np.repeat([5, 2**15], [6_000, 4_000])
    >>> states = pool_states(rounds.privatize(users, rng), rounds)
    >>> find_prefixes(states, rounds, top_k=2).values
    array([    5, 32768])
    """
    check_rounds(rounds)
    for _, mechanism, _ in rounds.parts:
        if not isinstance(mechanism, HashPool):
            raise TypeError(f"rounds must be asked by HashPool, got {mechanism}.")
    part_sizes(rounds, reports)
    parts = zip(rounds.parts, reports.reports, strict=True)
    return PoolStates(tuple(m.state(some) for (_, m, _), some in parts))  # type: ignore[attr-defined]
