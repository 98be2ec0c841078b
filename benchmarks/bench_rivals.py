"""Published alternatives at 1,024 values and epsilon 1: reports and counts, beside plain numpy."""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks import twins
from benchmarks.conftest import Measure
from ldp.rivals import (
    BalancedSketch,
    CountMeanSketch,
    ModularSubsetSelection,
    residue_least_squares,
)

N, D, EPSILON = 10**5, 1024, 1.0
FEW = N // 50  # users of the twins, which hold a matrix of users and values
MODULAR, BALANCED = ModularSubsetSelection(D, EPSILON), BalancedSketch(D, EPSILON)
ROWS = CountMeanSketch(D, EPSILON, 128)

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def values(n: int = N) -> Any:
    return np.random.default_rng(2).integers(0, D, n)


@cache
def reports(m: Any, n: int = N) -> Any:
    return m.privatize(values(n), np.random.default_rng(3))


@pytest.mark.parametrize("m", [MODULAR, BALANCED, ROWS], ids=lambda m: type(m).__name__)
def test_privatize(measure: Measure, m: Any) -> None:
    rng = np.random.default_rng(1)
    measure(f"{type(m).__name__} privatize", lambda: m.privatize(values(), rng), N, "reports/s")


@pytest.mark.parametrize("m", [MODULAR, BALANCED, ROWS], ids=lambda m: type(m).__name__)
def test_tally(measure: Measure, m: Any) -> None:
    measure(f"{type(m).__name__} tally", lambda: m.tally(reports(m)), N, "reports/s")


# -- modular subset selection


def test_modular_privatize_twin(measure: Measure) -> None:
    rng = np.random.default_rng(1)

    def call() -> object:
        drawn = rng.integers(0, len(MODULAR.parts), FEW)
        return [
            twins.subset_privatize(
                values(FEW)[drawn == j] % part.domain_size,
                part.domain_size,
                part.subset_size,
                part.p,
                rng,
            )
            for j, part in enumerate(MODULAR.parts)
        ]

    measure("ModularSubsetSelection privatize", call, FEW, "reports/s", twin=True)


def test_modular_tally_twin(measure: Measure) -> None:
    given = reports(MODULAR, FEW)

    def call() -> object:
        rows = (given["subset"][given["modulus"] == j] for j in range(len(MODULAR.moduli)))
        pairs = zip(rows, MODULAR.moduli, strict=True)
        return [twins.count_bits(some, m) for some, m in pairs]

    measure("ModularSubsetSelection tally", call, FEW, "reports/s", twin=True)


def test_least_squares(measure: Measure) -> None:
    tally = MODULAR.tally(reports(MODULAR))
    measure("Least squares of residues", lambda: residue_least_squares(tally, MODULAR), 1e-3, "ms")


def test_least_squares_twin(measure: Measure) -> None:
    tally = MODULAR.tally(reports(MODULAR))
    p, q, n = (
        np.repeat(each, MODULAR.moduli)
        for each in (
            [part.p for part in MODULAR.parts],
            [part.q for part in MODULAR.parts],
            MODULAR.reports_each(tally),
        )
    )

    def call() -> object:
        return twins.residue_frequencies((tally.counts / n - q) / (p - q), n, MODULAR.moduli, D)

    measure("Least squares of residues", call, 1e-3, "ms", twin=True, rounds=3)


# -- sketches


def test_balanced_privatize_twin(measure: Measure) -> None:
    rng = np.random.default_rng(1)

    def call() -> object:
        return twins.hash_privatize(values(), BALANCED.num_buckets, BALANCED.p, rng)

    measure("BalancedSketch privatize", call, N, "reports/s", twin=True)


def test_balanced_tally_twin(measure: Measure) -> None:
    rng, g = np.random.default_rng(1), BALANCED.num_buckets
    a, b, buckets = twins.hash_privatize(values(FEW), g, BALANCED.p, rng)

    def call() -> object:
        return twins.hash_tally(a, b, buckets, D, g)

    measure("BalancedSketch tally", call, FEW, "reports/s", twin=True)


def test_rows_privatize_twin(measure: Measure) -> None:
    rng, g, row = np.random.default_rng(1), ROWS.num_buckets, ROWS.row

    def call() -> object:
        _, _, buckets = twins.hash_privatize(values(FEW), g, 1.0, rng)
        return twins.unary_privatize(buckets, g, row.p, row.q, rng)

    measure("CountMeanSketch privatize", call, FEW, "reports/s", twin=True)


def test_rows_tally_twin(measure: Measure) -> None:
    given, prime, g = reports(ROWS, FEW), ROWS.family.prime, ROWS.num_buckets
    a, b = divmod(given["function"].astype(np.int64), prime)

    def call() -> object:
        return twins.row_tally(a, b, given["row"], D, prime, g)

    measure("CountMeanSketch tally", call, FEW, "reports/s", twin=True)
