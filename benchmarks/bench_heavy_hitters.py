"""Walks from prefixes to whole values, beside one that counts by plain numpy.

A million users, codes of 48 bits, the 32 most frequent values wanted. The twin counts a thousandth
of the candidates; its time is that of all. Run by ``make bench``; processor time.
"""

import time
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from benchmarks import twins
from benchmarks.conftest import Measure, peak_megabytes
from ldp import WideHashing
from ldp.heavy_hitters import HashPool, find_prefixes, prefix_rounds, simulate_prefixes

USERS, TOP = 10**6, 32
SHARE = 1_000  # of the candidates, for the twin
DEPTHS = {"4 rounds": (16, 27, 37, 48), "3 rounds": (19, 34, 48)}  # equal lists for 32 survivors

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def population() -> Any:
    rng = np.random.default_rng(1)
    weights = np.arange(1, 100_001) ** -1.1
    return rng.integers(0, 2**48, 100_000), rng.multinomial(USERS, weights / weights.sum())


@cache
def asked(name: str) -> Any:
    rounds = prefix_rounds(48, 2.0, depths=DEPTHS[name])
    return rounds, rounds.privatize(np.repeat(*population()), np.random.default_rng(2))


def row(name: str) -> str:
    return f"find_prefixes, 48 bits, {name}, 32 survivors, eps=2 (twin: plain numpy)"


@pytest.mark.parametrize(
    ("name", "target", "rounds"), [("4 rounds", 3.0, 3), ("3 rounds", 60.0, 1)]
)
def test_walk(measure: Measure, name: str, target: float, rounds: int) -> None:
    parts, reports = asked(name)
    measure(
        row(name),
        lambda: find_prefixes(reports, parts, top_k=TOP, keep=TOP),
        1,
        "s",
        target,
        rounds=rounds,
    )


def test_walk_twin(measure: Measure) -> None:
    parts, reports = asked("4 rounds")
    listed = np.arange(7 * 2**15 // SHARE)  # as many as all rounds have together
    buckets = parts.parts[-1][1].num_buckets
    call = partial(twins.multilinear_tally, reports.reports[-1], listed, buckets)
    measure(row("4 rounds"), call, 1 / SHARE, "s", twin=True, rounds=1)


def test_drawn_counts(measure: Measure) -> None:
    parts, rng = prefix_rounds(48, 2.0), np.random.default_rng(3)

    def call() -> object:
        return simulate_prefixes(*population(), parts, rng, top_k=TOP)

    measure("simulate_prefixes, 48 bits, the default rounds, 1e5 values", call, 1, "s", 0.2)


@cache
def pool() -> Any:
    rng, hashing = np.random.default_rng(5), WideHashing(48, 2.0)
    made = HashPool(hashing, rng.integers(0, 2**32, (4_096, 4), dtype=np.uint32))
    return made, rng.integers(0, 10**5, (4_096, hashing.num_buckets))


POOL = "HashPool tally, 4,096 functions, a billion users, 2^14 candidates"


def test_pool(measure: Measure) -> None:
    made, state = pool()
    measure(POOL, lambda: made.tally(state, np.arange(2**14)), 4_096 * 2**14, "hashes/s", 5e8)


def test_pool_twin(measure: Measure) -> None:
    made, state = pool()

    def call() -> object:
        return [
            state[np.arange(4_096), made.hashes.bucket(made.seeds, np.array([v]))[:, 0]].sum()
            for v in range(64)
        ]

    measure(POOL, call, 4_096 * 64, "hashes/s", twin=True)


def test_memory(benchmark: Any) -> None:
    parts = prefix_rounds(48, 2.0, depths=DEPTHS["3 rounds"])
    reports = parts.privatize(population()[0][:1_000], np.random.default_rng(4))
    benchmark.extra_info.update(
        row="find_prefixes, memory beside the reports, lists of 2**22", unit="MB", target=64,
        twin=False, value=peak_megabytes(lambda: find_prefixes(reports, parts, top_k=TOP)),
    )  # fmt: skip
    benchmark.pedantic(lambda: None, rounds=1)
