"""Affine response and PI-RAPPOR at a million users, 1,024 values and epsilon 1, beside numpy."""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import ldp
from benchmarks import twins_affine
from benchmarks.conftest import Measure
from ldp.rivals import PIRAPPOR

N, D, EPSILON = 10**6, 1024, 1.0
MECHANISMS: dict[str, Any] = {
    "Affine": ldp.AffineResponse(D, EPSILON),
    "PI-RAPPOR": PIRAPPOR(D, EPSILON),
}

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)
every = pytest.mark.parametrize("name", MECHANISMS)


@cache
def values() -> Any:
    return np.random.default_rng(2).integers(0, D, N)


@cache
def reports(m: Any) -> Any:
    return m.privatize(values(), np.random.default_rng(3))


def maps(m: Any) -> tuple[int, int, range]:
    prime, window, first, count = m.design
    return prime, window, range(first, first + count)


@every
def test_privatize(measure: Measure, name: str) -> None:
    m, rng = MECHANISMS[name], np.random.default_rng(1)
    measure(f"{name} privatize", lambda: m.privatize(values(), rng), N, "reports/s", 1.1e8)


@every
def test_privatize_twin(measure: Measure, name: str) -> None:
    m, rng = MECHANISMS[name], np.random.default_rng(1)

    def call() -> object:
        return twins_affine.affine_privatize(values(), *maps(m), m.p, rng)

    measure(f"{name} privatize", call, N, "reports/s", twin=True)


@every
def test_tally(measure: Measure, name: str) -> None:
    m = MECHANISMS[name]
    row = f"{name} tally, 10^6 reports"
    measure(row, lambda: m.tally(reports(m)), 1e-3, "ms", 5.0 if name == "Affine" else None)


@every
def test_tally_twin(measure: Measure, name: str) -> None:
    m = MECHANISMS[name]

    def call() -> Any:
        return twins_affine.affine_tally(reports(m), *maps(m), D)

    assert (call() == m.tally(reports(m)).counts).all()
    measure(f"{name} tally, 10^6 reports", call, 1e-3, "ms", twin=True)


def test_tally_of_many(measure: Measure) -> None:
    m = MECHANISMS["Affine"]
    given = np.tile(reports(m), 100)
    row = "Affine tally, 10^8 reports"
    measure(row, lambda: m.tally(given), 1.0, "s", 0.3, rounds=3)


@pytest.mark.parametrize("num_users", [N, 10**9])
def test_simulate(measure: Measure, num_users: int) -> None:
    m, rng = MECHANISMS["Affine"], np.random.default_rng(1)
    counts = np.full(D, num_users // D)

    def call() -> object:
        return m.simulate(counts, rng)

    measure(f"Affine simulate, {num_users:.0e} users", call, 1e-3, "ms", rounds=5)


def test_simulate_twin(measure: Measure) -> None:
    """Reports are made and counted: a billion users would take a thousand times as long."""
    m, rng = MECHANISMS["Affine"], np.random.default_rng(1)

    def call() -> object:
        made = twins_affine.affine_privatize(values(), *maps(m), m.p, rng)
        return twins_affine.affine_tally(made, *maps(m), D)

    measure(f"Affine simulate, {N:.0e} users", call, 1e-3, "ms", twin=True)
