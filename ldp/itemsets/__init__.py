"""Users who hold sets of items: mechanisms that report of one, and protocols that find items."""

from ldp.itemsets.asking import ItemResult, ItemRound
from ldp.itemsets.cutting import cut_frequencies, cut_variance
from ldp.itemsets.miners import frequent_items, ldp_miner, svim
from ldp.itemsets.padding import PadAndSample, amplified_epsilon
from ldp.itemsets.set_selection import SetSelection
from ldp.itemsets.sets import ItemSets
from ldp.itemsets.svsm import svsm

__all__ = [
    "ItemResult",
    "ItemRound",
    "ItemSets",
    "PadAndSample",
    "SetSelection",
    "amplified_epsilon",
    "cut_frequencies",
    "cut_variance",
    "frequent_items",
    "ldp_miner",
    "svim",
    "svsm",
]
