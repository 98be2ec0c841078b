"""Small mechanisms whose every report can be written down, and the ways to write it down."""

from functools import cache
from itertools import combinations, product

import numpy as np

from ldp import (
    GRR,
    OUE,
    RRRR,
    SHE,
    SUE,
    THE,
    HadamardResponse,
    LocalHashing,
    SquareWave,
    SubsetSelection,
    UnaryEncoding,
    WideHashing,
)
from ldp.mechanisms.hashing import REPORT

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)


def pure(epsilon):
    """Mechanisms with a support set, of every family, at one budget."""
    return [
        GRR(2, epsilon),
        GRR(5, epsilon),
        SUE(4, epsilon),
        OUE(2, epsilon),
        OUE(5, epsilon),
        OUE(9, epsilon),
        THE(4, epsilon),
        THE(3, epsilon, threshold=1.0),
        LocalHashing(4, epsilon, num_buckets=2, hash_bits=5),
        LocalHashing(5, epsilon, num_buckets=3, hash_bits=6),
        LocalHashing(3, epsilon, num_buckets=5, hash_bits=5),
        WideHashing(4, epsilon, 3, limb_bits=2, word_bits=3),
        WideHashing(3, epsilon, 2, limb_bits=1, word_bits=2),
        SubsetSelection(2, epsilon),
        SubsetSelection(6, epsilon),
        SubsetSelection(6, epsilon, subset_size=5),
        SubsetSelection(9, epsilon, subset_size=3),
        HadamardResponse(2, epsilon),
        HadamardResponse(6, epsilon),
        HadamardResponse(7, epsilon, block_size=8),
        HadamardResponse(7, epsilon, block_size=4),
        HadamardResponse(5, epsilon, block_size=2),
    ]


def oracles(epsilon):
    """Mechanisms whose tally is debiased value by value."""
    return [*pure(epsilon), SHE(2, epsilon, resolution=1), SHE(3, epsilon, resolution=3)]


def every(epsilon):
    """Every family, at one budget."""
    waves = [
        SquareWave(4, epsilon),
        SquareWave(2, epsilon, 3),
        SquareWave(9, epsilon, half_width=2),
    ]
    restricted = [
        RRRR(2, epsilon, [1], 0.6 * epsilon),  # one value outside
        RRRR(4, epsilon, [2, 0], epsilon),  # those outside are not told apart
        RRRR(5, epsilon, [3], 0.8 * epsilon),
        RRRR(6, epsilon, [5, 1, 2], 0.5 * epsilon),
    ]
    return [*oracles(epsilon), *waves, *restricted]


def spent(m):
    """Budget a mechanism means to spend, below epsilon for THE and for RRRR with one value out."""
    if isinstance(m, UnaryEncoding):
        return float(np.log(m.odds))
    return m.spent_epsilon if isinstance(m, RRRR) else m.epsilon


def all_reports(m):
    """Every report, in the order of the channel's columns, written without the mechanism's help."""
    d = m.domain_size
    if isinstance(m, GRR):
        return np.arange(d)
    if isinstance(m, HadamardResponse | RRRR | SquareWave):
        return np.arange(m.num_outcomes)
    if isinstance(m, UnaryEncoding):
        return np.packbits(np.array(list(product((0, 1), repeat=d)), dtype=np.uint8), axis=1)
    if isinstance(m, SubsetSelection):
        rows = [[v in s for v in range(d)] for s in combinations(range(d), m.subset_size)]
        return np.packbits(np.array(rows), axis=1)
    if isinstance(m, LocalHashing):
        words = np.arange(2**m.hash_bits, dtype=np.uint64) << np.uint64(32 - m.hash_bits)
        seeds = (words[:, None] << np.uint64(32) | words).ravel()
        reports = np.empty(seeds.size * m.num_buckets, dtype=REPORT)
        reports["seed"] = np.repeat(seeds, m.num_buckets)
        reports["bucket"] = np.tile(np.arange(m.num_buckets), seeds.size)
        return reports
    if isinstance(m, WideHashing):
        num_words = -(-m.num_bits // m.limb_bits) + 1
        words = np.arange(2**m.word_bits, dtype=np.uint32) << np.uint32(32 - m.word_bits)
        seeds = list(product(words, repeat=num_words))
        kind = [("seed", "<u4", (num_words,)), ("bucket", "<u4")]
        return np.array(list(product(seeds, range(m.num_buckets))), dtype=kind)
    if isinstance(m, SHE):  # tails at the ends
        return np.array(list(product(range(m.resolution + 1), repeat=d)), dtype=np.int64)
    raise TypeError(f"write out the reports of {m!r} here")


@cache
def scores(m):
    """What each report adds to the count of each value: the tally of that report alone."""
    reports = all_reports(m)
    return np.stack([m.tally(reports[y : y + 1]).counts for y in range(len(reports))])
