"""The laws of reports about sets, written out without the help of the package."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np


def all_sets(num_items):
    """Every set of items, as a list; set b holds item v if bit v of b is one."""
    return [[v for v in range(num_items) if b >> v & 1] for b in range(2**num_items)]


def padded(items, num_items, length):
    """Every way to pad or cut a set to `length` cells, all equally likely."""
    cells = [*items, *range(num_items, num_items + max(0, length - len(items)))]
    return list(combinations(cells, length))


def cell_law(items, num_items, length):
    """Pr[cell | set] of padding and sampling, as fractions."""
    law = [Fraction(0)] * (num_items + length)
    ways = padded(items, num_items, length)
    for cells in ways:
        for cell in cells:
            law[cell] += Fraction(1, length * len(ways))
    return law


def subset_law(items, num_items, length, size, odds):
    """Pr[report | set] of set selection, for every subset in lexicographic order."""
    reports = list(combinations(range(num_items + length), size))
    law = np.zeros(len(reports), dtype=object if isinstance(odds, Fraction) else float)
    ways = padded(items, num_items, length)
    for cells in ways:
        weights = [odds if set(cells) & set(report) else 1 for report in reports]
        total = sum(weights)
        law += np.array([w / total / len(ways) for w in weights])
    return law


def held(num_items, length, size):
    """Which items each report of set selection holds, shape (reports, items)."""
    reports = combinations(range(num_items + length), size)
    return np.array([[v in report for v in range(num_items)] for report in reports], dtype=float)


def kept(items, num_items, length):
    """What an estimate of each item's frequency counts the set for."""
    share = min(1.0, length / max(1, len(items)))
    return np.array([share if v in items else 0.0 for v in range(num_items)])


def hit_weight(num_cells, size, place):
    """Number of subsets whose first own cell is the one at a place."""
    return comb(num_cells - place - 1, size - 1)
