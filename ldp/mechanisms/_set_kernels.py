"""Loops of sets as rows of bits: arrays in, arrays out, no randomness inside."""

from typing import Any

import numpy as np

from ldp._compiled import compiled


@compiled
def count_ones(rows: Any, counts: Any) -> None:
    """Count the ones of each row of 64-bit words."""
    for i in range(rows.shape[0]):
        count = np.uint64(0)
        for j in range(rows.shape[1]):
            # Sums of two bits, of four, of eight; a product adds up the eight bytes.
            x = rows[i, j]
            x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
            pairs = np.uint64(0x3333333333333333)
            x = (x & pairs) + ((x >> np.uint64(2)) & pairs)
            x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            count += (x * np.uint64(0x0101010101010101)) >> np.uint64(56)
        counts[i] = count


@compiled
def resize_sets(
    first: Any, rows: Any, missing: Any, numbers: Any, num_places: Any, spare: Any
) -> Any:
    """Add missing[i] uniform new places to set i, or take -missing[i] uniform ones out of it.

    A set is a row of bits. A 32-bit number means the place in the high half of its product with
    `num_places`, and none if the low half is below spare = 2**32 mod num_places: so all places
    have as many numbers. Returns the first row for which they did not suffice, with what it still
    misses.
    """
    used = 0
    for i in range(first, rows.shape[0]):
        lacks = missing[i]
        flip = np.uint8(0) if lacks > 0 else np.uint8(255)  # to add is to take out of the rest
        lacks = abs(lacks)
        while lacks > 0 and used < numbers.size:
            product = np.uint64(numbers[used]) * np.uint64(num_places)
            used += 1
            if (product & np.uint64(0xFFFFFFFF)) >= spare:
                place = np.int64(product >> np.uint64(32))
                bit = np.uint8(128) >> np.uint8(place & 7)
                others = rows[i, place >> 3] ^ flip
                rows[i, place >> 3] = (others | bit) ^ flip
                lacks -= np.int64((others & bit) == 0)
        missing[i] = lacks if flip == 0 else -lacks
        if lacks > 0:
            return i
    return rows.shape[0]


@compiled
def put_own(rows: Any, values: Any, own: Any, last: Any) -> None:
    """Move bit values[i] of row i to the place `last`, which is empty, and put own[i] there."""
    # No branch: its duration would tell of the value.
    for i in range(values.size):
        byte = values[i] >> 3
        shift = np.uint8(7 - (values[i] & 7))
        moved = (rows[i, byte] >> shift) & np.uint8(1)
        rows[i, last >> 3] |= np.uint8(moved << np.uint8(7 - (last & 7)))
        rows[i, byte] &= ~(np.uint8(1) << shift)
        rows[i, byte] |= np.uint8(own[i]) << shift
