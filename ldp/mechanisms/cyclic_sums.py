"""Counts of supports out of counts of cells: sums over shifted blocks, by integers throughout."""

from functools import lru_cache

import numpy as np

from ldp._words import Words
from ldp.mechanisms import _family_kernels
from ldp.types import Integers

_PRIME = _family_kernels.PRIME
_GENERATOR = 7
_ADDITIONS_EACH = 4  # that take as long as a step of a transform


def cyclic_sums(histogram: Integers, blocks: list[Integers], num_sums: int) -> Integers:
    """Return sums[x] of histogram[c, x - r] over r in block c and all c, for x below `num_sums`.

    Indices x - r go around. Few are summed by additions. Many are multiplied as polynomials
    modulo a prime above 2**63, where the fast Fourier transform is exact: no sum exceeds that of
    the histogram, an int64, so that none is changed by the modulus.
    """
    num_points = histogram.shape[1]
    bits = (2 * num_points - 2).bit_length()
    length = 2**bits
    additions = num_sums * sum(residues.size for residues in blocks)
    if additions <= _ADDITIONS_EACH * (2 * len(blocks) + 1) * bits * length:
        sums = np.zeros(num_sums, dtype=np.int64)
        for row, residues in zip(histogram, blocks, strict=True):
            _family_kernels.add_shifted(row, residues, sums)
        return sums
    roots = _powers(length, inverse=False)
    total = np.zeros(length, dtype=np.uint64)
    for row, residues in zip(histogram, blocks, strict=True):
        counts, block = np.zeros((2, length), dtype=np.uint64)
        counts[:num_points] = row
        block[residues] = 1
        _family_kernels.transform(counts, roots)
        _family_kernels.transform(block, roots)
        _family_kernels.add_products(counts, block, total)
    _family_kernels.transform_back(total, _powers(length, inverse=True))
    # The factor of the way there and back, and then what went beyond the last point.
    _family_kernels.scale(total, np.uint64(pow(length, -1, _PRIME)))
    line = total.astype(np.int64)
    return line[:num_sums] + line[num_points : num_points + num_sums]


@lru_cache(maxsize=2)
def _powers(length: int, *, inverse: bool) -> Words:
    """Return half of the powers of a root of one of that order, or of its inverse."""
    root = pow(_GENERATOR, (_PRIME - 1) // length, _PRIME)
    powers = np.empty(length // 2, dtype=np.uint64)
    _family_kernels.fill_powers(np.uint64(pow(root, -1, _PRIME) if inverse else root), powers)
    return powers
