"""Private sampling from a hundred thousand distributions of 100 values, beside plain numpy.

The twin finds the clipping factor of all laws by sixty halvings at once, and draws by a search in
cumulated sums of doubles. Run by ``make bench``; processor time of one thread.
"""

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks import twins
from benchmarks.conftest import Measure
from ldp.samplers import LinearSampler, fixed_point_channel, fixed_point_window

N, D, EPSILON = 10**5, 100, 4.0

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def prior() -> Any:
    return np.random.default_rng(1).dirichlet(np.ones(D))


@cache
def laws() -> Any:
    return np.random.default_rng(2).dirichlet(np.full(D, 0.3), N)


def test_window(measure: Measure) -> None:
    m, rng = fixed_point_window(prior(), EPSILON), np.random.default_rng(3)
    row = f"window of a fixed prior, {D} values, privatize"
    measure(row, lambda: m.privatize(laws(), rng), N, "distributions/s", 1e5, rounds=5)


def test_window_twin(measure: Measure) -> None:
    m, rng = fixed_point_window(prior(), EPSILON), np.random.default_rng(3)
    row = f"window of a fixed prior, {D} values, privatize"

    def call() -> object:
        return twins.clipped_privatize(laws(), m.lower, m.upper, rng)

    measure(row, call, N, "distributions/s", twin=True, rounds=3)


def test_linear(measure: Measure) -> None:
    m = LinearSampler(fixed_point_channel(prior(), EPSILON), EPSILON)
    rng = np.random.default_rng(3)
    row = f"channel of a fixed prior, {D} values, privatize"
    measure(row, lambda: m.privatize(laws(), rng), N, "distributions/s", 1e5, rounds=5)


def test_channel(measure: Measure) -> None:
    q = np.random.default_rng(4).dirichlet(np.ones(1_000))
    row = "channel of a fixed prior, 1,000 values, built"
    measure(row, lambda: fixed_point_channel(q, EPSILON), 10**6, "cells/s", 1e7, rounds=5)
