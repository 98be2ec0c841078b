"""Users who hold sets of items: what a set is, and two mechanisms that report of one."""

from ldp.itemsets.padding import PadAndSample, amplified_epsilon, cut_frequencies, cut_variance
from ldp.itemsets.set_selection import SetSelection
from ldp.itemsets.sets import ItemSets

__all__ = [
    "ItemSets",
    "PadAndSample",
    "SetSelection",
    "amplified_epsilon",
    "cut_frequencies",
    "cut_variance",
]
