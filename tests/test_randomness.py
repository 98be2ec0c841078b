"""Randomness comes from the caller's generator alone, and how much of it says nothing."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from catalogue import TYPICAL as D
from catalogue import made

import ldp
from ldp._words import words
from ldp.rivals import ModularSubsetSelection, residue_covariance, residue_least_squares

MECHANISMS = made(D, 1.0) | {f"{name} sharp": m for name, m in made(D, 6.0).items()}
every_mechanism = pytest.mark.parametrize("m", MECHANISMS.values(), ids=MECHANISMS.keys())
GENERATORS = [np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.MT19937]
GENERATORS += [np.random.SFC64]

Privatize = Callable[[npt.ArrayLike, np.random.Generator], npt.NDArray[Any]]


def some_values(num_users: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(num_users).integers(0, D, num_users)


def state_after(privatize: Privatize, values: npt.ArrayLike, seed: int) -> str:
    rng = np.random.default_rng(seed)
    privatize(values, rng)
    return str(rng.bit_generator.state)


def consumption_is_free_of_values(privatize: Privatize) -> bool:
    """Say whether users with any values leave the generator in the same state."""
    n = 1_500
    inputs = [np.zeros(n, dtype=int), np.full(n, D - 1), np.arange(n) % D, some_values(n)]
    return all(len({state_after(privatize, values, seed) for values in inputs}) == 1
               for seed in range(5))  # fmt: skip


def rejecting_grr(values: npt.ArrayLike, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Negative control: draw another value by trying until it is another."""
    p = MECHANISMS["GRR"].p
    reports = np.array(values)
    for i, value in enumerate(reports.tolist()):
        if rng.random() >= p:
            while reports[i] == value:
                reports[i] = rng.integers(0, D)
    return reports


@every_mechanism
def test_consumption_is_free_of_values(m: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Who sees how far the generator went, or how long it took, must not learn a value. Runs of
    # words are cut short, so that every mechanism needs several.
    monkeypatch.setattr("ldp._kernels._WORDS_PER_CHUNK", 512)
    assert consumption_is_free_of_values(m.privatize)


def test_consumption_of_a_sampler_that_rejects() -> None:
    assert not consumption_is_free_of_values(rejecting_grr)


@every_mechanism
def test_same_seed_same_reports(m: Any) -> None:
    values = some_values(700)
    first, again, other = (m.privatize(values, np.random.default_rng(s)) for s in (1, 1, 2))
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()
    counts = np.bincount(values, minlength=m.domain_size)
    assert m.simulate(counts, np.random.default_rng(1)) == m.simulate(
        counts, np.random.default_rng(1)
    )


@every_mechanism
def test_two_calls_go_on_in_the_stream(m: Any) -> None:
    # The second half of the users does not see the randomness of the first half again.
    rng = np.random.default_rng(1)
    values = np.zeros(200, dtype=int)
    assert m.privatize(values, rng).tobytes() != m.privatize(values, rng).tobytes()


@pytest.mark.parametrize("name", ["GRR", "GRR sharp", "RRRR"])
def test_reports_of_a_part_of_the_users(name: str) -> None:
    # These take a fixed run of words per user, so users may come in parts. The others
    # take words in blocks for many users at once, and make no such promise.
    m, values = MECHANISMS[name], some_values(1_500)
    rng = np.random.default_rng(1)
    parts = [m.privatize(part, rng) for part in (values[:1], values[1:1_001], values[1_001:])]
    assert np.array_equal(np.concatenate(parts), m.privatize(values, np.random.default_rng(1)))


@every_mechanism
def test_a_report_depends_on_no_other_value(m: Any) -> None:
    values = some_values(600)
    changed = values.copy()
    changed[100] = (changed[100] + D // 2) % D
    differ = np.zeros(values.size, dtype=bool)
    for seed in range(40):
        before = m.privatize(values, np.random.default_rng(seed))
        after = m.privatize(changed, np.random.default_rng(seed))
        unequal = before != after
        differ |= unequal.any(axis=1) if unequal.ndim == 2 else unequal
    assert np.flatnonzero(differ).tolist() == [100]


@every_mechanism
@pytest.mark.parametrize("bit_generator", GENERATORS, ids=lambda kind: kind.__name__)
def test_any_bit_generator(m: Any, bit_generator: type[np.random.BitGenerator]) -> None:
    # 4,000 users with value 7: its count is Bin(4000, p), and 6 standard deviations are missed
    # with probability 2e-9. SHE sums noise of the given variance instead.
    n = 4_000
    rng = np.random.Generator(bit_generator(12))
    for tally in (
        m.tally(m.privatize(np.full(n, 7), rng)),
        m.simulate(n * np.eye(m.domain_size, dtype=int)[7], rng),
    ):
        if isinstance(m, ldp.FrequencyOracle):
            deviation = np.sqrt(ldp.variance(m, n, np.eye(m.domain_size)[7])[7])
            assert abs(ldp.debias(tally, m)[7] - 1) < 6 * deviation
        elif isinstance(m, ModularSubsetSelection):
            each = m.reports_each(tally).astype(int)
            deviation = np.sqrt(residue_covariance(m, each, np.eye(m.domain_size)[7])[7, 7])
            assert abs(residue_least_squares(tally, m).frequencies[7] - 1) < 6 * deviation
        else:
            law = m.channel()[7]
            near = law > 0.999 * law.max()  # the own report, or the window
            share = law[near].sum()
            assert abs(tally.counts[near].sum() / n - share) < 6 * np.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("bit_generator", GENERATORS, ids=lambda kind: kind.__name__)
def test_words_fill_64_bits(bit_generator: type[np.random.BitGenerator]) -> None:
    # MT19937 makes 32 bits at a time: both halves must be filled, and differ.
    drawn = words(np.random.Generator(bit_generator(1)), 1_000)
    ones = np.unpackbits(drawn.view(np.uint8)).reshape(1_000, 64).sum(axis=0)
    assert ((ones > 400) & (ones < 600)).all()  # 6.3 standard deviations
    assert not (drawn >> np.uint64(32) == drawn & np.uint64(2**32 - 1)).any()


@every_mechanism
def test_global_state_is_untouched(m: Any) -> None:
    before = str(np.random.get_state())  # noqa: NPY002
    reports = m.privatize(some_values(100), np.random.default_rng(1))
    m.tally(reports)
    m.simulate(np.ones(m.domain_size, dtype=int), np.random.default_rng(1))
    assert str(np.random.get_state()) == before  # noqa: NPY002


def test_import_neither_seeds_nor_draws() -> None:
    code = """
import random
import numba, scipy.optimize, scipy.special  # they may do as they please
import numpy as np
random.seed(1); np.random.seed(1)
before = random.getstate(), str(np.random.get_state())
called = []
for name in ("default_rng", "SeedSequence", "Generator", "RandomState", "seed"):
    def spy(*args, _real=getattr(np.random, name), _name=name, **kwargs):
        called.append(_name)
        return _real(*args, **kwargs)
    if name != "Generator":  # the package asks for its type
        setattr(np.random, name, spy)
import ldp
assert not called, called
assert (random.getstate(), str(np.random.get_state())) == before
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
