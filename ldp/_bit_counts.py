"""Column sums of bit-packed rows, at the speed of memory."""

import math
from typing import Any

import numpy as np

from ldp._compiled import compiled
from ldp.types import Bits, Integers

_WORDS_PER_TILE = 384


@compiled
def _add(a: Any, b: Any, c: Any) -> Any:
    # One full adder per bit lane: sum and carry.
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@compiled
def _flush(planes: Any, first: Any, counts: Any) -> None:
    # Bytes of the planes, in the order of the bytes of a row.
    for k in range(first, planes.shape[0]):
        for j in range(planes.shape[1]):
            for bit in range(8):
                counts[j, bit] += np.int64((planes[k, j] >> (7 - bit)) & 1) << k
            planes[k, j] = 0


@compiled
def _count_columns(rows: Any, counts: Any) -> None:
    # A counter per column of 64-bit words, held bit-sliced: plane k holds bit k of each counter.
    # Sixteen rows pass through a tree of adders (15 of them), then one carry ripples upwards.
    num_rows, width = rows.shape
    planes = np.zeros((12, width), dtype=rows.dtype)
    carry = np.zeros(width, dtype=rows.dtype)
    groups = 0
    for i in range(0, num_rows // 16 * 16, 16):
        for j in range(width):
            ones, two_a = _add(planes[0, j], rows[i, j], rows[i + 1, j])
            ones, two_b = _add(ones, rows[i + 2, j], rows[i + 3, j])
            twos, four_a = _add(planes[1, j], two_a, two_b)
            ones, two_a = _add(ones, rows[i + 4, j], rows[i + 5, j])
            ones, two_b = _add(ones, rows[i + 6, j], rows[i + 7, j])
            twos, four_b = _add(twos, two_a, two_b)
            fours, eight_a = _add(planes[2, j], four_a, four_b)
            ones, two_a = _add(ones, rows[i + 8, j], rows[i + 9, j])
            ones, two_b = _add(ones, rows[i + 10, j], rows[i + 11, j])
            twos, four_a = _add(twos, two_a, two_b)
            ones, two_a = _add(ones, rows[i + 12, j], rows[i + 13, j])
            ones, two_b = _add(ones, rows[i + 14, j], rows[i + 15, j])
            twos, four_b = _add(twos, two_a, two_b)
            fours, eight_b = _add(fours, four_a, four_b)
            planes[3, j], carry[j] = _add(planes[3, j], eight_a, eight_b)
            planes[0, j], planes[1, j], planes[2, j] = ones, twos, fours
        groups += 1
        for k in range(4, 12):
            if 1 << (k - 4) > groups:
                break  # no counter is large enough yet to carry this far
            for j in range(width):
                both = planes[k, j] & carry[j]
                planes[k, j] ^= carry[j]
                carry[j] = both
        if groups == 255:
            _flush(planes.view(np.uint8), 4, counts)
            groups = 0
    for i in range(num_rows // 16 * 16, num_rows):
        for j in range(width):
            one = rows[i, j]
            for k in range(12):
                both = planes[k, j] & one
                planes[k, j] ^= one
                one = both
    _flush(planes.view(np.uint8), 0, counts)


def count_bits(rows: Bits, num_columns: int) -> Integers:
    """Count the ones in each of the first `num_columns` columns of bit-packed rows."""
    num_rows, width = rows.shape
    # Rows are laid side by side until a line is whole words and fills vector registers (no
    # further: sixteen short lines are read as one stream); wide ones are cut into tiles whose
    # counters stay cached.
    whole_words = 8 // math.gcd(width, 8)
    fold = whole_words * max(1, 128 // (width * whole_words))
    folded = num_rows // fold * fold
    wide = rows[:folded].reshape(folded // fold, fold * width).view(np.uint64)
    counts = np.zeros((fold * width, 8), dtype=np.int64)
    for start in range(0, wide.shape[1], _WORDS_PER_TILE):
        stop = start + _WORDS_PER_TILE
        _count_columns(wide[:, start:stop], counts[8 * start : 8 * stop])
    rest = np.unpackbits(rows[folded:], axis=1).sum(axis=0, dtype=np.int64)
    total: Integers = (counts.reshape(fold, 8 * width).sum(axis=0) + rest)[:num_columns]
    return total
