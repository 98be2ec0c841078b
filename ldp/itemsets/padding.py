r"""Pad every set to one length, report of one cell of it."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import words
from ldp.itemsets._kernels import draw_cells
from ldp.itemsets.sets import MOST, ItemSets, check_sets
from ldp.mechanisms.shared import indicator_second_moment, support_counts
from ldp.tally import Tally
from ldp.types import Array, CandidateOracle, Floats, Integers, PureMechanism, names_a_value


def amplified_epsilon(epsilon: float, length: int) -> float:
    r"""Budget that randomized response of one of L cells may spend for a set to spend epsilon.

    .. math:: \ln\big(L(e^\epsilon-1)+1\big),

    a hair below, so that rounding does not exceed it.

    Parameters
    ----------
    epsilon : float
        Budget of a set.
    length : int
        Number :math:`L\ge1` of cells that every set is padded to.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or `epsilon` is above 700.

    Notes
    -----
    Two padded sets lead to laws of the cell that differ by 1/L of the mass. A report names one
    cell, which one set holds with probability 1/L and the other does not. Reports that support
    many cells, as those of hashing do, can support all cells of one set and none of the other;
    they must keep to epsilon itself.

    Examples
    --------
    >>> round(amplified_epsilon(1.0, 8), 6)
    2.690989

    References
    ----------
    ``wang2018itemset``.
    """
    budget = _checks.epsilon(epsilon)
    size = _checks.integer(length, "length", 1, MOST)
    if budget > 700:
        raise ValueError(f"epsilon must be at most 700, got {budget}.")
    return math.log1p(size * math.expm1(budget)) * (1 - 2.0**-48)


@dataclass(frozen=True, init=False)
class PadAndSample:
    r"""Pad every set to L cells, draw one of them, and report it by a frequency oracle.

    Cells are the items 0..d-1 and L distinct dummies d..d+L-1. A user with s items draws one of
    max(L, s) cells uniformly: the own items, then the first L - s dummies. With the oracle's p
    and q a report supports an item that is held by :math:`p'=q+(p-q)/L` if no more than L are,
    and any other by :math:`q'=q`. So :func:`ldp.debias` estimates
    :func:`ldp.itemsets.cut_frequencies`.

    Parameters
    ----------
    num_items : int
        Number :math:`d\ge1` of items.
    length : int
        :math:`L\ge1`.
    oracle : PureMechanism
        Reports of one of the d + L cells.
    epsilon : float, optional
        Budget of a set. By default it is what the oracle spends on it: its own budget
        :math:`\epsilon_o`, but :math:`\ln(1+(e^{\epsilon_o}-1)/L)` with :class:`ldp.GRR`.

    Raises
    ------
    TypeError, ValueError
        If the oracle is not one of d + L cells whose score is 0 or 1, or spends more than
        `epsilon` on a set.

    Notes
    -----
    A user without items draws a dummy; to stay silent would tell that there are none. The dummies
    must differ: with a single one a set of no items would lead to it for certain.

    ``variance(m, n, f)`` is exact if no set has more than L items; else
    :func:`ldp.itemsets.cut_variance` is to be added.

    Examples
    --------
    >>> from ldp import GRR, debias
    >>> from ldp.itemsets import ItemSets, cut_frequencies
    >>> sets = ItemSets.of([[0, 2], [2], [], [1, 2, 0]] * 5000, num_items=3)
    >>> m = PadAndSample(3, 2, GRR(5, amplified_epsilon(1.0, 2)), epsilon=1.0)
    >>> tally = m.tally(m.privatize(sets, np.random.default_rng(1)))
    >>> debias(tally, m).round(1), cut_frequencies(sets, 2).round(1)
    (array([0.4, 0.2, 0.7]), array([0.4, 0.2, 0.7]))

    References
    ----------
    ``qin2016heavy``; ``wang2018itemset``.
    """

    num_items: int
    length: int
    oracle: PureMechanism
    epsilon: float

    def __init__(
        self, num_items: int, length: int, oracle: PureMechanism, epsilon: float | None = None
    ) -> None:
        d = _checks.integer(num_items, "num_items", 1, MOST)
        size = _checks.integer(length, "length", 1, MOST)
        made = _check_oracle(oracle, d + size)
        spent = made.epsilon
        if names_a_value(made):
            spent = math.log1p(math.expm1(made.epsilon) / size)
        budget = spent if epsilon is None else _checks.epsilon(epsilon)
        if spent > budget:
            raise ValueError(
                f"oracle must spend at most {budget} on a set, got {made}, which spends {spent}."
            )
        freeze(self, num_items=d, length=size, oracle=made, epsilon=budget)

    @property
    def domain_size(self) -> int:
        """Number d of items: of these :func:`ldp.debias` estimates the frequencies."""
        return self.num_items

    @property
    def p(self) -> float:
        """Probability that an item is supported which is held, with at most L - 1 others."""
        return self.q + (self.oracle.p - self.oracle.q) / self.length

    @property
    def q(self) -> float:
        """Probability that any one item is supported which is not held."""
        return self.oracle.q

    second_moment = indicator_second_moment
    check_counts = support_counts

    def privatize(self, sets: ItemSets, rng: np.random.Generator) -> Array:
        """Draw a cell of every padded set and report it by the oracle."""
        cells = self._cells(sets, rng)
        return self.oracle.privatize(cells, rng)

    def tally(self, reports: Array, candidates: npt.ArrayLike | None = None) -> Tally:
        """Count the reports that support each item, or each of a list of cells.

        The estimate of dummy d + i is the share of sets with fewer than L - i items.
        """
        cells = asked_cells(candidates, self.num_items, self.length)
        if isinstance(self.oracle, CandidateOracle):
            counted = self.oracle.tally(reports, cells)
            counts = counted.counts
        else:
            counted = self.oracle.tally(reports)
            counts = counted.counts[cells]
        return Tally(counts, counted.num_reports, self, None if candidates is None else cells)

    def simulate(self, sets: ItemSets, rng: np.random.Generator) -> Tally:
        """Draw the tally: cells one by one, then that of the oracle from how many drew each."""
        cells = self._cells(sets, rng)
        held = np.bincount(cells, minlength=self.num_items + self.length)
        counted = self.oracle.simulate(held, rng)
        return Tally(counted.counts[: self.num_items], counted.num_reports, self)

    def channel(self) -> Floats:
        """Matrix of Pr[report | set]; rows as in :meth:`ItemSets.every`, shape (2**d, ...)."""
        _checks.channel_size(2**self.num_items, 1, "num_items")
        columns = self.oracle.channel()
        _checks.channel_size(2**self.num_items, columns.shape[1], "num_items")
        law = np.zeros((2**self.num_items, self.num_items + self.length))
        for row, items in zip(law, ItemSets.every(self.num_items), strict=True):
            spare = max(0, self.length - items.size)
            cells = np.append(items, self.num_items + np.arange(spare))
            row[cells] = 1 / cells.size
        rows: Floats = law @ columns
        return rows

    def outcomes(self, reports: Array) -> Integers:
        """Column of the channel for each report."""
        return self.oracle.outcomes(reports)

    def _cells(self, sets: ItemSets, rng: np.random.Generator) -> Integers:
        given = check_sets(sets, self.num_items)
        rng = _checks.rng(rng)
        cells, starts = np.empty(len(given), dtype=np.int64), given.starts
        for chunk in _kernels.chunks(len(given), 1):
            random_words = words(rng, chunk.stop - chunk.start)
            drawn = cells[chunk]
            while True:
                draw_cells(
                    starts[chunk],
                    given.lengths[chunk],
                    given.items,
                    random_words,
                    self.num_items,
                    self.length,
                    drawn,
                )
                uneven = np.flatnonzero(drawn < 0)
                if not uneven.size:
                    break
                random_words[uneven] = words(rng, uneven.size)
        return cells


def asked_cells(candidates: npt.ArrayLike | None, num_items: int, length: int) -> Integers:
    """Return the cells to be counted: all items, or those asked for, dummies among them."""
    if candidates is None:
        return np.arange(num_items)
    return _checks.candidates(candidates, num_items + length)


def _check_oracle(oracle: PureMechanism, num_cells: int) -> PureMechanism:
    """Refuse what is no oracle of so many cells whose score is 0 or 1."""
    if not isinstance(oracle, PureMechanism):
        raise TypeError(f"oracle must be a pure mechanism, got {_checks.shown(oracle)}.")
    if oracle.domain_size != num_cells:
        raise ValueError(f"oracle must be of {num_cells} cells, got {oracle.domain_size}.")
    if not math.isclose(oracle.second_moment(0.0), oracle.q, rel_tol=1e-9):
        raise ValueError(f"oracle must add 0 or 1 to a count, got {oracle}.")
    return oracle
