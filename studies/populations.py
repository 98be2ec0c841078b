"""Populations of the study of heavy hitters: codes, and how many users hold each."""

from functools import cache
from typing import Any

import numpy as np

from ldp import datasets
from ldp.heavy_hitters import StringCode

LETTERS = StringCode("abcdefghijklmnopqrstuvwxyz", 9)


@cache
def name_counts() -> tuple[Any, Any]:
    """Codes of the first nine letters of names, and births with each."""
    names = datasets.first_names()
    codes = LETTERS.encode(names.labels, truncate=True)
    different, place = np.unique(codes, return_inverse=True)
    return different, np.bincount(place, names.counts).astype(np.int64)


def population(cell: dict[str, Any], rng: np.random.Generator) -> tuple[Any, Any]:
    """Codes that are held, and how many users hold each.

    `zipf` has a million users and 100,000 values, of frequencies like 1 / rank**1.1, drawn anew in
    each run.
    """
    if cell["population"] == "names":
        natural, counts = name_counts()
    elif cell["population"] == "aol":
        counts = datasets.query_counts()
    else:
        weights = np.arange(1, 100_001) ** -1.1
        counts = rng.multinomial(1_000_000, weights / weights.sum())
    if cell["codes"] == "natural":
        return natural, counts
    codes = rng.integers(0, 1 << cell["bits"], counts.size)
    while np.unique(codes).size < codes.size:  # two values with one code: draw those again
        _, first = np.unique(codes, return_index=True)
        again = np.setdiff1d(np.arange(codes.size), first)
        codes[again] = rng.integers(0, 1 << cell["bits"], again.size)
    return codes, counts
