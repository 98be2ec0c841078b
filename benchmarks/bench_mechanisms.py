"""Speed and memory at a million users, 1,024 values and epsilon 1, beside plain numpy.

Run by ``make bench``, which writes a table; never a test, since a busy machine is not a bug.
Times are processor time of one thread, best of several rounds after compilation: on a busy
machine the wall clock would measure the neighbours.
"""

import subprocess
import sys
import time
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hadamard

import ldp
from benchmarks import twins
from benchmarks.conftest import Measure, peak_megabytes

N, D, EPSILON = 10**6, 1024, 1.0
FEW = N // 100  # users of those twins that hold a matrix of users and values
MANY = 10**9  # users simulated at once

GRR, OUE, OLH = ldp.GRR(D, EPSILON), ldp.OUE(D, EPSILON), ldp.OLH(D, EPSILON)
SHE = ldp.SHE(D, EPSILON)
SUBSETS, HADAMARD = ldp.SubsetSelection(D, EPSILON), ldp.HadamardResponse(D, EPSILON)

pytestmark = pytest.mark.benchmark(timer=time.process_time, disable_gc=True)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@cache
def values(n: int = N) -> Any:
    return np.random.default_rng(2).integers(0, D, n)


@cache
def reports(m: Any, n: int = N) -> Any:
    return m.privatize(values(n), np.random.default_rng(3))


# -- randomized response


def test_grr_privatize(measure: Measure, rng: np.random.Generator) -> None:
    measure("GRR privatize", lambda: GRR.privatize(values(), rng), N, "reports/s", 1e8)


def test_grr_privatize_twin(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return twins.grr_privatize(values(), D, GRR.p, rng)

    measure("GRR privatize", call, N, "reports/s", twin=True)


def test_grr_tally(measure: Measure) -> None:
    measure("GRR tally", lambda: GRR.tally(reports(GRR)), N, "reports/s", 3e8)


def test_grr_tally_twin(measure: Measure) -> None:
    measure("GRR tally", lambda: twins.count(reports(GRR), D), N, "reports/s", twin=True)


# -- unary encoding


def test_oue_privatize(measure: Measure, rng: np.random.Generator) -> None:
    measure("OUE privatize", lambda: OUE.privatize(values(), rng), N, "reports/s", 2e6)


def test_oue_privatize_twin(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return twins.unary_privatize(values(FEW), D, OUE.p, OUE.q, rng)

    measure("OUE privatize", call, FEW, "reports/s", twin=True)


def test_oue_tally(measure: Measure) -> None:
    work = reports(OUE).nbytes / 1e9
    measure("OUE tally", lambda: OUE.tally(reports(OUE)), work, "GB/s", 5)


def test_oue_tally_twin(measure: Measure) -> None:
    rows = reports(OUE, FEW)
    measure("OUE tally", lambda: twins.count_bits(rows, D), rows.nbytes / 1e9, "GB/s", twin=True)


def test_oue_memory(benchmark: Any, rng: np.random.Generator) -> None:
    benchmark.extra_info.update(
        row="OUE privatize, peak memory", unit="MB", target=200, twin=False,
        value=peak_megabytes(lambda: OUE.privatize(values(), rng)),
    )  # fmt: skip
    benchmark.pedantic(lambda: None, rounds=1)


def test_oue_memory_twin(benchmark: Any, rng: np.random.Generator) -> None:
    def call() -> object:
        return twins.unary_privatize(values(FEW), D, OUE.p, OUE.q, rng)

    benchmark.extra_info.update(
        row="OUE privatize, peak memory", unit="MB", target=None, twin=True,
        value=N / FEW * peak_megabytes(call),
    )  # fmt: skip
    benchmark.pedantic(lambda: None, rounds=1)


# -- histogram encoding


def test_she_privatize(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return SHE.privatize(values(FEW), rng)

    measure("SHE privatize", call, FEW, "reports/s", 3e4)


def test_she_privatize_twin(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return twins.she_privatize(values(FEW), D, EPSILON, rng)

    measure("SHE privatize", call, FEW, "reports/s", twin=True)


# -- local hashing


def test_olh_privatize(measure: Measure, rng: np.random.Generator) -> None:
    measure("OLH privatize", lambda: OLH.privatize(values(), rng), N, "reports/s")


def test_olh_privatize_twin(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return twins.hash_privatize(values(), OLH.num_buckets, OLH.p, rng)

    measure("OLH privatize", call, N, "reports/s", twin=True)


def test_olh_tally(measure: Measure) -> None:
    measure("OLH tally", lambda: OLH.tally(reports(OLH)), N * D, "hashes/s", 4e9)


def test_olh_tally_twin(measure: Measure, rng: np.random.Generator) -> None:
    g, few = OLH.num_buckets, N // 1000
    a, b, buckets = twins.hash_privatize(values(few), g, OLH.p, rng)

    def call() -> object:
        return twins.hash_tally(a, b, buckets, D, g)

    measure("OLH tally", call, few * D, "hashes/s", twin=True)


# -- subset selection


def test_subset_privatize(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return SUBSETS.privatize(values(N // 10), rng)

    measure("Subset selection privatize", call, N // 10, "reports/s", 2.5e6)


def test_subset_privatize_twin(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return twins.subset_privatize(values(FEW), D, SUBSETS.subset_size, SUBSETS.p, rng)

    measure("Subset selection privatize", call, FEW, "reports/s", twin=True, rounds=5)


def test_subset_tally(measure: Measure) -> None:
    rows = reports(SUBSETS, N // 10)
    measure("Subset selection tally", lambda: SUBSETS.tally(rows), rows.nbytes / 1e9, "GB/s")


def test_subset_tally_twin(measure: Measure) -> None:
    rows = reports(SUBSETS, FEW)

    def call() -> object:
        return twins.count_bits(rows, D)

    measure("Subset selection tally", call, rows.nbytes / 1e9, "GB/s", twin=True)


# -- Hadamard response


def test_hadamard_privatize(measure: Measure, rng: np.random.Generator) -> None:
    def call() -> object:
        return HADAMARD.privatize(values(), rng)

    measure("Hadamard privatize", call, N, "reports/s")


def test_hadamard_tally(measure: Measure) -> None:
    measure("Hadamard tally", lambda: HADAMARD.tally(reports(HADAMARD)), N, "reports/s")


def test_hadamard_tally_twin(measure: Measure) -> None:
    matrix = hadamard(HADAMARD.block_size, dtype=np.int64)
    given = reports(HADAMARD)
    assert (twins.hadamard_tally(given, matrix, D) == HADAMARD.tally(given).counts).all()

    def call() -> object:
        return twins.hadamard_tally(given, matrix, D)

    measure("Hadamard tally", call, N, "reports/s", twin=True)


# -- tallies drawn without reports; what plain numpy would need is its privatize and tally

SIMULATED = [
    ("GRR", GRR, None),
    ("SUE", ldp.SUE(D, EPSILON), 1.0),
    ("OUE", OUE, 1.0),
    ("THE", ldp.THE(D, EPSILON), 1.0),
    ("SHE", ldp.SHE(D, EPSILON), None),
    ("BLH", ldp.BLH(D, EPSILON), 1.0),
    ("OLH", OLH, 1.0),
    ("Subset selection", SUBSETS, None),
    ("Hadamard", HADAMARD, 1.0),
]


@pytest.mark.parametrize(("name", "m", "target"), SIMULATED, ids=[row[0] for row in SIMULATED])
def test_simulate(
    measure: Measure, rng: np.random.Generator, name: str, m: Any, target: Any
) -> None:
    counts = np.full(D, MANY // D)
    rounds = 10 if m is SUBSETS else 100

    def call() -> object:
        return m.simulate(counts, rng)

    measure(f"{name} simulate, 10^9 users", call, 1e-3, "ms", target, rounds=rounds)


# -- import


def import_seconds(modules: str) -> float:
    """Processor time of an import in a new interpreter, best of five."""
    code = f"import time; start = time.process_time(); import {modules}; "
    code += "print(time.process_time() - start)"
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, capture_output=True, check=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


@pytest.mark.parametrize(
    ("modules", "target"), [("ldp", 1.0), ("numpy, scipy.optimize, scipy.special, numba", None)]
)
def test_import(benchmark: Any, modules: str, target: float | None) -> None:
    benchmark.extra_info.update(
        row="import ldp", unit="s", target=target, twin=target is None,
        value=import_seconds(modules),
    )  # fmt: skip
    benchmark.pedantic(lambda: None, rounds=1)
