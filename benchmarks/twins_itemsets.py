"""What one would write with numpy alone for sets of items; the same laws, not the same words."""

from typing import Any

import numpy as np


def check_sets(items: Any, lengths: Any, num_items: int) -> Any:
    """Cut the items into sets and refuse repeated ones."""
    rows = [np.sort(row) for row in np.split(items, np.cumsum(lengths)[:-1])]
    for row in rows:
        if (np.diff(row) == 0).any() or row[-1] >= num_items:
            raise ValueError("items")
    return rows


def pad_and_sample(
    sets: Any, length: int, num_items: int, p: float, rng: np.random.Generator
) -> Any:
    """Pad each set, draw a cell, and report it by randomized response."""
    cells = np.empty(len(sets), dtype=np.int64)
    for i, items in enumerate(sets):
        padded = np.append(items, num_items + np.arange(max(0, length - items.size)))
        cells[i] = rng.choice(padded)
    other = rng.integers(0, num_items + length - 1, cells.size)
    other += other >= cells
    return np.where(rng.random(cells.size) < p, cells, other)


def set_selection(
    sets: Any, length: int, num_items: int, epsilon: float, size: int, rng: np.random.Generator
) -> Any:
    """Draw subsets until one is accepted: those that miss the own set with chance e^-epsilon."""
    reports = np.empty((len(sets), size), dtype=np.int64)
    for i, items in enumerate(sets):
        spare = num_items + np.arange(max(0, length - items.size))
        own = rng.choice(np.append(items, spare), length, replace=False)
        while True:
            subset = rng.choice(num_items + length, size, replace=False)
            if np.isin(subset, own).any() or rng.random() < np.exp(-epsilon):
                break
        reports[i] = np.sort(subset)
    return reports
