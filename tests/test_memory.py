"""What a call holds in memory beyond what it returns, and what a report weighs."""

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ldp

N, D = 100_000, 1024
MB = 10**6
# numpy tells tracemalloc of every array, also of those that compiled loops make from Python.


@pytest.fixture(autouse=True)
def _traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def peak_beyond_result(call: Callable[[], Any]) -> tuple[int, Any]:
    """Most bytes held during the call, less those of the array it returns."""
    call()  # compile first
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    result = call()
    _, peak = tracemalloc.get_traced_memory()
    return peak - before - getattr(result, "nbytes", 0), result


def values() -> npt.NDArray[np.int64]:
    return np.random.default_rng(1).integers(0, D, N)


PRIVATIZE = {
    "GRR": (ldp.GRR(D, 1.0), 2),
    "SUE": (ldp.SUE(D, 1.0), 2),
    "OUE": (ldp.OUE(D, 1.0), 2),
    "THE": (ldp.THE(D, 1.0), 2),
    "SubsetSelection": (ldp.SubsetSelection(D, 1.0), 4),
    "HadamardResponse": (ldp.HadamardResponse(D, 1.0), 16),
}


@pytest.mark.parametrize(("m", "most"), PRIVATIZE.values(), ids=PRIVATIZE.keys())
def test_privatize(m: Any, most: int) -> None:
    # 100,000 unpacked rows would be 102 MB as bytes, their random words 819 MB.
    given = values()
    beyond, reports = peak_beyond_result(lambda: m.privatize(given, np.random.default_rng(2)))
    assert beyond < most * MB
    assert len(reports) == N


def test_the_usual_code_holds_more() -> None:
    # Negative control: a tenth of the users, one float for each bit.
    rng = np.random.default_rng(2)
    beyond, _ = peak_beyond_result(lambda: np.packbits(rng.random((N // 10, D)) < 0.27, axis=1))
    assert beyond > 80 * MB


@pytest.mark.parametrize(
    "m",
    [
        ldp.GRR(D, 1.0),
        ldp.OUE(D, 1.0),
        ldp.SubsetSelection(D, 1.0),
        ldp.HadamardResponse(D, 1.0),
        ldp.OLH(D, 1.0),
    ],
    ids=str,
)
def test_tally(m: Any) -> None:
    reports = m.privatize(values(), np.random.default_rng(2))
    beyond, tally = peak_beyond_result(lambda: m.tally(reports))
    assert beyond < MB
    assert tally.num_reports == N


@pytest.mark.parametrize("m", [ldp.OUE(D, 1.0), ldp.OLH(D, 1.0), ldp.SHE(D, 1.0)], ids=str)
def test_simulate(m: Any) -> None:
    # A billion users cost no more than one.
    counts = np.full(D, 10**9 // D)
    beyond, _ = peak_beyond_result(lambda: m.simulate(counts, np.random.default_rng(2)))
    assert beyond < MB


@pytest.mark.parametrize(
    ("m", "size"),
    [
        (ldp.GRR(11, 1.0), 1),
        (ldp.SUE(11, 1.0), 2),
        (ldp.OUE(1024, 1.0), 128),
        (ldp.SHE(11, 1.0), 22),
        (ldp.OLH(1024, 1.0), 12),
        (ldp.SubsetSelection(1024, 1.0), 128),
        (ldp.HadamardResponse(1024, 1.0), 2),
    ],
    ids=str,
)
def test_a_report_has_one_size(m: Any, size: int) -> None:
    # A length that varied with the value would tell it.
    for value in range(m.domain_size):
        reports = m.privatize([value] * 2, np.random.default_rng(value))
        assert reports.nbytes == 2 * size
        assert reports.flags.c_contiguous


LARGE = 2**31
CONSTRUCTORS: dict[str, Callable[[], Any]] = {
    "GRR": lambda: ldp.GRR(LARGE, 8.0),
    "OUE": lambda: ldp.OUE(LARGE, 1.0),
    "THE": lambda: ldp.THE(LARGE, 1.0),
    "SHE": lambda: ldp.SHE(LARGE, 1.0),
    "OLH": lambda: ldp.OLH(LARGE, 1.0),
    "SubsetSelection": lambda: ldp.SubsetSelection(LARGE, 1.0),
    "HadamardResponse": lambda: ldp.HadamardResponse(LARGE, 1.0),
    "HadamardResponse blocks": lambda: ldp.HadamardResponse(LARGE, 8.0),
    "SquareWave": lambda: ldp.SquareWave(LARGE, 8.0),
    "RRRR": lambda: ldp.RRRR(LARGE, 8.0, [], 8.0),
    "HierarchicalHistogram": lambda: ldp.HierarchicalHistogram(
        LARGE, 1.0, 2, ldp.SubsetSelection
    ),
    "LaplaceMean": lambda: ldp.means.LaplaceMean(0.0, 1.0, 1.0, 2**20),
    "PiecewiseMean": lambda: ldp.means.PiecewiseMean(0.0, 1.0, 1.0, 2**20),
    "HybridMean": lambda: ldp.means.HybridMean(0.0, 1.0, 1.0, 2**20),
    "VectorMean": lambda: ldp.means.VectorMean(ldp.means.OneBitMean, 0.0, 1.0, 1.0, LARGE),
}  # fmt: skip


@pytest.mark.parametrize("make", CONSTRUCTORS.values(), ids=CONSTRUCTORS.keys())
def test_a_mechanism_of_the_largest_domain_is_a_few_numbers(make: Callable[[], Any]) -> None:
    # An array over 2**31 values would be 16 GB, one over 2**20 windows 8 MB.
    beyond, _ = peak_beyond_result(make)
    assert beyond < 3 * MB


def test_an_array_over_all_windows_is_seen() -> None:
    beyond, _ = peak_beyond_result(lambda: float(np.arange(2**20).sum()))
    assert beyond > 8 * MB
