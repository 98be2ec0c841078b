"""Compiled loops: arrays in, arrays out, no randomness inside.

Each has a slow twin of a few lines in ``tests/test_kernels.py``.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ldp._compiled import compiled
from ldp.types import Integers

_WORDS_PER_CHUNK = 2**17  # 1 MiB of random words: stays in a core's cache


def chunks(total: int, words_each: int) -> Iterator[slice]:
    """Cut 0..total into runs that need about 1 MiB of random words each.

    Runs start at multiples of 8, so that 8 packed rows of any width are whole words.
    """
    step = max(8, _WORDS_PER_CHUNK // words_each // 8 * 8)
    for start in range(0, total, step):
        yield slice(start, min(start + step, total))


@compiled
def replace_value(values: Any, random_words: Any, weight: Any, num_others: Any, out: Any) -> None:
    """Replace each value by one of the `num_others` others, each with weight/2**64.

    The weights together stay below 2**64: the rest is the chance to keep the value.
    """
    for i in range(values.size):
        other = random_words[i] // weight
        value = values[i]
        moved = np.int64(other) + (np.int64(other) >= value)
        out[i] = moved if other < num_others else value


@compiled
def round_at_random(shares: Any, random_words: Any, resolution: Any, out: Any) -> None:
    """Round shares[i] * resolution to the integer below or above, so that its mean stays.

    Shares are from 0 to 1. A place r above the integer below is rounded up for the words below
    r * 2**64.
    """
    for i in range(shares.size):
        place = shares[i] * resolution
        below = np.int64(place)
        if below < resolution:
            part = np.uint64((place - below) * 18446744073709551616.0)
            out[i] = below + (random_words[i] < part)
        else:
            out[i] = resolution


@compiled
def draw_near(
    values: Any,
    random_words: Any,
    outside: Any,
    inside: Any,
    window: Any,
    num_outside: Any,
    out: Any,
) -> None:
    """Draw a cell in values[i] .. values[i] + window - 1, or one of the `num_outside` others.

    A cell inside has weight inside/2**64, one outside outside/2**64. Fewer than `window` words are
    left; the k-th of them means cell k, whatever the value.
    """
    for i in range(values.size):
        value = values[i]
        word = random_words[i]
        cell = np.int64(word // outside)
        if cell < num_outside:
            if cell >= value:
                cell += window
        else:
            word -= np.uint64(num_outside) * outside
            cell = np.int64(word // inside)
            if cell < window:
                cell += value
            else:
                cell = np.int64(word - np.uint64(window) * inside)
        out[i] = cell


@compiled
def _four_histograms(values: Any, size: Any) -> Any:
    # Four tables, so that equal neighbours do not wait for each other's increment.
    tables = np.zeros((4, size), dtype=np.uint32)
    whole = values.size // 4 * 4
    for i in range(0, whole, 4):
        tables[0, values[i]] += 1
        tables[1, values[i + 1]] += 1
        tables[2, values[i + 2]] += 1
        tables[3, values[i + 3]] += 1
    for i in range(whole, values.size):
        tables[0, values[i]] += 1
    return tables


@compiled
def _one_histogram(values: Any, size: Any) -> Any:
    table = np.zeros(size, dtype=np.uint32)
    for value in values:
        table[value] += 1
    return table


def histogram(values: Integers, size: int) -> Integers:
    """Count each of 0..size-1 among checked values."""
    if values.size >= 2**32:
        return np.bincount(values, minlength=size).astype(np.int64)
    if values.size < 4 * size or size > 2**11:  # four tables take more room than they save waits
        few: Integers = _one_histogram(values, size).astype(np.int64)
        return few
    counts: Integers = _four_histograms(values, size).sum(axis=0, dtype=np.int64)
    return counts


@compiled
def set_bits(rows: Any, positions: Any, random_words: Any, threshold: Any) -> None:
    """Make bit positions[i] of row i one if its word is below the threshold, else zero."""
    for i in range(positions.size):
        v = positions[i]
        bit = np.uint8(128) >> np.uint8(v & 7)
        if random_words[i] < threshold:
            rows[i, v >> 3] |= bit
        else:
            rows[i, v >> 3] &= ~bit


@compiled
def count_hashed(multipliers: Any, offsets: Any, widths: Any, keys: Any, counts: Any) -> None:
    """Add to counts[v] the number of reports whose hash of keys[v] lies in their bucket.

    Arithmetic is modulo 2**32; an offset carries minus the bucket's lower end, so that lying in
    the bucket is one comparison with its width.
    """
    whole = multipliers.size // 4 * 4
    for i in range(0, whole, 4):
        a0, a1, a2, a3 = multipliers[i : i + 4]
        b0, b1, b2, b3 = offsets[i : i + 4]
        w0, w1, w2, w3 = widths[i : i + 4]
        for v in range(keys.size):
            key = keys[v]
            counts[v] += (
                np.uint32(np.uint32(np.uint32(a0 * key) + b0) < w0)
                + np.uint32(np.uint32(np.uint32(a1 * key) + b1) < w1)
                + np.uint32(np.uint32(np.uint32(a2 * key) + b2) < w2)
                + np.uint32(np.uint32(np.uint32(a3 * key) + b3) < w3)
            )
    for i in range(whole, multipliers.size):
        for v in range(keys.size):
            counts[v] += np.uint32(
                np.uint32(np.uint32(multipliers[i] * keys[v]) + offsets[i]) < widths[i]
            )


@compiled
def draw_half_block(
    values: Any, hits: Any, indices: Any, others: Any, block_size: Any, out: Any
) -> None:
    """Draw an outcome of the set C_x of :class:`ldp.HadamardResponse`, or one outside it.

    With hits[i] it is outcome indices[i] of the set, else outcome others[i] of all that lie
    outside: first the other half of the block, then the other blocks in order.
    """
    # No branch and no division of integers, whose durations would tell of the value.
    half, rows = block_size >> 1, block_size - 1
    inverse = 1.0 / rows
    for i in range(values.size):
        value, hit, other = values[i], np.int64(hits[i]), others[i]
        block = np.int64(value * inverse)  # or one too low
        block += np.int64(value - block * rows >= rows)
        row = value - block * rows + 1
        index = (indices[i] if hit else other) & (half - 1)
        # Leave out the lowest bit of the row, and set it as the parity of y & row needs.
        lowest = row & -row
        y = ((index & -lowest) << 1) | (index & (lowest - 1))
        parity = y & row
        for shift in (16, 8, 4, 2, 1):
            parity ^= parity >> shift
        y |= lowest * ((parity & 1) ^ (1 - hit))
        beyond = other - half
        beyond += block_size * np.int64(beyond >= block * block_size)
        out[i] = block * block_size + y if hit | np.int64(other < half) else beyond


@compiled
def walsh_hadamard(blocks: Any) -> None:
    """Transform each row in place: entry i becomes sum_y (-1)**popcount(i & y) row[y]."""
    num_blocks, size = blocks.shape
    for k in range(num_blocks):
        half = 1
        while half < size:
            for start in range(0, size, 2 * half):
                for i in range(start, start + half):
                    a = blocks[k, i]
                    b = blocks[k, i + half]
                    blocks[k, i] = a + b
                    blocks[k, i + half] = a - b
            half *= 2
