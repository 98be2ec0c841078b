"""One thread, before numpy starts any; and how the benchmarks measure."""

import os
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

Measure = Callable[..., None]


@pytest.fixture
def measure(benchmark: Any) -> Measure:
    """Time a call; `work` units of it are done per call, and `target` of them wanted per second."""

    def run(
        row: str,
        call: Callable[[], Any],
        work: float,
        unit: str,
        target: float | None = None,
        twin: bool = False,
        rounds: int = 9,
    ) -> None:
        benchmark.extra_info.update(row=row, work=work, unit=unit, target=target, twin=twin)
        benchmark.pedantic(call, rounds=rounds, warmup_rounds=1)

    return run


def peak_megabytes(call: Callable[[], Any]) -> float:
    call()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6
