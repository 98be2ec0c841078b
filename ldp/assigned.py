"""Users who are asked different things: of each a public part, and of it one view of the value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._drawn import check_drawn, drawn_tally, held_counts, sums
from ldp._frozen import freeze
from ldp._kernels import chunks
from ldp._words import threshold, words
from ldp.tally import Tally
from ldp.types import Array, Floats, Integers, Mechanism

__all__ = ["Assigned", "AssignedReports", "View", "assign"]


class View(Protocol):
    """What a part of the users is asked: a fixed public function of the value, a frozen object."""

    @property
    def domain_size(self) -> int:
        """Number of values that the function takes."""

    def __call__(self, values: Integers) -> Integers:
        """Return what is asked about each value."""


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
        Parts, 0 to k-1. Their probabilities are the shares to within 2**-64.

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
    part = np.empty(size, dtype=np.int64)
    for chunk in chunks(size, 1):
        drawn = words(rng, chunk.stop - chunk.start)
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
    parts : sequence of (view, mechanism, share)
        A view is a function of the values with a ``domain_size``, how many values it takes; its
        results are values of the mechanism. Shares are positive and sum to one.

    Raises
    ------
    TypeError, ValueError
        If there is no part, views take different numbers of values, or shares do not sum to one.

    Examples
    --------
    >>> from ldp import GRR, OUE, debias
    >>> from typing import NamedTuple
    >>> class Shifted(NamedTuple):
    ...     domain_size: int
    ...     bits: int
    ...     def __call__(self, values):
    ...         return values >> self.bits
    >>> halves = Assigned([(Shifted(8, 2), GRR(2, 1.0), 0.5), (Shifted(8, 0), OUE(8, 1.0), 0.5)])
    >>> rng = np.random.default_rng(1)
    >>> first, second = halves.tally(halves.privatize(np.full(50_000, 6), rng))
    >>> debias(first, GRR(2, 1.0)).round(1), first.num_reports + second.num_reports
    (array([0., 1.]), 50000)
    """

    parts: tuple[tuple[View, Mechanism, float], ...]

    def __init__(self, parts: Sequence[tuple[View, Mechanism, float]]) -> None:
        if not isinstance(parts, list | tuple):
            raise TypeError(f"parts must be a list, got {type(parts).__name__}.")
        if not parts:
            raise ValueError("parts must be at least one, got none.")
        for part in parts:
            _check_part(part)
        sizes = sorted({view.domain_size for view, _, _ in parts})
        if len(sizes) > 1:
            raise ValueError(f"parts must have views of equally many values, got {sizes}.")
        shares = check_shares([share for _, _, share in parts]).tolist()
        kept = tuple((view, m, share) for (view, m, _), share in zip(parts, shares, strict=True))
        freeze(self, parts=kept)

    @property
    def domain_size(self) -> int:
        """Number of values."""
        return self.parts[0][0].domain_size

    @property
    def epsilon(self) -> float:
        """Largest budget of a part."""
        return max(m.epsilon for _, m, _ in self.parts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Probability of each part."""
        return tuple(share for _, _, share in self.parts)

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> AssignedReports:
        """Draw each user's part, and randomize what the part is asked."""
        given = _checks.values(values, self.domain_size)
        part = assign(given.size, self.shares, rng)
        asked = [viewed(v, m, given[part == i]) for i, (v, m, _) in enumerate(self.parts)]
        parts = zip(self.parts, asked, strict=True)
        return AssignedReports(part, tuple(m.privatize(some, rng) for (_, m, _), some in parts))

    def tally(
        self, reports: AssignedReports, candidates: Sequence[Any] | None = None
    ) -> tuple[Tally, ...]:
        """Count the reports of every part, of all its values or of the candidates named for it."""
        part_sizes(self, reports)
        asked = self._candidates(candidates)
        return tuple(
            m.tally(some) if wanted is None else _listing(m).tally(some, wanted)
            for (_, m, _), some, wanted in zip(self.parts, reports.reports, asked, strict=True)
        )

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
        for (_, m, _), some in zip(self.parts, wanted, strict=True):
            check_drawn(m, some)
        asked = [viewed(view, m, held) for view, m, _ in self.parts]
        parts = zip(self.parts, asked, self.split(users, rng), wanted, strict=True)
        return tuple(
            drawn_tally(m, *sums(codes, some), listed, rng)
            for (_, m, _), codes, some, listed in parts
        )

    def channel(self) -> Floats:
        """Channels of the parts side by side, each times its share, with a row for each value."""
        every = np.arange(_checks.integer(self.domain_size, "domain_size", 1, 2**24))
        parts = [share * m.channel()[viewed(view, m, every)] for view, m, share in self.parts]
        return np.hstack(parts)

    def _candidates(self, candidates: Sequence[Any] | None) -> Sequence[Any]:
        if candidates is None:
            return [None] * len(self.parts)
        if not isinstance(candidates, list | tuple):
            raise TypeError(f"candidates must be a list, got {type(candidates).__name__}.")
        if len(candidates) != len(self.parts):
            raise ValueError(f"candidates must be {len(self.parts)} lists, got {len(candidates)}.")
        return candidates


def viewed(view: View, mechanism: Mechanism, values: Integers) -> Integers:
    """Return what is asked about each value, or refuse what is no value of the mechanism."""
    asked = _checks.integers_below(view(values), "results of a view", mechanism.domain_size)
    if asked.size != values.size:
        raise ValueError(f"results of a view must be {values.size}, one a value, got {asked.size}.")
    return asked


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


def _check_part(part: Any) -> None:
    if not isinstance(part, list | tuple) or len(part) != 3:
        raise TypeError(f"parts must be (view, mechanism, share), got {_checks.shown(part)}.")
    view, mechanism, share = part
    if not (callable(view) and hasattr(view, "domain_size")):
        raise TypeError(f"parts must have views with a domain_size, got {_checks.shown(view)}.")
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"parts must have mechanisms, got {_checks.shown(mechanism)}.")
    _checks.integer(view.domain_size, "domain_size of a view", 1)
    _checks.real(share, "shares", "positive")


def _listing(mechanism: Any) -> Any:
    """Return a mechanism whose tally takes candidates, or refuse it."""
    if not hasattr(mechanism, "hashes"):
        raise TypeError(f"candidates must be of a hashing mechanism, got {mechanism}.")
    return mechanism
