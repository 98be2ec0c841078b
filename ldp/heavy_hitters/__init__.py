"""Heavy hitters: frequent values of a domain that is too large to list."""

from ldp.heavy_hitters.certificates import certify
from ldp.heavy_hitters.codes import StringCode, gather, scatter
from ldp.heavy_hitters.pool import HashPool
from ldp.heavy_hitters.pooling import pooled_frequencies
from ldp.heavy_hitters.prefixes import find_prefixes, simulate_prefixes
from ldp.heavy_hitters.result import HeavyHitters, Round
from ldp.heavy_hitters.rounds import prefix_rounds, segment_pairs
from ldp.heavy_hitters.states import PoolStates, pool_states
from ldp.heavy_hitters.strings import find_strings, simulate_strings
from ldp.heavy_hitters.views import Prefix, SegmentPair

__all__ = [
    "HashPool",
    "HeavyHitters",
    "PoolStates",
    "Prefix",
    "Round",
    "SegmentPair",
    "StringCode",
    "certify",
    "find_prefixes",
    "find_strings",
    "gather",
    "pool_states",
    "pooled_frequencies",
    "prefix_rounds",
    "scatter",
    "segment_pairs",
    "simulate_prefixes",
    "simulate_strings",
]
