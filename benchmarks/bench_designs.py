"""Designs at a million users, 1,024 values and epsilon 1, beside plain numpy and other mechanisms.

Rows named "beside" have another mechanism of the package in the place of the twin, timed in the
same run. OLH and subset selection get fewer users; rates are per report.
"""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import ldp
from benchmarks import twins_designs
from benchmarks.conftest import Measure

N, D, EPSILON = 10**6, 1024, 1.0
DESIGNS: dict[str, Any] = {
    "Cyclotomic": ldp.CyclotomicResponse(D, EPSILON),
    "Cyclic": ldp.CyclicResponse(D, EPSILON),
}
OTHERS = {
    "OUE": (ldp.OUE(D, EPSILON), N // 10),
    "OLH": (ldp.OLH(D, EPSILON), N // 10),
    "Hadamard": (ldp.HadamardResponse(D, EPSILON), N),
    "subset selection": (ldp.SubsetSelection(D, EPSILON), N // 10),
}

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)
every = pytest.mark.parametrize("name", DESIGNS)


@cache
def values(n: int, d: int = D) -> Any:
    return np.random.default_rng(2).integers(0, d, n)


@cache
def reports(m: Any, n: int) -> Any:
    return m.privatize(values(n, m.domain_size), np.random.default_rng(3))


@every
def test_privatize(measure: Measure, name: str) -> None:
    m, rng = DESIGNS[name], np.random.default_rng(1)
    measure(f"{name} privatize", lambda: m.privatize(values(N), rng), N, "reports/s", 9e7)


@every
def test_privatize_twin(measure: Measure, name: str) -> None:
    m, rng = DESIGNS[name], np.random.default_rng(1)
    table = twins_designs.places(m.design.family.blocks(), m.design.num_points)

    def call() -> object:
        return twins_designs.design_privatize(values(N), table, m.design.block_size, m.p, rng)

    measure(f"{name} privatize", call, N, "reports/s", twin=True)


@every
def test_tally(measure: Measure, name: str) -> None:
    m = DESIGNS[name]
    measure(f"{name} tally, 10^6 reports", lambda: m.tally(reports(m, N)), 1e-3, "ms", 5.0)


@every
def test_tally_twin(measure: Measure, name: str) -> None:
    m = DESIGNS[name]
    given, blocks = reports(m, N), m.design.family.blocks()

    def call() -> Any:
        return twins_designs.design_tally(given, blocks, m.design.num_points, D)

    assert (call() == m.tally(given).counts).all()
    measure(f"{name} tally, 10^6 reports", call, 1e-3, "ms", twin=True)


def test_tally_of_many(measure: Measure) -> None:
    m = DESIGNS["Cyclotomic"]
    given = np.tile(reports(m, N), 100)
    row = "Cyclotomic tally, 10^8 reports"
    measure(row, lambda: m.tally(given), 1.0, "s", 0.3, rounds=3)


@pytest.mark.parametrize("task", ["privatize", "tally"])
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("twin", [False, True], ids=["ours", "other"])
def test_beside(measure: Measure, other: str, task: str, twin: bool) -> None:
    m, n = OTHERS[other] if twin else (DESIGNS["Cyclotomic"], N)
    rng = np.random.default_rng(1)
    made = None if task == "privatize" else reports(m, n)

    def call() -> object:
        return m.privatize(values(n), rng) if made is None else m.tally(made)

    measure(f"Cyclotomic {task} beside {other}", call, n, "reports/s", twin=twin)


@pytest.mark.parametrize("d", [10**4, 10**5, 10**6])
def test_large_domains(measure: Measure, d: int) -> None:
    m, rng = ldp.CyclotomicResponse(d, EPSILON), np.random.default_rng(1)
    row = f"Cyclotomic privatize, {d:,} values"
    measure(row, lambda: m.privatize(values(N, d), rng), N, "reports/s")


@pytest.mark.parametrize("d", [10**4, 10**5, 10**6])
def test_large_tallies(measure: Measure, d: int) -> None:
    m = ldp.CyclotomicResponse(d, EPSILON)
    row = f"Cyclotomic tally, {d:,} values"
    measure(row, lambda: m.tally(reports(m, N)), 1e-3, "ms", rounds=3)


@every
def test_simulate(measure: Measure, name: str) -> None:
    m, rng = DESIGNS[name], np.random.default_rng(1)
    counts = np.full(D, 10**9 // D)
    measure(f"{name} simulate, 10^9 users", lambda: m.simulate(counts, rng), 1e-3, "ms", rounds=5)
