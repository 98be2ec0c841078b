"""Uniform sets of given sizes as rows of bits: independent bits first, then corrected by a few.

Given how many they are, the ones among independent bits of one chance are a uniform set; with a
uniform new place it is a uniform set of one more, and without a uniform one of its own of one less.
"""

import math
from typing import NamedTuple

import numpy as np

from ldp._words import Words, words
from ldp.mechanisms import _set_kernels
from ldp.types import Bits, Integers

_MOST_DIGITS = 8


class Start(NamedTuple):
    """Independent bits of the chance odd / 2**digits, and how many places are then tried a set."""

    odd: int
    digits: int
    tries: float

    def words_each(self, num_places: int) -> int:
        """About how many random words a set takes."""
        return math.ceil(self.digits * _width(num_places) + self.tries / 2)


def cheapest_start(num_places: int, size: float) -> Start:
    """Choose the chance for sets of about that size; the law of the sets does not depend on it."""
    starts = [
        Start(part, digits, _tries(num_places, size, part / 2**digits))
        for digits in range(_MOST_DIGITS + 1)
        for part in (math.floor(size / num_places * 2**digits) + np.arange(2)).tolist()
    ]
    # A random word takes about as long as trying a place.
    width = _width(num_places)
    return min(starts, key=lambda start: start.digits * width + start.tries)


def _width(num_places: int) -> int:
    """Words of a row, which has room for one place more."""
    return num_places // 64 + 1


def _tries(num_places: int, size: float, share: float) -> float:
    """About how many uniform places it takes to make sets of that size out of such bits."""
    spread, gap = math.sqrt(num_places * share * (1 - share)), size - num_places * share
    missing = max(gap, 0.0)
    if spread > 0:  # the mean of the positive part of a normal variable
        z = gap / spread
        normal = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        missing = gap * math.erfc(-z / math.sqrt(2)) / 2 + spread * normal
    # The i-th from last new place is found among its rest + i by about num_places / (rest + i).
    new = math.log1p(missing / (num_places - size + 0.5))
    return num_places * (new + math.log1p((missing - gap) / (size + 0.5)))


def draw_sets(
    sizes: Integers, num_places: int, start: Start, rng: np.random.Generator, rows: Bits
) -> None:
    """Fill zeroed rows of packed bits with a uniform set of sizes[i] of the places in row i."""
    missing = sizes.astype(np.int64)
    if start.digits:
        bits = _independent_bits(missing.size, num_places, start, rng)
        ones = np.empty_like(missing)
        _set_kernels.count_ones(bits, ones)
        missing -= ones
        rows[:] = bits.view(np.uint8)[:, : rows.shape[1]]
    elif start.odd:
        rows[:] = np.packbits(np.arange(8 * rows.shape[1]) < num_places)
        missing -= num_places
    spare, done = np.uint64(2**32 % num_places), 0
    while done < missing.size:
        # Enough for nearly all chunks; what is left over is dropped.
        tries = 1.1 * start.tries * (missing.size - done) + 32
        numbers = words(rng, math.ceil(tries / 2)).view(np.uint32)
        done = _set_kernels.resize_sets(done, rows, missing, numbers, num_places, spare)


def _independent_bits(
    num_rows: int, num_places: int, start: Start, rng: np.random.Generator
) -> Words:
    """Rows of 64-bit words with independent bits in their first places, and zeros behind."""
    width = _width(num_places)
    drawn = words(rng, (start.digits, num_rows * width))
    bits = drawn[0]
    # A chance c becomes (1 + c) / 2 by a digit one, c / 2 by a zero; the last digit is a one.
    for digit in range(1, start.digits):
        combine = np.bitwise_or if start.odd >> digit & 1 else np.bitwise_and
        combine(bits, drawn[digit], out=bits)
    rows: Words = bits.reshape(num_rows, width)
    rows[:, -1] &= np.packbits(np.arange(64 * width - 64, 64 * width) < num_places).view(np.uint64)
    return rows
