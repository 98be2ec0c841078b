"""What a server keeps of a search by public pools, whatever the number of users."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy.typing as npt

from ldp.assigned.users import Assigned, AssignedReports, part_sizes
from ldp.heavy_hitters._walk import counting
from ldp.types import Array, CandidateOracle, Integers


class PoolStates(NamedTuple):
    """What a server keeps of rounds that are asked by pools: a table for each round.

    :func:`find_prefixes` takes it in place of the reports. Tables of several machines add.
    """

    tables: tuple[Integers, ...]


@runtime_checkable
class Pooled(CandidateOracle, Protocol):
    """What all that reports say fits into a table for, as :class:`HashPool`."""

    def state(self, reports: Array) -> Integers:
        """Count reports into a table."""

    def table(self, given: npt.ArrayLike) -> Integers:
        """Return a table that fits, or refuse it."""


def pool_states(reports: AssignedReports, rounds: Assigned) -> PoolStates:
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
    >>> from ldp.heavy_hitters import HashPool, Prefix, find_prefixes
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
    asked = pools(rounds)
    part_sizes(rounds, reports)
    pairs = zip(asked, reports.reports, strict=True)
    return PoolStates(tuple(pool.state(some) for pool, some in pairs))


def pools(rounds: Assigned) -> list[Pooled]:
    """Return the pools that rounds are asked by; other rounds are refused."""
    found = []
    for mechanism in counting(rounds):
        if not isinstance(mechanism, Pooled):
            raise TypeError(f"rounds must be asked by HashPool, got {mechanism}.")
        found.append(mechanism)
    return found
