"""Hadamard response: structured supports, decoded by a fast transform."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ldp import _checks, _kernels
from ldp._frozen import freeze
from ldp._words import at_least, uniform_below, words
from ldp.mechanisms import hadamard_law, shared
from ldp.mechanisms.reports import (
    check_reports,
    number_outcomes,
    outcome_number,
    packed_supports,
)
from ldp.tally import Tally
from ldp.types import Array, Bits, Bools, Floats, Integers


@dataclass(frozen=True, init=False)
class HadamardResponse:
    r"""Support sets are half-blocks cut by the rows of a Hadamard matrix.

    The outcomes form :math:`B` blocks of :math:`b`, a power of two, and each block serves
    :math:`b-1` values. Value :math:`x` has block :math:`\lfloor x/(b-1)\rfloor`, row
    :math:`i=1+(x\bmod(b-1))` and set :math:`C_x` of the :math:`b/2` outcomes of its block with
    :math:`H_b[i,\cdot]=+1`.

    .. math:: \Pr[y\mid x]=\frac{e^\epsilon\text{ if }y\in C_x\text{ else }1}
              {\frac b2 e^\epsilon+Bb-\frac b2}

    Parameters
    ----------
    domain_size : int
        Number :math:`d\ge 2` of values 0..d-1.
    epsilon : float
        Privacy budget.
    block_size : int, optional
        :math:`b`, a power of two from 2 on; by default the one of least variance for rare values
        with the other users spread evenly. One block is best at small epsilon.

    Notes
    -----
    A report :math:`y`, an integer of shape ``(n,)``, supports :math:`S(y)=\{x:y\in C_x\}`. In
    the tally a report counts 1 for the values of its block it supports, 0 for the others of its
    block, and 1/2 for the values of other blocks, about which it says nothing; so :math:`q=1/2`
    for every other value, and with one block the tally is the support count.

    References
    ----------
    ``acharya2019hadamard``.

    Examples
    --------
    >>> HadamardResponse(100, 1.0).num_blocks, HadamardResponse(100, 4.0).num_blocks
    (1, 34)
    """

    domain_size: int
    epsilon: float
    block_size: int

    def __init__(self, domain_size: int, epsilon: float, block_size: int | None = None) -> None:
        d, budget = _checks.domain_size(domain_size), _checks.epsilon(epsilon)
        largest = 2 ** d.bit_length()
        if block_size is None:
            block_size = hadamard_law.best_block_size(d, budget)
        size = _checks.integer(block_size, "block_size", 2, largest)
        if size & (size - 1):
            raise ValueError(f"block_size must be a power of two, got {size}.")
        freeze(self, domain_size=d, epsilon=budget, block_size=size)
        _checks.probabilities(self.p, self.q, self.epsilon)

    @property
    def num_blocks(self) -> int:
        """Number B of blocks."""
        return hadamard_law.num_blocks(self.domain_size, self.block_size)

    @property
    def num_outcomes(self) -> int:
        """Number B b of different reports."""
        return self.num_blocks * self.block_size

    @property
    def _law(self) -> hadamard_law.Law:
        return hadamard_law.law(self.domain_size, self.epsilon, self.block_size)

    @property
    def p(self) -> float:
        """Mean count of the own value, Pr[own set] + Pr[other blocks] / 2."""
        return self._law.p

    @property
    def q(self) -> float:
        """Mean count of any other value."""
        return hadamard_law.Q

    report = property(outcome_number)
    odds = property(shared.budget_odds)
    likelihood = shared.support_likelihood
    outcomes = number_outcomes

    def second_moment(self, frequency: Array | float, law: Array | None = None) -> Array:
        """E[s] - Pr[other block]/4, since a half squared is a quarter less than a half."""
        f = _checks.frequency(frequency)
        if law is None or self.num_blocks == 1:
            same_block = f + (1 - f) * hadamard_law.neighbours(self.domain_size, self.block_size)
        else:
            block = np.arange(self.domain_size) // (self.block_size - 1)
            others = _checks.vector(law, "law", self.domain_size)
            if f.shape not in ((), others.shape):
                raise ValueError(
                    f"frequency must be one number or {self.domain_size}, got shape {f.shape}."
                )
            same_block = np.clip(np.bincount(block, weights=others)[block], 0.0, 1.0)
        moment: Array = hadamard_law.second_moment(self._law, f, same_block)
        return moment

    def privatize(self, values: npt.ArrayLike, rng: np.random.Generator) -> Array:
        """Draw from C_x w.p. (b/2) e^eps / (...), else from all other outcomes."""
        given = _checks.values(values, self.domain_size)
        rng = _checks.rng(rng)
        law = self._law
        reports = np.empty(given.size, dtype=self.report.dtype)
        for chunk in _kernels.chunks(given.size, 2):
            inside, where = words(rng, (2, chunk.stop - chunk.start))
            hit = inside >= at_least(law.num_others * law.other)
            index = (where >> np.uint64(32)).astype(np.int64)
            other = uniform_below(where, law.num_others, rng)
            _kernels.draw_half_block(
                given[chunk], hit, index, other, self.block_size, reports[chunk]
            )
        return reports

    def tally(self, reports: npt.ArrayLike) -> Tally:
        """Decode all values by one fast transform per block, O(n + B b log b)."""
        given = check_reports(reports, self.report)
        return self._decode(_kernels.histogram(given, self.num_outcomes))

    def check_counts(self, tally: Tally, name: str) -> None:
        """Refuse counts that no reports have."""
        shared.support_counts(self, tally, name)
        if tally.candidates is not None:
            return
        # A report moves the counts of its own block, by a half each; those of others stay at n / 2.
        n, starts = tally.num_reports, np.arange(0, self.domain_size, self.block_size - 1)
        off_middle = np.abs(tally.counts - n / 2)
        reports = 2 * float(np.maximum.reduceat(off_middle, starts).sum())
        if reports > n * (1 + 1e-9):
            raise ValueError(
                f"{name} must need no more than the {n} reports, got some that need {reports}."
            )

    def _decode(self, histogram: Integers) -> Tally:
        blocks = histogram.reshape(self.num_blocks, self.block_size).copy()
        total = int(histogram.sum())
        _kernels.walsh_hadamard(blocks)
        # Twice (support + half of the other blocks' reports) is n + (supports - others in block).
        doubled = total + blocks[:, 1:].ravel()[: self.domain_size]
        return Tally(doubled // 2 if self.num_blocks == 1 else doubled / 2, total, self)

    def simulate(self, value_counts: npt.ArrayLike, rng: np.random.Generator) -> Tally:
        """Draw the histogram of reports exactly, at a cost free of n.

        A user reports any outcome uniformly with one probability, else an outcome of C_x. The
        latter are sent down a binary tree over the bits of the outcome: a fair coin at each bit,
        but at the last bit that the row's parity involves, where parity decides.
        """
        counts = _checks.value_counts(value_counts, self.domain_size)
        rng = _checks.rng(rng)
        num_rows = self.num_blocks * (self.block_size - 1)
        uniform = rng.binomial(counts, self._law.other * self.num_outcomes)
        rows = np.zeros(num_rows, dtype=np.int64)
        rows[: self.domain_size] = counts - uniform
        # state[block, outcome bits so far, parity, remaining row bits]
        state = np.zeros((self.num_blocks, 1, 2, self.block_size), dtype=np.int64)
        state[:, 0, 0, 1:] = rows.reshape(self.num_blocks, -1)
        state[:, 0, 0, 0] = rng.multinomial(
            int(uniform.sum()), np.full(self.num_blocks, 1 / self.num_blocks)
        )
        while state.shape[-1] > 1:
            state = _split(state, rng)
        return self._decode(state[:, :, 0, 0].ravel())

    def channel(self) -> Floats:
        """e^eps-weighted half-blocks."""
        _checks.channel_size(self.domain_size, self.num_outcomes)
        bits = self.support(np.arange(self.num_outcomes))
        held = np.unpackbits(bits, axis=1, count=self.domain_size).T == 1
        return np.where(held, self._law.hit / (self.block_size / 2), self._law.other)

    def support(self, reports: npt.ArrayLike) -> Bits:
        """Bit-packed rows of the values x whose C_x holds the report."""
        block, row = divmod(np.arange(self.domain_size), self.block_size - 1)

        def held(some: Integers) -> Bools:
            of_block, y = divmod(some[:, None], self.block_size)
            even = np.bitwise_count(y & (row + 1)) % 2 == 0
            inside: Bools = even & (of_block == block)
            return inside

        return packed_supports(self.outcomes(reports), self.domain_size, held)


def _split(state: Integers, rng: np.random.Generator) -> Integers:
    """Decide the next (highest remaining) bit of everybody's outcome."""
    num_blocks, prefixes, _, size = state.shape
    half = size // 2
    without, with_bit = state[..., :half], state[..., half:]
    # Rows of this bit alone: the bit must equal the parity still owed.
    forced = with_bit[..., 0].copy()
    free = with_bit.copy()
    free[..., 0] = 0
    result = np.zeros((num_blocks, prefixes, 2, 2, half), dtype=np.int64)
    zeros = rng.binomial(without, 0.5)
    result[:, :, 0] += zeros
    result[:, :, 1] += without - zeros
    zeros = rng.binomial(free, 0.5)
    result[:, :, 0] += zeros
    result[:, :, 1] += (free - zeros)[:, :, ::-1]
    result[:, :, 0, 0, 0] += forced[:, :, 0]
    result[:, :, 1, 0, 0] += forced[:, :, 1]
    return result.reshape(num_blocks, prefixes * 2, 2, half)
