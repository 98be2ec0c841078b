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
    functions, `keys` those of the candidates, a row for each.
    """
    num_limbs = keys.shape[1]
    shift = np.uint32(32 - unit_bits)
    for a in range(seeds.shape[0]):
        row, seed = state[a], seeds[a]
        for v in range(keys.shape[0]):
            word = seed[num_limbs]
            for j in range(num_limbs):
                word += np.uint32(seed[j] * keys[v, j])
            unit = np.int64(np.uint32(word) >> shift)
            counts[v] += row[(unit * num_buckets) >> unit_bits]
