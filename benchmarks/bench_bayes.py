"""Gibbs sampling in user-updates per second, and the exact posterior, beside plain numpy.

At 16 values equal reports are many and share a draw: the best case. From 17 values on every report
has a draw of its own; SHE has no support sets and draws from a matrix.

Run by ``make bench``; processor time of one thread.
"""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import ldp
from benchmarks import twins
from benchmarks.conftest import Measure

SHORT = ldp.OUE(16, 1.0)
PACKED = ldp.OUE(24, 1.0)
DENSE = ldp.SHE(16, 1.0)
WIDE = ldp.OUE(1024, 1.0)
MANY, FEW = 10**6, 10**5  # users; few for the twin, which holds a matrix of users and values
DRAWS = 5

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def reports(m: Any, n: int) -> Any:
    rng = np.random.default_rng(4)
    law = rng.dirichlet(np.full(m.domain_size, 0.5))
    return m.privatize(rng.choice(m.domain_size, n, p=law), rng)


def row(m: Any, n: int, note: str = "") -> str:
    name = "SHE" if isinstance(m, ldp.SHE) else "OUE"
    return f"Gibbs, {name}, n={n:.0e}, d={m.domain_size}, eps=1{note}".replace("e+0", "e")


def run(measure: Measure, m: Any, n: int, note: str = "", target: float | None = None) -> None:
    prior = np.full(m.domain_size, 0.5)

    def call() -> object:
        rng = np.random.default_rng(6)
        return ldp.bayes.gibbs(reports(m, n), m, prior, DRAWS, rng, burn_in=0, num_chains=2)

    measure(row(m, n, note), call, 2 * DRAWS * n, "user-updates/s", target, rounds=3)


def run_twin(measure: Measure, m: Any, n: int, note: str = "") -> None:
    d = m.domain_size
    likelihood, law = m.likelihood(reports(m, FEW)), np.full(d, 1 / d)
    rng = np.random.default_rng(6)

    def call() -> object:
        return twins.gibbs_step(likelihood, law, rng)

    measure(row(m, n, note), call, FEW, "user-updates/s", twin=True, rounds=3)


SHARED = " (users with equal reports share a draw)"


def test_gibbs(measure: Measure) -> None:
    run(measure, SHORT, MANY, SHARED, 1e7)


def test_gibbs_twin(measure: Measure) -> None:
    run_twin(measure, SHORT, MANY, SHARED)


def test_gibbs_packed(measure: Measure) -> None:
    run(measure, PACKED, MANY)


def test_gibbs_packed_twin(measure: Measure) -> None:
    run_twin(measure, PACKED, MANY)


def test_gibbs_dense(measure: Measure) -> None:
    run(measure, DENSE, FEW)


def test_gibbs_dense_twin(measure: Measure) -> None:
    run_twin(measure, DENSE, FEW)


def test_gibbs_many_values(measure: Measure) -> None:
    run(measure, WIDE, FEW)


def test_exact_posterior(measure: Measure) -> None:
    m = ldp.OUE(3, 1.0)
    given, prior = reports(m, 300), np.full(3, 0.5)

    def call() -> object:
        return ldp.bayes.exact_posterior(given, m, prior)

    measure("Exact posterior, OUE, n=300, d=3, eps=1", call, 1, "s")
