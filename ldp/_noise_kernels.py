"""Compiled loops of bits and noise, 64 numbers a word: no randomness inside."""

from typing import Any

import numpy as np

from ldp._compiled import compiled


@compiled
def compare_bits(random_words: Any, lanes: Any, out: Any, undecided: Any) -> None:
    """Compare 64 numbers at a time with a constant, bit by bit from the most significant.

    Word k of column j holds bit k of 64 random numbers; lanes[k] is all ones or all zeros, bit k
    of the constant. `out` gets ones where the number is smaller, `undecided` where all bits agree.
    """
    for j in range(out.size):
        smaller = np.uint64(0)
        equal = ~np.uint64(0)
        for k in range(8):
            word = random_words[k, j]
            smaller |= equal & ~word & lanes[k]
            equal &= ~(word ^ lanes[k])
        out[j] = smaller
        undecided[j] = equal


@compiled
def decide_rest(out: Any, undecided: Any, decisions: Any) -> None:
    """Settle the undecided bits, one decision each."""
    used = 0
    for j in range(out.size):
        rest = undecided[j]
        while rest != 0:
            lowest = rest & (~rest + np.uint64(1))
            if decisions[used]:
                out[j] |= lowest
            used += 1
            rest ^= lowest


@compiled
def add_digit(bits: Any, digit: Any, numbers: Any) -> None:
    """Set binary digit `digit` of number i where bit i is one, 64 bits a word, the lowest first."""
    for j in range(bits.size):
        for i in range(64):
            bit = (bits[j] >> np.uint64(i)) & np.uint64(1)
            numbers[64 * j + i] |= np.int64(bit) << digit


@compiled
def invert(bits: Any, numbers: Any) -> None:
    """Replace number i by its complement -1 - numbers[i] where bit i is one."""
    for j in range(bits.size):
        for i in range(64):
            bit = (bits[j] >> np.uint64(i)) & np.uint64(1)
            numbers[64 * j + i] ^= -np.int64(bit)
