"""What the server keeps of the reports: one count per value, and how many reports there were."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ldp import _checks

_MOST_REPORTS = 2**63 - 1


@runtime_checkable
class CountsKnower(Protocol):
    """A mechanism that can tell counts that no reports of its own have."""

    def check_counts(self, tally: "Tally", name: str) -> None:
        """Refuse them, as the argument of that name."""


@dataclass(frozen=True, eq=False)
class Tally:
    r"""Counts :math:`c_v` of :math:`n` reports: all an aggregator must store.

    Tallies add, in any order and grouping, so reports may be counted in chunks or on several
    machines and the sums agree bit by bit.

    Parameters
    ----------
    counts : array_like, shape (d,)
        For a pure mechanism :math:`c_v=\#\{i: v\in S(y_i)\}`, the number of reports that support
        :math:`v`. Integers stay integers; the array is copied and made read-only.
    num_reports : int
        Number :math:`n` of reports counted, below :math:`2^{63}`.
    mechanism : object, optional
        The mechanism whose reports were counted. Tallies of different mechanisms do not add.
    candidates : array_like, shape (d,), optional
        The values counted, when only a part of the domain was asked for.

    Raises
    ------
    TypeError, ValueError
        If `counts` is not a finite non-empty vector or `num_reports` not a non-negative integer, if
        no reports of the mechanism have such counts (one below 0 or above n, a histogram whose sum
        is not n), or if a sum of tallies does not fit into 64 bits.

    Examples
    --------
    >>> Tally([40, 5], 45) + Tally([25, 30], 55)
    Tally(counts=[65, 35], num_reports=100)
    """

    counts: npt.NDArray[Any]
    num_reports: int
    mechanism: object = None
    candidates: npt.NDArray[np.int64] | None = None

    def __init__(
        self,
        counts: npt.ArrayLike,
        num_reports: int,
        mechanism: object = None,
        candidates: npt.ArrayLike | None = None,
    ) -> None:
        if isinstance(mechanism, type):
            raise TypeError(f"mechanism must be an object, got the class {mechanism.__name__}.")
        array = _checks.plain_array(counts, "counts")
        vector = _checks.vector(array, "counts")
        array = vector if array.dtype.kind == "f" else _checks.integers(array, "counts").copy()
        array.flags.writeable = False
        object.__setattr__(self, "counts", array)
        size = _checks.integer(num_reports, "num_reports", 0, _MOST_REPORTS)
        object.__setattr__(self, "num_reports", size)
        object.__setattr__(self, "mechanism", mechanism)
        asked = None
        if candidates is not None:
            asked = _checks.integers(candidates, "candidates").copy()
            if asked.size and asked.min() < 0:
                raise ValueError(f"candidates must be at least 0, got {asked.min()}.")
            asked.flags.writeable = False
            if asked.size != array.size:
                raise ValueError(
                    f"candidates must be as many as the {array.size} counts, got {asked.size}."
                )
        object.__setattr__(self, "candidates", asked)
        check_counts(self, mechanism, "counts")

    def __reduce__(self) -> tuple[type["Tally"], tuple[object, ...]]:
        """Let a copy be made and checked anew: pickled arrays would come back writable."""
        return Tally, (self.counts, self.num_reports, self.mechanism, self.candidates)

    def __add__(self, other: object) -> "Tally":
        """Add two tallies of the same mechanism."""
        if not isinstance(other, Tally):
            return NotImplemented
        if self.counts.shape != other.counts.shape:
            raise ValueError(
                f"tallies must have equal sizes to be added, "
                f"got {self.counts.size} and {other.counts.size}."
            )
        if self.mechanism != other.mechanism:
            raise ValueError(
                f"tallies must be of the same mechanism to be added, "
                f"got {_checks.shown(self.mechanism)} and {_checks.shown(other.mechanism)}."
            )
        if not _same(self.candidates, other.candidates):
            raise ValueError(
                "tallies must be of the same candidates to be added, got different ones."
            )
        with np.errstate(over="ignore"):  # a sum of floats that is not finite is refused
            counts = self.counts + other.counts
        # A sum of two integers has wrapped around if its sign is that of neither.
        if (
            counts.dtype.kind == "i"
            and ((counts ^ self.counts) & (counts ^ other.counts)).min() < 0
        ):
            raise ValueError("tallies must have sums within 64 bits to be added, got larger ones.")
        total = self.num_reports + other.num_reports
        return Tally(counts, total, self.mechanism, self.candidates)

    def __radd__(self, other: object) -> "Tally":
        """Let ``sum(tallies)`` start from its 0."""
        if isinstance(other, int) and other == 0:
            return self
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        """Compare counts, number of reports and mechanism."""
        return (
            isinstance(other, Tally)
            and np.array_equal(self.counts, other.counts)
            and self.num_reports == other.num_reports
            and self.mechanism == other.mechanism
            and _same(self.candidates, other.candidates)
        )

    def __repr__(self) -> str:
        """Show counts and number of reports; long counts are abbreviated as numpy does."""
        counts = np.array2string(self.counts, separator=", ", threshold=20)
        return f"Tally(counts={counts}, num_reports={self.num_reports})"


def check_counts(tally: Tally, mechanism: object, name: str) -> None:
    """Refuse counts that no reports of a mechanism have, where the mechanism can tell."""
    if isinstance(mechanism, CountsKnower):
        mechanism.check_counts(tally, name)


def _same(first: npt.NDArray[np.int64] | None, second: npt.NDArray[np.int64] | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)
