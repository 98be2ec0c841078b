"""Compiled loop of a public pool of hash functions: arrays in, arrays out, no randomness."""

from typing import Any

import numpy as np

from ldp._compiled import compiled


@compiled
def count_pooled(
    state: Any, seeds: Any, keys: Any, unit_bits: Any, num_buckets: Any, counts: Any
) -> None:
    """Add to counts[v] what each function's bucket of candidate v holds.

    `state` has a row for each function and a column for each bucket; `seeds` are the words of the
    functions; `keys` has a row for each limb and a column for each candidate.
    """
    num_limbs, size = keys.shape
    shift, bits = np.uint32(32 - unit_bits), np.uint64(unit_bits)
    hashed = np.empty(size, dtype=np.uint32)
    for a in range(seeds.shape[0]):
        hashed[:] = seeds[a, num_limbs]
        for j in range(num_limbs):
            for v in range(size):
                hashed[v] += np.uint32(seeds[a, j] * keys[j, v])
        row = state[a]
        for v in range(size):
            counts[v] += row[(np.uint64(hashed[v] >> shift) * np.uint64(num_buckets)) >> bits]
