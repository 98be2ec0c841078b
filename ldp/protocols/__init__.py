"""Rounds in which what was learned decides how the next users are asked."""

from ldp.protocols.adaptive import AdaptiveRun, adobest
from ldp.protocols.law_samplers import GibbsSampler, LangevinSampler, SliceSampler
from ldp.protocols.prefixes import BestPrefix, EmptyPrefix, MassPrefix, prefix_utilities

__all__ = [
    "AdaptiveRun",
    "BestPrefix",
    "EmptyPrefix",
    "GibbsSampler",
    "LangevinSampler",
    "MassPrefix",
    "SliceSampler",
    "adobest",
    "prefix_utilities",
]
