"""Repairs of raw estimates: non-negative, summing to one, or shrunk by a fitted power law."""

from ldp.postprocess.consistency import base_cut, base_pos, norm_cut, post_pos
from ldp.postprocess.power import power_law, power_law_exponent, power_ns
from ldp.postprocess.simplex import mle_apx, norm_add, norm_mul, norm_sub

__all__ = [
    "base_cut",
    "base_pos",
    "mle_apx",
    "norm_add",
    "norm_cut",
    "norm_mul",
    "norm_sub",
    "post_pos",
    "power_law",
    "power_law_exponent",
    "power_ns",
]
