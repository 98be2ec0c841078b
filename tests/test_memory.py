"""What a call holds in memory beyond what it returns, and what a report weighs."""

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from catalogue import CATALOGUE, LARGEST, LARGEST_TAKEN, made, makers

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


EVERY = {name: m for name, m in made(D, 1.0).items() if m.domain_size == D}
every = pytest.mark.parametrize("m", EVERY.values(), ids=EVERY)


def reports_of(m: Any) -> tuple[Callable[[], Any], int]:
    """Reports of so many users that they take less than 100 MB."""
    n = N if m.privatize([0], np.random.default_rng(0)).nbytes < 1_000 else N // 100
    given = values()[:n]
    return lambda: m.privatize(given, np.random.default_rng(2)), n


@every
def test_privatize(m: Any) -> None:
    # 100,000 unpacked rows would be 102 MB as bytes, their random words 819 MB.
    privatize, n = reports_of(m)
    beyond, reports = peak_beyond_result(privatize)
    assert beyond < CATALOGUE[type(m)].megabytes[0] * MB
    assert len(reports) == n


def test_the_usual_code_holds_more() -> None:
    # Negative control: a tenth of the users, one float for each bit.
    rng = np.random.default_rng(2)
    beyond, _ = peak_beyond_result(lambda: np.packbits(rng.random((N // 10, D)) < 0.27, axis=1))
    assert beyond > 80 * MB


@every
def test_tally(m: Any) -> None:
    privatize, n = reports_of(m)
    reports = privatize()
    beyond, tally = peak_beyond_result(lambda: m.tally(reports))
    assert beyond < CATALOGUE[type(m)].megabytes[1] * MB
    assert tally.num_reports == n


@every
def test_simulate(m: Any) -> None:
    # A billion users cost no more than one.
    counts = np.full(D, 10**9 // D)
    rng = np.random.default_rng(2)
    beyond, _ = peak_beyond_result(lambda: m.simulate(counts, rng))
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


CONSTRUCTORS = {
    name: partial(make, *LARGEST_TAKEN.get(name, (LARGEST, 1.0)))
    for name, make in makers(CATALOGUE).items()
}
CONSTRUCTORS |= {
    f"{mean.__name__} of many points": partial(mean, 0.0, 1.0, 1.0, 2**20)
    for mean in (ldp.means.LaplaceMean, ldp.means.PiecewiseMean, ldp.means.HybridMean)
}
CONSTRUCTORS["HierarchicalHistogram of subsets"] = partial(
    ldp.HierarchicalHistogram, LARGEST, 1.0, 2, ldp.SubsetSelection
)


@pytest.mark.parametrize("make", CONSTRUCTORS.values(), ids=CONSTRUCTORS.keys())
def test_a_mechanism_of_the_largest_domain_is_a_few_numbers(make: Callable[[], Any]) -> None:
    # An array over 2**31 values would be 16 GB, one over 2**20 windows 8 MB.
    beyond, _ = peak_beyond_result(make)
    assert beyond < 3 * MB


@pytest.mark.parametrize("name", LARGEST_TAKEN)
def test_others_take_no_more(name: str) -> None:
    with pytest.raises(ValueError, match=r"^(domain_size|epsilon|num_buckets) must"):
        makers(CATALOGUE)[name](LARGEST, 1.0)


def test_an_array_over_all_windows_is_seen() -> None:
    beyond, _ = peak_beyond_result(lambda: float(np.arange(2**20).sum()))
    assert beyond > 8 * MB
