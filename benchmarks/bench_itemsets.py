"""Sets of items: a million users with eight of 16,470 items each, beside plain numpy.

Times are processor time of one thread, as in `bench_mechanisms.py`. Reports of set selection are
measured in cells: a report has as many as its subset, and one random word is drawn for each.
"""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import ldp
from benchmarks import twins_itemsets as twins
from benchmarks.conftest import Measure
from ldp._words import words
from ldp.itemsets import ItemSets, PadAndSample, SetSelection

N, D, LENGTH, EPSILON = 10**6, 16_470, 8, 4.0
FEW = N // 100

PADDED = PadAndSample(D, LENGTH, ldp.GRR(D + LENGTH, EPSILON))
SELECTION = SetSelection(D, LENGTH, EPSILON)
CELLS = N * SELECTION.subset_size

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@cache
def flat(n: int = N) -> tuple[Any, Any]:
    """Eight distinct items for each user, in no order, and how many."""
    rng = np.random.default_rng(2)
    steps = rng.integers(1, 2_000, size=(n, 8))
    return np.cumsum(steps, axis=1)[:, ::-1].ravel(), np.full(n, 8)


@cache
def sets(n: int = N) -> ItemSets:
    return ItemSets(*flat(n), D)


@cache
def reports(m: Any, n: int = N) -> Any:
    return m.privatize(sets(n), np.random.default_rng(3))


# -- sets


def test_sets(measure: Measure) -> None:
    measure("ItemSets, 8 of 16,470 items", lambda: ItemSets(*flat(), D), N, "users/s", 1e6)


def test_sets_twin(measure: Measure) -> None:
    measure(
        "ItemSets, 8 of 16,470 items",
        lambda: twins.check_sets(*flat(FEW), D),
        FEW,
        "users/s",
        twin=True,
    )


def test_restrict(measure: Measure) -> None:
    some = np.arange(0, D, 256)
    measure("ItemSets restrict, 16,470 items", lambda: sets().restrict(some), N, "users/s", 5e6)


# -- one cell of a padded set


def test_padded_privatize(measure: Measure, rng: np.random.Generator) -> None:
    measure(
        "PadAndSample privatize, 16,470 items",
        lambda: PADDED.privatize(sets(), rng),
        N,
        "reports/s",
        1e7,
    )


def test_padded_privatize_twin(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return twins.pad_and_sample(sets(FEW), LENGTH, D, PADDED.oracle.p, rng)

    measure("PadAndSample privatize, 16,470 items", call, FEW, "reports/s", twin=True)


# -- a subset of cells


def test_selection_privatize(measure: Measure, rng: np.random.Generator) -> None:
    measure(
        "SetSelection privatize, 16,470 items",
        lambda: SELECTION.privatize(sets(), rng),
        CELLS,
        "cells/s",
        5e7,
    )


def test_selection_privatize_twin(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return twins.set_selection(sets(FEW // 10), LENGTH, D, EPSILON, SELECTION.subset_size, rng)

    measure(
        "SetSelection privatize, 16,470 items", call, CELLS / 1000, "cells/s", twin=True, rounds=3
    )


def test_selection_words(measure: Measure, rng: np.random.Generator) -> None:
    """What it cannot be faster than: its random words alone."""
    per_user = 1 + LENGTH + SELECTION.subset_size

    def call() -> None:
        for _ in range(N // 2_000):
            words(rng, (2_000, per_user))

    measure("SetSelection's random words", call, CELLS, "cells/s")


def test_selection_tally(measure: Measure) -> None:
    measure(
        "SetSelection tally, 16,470 items",
        lambda: SELECTION.tally(reports(SELECTION)),
        CELLS,
        "cells/s",
        1e8,
    )


def test_selection_tally_twin(measure: Measure) -> None:
    def call() -> object:
        return np.bincount(reports(SELECTION).ravel(), minlength=SELECTION.num_cells)

    measure("SetSelection tally, 16,470 items", call, CELLS, "cells/s", twin=True)
