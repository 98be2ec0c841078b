"""Modular subset selection: a random modulus, and subset selection of the residue."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp._frozen import freeze
from ldp.assigned import assign
from ldp.mechanisms import shared
from ldp.mechanisms.reports import check_reports, packed_supports
from ldp.mechanisms.subset import SubsetSelection
from ldp.rivals._moduli import check_moduli, default_moduli
from ldp.tally import Tally
from ldp.types import Array, Bits, Bools, Floats, Integers, ReportType

_USERS_AT_ONCE = 2**13


@dataclass(frozen=True, init=False)
class ModularSubsetSelection:
    r"""Draw a modulus :math:`m_j`, and report the residue of the value by subset selection.

    With :math:`\ell` coprime moduli, :math:`w_j` the subset size of
    :class:`ldp.SubsetSelection` for :math:`m_j` values,

    .. math:: \Pr[j,S\mid x]=\frac1\ell\;
              \frac{e^\epsilon\text{ if }x\bmod m_j\in S\text{ else }1}
              {e^\epsilon\binom{m_j-1}{w_j-1}+\binom{m_j-1}{w_j}}

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge2` of values 0..d-1.
    epsilon : float
        Privacy budget.
    moduli : sequence of int, optional
        Coprime in pairs, from 2 to d. They determine a law of d values if and only if
        :math:`1+\sum_j(m_j-1)\ge d`. By default the four largest ones below d, which keep the
        variance near that of subset selection.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said.

    Notes
    -----
    A report is a structured value: ``modulus``, the number j, and ``subset``, the bit-packed
    indicator of S, as wide as the largest modulus needs: :math:`8+8\lceil\max_jm_j/8\rceil` bits.
    As far as its abstract says, the source counts
    :math:`\lceil\log_2\ell\rceil+\lceil\log_2m_j\rceil` bits, those of one residue. A set of
    :math:`w_j` residues has :math:`\log_2\binom{m_j}{w_j}` of them in any code that loses nothing,
    which is as few only if :math:`w_j=1`.

    It has no single q: values with equal residues are supported together more often. So the tally
    counts residues, all those of the first modulus first, and is debiased by
    :func:`residue_least_squares`; maximum likelihood works as for any mechanism.

    Examples
    --------
    >>> from ldp.rivals import residue_least_squares
    >>> m = ModularSubsetSelection(100, 1.0, [53, 59])
    >>> [part.subset_size for part in m.parts]
    [14, 16]
    >>> tally = m.tally(m.privatize([5] * 9000, np.random.default_rng(1)))
    >>> int(residue_least_squares(tally, m).frequencies.argmax())
    5

    References
    ----------
    ``arcolezi2026private`` (its abstract); ``ye2018optimal`` for the subsets.
    """

    domain_size: int
    epsilon: float
    moduli: tuple[int, ...]

    def __init__(
        self, domain_size: int, epsilon: float, moduli: Sequence[int] | None = None
    ) -> None:
        d, budget = _checks.domain_size(domain_size), _checks.epsilon(epsilon)
        chosen = default_moduli(d) if moduli is None else check_moduli(moduli, d)
        freeze(self, domain_size=d, epsilon=budget, moduli=chosen)
        _ = self.parts  # each refuses a budget that is too small or too large for it

    @property
    def parts(self) -> tuple[SubsetSelection, ...]:
        """What reports the residue, for each modulus."""
        return tuple(SubsetSelection(m, self.epsilon) for m in self.moduli)

    @property
    def report(self) -> ReportType:
        """The number of a modulus, and a row of bits for its residues."""
        number = np.min_scalar_type(len(self.moduli) - 1)
        row = ("subset", np.uint8, (-(-max(self.moduli) // 8),))
        return ReportType(np.dtype([("modulus", number), row]))

    odds = property(shared.budget_odds)
    likelihood = shared.support_likelihood

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Draw a modulus for each user, whatever the value is, then a set of residues."""
        given = _checks.values(values, self.domain_size)
        drawn = assign(given.size, np.full(len(self.moduli), 1 / len(self.moduli)), rng)
        reports = np.zeros(given.size, dtype=self.report.dtype)
        reports["modulus"] = drawn
        for first in range(0, given.size, _USERS_AT_ONCE):
            for number, part in enumerate(self.parts):
                here = drawn[first : first + _USERS_AT_ONCE] == number
                users = first + np.flatnonzero(here)
                rows = part.privatize(given[users] % part.domain_size, rng)
                reports["subset"][users, : rows.shape[1]] = rows
        return reports

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Count, for each modulus in turn, the sets that hold each of its residues."""
        given = self._check(reports)
        counts = np.zeros(sum(self.moduli), dtype=np.int64)
        for first in range(0, given.size, _USERS_AT_ONCE):
            some = given[first : first + _USERS_AT_ONCE]
            found = [part.tally(rows).counts for part, _, rows in self._sets(some)]
            counts += np.concatenate(found)
        return Tally(counts, given.size, self)

    def reports_each(self, tally: Tally) -> Floats:
        """Return how many reports each modulus has: its counts sum to so many sets."""
        if not isinstance(tally, Tally):
            raise TypeError(f"tally must be a Tally, got {type(tally).__name__}.")
        if tally.candidates is not None or tally.mechanism not in (None, self):
            raise ValueError(
                f"tally must be of all residues of {self}, "
                f"got one of {_checks.shown(tally.mechanism)}."
            )
        return self._each(tally, "tally")

    def _each(self, tally: Tally, name: str) -> Floats:
        shared.check_size(tally, sum(self.moduli), name)
        blocks = np.split(tally.counts, np.cumsum(self.moduli)[:-1])
        sums = np.array([float(shared.exact_sum(block)) for block in blocks])
        each: Floats = sums / [part.subset_size for part in self.parts]
        largest = np.array([float(block.max()) for block in blocks])
        n, spare = tally.num_reports, max(shared.slack(tally), 1e-9)
        whole = tally.counts.dtype.kind == "f" or not (each % 1).any()
        fits = tally.counts.min() >= -spare and (largest <= each + spare).all()
        if not (whole and fits and abs(each.sum() - n) <= spare):
            raise ValueError(
                f"{name} must be of {n} sets of residues of some modulus, got sets of {each}."
            )
        return each

    def check_counts(self, tally: Tally, name: str) -> None:
        """Refuse counts that no reports have."""
        if tally.candidates is not None:
            shared.bounded_counts(tally, name)
        else:
            self._each(tally, name)

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the tally exactly, modulus by modulus, for up to 10**9 users; a few make reports."""
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        total = _checks.integer(int(counts.sum()), "the sum of value_counts", 0, 10**9)
        every, share = np.arange(self.domain_size), 1 / len(self.moduli)
        if total <= _USERS_AT_ONCE:
            return self.tally(self.privatize(np.repeat(every, counts), rng))
        users = rng.multinomial(counts, np.full(len(self.moduli), share)).T
        drawn = [
            part.simulate(np.bincount(every % part.domain_size, some).astype(np.int64), rng).counts
            for part, some in zip(self.parts, users, strict=True)
        ]
        return Tally(np.concatenate(drawn), total, self)

    def channel(self) -> Floats:
        """Sets of residues, those of the first modulus first."""
        _checks.channel_size(self.domain_size, self._starts()[-1])
        every = np.arange(self.domain_size)
        rows = [part.channel()[every % part.domain_size] for part in self.parts]
        return np.hstack(rows) / len(self.moduli)

    def outcomes(self, reports: npt.ArrayLike) -> Integers:
        """Rank of each set among those of its modulus, after all sets of the ones before."""
        given = self._check(reports)
        _checks.channel_size(self.domain_size, self._starts()[-1])
        numbers = np.empty(given.size, dtype=np.int64)
        for start, (part, users, rows) in zip(self._starts(), self._sets(given), strict=False):
            numbers[users] = start + part.outcomes(rows)
        return numbers

    def support(self, reports: npt.ArrayLike) -> Bits:
        """Bit-packed rows of the values whose residue lies in each report's set."""
        given = self._check(reports)
        for _ in self._sets(given):  # checked before any work
            pass
        residues = np.arange(self.domain_size) % np.array(self.moduli)[:, None]

        def held(some: Array) -> Bools:
            bits = np.unpackbits(some["subset"], axis=1)
            hit: Bools = np.take_along_axis(bits, residues[some["modulus"]], axis=1) == 1
            return hit

        return packed_supports(given, self.domain_size, held)

    def _starts(self) -> list[int]:
        """Number of the first set of each modulus, and of all sets."""
        sizes = [math.comb(part.domain_size, part.subset_size) for part in self.parts]
        return [sum(sizes[:number]) for number in range(len(sizes) + 1)]

    def _check(self, reports: npt.ArrayLike) -> Array:
        """Return reports whose moduli exist."""
        given = check_reports(reports, self.report)
        if given.size and (largest := given["modulus"].max()) >= len(self.moduli):
            raise ValueError(f"reports' moduli must be below {len(self.moduli)}, got {largest}.")
        return given

    def _sets(self, given: Array) -> Iterator[tuple[SubsetSelection, Integers, Bits]]:
        """Go through the moduli: what reports the residue, which users, and their checked sets."""
        for number, part in enumerate(self.parts):
            users = np.flatnonzero(given["modulus"] == number)
            rows, width = given["subset"][users], part.report.shape[0]
            if rows[:, width:].any():
                raise ValueError(
                    f"reports must have zero bits after those of {part.domain_size} residues, "
                    "got ones."
                )
            yield part, users, part.support(rows[:, :width])
