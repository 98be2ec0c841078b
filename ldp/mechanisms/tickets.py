r"""One 64-bit word for a report of a design: which base block, and which of its points, exactly.

A point of the user's block has :math:`A` tickets, any other :math:`B`, a power of two, and
:math:`A=\lfloor e^\epsilon B\rfloor`: no report is likelier by more than :math:`e^\epsilon`.
A uniform number below :math:`mM`, with :math:`m` base blocks and :math:`M=wA+(v-w)B` tickets in
each, draws both. It is the high half of a word times :math:`mM`; the words that make some numbers
likelier are drawn again, whatever the value is.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ldp import _checks
from ldp._compiled import compiled
from ldp._noise import growth
from ldp._words import Words, words

_MOST_BITS = 50  # of m M: fewer than one word in 2**14 is drawn again, and floats hold a ticket
_LEAST_GAIN = 128  # of A over B: rounding A down then loses less than one per cent of the gain
_HALF, _MASK = np.uint64(32), np.uint64(0xFFFFFFFF)


class Tickets(NamedTuple):
    r"""How many tickets a point of a report's block has, and any other: the law of a design."""

    inside: int
    """Tickets :math:`A` of a point of the block."""
    outside: int
    """Tickets :math:`B` of any other point, a power of two."""
    block_size: int
    """Number :math:`w` of points of a block."""
    num_points: int
    """Number :math:`v` of points."""
    num_blocks: int
    """Number :math:`m` of base blocks, each as likely."""

    @property
    def total(self) -> int:
        """Tickets M of all points."""
        w = self.block_size
        return w * self.inside + (self.num_points - w) * self.outside

    @property
    def p(self) -> float:
        """Probability w A / M that the block holds the own value."""
        return self.block_size * self.inside / self.total

    @property
    def q(self) -> float:
        """Probability (w - p) / (v - 1) that the block holds any one other point."""
        others = self.block_size * (self.total - self.inside)
        return others / (self.total * (self.num_points - 1))

    @property
    def odds(self) -> float:
        """How much likelier a report is under a value that its block holds, A / B."""
        return self.inside / self.outside

    def words(self, rng: np.random.Generator, count: int) -> Words:
        """Draw words whose products with m M have uniform high halves."""
        product = self.num_blocks * self.total
        factor, spare = np.uint64(product), np.uint64(2**64 % product)
        drawn = words(rng, count)
        while (uneven := np.flatnonzero(drawn * factor < spare)).size:
            drawn[uneven] = words(rng, uneven.size)
        return drawn

    @property
    def numbers(self) -> tuple[Any, ...]:
        """What :func:`draw_point` takes beside the word."""
        shift = self.outside.bit_length() - 1
        return (
            np.uint64(self.num_blocks),
            np.uint64(self.total),
            np.uint64(self.inside),
            np.uint64(self.block_size),
            np.uint64(shift),
        )


@compiled
def draw_point(
    word: Any, num_blocks: Any, total: Any, inside: Any, block_size: Any, shift: Any
) -> Any:
    """Return a base block and a place below v: the first `block_size` are those of its points.

    The word is one of `Tickets.words`, the rest are `Tickets.numbers`.
    """
    # Two exact steps: the high half of a product, then that of its low half times the tickets.
    block = ((word >> _HALF) * num_blocks + ((word & _MASK) * num_blocks >> _HALF)) >> _HALF
    rest = word * num_blocks
    low, high, few, many = rest & _MASK, rest >> _HALF, total & _MASK, total >> _HALF
    middle = high * few + (low * few >> _HALF)
    cross = low * many + (middle & _MASK)
    # No branch and no division of integers, whose durations vary. A ticket k A - 1 is below k A by
    # 1 / 2**50 of it or more, floats are wrong by 1 / 2**52: the quotient is right or one too low.
    ticket, each = np.int64(high * many + (middle >> _HALF) + (cross >> _HALF)), np.int64(inside)
    place = np.int64(ticket * (1.0 / each))
    place += np.int64(ticket - place * each >= each)
    over = ticket - np.int64(block_size) * each
    beyond = np.int64(block_size) + (over >> np.int64(shift))
    return np.int64(block), place if over < 0 else beyond


@lru_cache(maxsize=1024)
def tickets(
    epsilon: float, block_size: int, num_points: int, num_blocks: int, domain_size: int
) -> Tickets:
    """Return the tickets of a design, the more the smaller it is; all arguments are checked before.

    A ValueError refuses a budget too small or too large for so many points and base blocks.
    """
    most = 2**_MOST_BITS // num_blocks
    if epsilon < _MOST_BITS:  # else no exponential is needed
        power = growth(Fraction(epsilon))
        for bits in range(_MOST_BITS, -1, -1):
            inside = power(bits)
            given = Tickets(inside, 2**bits, block_size, num_points, num_blocks)
            if given.total <= most:
                if inside - 2**bits < _LEAST_GAIN:
                    raise ValueError(
                        f"epsilon must be large enough for {domain_size} values, got {epsilon}."
                    )
                _checks.probabilities(given.p, given.q, epsilon)
                return given
    raise ValueError(f"epsilon must be small enough for {domain_size} values, got {epsilon}.")
