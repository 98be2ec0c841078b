"""Loops of difference families: a cell for each user, and sums of a histogram over blocks."""

from typing import Any

import numpy as np

from ldp._compiled import compiled
from ldp.mechanisms.tickets import draw_point


@compiled
def draw_cells(values: Any, random_words: Any, numbers: Any, blocks: Any, out: Any) -> None:
    """Draw a base block and a residue, likelier one of the block, and report value - residue.

    `numbers` are those of the tickets. `blocks` are the nonzero residues, how far apart the base
    blocks begin in them, and whether 0 is in all of these: it has the first place then, else the
    last. The other places of block c are the residues from its beginning on, around.
    """
    num_blocks, total, inside, block_size, shift = numbers
    order, step, with_zero = blocks
    num_points = order.size + 1
    place_of_zero = 0 if with_zero else order.size
    for i in range(values.size):
        block, place = draw_point(random_words[i], num_blocks, total, inside, block_size, shift)
        is_zero = place == place_of_zero
        at = block * step + place - with_zero
        at -= order.size if at >= order.size else 0
        nonzero = np.int64(order[0 if is_zero else at])
        residue = np.int64(0) if is_zero else nonzero
        start = values[i] - residue
        start += num_points if start < 0 else 0
        out[i] = block * num_points + start


@compiled
def add_shifted(histogram: Any, residues: Any, sums: Any) -> None:
    """Add to sums[x] the histogram at x - residue, around, for each residue of a block."""
    size = histogram.size
    for residue in residues:
        head = min(residue, sums.size)
        for x in range(head):
            sums[x] += histogram[x + size - residue]
        for x in range(head, sums.size):
            sums[x] += histogram[x - residue]


# -- a fast transform of integers ------------------------------------------------------------------

PRIME = 2**64 - 2**32 + 1
"""Its nonzero residues have roots of one of order 2**32, and 7 as a generator."""
_P, _MASK, _HALF = np.uint64(PRIME), np.uint64(2**32 - 1), np.uint64(32)


@compiled
def multiply(a: Any, b: Any) -> Any:
    """Multiply modulo `PRIME`, where 2**64 is 2**32 - 1 and 2**96 is -1."""
    a_low, a_high, b_low, b_high = a & _MASK, a >> _HALF, b & _MASK, b >> _HALF
    middle = a_high * b_low + (a_low * b_low >> _HALF)
    cross = a_low * b_high + (middle & _MASK)
    high = a_high * b_high + (middle >> _HALF) + (cross >> _HALF)
    low = a * b
    top = high >> _HALF
    rest = low - top - (_MASK if low < top else np.uint64(0))
    more = (high & _MASK) * _MASK
    result = rest + more
    result += _MASK if result < more else np.uint64(0)
    return result - _P if result >= _P else result


@compiled
def transform(row: Any, roots: Any) -> None:
    """Transform in place, in bit-reversed order: the number k is sum_i row[i] g**(i k).

    The length is a power of two, and roots[i] is g**i for the first half of the powers of g, which
    has that order modulo `PRIME`.
    """
    half = row.size >> 1
    stride = 1
    while half:
        for start in range(0, row.size, 2 * half):
            for i in range(half):
                a = row[start + i]
                b = row[start + i + half]
                total = a + b
                row[start + i] = total - _P if (total < a) | (total >= _P) else total
                less = a - b if a >= b else a - b + _P
                row[start + i + half] = multiply(less, roots[i * stride])
        half >>= 1
        stride *= 2


@compiled
def transform_back(row: Any, roots: Any) -> None:
    """Undo `transform` but for the factor row.size, given the powers of 1 / g."""
    half = 1
    stride = row.size >> 1
    while half < row.size:
        for start in range(0, row.size, 2 * half):
            for i in range(half):
                a = row[start + i]
                b = multiply(row[start + i + half], roots[i * stride])
                total = a + b
                row[start + i] = total - _P if (total < a) | (total >= _P) else total
                row[start + i + half] = a - b if a >= b else a - b + _P
        half *= 2
        stride >>= 1


@compiled
def add_products(first: Any, second: Any, sums: Any) -> None:
    """Add products of two rows, modulo `PRIME`."""
    for i in range(sums.size):
        product = multiply(first[i], second[i])
        total = sums[i] + product
        sums[i] = total - _P if (total < product) | (total >= _P) else total


@compiled
def fill_powers(base: Any, row: Any) -> None:
    """Write the powers base**0, base**1, ... modulo `PRIME`."""
    power = np.uint64(1)
    for i in range(row.size):
        row[i] = power
        power = multiply(power, base)


@compiled
def scale(row: Any, factor: Any) -> None:
    """Multiply a row modulo `PRIME`, in place."""
    for i in range(row.size):
        row[i] = multiply(row[i], factor)
