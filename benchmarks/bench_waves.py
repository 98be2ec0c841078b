"""The square wave's sampler, and EM and EMS by prefix sums beside the dense product.

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

N, D = 10**6, 1024
WAVE = ldp.SquareWave(D, 1.0)
STEPS, FEW_STEPS = 10_000, 20  # the twin's steps cost some milliseconds each

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@cache
def values() -> Any:
    return np.random.default_rng(2).integers(0, D, N)


@cache
def counts() -> Any:
    return WAVE.tally(WAVE.privatize(values(), np.random.default_rng(3))).counts


def test_privatize(measure: Measure) -> None:
    rng = np.random.default_rng(1)
    measure("square wave privatize", lambda: WAVE.privatize(values(), rng), N, "reports/s", 3e7)


def test_privatize_twin(measure: Measure) -> None:
    rng = np.random.default_rng(1)

    def call() -> object:
        return twins.window_privatize(values(), D, 2 * WAVE.half_width + 1, WAVE.p, rng)

    measure("square wave privatize", call, N, "reports/s", twin=True)


@pytest.mark.parametrize("smooth", [None, (1, 2, 1)])
def test_em(measure: Measure, smooth: Any) -> None:
    def call() -> None:
        # Never close enough to stop: all steps are taken.
        assert (
            ldp.em(counts(), WAVE, smooth=smooth, tolerance=1e-300, max_iterations=STEPS).iterations
            == STEPS
        )

    measure(row(smooth), call, STEPS, "steps/s", STEPS / 0.3, rounds=5)


@pytest.mark.parametrize("smooth", [None, (1, 2, 1)])
def test_em_twin(measure: Measure, smooth: Any) -> None:
    channel = WAVE.channel()

    def call() -> Any:
        return twins.dense_em(counts(), channel, smooth is not None, FEW_STEPS)

    expected = ldp.em(
        counts(), WAVE, smooth=smooth, tolerance=1e-300, max_iterations=FEW_STEPS
    ).theta
    assert np.abs(call() - expected).max() < 1e-12
    measure(row(smooth), call, FEW_STEPS, "steps/s", twin=True, rounds=5)


def row(smooth: Any) -> str:
    return f"{'EM' if smooth is None else 'EMS'} of the square wave, d=1024, eps=1"
