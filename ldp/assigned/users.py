"""Users who are asked different things: of each a public part, and of it one view of the value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp._kernels import chunks
from ldp._words import threshold, uniform_below, words
from ldp.assigned.drawn import check_drawn, drawn_tally, held_counts, sums
from ldp.assigned.parts import Part, View, made_part, viewed
from ldp.tally import Tally
from ldp.types import Array, CandidateOracle, Floats, Integers, Mechanism


class AssignedReports(NamedTuple):
    """Each user's part, shape (n,), and for each part the reports of its users, in their order."""

    part: Integers
    reports: tuple[Array, ...]


def assign(num_users: int, shares: npt.ArrayLike, rng: np.random.Generator) -> Integers:
    """Draw the part of each user, whatever the user's value is.

    Parameters
    ----------
    num_users : int
        Number n of users.
    shares : array_like, shape (k,)
        Probability of each part, positive; they sum to one.
    rng : numpy.random.Generator
        Source of randomness; one word a user.

    Returns
    -------
    ndarray of int64, shape (n,)
        Parts, 0 to k-1: equal shares exactly, others to the rounding of their sums.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Examples
    --------
    >>> np.bincount(assign(1_000, [0.5, 0.25, 0.25], np.random.default_rng(1)))
    array([507, 223, 270])
    """
    size = _checks.integer(num_users, "num_users", 0, 2**53)
    given = check_shares(shares)
    rng = _checks.rng(rng)
    edges = np.array([threshold(edge) for edge in np.cumsum(given)[:-1]], dtype=np.uint64)
    equal = given.min() == given.max()
    part = np.empty(size, dtype=np.int64)
    for chunk in chunks(size, 1):
        drawn = words(rng, chunk.stop - chunk.start)
        if equal:
            part[chunk] = uniform_below(drawn, given.size, rng)
        else:
            part[chunk] = np.searchsorted(edges, drawn, side="right")
    return part


def check_shares(shares: npt.ArrayLike) -> Floats:
    """Return positive shares that sum to one within 1e-9."""
    given = _checks.positive_vector(shares, "shares")
    return _checks.distribution(given, "shares")


@dataclass(frozen=True, init=False)
class Assigned:
    r"""Ask each user one thing: part :math:`i` of the users reports a view of the value.

    A user falls on part :math:`i` with probability :math:`s_i`, publicly and whatever the value
    :math:`x` is, and reports :math:`v_i(x)` by mechanism :math:`m_i`:

    .. math:: \Pr[i,y\mid x]=s_i\Pr\nolimits_i[y\mid v_i(x)].

    The shares cancel in every likelihood ratio, so the budget is the largest of the parts'. It is
    that of *one* report: users who are asked again, by this or another call, spend it again.

    Parameters
    ----------
    parts : sequence of Part, or of (view, mechanism, share)
        The results of a view are values of its mechanism. Shares are positive and sum to one.

    Raises
    ------
    TypeError, ValueError
        If there is no part, views take different numbers of values, or shares do not sum to one.

    Examples
    --------
    >>> from ldp import GRR, OUE, debias
    >>> from ldp.assigned import Intervals
    >>> parts = [(Intervals(8, 4), GRR(2, 1.0), 0.5), (Intervals(8, 1), OUE(8, 1.0), 0.5)]
    >>> halves = Assigned(parts)
    >>> rng = np.random.default_rng(1)
    >>> first, second = halves.tally(halves.privatize(np.full(50_000, 6), rng))
    >>> debias(first, GRR(2, 1.0)).round(1), first.num_reports + second.num_reports
    (array([0., 1.]), 50000)
    """

    parts: tuple[Part, ...]

    def __init__(self, parts: Sequence[tuple[View, Mechanism, float]]) -> None:
        if not isinstance(parts, list | tuple):
            raise TypeError(f"parts must be a list, got {type(parts).__name__}.")
        if not parts:
            raise ValueError("parts must be at least one, got none.")
        made = tuple(made_part(part) for part in parts)
        sizes = sorted({part.view.domain_size for part in made})
        if len(sizes) > 1:
            raise ValueError(f"parts must have views of equally many values, got {sizes}.")
        check_shares([part.share for part in made])
        freeze(self, parts=made)

    @property
    def domain_size(self) -> int:
        """Number of values."""
        return self.parts[0].view.domain_size

    @property
    def epsilon(self) -> float:
        """Largest budget of a part."""
        return max(part.mechanism.epsilon for part in self.parts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Probability of each part."""
        return tuple(part.share for part in self.parts)

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> AssignedReports:
        """Draw each user's part, and randomize what the part is asked."""
        given = _checks.values(values, self.domain_size)
        drawn = assign(given.size, self.shares, rng)
        asked = [viewed(part, given[drawn == i]) for i, part in enumerate(self.parts)]
        pairs = zip(self.parts, asked, strict=True)
        return AssignedReports(drawn, tuple(p.mechanism.privatize(some, rng) for p, some in pairs))

    def tally(
        self, reports: AssignedReports, candidates: Sequence[Any] | None = None
    ) -> tuple[Tally, ...]:
        """Count the reports of every part, of all its values or of the candidates named for it."""
        part_sizes(self, reports)
        asked = self._candidates(candidates)
        parts = zip(self.parts, reports.reports, asked, strict=True)
        return tuple(_tally(part.mechanism, some, wanted) for part, some, wanted in parts)

    def split(self, counts: npt.ArrayLike, rng: np.random.Generator) -> Integers:
        """Draw how many of the users with each value fall on each part, shape (k, values)."""
        given = _checks.integers(counts, "counts")
        if given.size and given.min() < 0:
            raise ValueError(f"counts must be non-negative, got {given.min()}.")
        shares = np.array(self.shares) / max(1.0, sum(self.shares))  # numpy takes no sum above 1
        drawn: Integers = _checks.rng(rng).multinomial(given, shares).T
        return drawn

    def simulate(
        self,
        values: npt.ArrayLike,
        counts: npt.ArrayLike,
        rng: np.random.Generator,
        *,
        candidates: Sequence[Any] | None = None,
    ) -> tuple[Tally, ...]:
        """Draw the tallies without making reports, for `counts` users of each of the `values`.

        The split over the parts is exact, and each tally is drawn as its mechanism does.
        """
        held, users = held_counts(values, counts, self.domain_size)
        wanted = self._candidates(candidates)
        for part, some in zip(self.parts, wanted, strict=True):
            check_drawn(part.mechanism, some)
        asked = [viewed(part, held) for part in self.parts]
        parts = zip(self.parts, asked, self.split(users, rng), wanted, strict=True)
        return tuple(
            drawn_tally(part.mechanism, *sums(codes, some), listed, rng)
            for part, codes, some, listed in parts
        )

    def channel(self) -> Floats:
        """Channels of the parts side by side, each times its share, with a row for each value."""
        every = np.arange(_checks.integer(self.domain_size, "domain_size", 1, 2**24))
        return np.hstack([p.share * p.mechanism.channel()[viewed(p, every)] for p in self.parts])

    def _candidates(self, candidates: Sequence[Any] | None) -> Sequence[Any]:
        if candidates is None:
            return [None] * len(self.parts)
        if not isinstance(candidates, list | tuple):
            raise TypeError(f"candidates must be a list, got {type(candidates).__name__}.")
        if len(candidates) != len(self.parts):
            raise ValueError(f"candidates must be {len(self.parts)} lists, got {len(candidates)}.")
        return candidates


def part_sizes(assigned: Assigned, reports: AssignedReports) -> list[int]:
    """Return the number of reports of each part; other reports are refused."""
    if not isinstance(reports, AssignedReports):
        raise TypeError(f"reports must be AssignedReports, got {type(reports).__name__}.")
    given, size = reports.reports, len(assigned.parts)
    if not isinstance(given, list | tuple):
        raise TypeError(f"reports must be of {size} parts, got {_checks.shown(given)}.")
    if len(given) != size:
        raise ValueError(f"reports must be of {size} parts, got {len(given)}.")
    part = _checks.integers_below(reports.part, "reports' parts", size)
    users = np.bincount(part, minlength=size).tolist()
    sizes = [np.atleast_1d(_checks.plain_array(some, "reports")).shape[0] for some in given]
    if users != sizes:
        raise ValueError(f"reports must be {users}, as many as users of each part, got {sizes}.")
    return sizes


def _tally(mechanism: Mechanism, reports: Array, candidates: Any) -> Tally:
    """Count reports, of candidates if a mechanism is asked for some."""
    if candidates is None:
        return mechanism.tally(reports)
    if not isinstance(mechanism, CandidateOracle):
        raise TypeError(f"candidates must be of a hashing mechanism, got {mechanism}.")
    return mechanism.tally(reports, candidates)
