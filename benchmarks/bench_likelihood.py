"""Maximum likelihood to a certified gap, beside plain expectation maximisation and cvxpy.

For OUE the ratio is that of two algorithms with their kernels: Newton steps on packed rows against
expectation maximisation on a matrix. For GRR it is that of a closed form and a general solver,
which has to set its problem up first.

Run by ``make bench``; processor time of one thread.
"""

import time
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ldp
from benchmarks import twins
from benchmarks.conftest import Measure, peak_megabytes

Floats = npt.NDArray[np.float64]

GAP = 1e-6  # nats per user: what both sides must certify
TWIN = ldp.OUE(128, 1.0), 10**4
LONG = ldp.OUE(128, 1.0), 10**6
WIDE = ldp.OUE(1024, 1.0), 10**5
OUE_ROW = "OUE likelihood, n=1e4, d=128, eps=1 (Newton; twin: EM)"
GRR_ROW = "GRR likelihood, n=1e7, d=1024, eps=3 (closed form; twin: cvxpy with set-up)"

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def reports(m: Any, n: int) -> Any:
    rng = np.random.default_rng(4)
    law = rng.dirichlet(np.full(m.domain_size, 0.5))
    return m.privatize(rng.choice(m.domain_size, n, p=law), rng)


@cache
def tally(d: int) -> ldp.Tally:
    rng = np.random.default_rng(5)
    return ldp.GRR(d, 3.0).simulate(rng.multinomial(10**7, rng.dirichlet(np.full(d, 0.5))), rng)


def certified(theta: Floats, m: Any, counts: Floats) -> bool:
    """Whether the gap of a law under a tally of GRR reports is small enough, by concavity."""
    law = np.maximum(theta, 0) / np.maximum(theta, 0).sum()
    weights = counts / counts.sum() / (1 + (m.odds - 1) * law)
    return bool(np.log(weights.sum() + (m.odds - 1) * weights.max()) <= GAP)


def solve(m: Any, n: int) -> None:
    assert ldp.maximum_likelihood(reports(m, n), m, tolerance=GAP).converged


def test_oue(measure: Measure) -> None:
    measure(OUE_ROW, lambda: solve(*TWIN), 1, "s", rounds=3)


def test_oue_twin(measure: Measure) -> None:
    m, n = TWIN
    dense = m.likelihood(reports(m, n))

    def call() -> object:
        return twins.expectation_maximisation(dense, GAP)

    measure(OUE_ROW, call, 1, "s", twin=True, rounds=1)


def test_oue_many_users(measure: Measure) -> None:
    measure("OUE likelihood, n=1e6, d=128, eps=1", lambda: solve(*LONG), 1, "s", 5.0, rounds=3)


def test_oue_many_values(measure: Measure) -> None:
    measure("OUE likelihood, n=1e5, d=1024, eps=1", lambda: solve(*WIDE), 1, "s", 20.0, rounds=3)


def test_oue_memory(measure: Measure, benchmark: Any) -> None:
    m, n = LONG
    benchmark.extra_info["value"] = peak_megabytes(lambda: solve(m, n))
    allowed = (2 * reports(m, n).nbytes + 8 * m.domain_size**2) / 1e6
    row = "OUE likelihood, n=1e6, d=128, eps=1, memory beside the reports"
    measure(row, lambda: None, 1, "MB", allowed, rounds=1)


def test_grr(measure: Measure) -> None:
    m, counts = ldp.GRR(1024, 3.0), tally(1024)

    def call() -> Any:
        return ldp.maximum_likelihood(counts, m)

    assert certified(call().theta, m, counts.counts)
    measure(GRR_ROW, call, 1, "s")


def test_grr_twin(measure: Measure) -> None:
    m, counts = ldp.GRR(1024, 3.0), tally(1024).counts

    def call() -> Floats:
        return twins.convex_likelihood(counts, m.odds - 1)

    assert certified(call(), m, counts)
    measure(GRR_ROW, call, 1, "s", twin=True, rounds=1)


def test_grr_wide(measure: Measure) -> None:
    m, counts = ldp.GRR(10**6, 3.0), tally(10**6)

    def call() -> Any:
        return ldp.maximum_likelihood(counts, m)

    assert certified(call().theta, m, counts.counts)
    measure("GRR likelihood, n=1e7, d=1e6, eps=3", call, 1, "s", 0.3)
