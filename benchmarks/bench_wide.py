"""Codes of 48 bits: reports, and counts of candidates, beside plain numpy."""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import ldp
from benchmarks import twins
from benchmarks.conftest import Measure
from ldp.heavy_hitters import StringCode

N, BITS = 10**6, 48
WIDE = ldp.WideHashing(BITS, 2.0)
FEW = 2_000  # users of the twin that counts with whole matrices
LETTERS = "abcdefghijklmnopqrstuvwxyz"

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def values(n: int = N) -> Any:
    return np.random.default_rng(2).integers(0, 2**BITS, n)


@cache
def reports(n: int) -> Any:
    return WIDE.privatize(values(n), np.random.default_rng(3))


def children(num_prefixes: int, step: int) -> Any:
    """Candidates of one round: all ways to go on from some prefixes."""
    prefixes = np.random.default_rng(4).integers(0, 2 ** (BITS - step), num_prefixes)
    return (prefixes[:, None] << step | np.arange(2**step)).ravel()


def test_wide_privatize(measure: Measure) -> None:
    rng = np.random.default_rng(1)
    measure("WideHashing privatize", lambda: WIDE.privatize(values(), rng), N, "reports/s", 1e7)


def test_wide_privatize_twin(measure: Measure) -> None:
    rng = np.random.default_rng(1)

    def call() -> object:
        return twins.multilinear_privatize(values(), BITS, WIDE.num_buckets, WIDE.p, rng)

    measure("WideHashing privatize", call, N, "reports/s", twin=True)


@pytest.mark.parametrize(("num_prefixes", "step"), [(128, 10), (128, 1)])
def test_wide_tally(measure: Measure, num_prefixes: int, step: int) -> None:
    asked, n = children(num_prefixes, step), N // 10
    row, target = f"WideHashing tally, {2**step} children", 1e10 if step > 1 else None
    measure(row, lambda: WIDE.tally(reports(n), asked), n * asked.size, "hashes/s", target)


@pytest.mark.parametrize(("num_prefixes", "step"), [(128, 10), (128, 1)])
def test_wide_tally_twin(measure: Measure, num_prefixes: int, step: int) -> None:
    asked = children(num_prefixes, step)[:4_096]

    def call() -> object:
        return twins.multilinear_tally(reports(FEW), asked, WIDE.num_buckets)

    row = f"WideHashing tally, {2**step} children"
    measure(row, call, FEW * asked.size, "hashes/s", twin=True)


@cache
def names() -> list[str]:
    letters = np.random.default_rng(5).choice(list(LETTERS), (N, 9))
    lengths = np.random.default_rng(6).integers(3, 10, N)
    return ["".join(row[:size]) for row, size in zip(letters.tolist(), lengths, strict=True)]


def test_encode(measure: Measure) -> None:
    code = StringCode(LETTERS, 9)
    measure("Codes of strings", lambda: code.encode(names()), N, "strings/s", rounds=5)


def test_encode_twin(measure: Measure) -> None:
    measure(
        "Codes of strings",
        lambda: twins.encode(names()[: N // 10], LETTERS, 9),
        N // 10,
        "strings/s",
        twin=True,
        rounds=5,
    )
