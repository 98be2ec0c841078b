"""Report a set of cells that is likelier to meet the own set."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import words
from ldp.itemsets import _subsets
from ldp.itemsets._kernels import count_rising, draw_sets
from ldp.itemsets.padding import asked_cells
from ldp.itemsets.sets import ItemSets, check_sets
from ldp.mechanisms.reports import check_reports
from ldp.mechanisms.shared import indicator_second_moment, support_counts
from ldp.tally import Tally
from ldp.types import Array, Floats, Integers, ReportType


@dataclass(frozen=True, init=False)
class SetSelection:
    r"""Report w cells, :math:`e^\epsilon` times likelier if they meet the own set.

    Cells are the items 0..d-1 and L distinct dummies d..d+L-1, D in all. A set of s items is padded
    to L cells by the first L - s dummies, or cut to L of its items, uniformly. Then for a subset S
    of w cells and a padded set A

    .. math:: \Pr[S\mid A]=\frac{e^\epsilon\text{ if }S\cap A\ne\emptyset\text{ else }1}
              {e^\epsilon\big(\binom Dw-\binom{D-L}w\big)+\binom{D-L}w}.

    A report holds an item of A with probability p and any other with probability q: with
    :math:`\mu=\binom{D-L}w/\binom Dw` and :math:`\mu_1=\binom{D-L-1}{w-1}/\binom Dw`,

    .. math:: p=\frac{e^\epsilon w/D}{e^\epsilon(1-\mu)+\mu},\qquad
              q=\frac{e^\epsilon(w/D-\mu_1)+\mu_1}{e^\epsilon(1-\mu)+\mu}.

    Parameters
    ----------
    num_items : int
        Number :math:`d\ge1` of items.
    length : int
        :math:`L` from 1 to 65,536.
    epsilon : float
        Privacy budget of a set.
    subset_size : int, optional
        :math:`w` from 1 to the smaller of D/2 and d; by default the one of least variance for
        items of the given frequency.
    frequency : float
        Of the items for which `subset_size` is chosen: 0 to find items, larger to estimate those
        that are known to be frequent.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or `epsilon` is so small or large that rounding would decide
        what reports say.

    Notes
    -----
    With w = 1 this is :class:`ldp.itemsets.PadAndSample` with :class:`ldp.GRR` of the amplified
    budget, with L = 1 :class:`ldp.SubsetSelection` of d + 1 values.

    A report is a row of w cells in increasing order, dtype uint32: their order says nothing. A
    sampler that drew the number of own cells in it would have to know chances below
    :math:`2^{-64}`. This one draws which own cell is the first one in it; the rest is uniform.

    ``variance(m, n, f)`` is exact if no set has more than L items; else
    :func:`ldp.itemsets.cut_variance` is to be added.

    Examples
    --------
    >>> from ldp import debias
    >>> sets = ItemSets.of([[0, 2], [2], [], [1, 2, 0]] * 5000, num_items=3)
    >>> m = SetSelection(3, 2, 1.0)
    >>> tally = m.tally(m.privatize(sets, np.random.default_rng(1)))
    >>> debias(tally, m).round(1)
    array([0.4, 0.2, 0.7])

    References
    ----------
    ``wang2018privset``.
    """

    num_items: int
    length: int
    epsilon: float
    subset_size: int

    def __init__(
        self,
        num_items: int,
        length: int,
        epsilon: float,
        subset_size: int | None = None,
        *,
        frequency: float = 0.0,
    ) -> None:
        d = _checks.integer(num_items, "num_items", 1, 2**31 - 2)
        size = _checks.integer(length, "length", 1, min(2**16, 2**31 - 1 - d))
        budget = _checks.epsilon(epsilon)
        wanted = float(_checks.frequency(_checks.real(frequency, "frequency", "from 0 to 1")))
        if subset_size is None:
            w = _subsets.best_size(d, size, budget, wanted)
        else:
            w = _checks.integer(subset_size, "subset_size", 1, _subsets.largest_size(d, size))
        freeze(self, num_items=d, length=size, epsilon=budget, subset_size=w)
        _checks.probabilities(self.p, self.q, self.epsilon)
        _subsets.check_words(self._hits, self._missed, self.num_cells, self.epsilon)

    @property
    def domain_size(self) -> int:
        """Number d of items: of these :func:`ldp.debias` estimates the frequencies."""
        return self.num_items

    @property
    def num_cells(self) -> int:
        """Number D of items and dummies."""
        return self.num_items + self.length

    @property
    def report(self) -> ReportType:
        """Cells in increasing order."""
        return ReportType(np.dtype(np.uint32), (self.subset_size,))

    @property
    def p(self) -> float:
        """Probability that the report holds an item that is held, with at most L - 1 others."""
        return float(self._p_and_q[0])

    @property
    def q(self) -> float:
        """Probability that the report holds any one item that is not held."""
        return float(self._p_and_q[1])

    @property
    def _p_and_q(self) -> tuple[Array, Array]:
        w = np.asarray(float(self.subset_size))
        return _subsets.probabilities(self.num_cells, self.length, self.epsilon, w)

    @property
    def _missed(self) -> float:
        """Chance that a uniform subset holds none of the own cells, divided by e^epsilon."""
        w = np.asarray(float(self.subset_size))
        return math.exp(float(_subsets.log_miss(self.num_cells, w, self.length)) - self.epsilon)

    second_moment = indicator_second_moment
    check_counts = support_counts

    @property
    def _hits(self) -> list[int]:
        """Words for which own cell i is the first one in the report."""
        return _subsets.hit_words(self.num_cells, self.subset_size, self.length, self._missed)

    def privatize(self, sets: ItemSets, rng: np.random.Generator) -> Array:
        """Draw which own cell is the first in the report, then the others uniformly; (n, w)."""
        given = check_sets(sets, self.num_items)
        rng = _checks.rng(rng)
        reports = np.empty((len(given), self.subset_size), dtype=np.uint32)
        for chunk, rows in self._draw(given, rng):
            reports[chunk] = rows
        return reports

    def tally(self, reports: Array, candidates: npt.ArrayLike | None = None) -> Tally:
        """Count the reports that hold each item, or each of a list of cells.

        The estimate of dummy d + i is the share of sets with fewer than L - i items.
        """
        cells = asked_cells(candidates, self.num_items, self.length)
        rows, counts = self._count(reports)
        return Tally(counts[cells], len(rows), self, None if candidates is None else cells)

    def simulate(self, sets: ItemSets, rng: np.random.Generator) -> Tally:
        """Return ``tally(privatize(sets, rng))``, with few reports in memory at a time."""
        given = check_sets(sets, self.num_items)
        rng = _checks.rng(rng)
        counts = np.zeros(self.num_cells, dtype=np.int64)
        for _, rows in self._draw(given, rng):
            count_rising(rows, counts)
        return Tally(counts[: self.num_items], len(given), self)

    def channel(self) -> Floats:
        """All subsets of w cells, as columns in lexicographic order; rows as `ItemSets.every`."""
        num_subsets = math.comb(self.num_cells, self.subset_size)
        _checks.channel_size(2**self.num_items, num_subsets, "num_items")
        held = np.zeros((num_subsets, self.num_cells), dtype=np.bool_)
        subsets = combinations(range(self.num_cells), self.subset_size)
        held[np.arange(num_subsets)[:, None], list(subsets)] = True
        rows = []
        for items in ItemSets.every(self.num_items):
            spare = max(0, self.length - items.size)
            full = [*items.tolist(), *range(self.num_items, self.num_items + spare)]
            ways = list(combinations(full, self.length))
            meets = np.stack([held[:, list(cells)].any(axis=1) for cells in ways])
            likelier = np.where(meets, 1.0, math.exp(-self.epsilon))
            rows.append((likelier / likelier.sum(axis=1, keepdims=True)).mean(axis=0))
        return np.stack(rows)

    def outcomes(self, reports: Array) -> Integers:
        """Rank of each row in lexicographic order."""
        rows = self._count(reports)[0]
        num_subsets = math.comb(self.num_cells, self.subset_size)
        _checks.channel_size(2**self.num_items, num_subsets, "num_items")
        ranks = np.full(len(rows), num_subsets - 1)
        for k in range(self.subset_size):
            # Rows that agree so far and have a larger cell here.
            ways = [
                math.comb(self.num_cells - 1 - cell, self.subset_size - k)
                for cell in range(self.num_cells)
            ]
            ranks -= np.array(ways)[rows[:, k]]
        return ranks

    def _draw(self, sets: ItemSets, rng: np.random.Generator) -> Iterator[tuple[slice, Array]]:
        """Draw the reports of some users at a time."""
        starts, hits = sets.starts, np.cumsum(np.array(self._hits, dtype=np.uint64))
        num_words = 1 + self.length + self.subset_size
        for chunk in _kernels.chunks(len(sets), num_words):
            random_words = words(rng, (chunk.stop - chunk.start, num_words))
            rows = np.empty((len(random_words), self.subset_size), dtype=np.uint32)
            uneven = np.empty(random_words.shape, dtype=np.bool_)
            while count := draw_sets(
                starts[chunk],
                sets.lengths[chunk],
                sets.items,
                random_words,
                hits,
                self.num_items,
                self.subset_size,
                rows,
                uneven,
            ):
                random_words[uneven] = words(rng, count)
            rows.sort(axis=1)
            yield chunk, rows

    def _count(self, reports: Array) -> tuple[Array, Integers]:
        """Return the reports, checked, and how many hold each cell."""
        rows = check_reports(reports, self.report)
        counts = np.zeros(self.num_cells, dtype=np.int64)
        wrong = count_rising(rows, counts)
        if wrong >= 0:
            raise ValueError(
                f"reports must be rising cells below {self.num_cells}, "
                f"got {rows[wrong].tolist()} in row {wrong}."
            )
        return rows, counts
