r"""How often the best guess from one report is right, where every value is equally likely.

For a channel :math:`Q` it is :math:`\frac1d\sum_y\max_xQ_{xy}`. A report :math:`y` of a mechanism
with supports is :math:`C(y)` times the odds under the values it supports and :math:`C(y)` under the
others, so what remains is to count the reports that support no value. These are the sums in closed
form, for domains whose channel nobody can write out.
"""

import math
from typing import Any

import numpy as np

from ldp.mechanisms import families
from ldp.mechanisms.tickets import Tickets


def truthful(mechanism: Any) -> float:
    """Randomized response: the report is the best guess."""
    return float(mechanism.p)


def independent_bits(mechanism: Any) -> float:
    r"""Bits: any value whose bit is one, or any at all if there is none.

    .. math:: \frac1d\left[\frac pq\big(1-(1-q)^d\big)+(1-p)(1-q)^{d-1}\right]
    """
    p, q, d = mechanism.p, mechanism.q, mechanism.domain_size
    none = d * math.log1p(-q)  # of all bits, if all were those of other values
    return float((-p / q * math.expm1(none) + (1 - p) / (1 - q) * math.exp(none)) / d)


def noisy_bits(mechanism: Any) -> float:
    r"""Bits plus geometric noise: the value of the largest coordinate :math:`M`, cut to 0..r.

    Beyond these ends the odds no longer change. With :math:`F(k)=1-\alpha^{k+1}/(1+\alpha)`, the
    chance that a coordinate of another value is at most :math:`k<r`,

    .. math:: \frac1d\sum_{k=0}^r\big(F(k)^d-F(k-1)^d\big)\,\alpha^{r-2k},\qquad F(-1)=0,\ F(r)=1.
    """
    d, r = mechanism.domain_size, mechanism.resolution
    decay = mechanism.epsilon / (2 * r)  # alpha = e^-decay
    above = np.exp(-decay * np.arange(1, r + 1)) / (1 + math.exp(-decay))
    largest = np.concatenate([[0.0], np.exp(d * np.log1p(-above)), [1.0]])
    odds = np.exp(decay * (2 * np.arange(r + 1) - r))
    return float(np.diff(largest) @ odds / d)


def equal_sets(mechanism: Any) -> float:
    r"""Sets of k values: any value of the set, right with chance p/k."""
    return float(mechanism.p / mechanism.subset_size)


def hashed_buckets(mechanism: Any) -> float:
    r"""Hashing: any value that falls into the bucket.

    With a share :math:`W_j` of the words in bucket j, and :math:`p_0,q_0` of the randomized bucket,

    .. math:: \frac1d\big[p_0N+q_0(g-N)\big],\qquad N=\sum_j\big(1-(1-W_j)^d\big),

    where N is the expected number of buckets that hold some value. It is that of independent
    values; the family in use is independent in pairs only, so the number is an approximation.
    """
    d, family, bucket = mechanism.domain_size, mechanism.hashes, mechanism.response
    shares = np.diff(family.edges) / 2.0**family.unit_bits
    held = float(-np.expm1(d * np.log1p(-shares)).sum())
    return float((bucket.p * held + bucket.q * (family.num_buckets - held)) / d)


def half_blocks(mechanism: Any) -> float:
    r"""Hadamard response: any value that the outcome supports.

    A block of b outcomes that serves one value has b/2 outcomes that support none, one that serves
    two has b/4 (both parities odd), and from three on there is none: the third row is the sum of
    the first two.
    """
    d, b, blocks = mechanism.domain_size, mechanism.block_size, mechanism.num_blocks
    outcomes, silent = mechanism.num_outcomes, {1: b // 2, 2: b // 4}
    last = d - (b - 1) * (blocks - 1)  # values of the last block
    empty = (blocks - 1) * silent.get(b - 1, 0) + silent.get(last, 0)
    total = outcomes + b / 2 * math.expm1(mechanism.epsilon)
    return float(((outcomes - empty) * mechanism.odds + empty) / (d * total))


def shifted_blocks(mechanism: Any) -> float:
    """Shifts of base blocks: those that hold no value lie in a gap between a block's residues."""
    law, d = families.law_of(mechanism), mechanism.domain_size
    silent = 0
    if law.block_size <= law.num_points - d:
        for block in mechanism.design.family.blocks():
            gaps = np.diff(np.sort(block), append=block.min() + law.num_points)
            silent += int(np.maximum(gaps - d, 0).sum())
    return _blocks(law, silent, d)


def affine_blocks(mechanism: Any) -> float:
    """Affine maps; with the slope 0, where it is one of them, a block is all points or none."""
    law, d, design = families.law_of(mechanism), mechanism.domain_size, mechanism.design
    prime, zero = law.num_points, design.first_slope == 0
    # A slope and its opposite have the same windows, so some slopes have their share of all.
    silent = _silent_windows(prime - d, law.block_size, prime) * (law.num_blocks - zero)
    return _blocks(law, silent // (prime - 1) + zero * (prime - law.block_size), d)


def balanced_buckets(mechanism: Any) -> float:
    """Affine maps into buckets of nearly one size: any value of the bucket, if it holds some."""
    d, family, bucket = mechanism.domain_size, mechanism.family, mechanism.response
    prime, g = family.prime, family.num_buckets
    size, larger = divmod(prime, g)
    sizes = (g - larger, size), (larger, size + 1)
    silent = sum(times * _silent_windows(prime - d, some, prime) for times, some in sizes)
    empty = silent / family.num_functions
    return float((bucket.p * (g - empty) + bucket.q * empty) / d)


def _silent_windows(missing: int, window: int, prime: int) -> int:
    """Pairs of a slope from 1 on and a shift that send none of the values below the window.

    Points at neighbouring places are a progression, whose difference is the inverse of the slope.
    So these are the progressions, in both directions, of the missing points from d to P - 1.
    """
    if window == 1:
        return (prime - 1) * missing
    steps = max(0, missing - 1) // (window - 1)  # the largest difference
    return 2 * missing * steps - (window - 1) * steps * (steps + 1)


def _blocks(law: Tickets, silent: int, domain_size: int) -> float:
    r"""Blocks of w of v points: any value of the block, or any at all if it holds none.

    With m base blocks, of whose :math:`mv` shifts U hold no value, it is

    .. math:: \frac{(mv-U)A+UB}{d\,m\,(wA+(v-w)B)}
    """
    held = law.num_blocks * law.num_points - silent
    tickets = held * law.inside + silent * law.outside
    return tickets / (domain_size * law.num_blocks * law.total)
