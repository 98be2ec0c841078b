"""Adaptive estimation and restricted randomized response, beside plain numpy.

The loop is that of S000: after every user 20 updates by Langevin dynamics, each of 50 reports.

Run by ``make bench``; processor time of one thread.
"""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

import ldp
from benchmarks import twins, twins_adaptive
from benchmarks.conftest import Measure
from ldp.protocols.prefixes import level_table

N, D, EPSILON, INNER = 10**5, 20, 1.0, 0.8
FEW = 1_000  # users of the twin of the loop
SECONDS = 6  # that the loop may take
MILLION, WIDE = 10**6, ldp.RRRR(1024, EPSILON, range(10), INNER)
SWEEPS = 50  # of each of two chains

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def values() -> Any:
    rng = np.random.default_rng(2)
    return rng.choice(D, N, p=rng.dirichlet(np.full(D, 0.1)))


@cache
def run() -> ldp.protocols.AdaptiveRun:
    rule, rng = ldp.protocols.BestPrefix("honest", INNER / EPSILON), np.random.default_rng(3)
    return ldp.adobest(values(), D, EPSILON, rule, ldp.protocols.SliceSampler(), rng, growth=0.01)


@cache
def rows_of_users() -> Any:
    evidence = [
        np.repeat(m.likelihood(np.arange(D)), tally.counts, axis=0)
        for m, tally in zip(run().mechanisms, run().tallies, strict=True)
    ]
    return np.concatenate(evidence)


# -- the loop

LOOP = "AdOBEst-LDP, n=1e5, d=20, 20 updates of 50 reports per user"


def test_loop(measure: Measure) -> None:
    rule, sampler = (
        ldp.protocols.BestPrefix("honest", INNER / EPSILON),
        ldp.protocols.LangevinSampler(0.5 / N),
    )

    def call() -> object:
        return ldp.adobest(values(), D, EPSILON, rule, sampler, np.random.default_rng(1))

    measure(LOOP, call, N, "users/s", N / SECONDS, rounds=3)


def test_loop_twin(measure: Measure) -> None:
    table = level_table(D, EPSILON, INNER)

    def call() -> object:
        rng = np.random.default_rng(1)
        return twins_adaptive.adaptive_estimation(values()[:FEW], table, 0.5 / N, rng)

    measure(LOOP, call, FEW, "users/s", twin=True, rounds=3)


# -- choice of the subset


@cache
def law() -> Any:
    return np.sort(np.random.default_rng(4).dirichlet(np.full(D, 0.3)))[::-1].copy()


def prefixes(name: str) -> str:
    return f"Utilities of all prefixes, {name}, d={D}"


@pytest.mark.parametrize("name", ["fisher", "mse"])
def test_prefixes(measure: Measure, name: str) -> None:
    def call() -> object:
        return [ldp.protocols.prefix_utilities(law(), EPSILON, INNER, name) for _ in range(1_000)]

    measure(prefixes(name), call, 1_000, "laws/s")


@pytest.mark.parametrize("name", ["fisher", "mse"])
def test_prefixes_twin(measure: Measure, name: str) -> None:
    sizes = range(D)
    channels = np.array([ldp.RRRR(D, EPSILON, range(k), INNER).channel() for k in sizes])

    def call() -> object:
        return [twins_adaptive.utilities(name, law(), channels) for _ in range(50)]

    found, wanted = (
        twins_adaptive.utilities(name, law(), channels),
        ldp.protocols.prefix_utilities(law(), EPSILON, INNER, name),
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    measure(prefixes(name), call, 50, "laws/s", twin=True)


# -- the mechanism


@cache
def many() -> Any:
    return np.random.default_rng(2).integers(0, WIDE.domain_size, MILLION)


def test_privatize(measure: Measure) -> None:
    rng = np.random.default_rng(1)
    measure("RRRR privatize, k=10", lambda: WIDE.privatize(many(), rng), MILLION, "reports/s")


def test_privatize_twin(measure: Measure) -> None:
    rng = np.random.default_rng(1)
    inside = np.arange(WIDE.domain_size) < 10

    def call() -> object:
        return twins_adaptive.restricted_privatize(many(), inside, WIDE.levels, rng)

    measure("RRRR privatize, k=10", call, MILLION, "reports/s", twin=True)


# -- sweeps of the samplers, on counts by subset and on users


def sweeps(name: str) -> str:
    return f"{name} sweep, {len(run().mechanisms)} subsets, n=1e5, d={D}"


def test_slice_sweep(measure: Measure) -> None:
    def call() -> object:
        given, rng = (run().tallies, run().mechanisms), np.random.default_rng(5)
        return ldp.bayes.slice_sample(*given, np.ones(D), SWEEPS, rng, burn_in=0, num_chains=2)

    measure(sweeps("Slice"), call, 2 * SWEEPS * N, "user-updates/s", rounds=3)


def test_slice_sweep_twin(measure: Measure) -> None:
    def call() -> object:
        return twins_adaptive.slice_sweep(rows_of_users(), run().laws[-1], np.random.default_rng(5))

    measure(sweeps("Slice"), call, N, "user-updates/s", twin=True, rounds=3)


def test_gibbs_sweep(measure: Measure) -> None:
    def call() -> object:
        given, rng = (run().tallies, run().mechanisms), np.random.default_rng(5)
        return ldp.bayes.gibbs(*given, np.ones(D), SWEEPS, rng, burn_in=0, num_chains=2)

    measure(sweeps("Gibbs"), call, 2 * SWEEPS * N, "user-updates/s", rounds=3)


def test_gibbs_sweep_twin(measure: Measure) -> None:
    def call() -> object:
        return twins.gibbs_step(rows_of_users(), run().laws[-1], np.random.default_rng(5))

    measure(sweeps("Gibbs"), call, N, "user-updates/s", twin=True, rounds=3)
