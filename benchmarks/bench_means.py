"""Mean oracles at a million users and epsilon 1, beside plain numpy.

The twins draw continuous reports from doubles, as a user would who does not think of what the
lowest digits betray; ours are integers of an exact law. Run by ``make bench``; processor time of
one thread.
"""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import ldp
from benchmarks import twins
from benchmarks.conftest import Measure

N, EPSILON, DIMENSIONS = 10**6, 1.0, 16
FEW = N // 10  # users with vectors
ORACLES = {
    "one bit": (ldp.means.OneBitMean, twins.one_bit_mean, 3e7),
    "Laplace": (ldp.means.LaplaceMean, twins.laplace_mean, 5e6),
    "piecewise": (ldp.means.PiecewiseMean, twins.piecewise_mean, 3e7),
    "hybrid": (ldp.means.HybridMean, twins.hybrid_mean, 1e7),
}

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)
every = pytest.mark.parametrize("name", ORACLES)


@cache
def values() -> Any:
    return np.random.default_rng(2).uniform(-1, 1, N)


@cache
def vectors() -> Any:
    return np.random.default_rng(2).uniform(-1, 1, (FEW, DIMENSIONS))


@every
def test_privatize(name: str, measure: Measure) -> None:
    make, _, target = ORACLES[name]
    m, rng = make(-1.0, 1.0, EPSILON), np.random.default_rng(1)
    measure(f"{name} mean, privatize", lambda: m.privatize(values(), rng), N, "reports/s", target)


@every
def test_privatize_twin(name: str, measure: Measure) -> None:
    _, twin, _ = ORACLES[name]
    rng = np.random.default_rng(1)
    row = f"{name} mean, privatize"
    measure(row, lambda: twin(values(), EPSILON, rng), N, "reports/s", twin=True)


@every
def test_mean(name: str, measure: Measure) -> None:
    m = ORACLES[name][0](-1.0, 1.0, EPSILON)
    reports = m.privatize(values(), np.random.default_rng(3))
    measure(f"{name} mean, estimate", lambda: m.mean(reports), N, "reports/s", 1e8)


@pytest.mark.parametrize("k", [1, 4])
def test_vectors(k: int, measure: Measure) -> None:
    m = ldp.means.VectorMean(ldp.means.OneBitMean, -1.0, 1.0, EPSILON, DIMENSIONS, k)
    rng = np.random.default_rng(1)
    row = f"one bit of {k} of {DIMENSIONS} dimensions, privatize"
    measure(row, lambda: m.privatize(vectors(), rng), FEW, "users/s", 1e7 / k)


@pytest.mark.parametrize("k", [1, 4])
def test_vectors_twin(k: int, measure: Measure) -> None:
    rng = np.random.default_rng(1)
    row = f"one bit of {k} of {DIMENSIONS} dimensions, privatize"

    def call() -> object:
        return twins.one_bit_vectors(vectors(), EPSILON, k, rng)

    measure(row, call, FEW, "users/s", twin=True)
