"""Gibbs sampling in user-updates per second, and the exact posterior, beside plain numpy.

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

SHORT = ldp.OUE(16, 1.0), 10**6
WIDE = ldp.OUE(1024, 1.0), 10**5
FEW = 10**5  # users of the twin, which holds a matrix of users and values
DRAWS = 5

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def reports(m: Any, n: int) -> Any:
    rng = np.random.default_rng(4)
    law = rng.dirichlet(np.full(m.domain_size, 0.5))
    return m.privatize(rng.choice(m.domain_size, n, p=law), rng)


def sample(m: Any, n: int) -> object:
    prior, rng = np.full(m.domain_size, 0.5), np.random.default_rng(6)
    return ldp.gibbs(m, reports(m, n), prior, DRAWS, rng, burn_in=0, num_chains=2)


def test_gibbs(measure: Measure) -> None:
    m, n = SHORT
    work = 2 * DRAWS * n
    measure("Gibbs, OUE, d=16", lambda: sample(m, n), work, "user-updates/s", 1e7)


def test_gibbs_twin(measure: Measure) -> None:
    m, _ = SHORT
    likelihood, law = m.likelihood(reports(m, FEW)), np.full(16, 1 / 16)
    rng = np.random.default_rng(6)

    def call() -> object:
        return twins.gibbs_step(likelihood, law, rng)

    measure("Gibbs, OUE, d=16", call, FEW, "user-updates/s", twin=True)


def test_gibbs_many_values(measure: Measure) -> None:
    m, n = WIDE
    work = 2 * DRAWS * n
    measure("Gibbs, OUE, d=1024", lambda: sample(m, n), work, "user-updates/s", rounds=3)


def test_exact_posterior(measure: Measure) -> None:
    m = ldp.OUE(3, 1.0)
    given, prior = reports(m, 300), np.full(3, 0.5)

    def call() -> object:
        return ldp.exact_posterior(m, given, prior)

    measure("Exact posterior, d=3, n=300", call, 1, "s")
