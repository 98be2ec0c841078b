"""Compiled loops of wide hashing: arrays in, arrays out, no randomness inside."""

from typing import Any

import numpy as np

from ldp._compiled import compiled
from ldp._kernels import count_hashed

TILE = 2**12  # counters that stay in the first cache
_FEW = 16  # candidates of one group for which reports are better taken side by side


@compiled
def hash_limbs(random_words: Any, unused: Any, keys: Any, seeds: Any, hashed: Any) -> None:
    """Split words into the halves of seeds, and hash the keys of a value by each.

    Row i of `seeds` gets the multipliers of the limbs and the offset, taken from the words' high
    and low halves in turn; hashed[i] is their sum of products modulo 2**32.
    """
    num_users, num_limbs = keys.shape
    for i in range(num_users):
        total = np.uint32(0)
        for j in range(num_limbs + 1):
            word = random_words[i, j >> 1]
            half = np.uint32(word & np.uint64(0xFFFFFFFF) if j & 1 else word >> np.uint64(32))
            half &= ~unused
            seeds[i, j] = half
            total += np.uint32(half * keys[i, j]) if j < num_limbs else half
        hashed[i] = total


@compiled
def count_multilinear(
    multipliers: Any, offsets: Any, widths: Any, prefixes: Any, ends: Any, keys: Any, counts: Any
) -> None:
    """Add to counts[v] the number of reports whose hash of candidate v lies in their bucket.

    `multipliers` has a row for each limb. Candidates up to ends[0], then up to ends[1] and so on
    agree in all limbs but the last: their keys are a row of `prefixes`; keys[v] is the last one.
    What a group shares goes into the offsets once, and :func:`ldp._kernels.count_hashed` does the
    rest.
    """
    num_limbs, num_reports = multipliers.shape
    folded = np.empty(num_reports, dtype=np.uint32)
    partial = np.empty(TILE, dtype=np.uint32)
    last = multipliers[num_limbs - 1]
    first = 0
    for group in range(ends.size):
        folded[:] = offsets
        for j in range(num_limbs - 1):
            key = prefixes[group, j]
            for i in range(num_reports):
                folded[i] += np.uint32(multipliers[j, i] * key)
        for start in range(first, ends[group], TILE):
            size = min(TILE, ends[group] - start)
            if size < _FEW:
                for v in range(start, start + size):
                    counts[v] += count_one(last, folded, widths, keys[v])
            else:
                partial[:size] = 0
                count_hashed(last, folded, widths, keys[start : start + size], partial[:size])
                counts[start : start + size] += partial[:size]
        first = ends[group]


@compiled
def count_one(multipliers: Any, offsets: Any, widths: Any, key: Any) -> Any:
    """Return the number of reports whose hash of one key lies in their bucket."""
    count = np.uint32(0)
    for i in range(multipliers.size):
        count += np.uint32(np.uint32(np.uint32(multipliers[i] * key) + offsets[i]) < widths[i])
    return count
