"""Every bad input of every mechanism: one sentence, before any work, and nothing coerced."""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pytest
from catalogue import is_noisy, made, makers

import ldp
from ldp.rivals import ModularSubsetSelection, residue_least_squares

D = 11  # one value into the second byte, so that packed rows have padding bits


MECHANISMS = made(D, 1.0)
FACTORIES = makers()
del FACTORIES["WideHashing"]  # is made for a number of bits
# With p and q fixed by the caller it is they that are refused.
CHOOSING = [name for name in FACTORIES if name != "UnaryEncoding"]

every_factory = pytest.mark.parametrize("make", FACTORIES.values(), ids=FACTORIES.keys())
every_mechanism = pytest.mark.parametrize("m", MECHANISMS.values(), ids=MECHANISMS.keys())


def refuse(
    call: Callable[[], object], *, naming: str, rng: np.random.Generator | None = None
) -> str:
    """Check that the call fails with one sentence that names the argument, the rule, the value."""
    before = None if rng is None else str(rng.bit_generator.state)
    with np.errstate(all="warn"), pytest.raises((ValueError, TypeError)) as caught:
        call()  # a warning is an error: see pyproject.toml
    message = str(caught.value)
    if naming == "epsilon":  # RRRR is given a share of epsilon beside it, which may be the culprit
        naming = "epsilon(_inner)?"
    assert re.fullmatch(rf"[^\n]*\b{naming}\b[^\n]* must [^\n]*, got [^\n]*\.", message), message
    assert before is None or str(rng.bit_generator.state) == before
    return message


def each_of(rows: list[tuple[Any, ...]]) -> list[tuple[Callable[[], object], str]]:
    """Return a call, and the name of the argument, for all that this argument must not be.

    A row is what takes the argument, its name, and one bad value after the other.
    """
    return [(partial(call, bad), naming) for call, naming, *every in rows for bad in every]


# -- the domain and the budget ---------------------------------------------------------------------

BAD_DOMAINS = [1, 0, -3, 2.0, 2.5, np.float64(4), "4", None, True, np.True_, [4], 4j, 10**400]
BAD_EPSILONS = [0, 0.0, -1, -0.5, np.nan, np.inf, -np.inf, "1", b"1", None, True, np.True_]
BAD_EPSILONS += [1j, np.complex128(1), [1.0], np.array([1.0]), Decimal(1), 10**400]


@every_factory
@pytest.mark.parametrize("domain_size", BAD_DOMAINS, ids=lambda value: repr(value)[:12])
def test_domain_size(make: Callable[..., Any], domain_size: object) -> None:
    refuse(lambda: make(domain_size, 1.0), naming="domain_size")


@every_factory
@pytest.mark.parametrize("epsilon", BAD_EPSILONS, ids=lambda value: repr(value)[:12])
def test_epsilon(make: Callable[..., Any], epsilon: object) -> None:
    refuse(lambda: make(D, epsilon), naming="epsilon")


TELLS_ALL, TELLS_NOTHING = [1e4, 1e100, 1.7e308, 2**1000], [1e-17, 1e-200, 5e-324]


@pytest.mark.parametrize("name", CHOOSING)
@pytest.mark.parametrize("epsilon", TELLS_ALL + TELLS_NOTHING, ids=str)
def test_epsilon_that_tells_all_or_nothing(name: str, epsilon: float) -> None:
    refuse(lambda: FACTORIES[name](D, epsilon), naming="epsilon")


@pytest.mark.parametrize("name", CHOOSING)
def test_any_epsilon_works_or_is_refused(name: str) -> None:
    # What is not refused must be usable: 0 < q < p < 1, and the frequencies finite.
    refused = []
    for epsilon in np.geomspace(1e-18, 1e3, 200):
        try:
            m = FACTORIES[name](D, float(epsilon))
        except ValueError as error:
            refused.append(str(error))
            continue
        if isinstance(m, ldp.RRRR):
            assert m.channel().min() > 0
            assert m.spent_epsilon == epsilon or m.domain_size == len(m.subset) + 1
        elif isinstance(m, ModularSubsetSelection):
            tally = m.simulate([9] * D, np.random.default_rng(1))
            assert np.isfinite(residue_least_squares(tally, m).frequencies).all()
            continue
        else:
            assert m.p > m.q
            assert is_noisy(m) or 0 < m.q < m.p < 1
        if isinstance(m, ldp.FrequencyOracle):
            tally = m.simulate([1] * D, np.random.default_rng(1))
            assert np.isfinite(ldp.debias(tally, m)).all()
            assert np.isfinite(ldp.variance(m, 11))
        else:
            assert np.isfinite(ldp.em(m.simulate([1] * D, np.random.default_rng(1)), m).theta).all()
    assert all(re.match("epsilon(_inner)? must", message) for message in refused)


BAD_SUBSETS = [range(D), [3, 4, 3], [*range(D), 0], [0, D], [-1], [2**70], [1.0], [0, True]]
BAD_SUBSETS += [np.array([2**64 - 1], dtype=np.uint64), {3: "a"}, [False], [np.nan], ["1"], "12"]
BAD_SUBSETS += [np.arange(D) < 3, [[1, 2]], [[1], [2, 3]], np.array(3), 3, None]  # a mask first
BAD_SUBSETS += [np.ma.array([1, 2], mask=[False, True])]
BAD_INNER = [1.0 + 2.0**-52, 1.5, 0, -0.5, np.nan, "0.8", True, None]
OTHERS = [
    (lambda bad: ldp.THE(D, 1.0, threshold=bad), "threshold", 0.4, 1.1, np.nan, "1"),
    (lambda bad: ldp.UnaryEncoding(D, 1.0, p=0.9, q=bad), "p and q", 0.1),
    (lambda bad: ldp.UnaryEncoding(D, 1.0, p=bad, q=0.5), "p", 0.4, np.nan, 1.0, "0.5"),
    (lambda bad: ldp.UnaryEncoding(D, 1.0, p=0.5, q=bad), "q", 0),
    (lambda bad: ldp.SHE(D, 1.0, resolution=bad), "resolution", 0, 1.5),
    (lambda bad: ldp.OLH(D, 1.0, num_buckets=bad), "num_buckets", 1, 2.0, 2**31),
    (lambda bad: ldp.LocalHashing(D, 1.0, 3, hash_bits=bad), "hash_bits", 33, 1),
    (lambda bad: ldp.LocalHashing(D, 1.0, 2, hash_bits=bad), "hash_bits", 2),
    (lambda bad: ldp.SubsetSelection(D, 1.0, subset_size=bad), "subset_size", 0, D, 2.0),
    (lambda bad: ldp.HadamardResponse(D, 1.0, block_size=bad), "block_size", 3, 64, 4.0),
    (lambda bad: ldp.SquareWave(D, 1.0, bad), "half_width", -1, 1.0, "1", True, 2**31 + 1),
    (lambda bad: ldp.RRRR(D, 1.0, bad, 0.8), "subset", *BAD_SUBSETS),
    (lambda bad: ldp.RRRR(D, 1.0, [1], bad), "epsilon_inner", *BAD_INNER),
    (lambda bad: ldp.RRRR(D, 1.0, [], bad), "epsilon_inner", 1.5),
    (lambda bad: ldp.RRRR(D, 1.0, [1], bad), "epsilon", 1e-17),  # too little for float64
]


@pytest.mark.parametrize(("call", "naming"), each_of(OTHERS))
def test_other_arguments(call: Callable[[], object], naming: str) -> None:
    refuse(call, naming=naming)


# -- users' values and the generator ---------------------------------------------------------------

BAD_VALUES = {
    "too large": [0, 16],
    "negative": [3, -1],
    "float": [1.0, 2.0],
    "nan": [np.nan],
    "object": np.array([1, None], dtype=object),
    "integers as objects": np.array([1, 2], dtype=object),
    "beyond 64 bits": [2**70],
    "large uint64": np.array([2**63 + 1], dtype=np.uint64),
    "wraps to -1 in int64": np.array([2**64 - 1], dtype=np.uint64),
    "2-d": [[1, 2], [3, 4]],
    "empty 2-d": np.zeros((0, 3), dtype=int),
    "0-d": 3,
    "bool": [True, False],
    "a bool among integers": [1, True],
    "strings": ["1", "2"],
    "a string": "12",
    "complex": [1j],
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "ragged": [[1], [1, 2]],
    "none": None,
    "masked": np.ma.array([1, 2], mask=[False, True]),
}


@every_mechanism
@pytest.mark.parametrize("values", BAD_VALUES.values(), ids=BAD_VALUES.keys())
def test_values(m: Any, values: object) -> None:
    rng = np.random.default_rng(1)
    refuse(lambda: m.privatize(values, rng), naming="values", rng=rng)


@every_mechanism
@pytest.mark.parametrize(
    "rng", [None, 1, np.random, np.random.RandomState(1), np.random.PCG64(1), np.random.Generator]
)
def test_generator(m: Any, rng: object) -> None:
    refuse(lambda: m.privatize([1, 2], rng), naming="rng")
    refuse(lambda: m.simulate([1] * m.domain_size, rng), naming="rng")
    refuse(lambda: m.privatize([], rng), naming="rng")


@every_mechanism
def test_generator_is_required(m: Any) -> None:
    with pytest.raises(TypeError, match="rng"):
        m.privatize([1, 2])
    with pytest.raises(TypeError, match="rng"):
        m.simulate([1] * m.domain_size)


BAD_COUNTS = {
    "negative": [1] * (D - 1) + [-1],
    "float": [1.0] * D,
    "too few": [1] * (D - 1),
    "too many": [1] * (D + 1),
    "2-d": [[1] * D],
    "0-d": 5,
    "empty": [],
    "bool": [True] * D,
    "object": np.array([1] * D, dtype=object),
    "strings": ["1"] * D,
    "large uint64": np.full(D, 2**63, dtype=np.uint64),
    "sum beyond 63 bits": [2**62] * D,
    "none": None,
}


@every_mechanism
@pytest.mark.parametrize("counts", BAD_COUNTS.values(), ids=BAD_COUNTS.keys())
def test_value_counts(m: Any, counts: object) -> None:
    rng = np.random.default_rng(1)
    refuse(lambda: m.simulate(counts, rng), naming="value_counts", rng=rng)


@every_mechanism
def test_good_values_in_every_form(m: Any) -> None:
    plain = np.array([1, 10, 0, 5])
    frozen = plain.copy()
    frozen.flags.writeable = False
    forms: list[Any] = [[1, 10, 0, 5], (1, 10, 0, 5), [np.int8(v) for v in plain], frozen]
    forms += [plain.astype(kind) for kind in ("u1", "i2", ">i4", "u8")]
    forms += [np.repeat(plain, 3)[::3], plain[::-1].copy()[::-1]]
    expected = m.privatize(plain, np.random.default_rng(5))
    for form in forms:
        assert np.array_equal(m.privatize(form, np.random.default_rng(5)), expected)
    assert plain.tolist() == [1, 10, 0, 5]


@every_factory
def test_numbers_in_every_form(make: Callable[..., Any]) -> None:
    assert make(np.int64(D), np.float64(1)) == make(np.uint8(D), np.float32(1)) == make(D, 1)


@every_mechanism
def test_no_users(m: Any) -> None:
    rng = np.random.default_rng(1)
    for nobody in ([], np.zeros(0), np.zeros(0, dtype=np.int64)):
        reports = m.privatize(nobody, rng)
        assert len(reports) == 0
        tally = m.tally(reports)
        assert tally.num_reports == 0
        assert not tally.counts.any()
        assert tally == m.simulate([0] * m.domain_size, rng)
        assert tally + tally == tally
        naming = "tally" if isinstance(m, ldp.FrequencyOracle) else "mechanism"
        refuse(lambda tally=tally: ldp.debias(tally, m), naming=naming)
        refuse(lambda tally=tally: ldp.confidence_interval(tally, m), naming=naming)


# -- reports ---------------------------------------------------------------------------------------

NUMBERS = [m for m in MECHANISMS.values() if hasattr(m, "num_outcomes") or type(m) is ldp.GRR]
UNARY = [m for m in MECHANISMS.values() if isinstance(m, ldp.UnaryEncoding)]
SUBSETS = [m for m in MECHANISMS.values() if isinstance(m, ldp.SubsetSelection)]
HASHED = [m for m in MECHANISMS.values() if isinstance(m, ldp.types.CandidateOracle)]
GOOD = {id(m): m.privatize([1, 10, 0], np.random.default_rng(3)) for m in MECHANISMS.values()}


def refuse_reports(m: Any, reports: object) -> None:
    for method in ("tally", "outcomes", "support"):
        if hasattr(m, method):
            refuse(lambda method=method: getattr(m, method)(reports), naming="reports'?")


@every_mechanism
@pytest.mark.parametrize(
    "reports",
    [None, 3, "ab", [None], [[1], [1, 2]], [1.5], [True], np.zeros((2, 2, 2), dtype=np.uint8)],
    ids=repr,
)
def test_reports_of_no_mechanism(m: Any, reports: object) -> None:
    refuse_reports(m, reports)


@every_mechanism
def test_reports_of_another_shape_or_type(m: Any) -> None:
    good = GOOD[id(m)]
    refuse_reports(m, good[None])
    refuse_reports(m, good[0])
    if good.dtype.names is None:
        refuse_reports(m, good.astype(np.float64))
        refuse_reports(m, good.astype(object))


@pytest.mark.parametrize("m", NUMBERS, ids=str)
def test_reports_out_of_range(m: Any) -> None:
    num_outcomes = getattr(m, "num_outcomes", D)
    refuse_reports(m, [0, num_outcomes])
    refuse_reports(m, [-1])
    refuse_reports(m, np.array([2**64 - 1], dtype=np.uint64))
    assert m.tally([0, num_outcomes - 1]).num_reports == 2


@pytest.mark.parametrize("m", UNARY + SUBSETS, ids=str)
def test_packed_reports(m: Any) -> None:
    good = GOOD[id(m)]
    refuse_reports(m, np.hstack([good, good]))
    refuse_reports(m, good[:, :1])
    refuse_reports(m, good.astype(np.int8))
    refuse_reports(m, np.unpackbits(good, axis=1))
    for bit in range(8 * good.shape[1] - D):
        padded = good.copy()
        padded[1, -1] |= 1 << bit
        refuse_reports(m, padded)


@pytest.mark.parametrize("m", SUBSETS, ids=str)
def test_sets_of_another_size(m: Any) -> None:
    small = GOOD[id(m)].copy()
    small[1] = 0
    refuse_reports(m, small)
    refuse_reports(m, np.array([[255, 0]], dtype=np.uint8))


@pytest.mark.parametrize("m", HASHED, ids=str)
def test_hashed_reports(m: Any) -> None:
    bad = GOOD[id(m)].copy()
    bad["bucket"][1] = m.num_buckets
    refuse_reports(m, bad)
    refuse_reports(m, GOOD[id(m)]["seed"])
    refuse_reports(m, GOOD[id(m)][["bucket", "seed"]])
    for candidates in ([m.domain_size], [-1], [1.0], [[1]], [True], "1"):
        refuse(
            lambda candidates=candidates: m.tally(GOOD[id(m)], candidates=candidates),
            naming="candidates",
        )


def test_seeds_with_unused_bits() -> None:
    m = ldp.LocalHashing(D, 1.0, num_buckets=3, hash_bits=20)  # of 32 bits in each half
    good = m.privatize([1, 10, 0], np.random.default_rng(3))
    for bit in (0, 11, 32, 43):
        bad = good.copy()
        bad["seed"][1] |= np.uint64(1 << bit)
        refuse_reports(m, bad)
    for bit in (12, 31, 44, 63):
        fine = good.copy()
        fine["seed"][1] ^= np.uint64(1 << bit)
        assert m.tally(fine).num_reports == 3


def test_sums_of_noise() -> None:
    m = MECHANISMS["SHE"]
    refuse_reports(m, np.zeros((2, D + 1), dtype=np.int64))
    # No report of this mechanism is so far out, and a sum of such would wrap around.
    refuse_reports(m, np.full((2, D), 2**62))
    refuse_reports(m, np.full((2, D), -(2**63)))


@every_mechanism
def test_good_reports_in_every_form(m: Any) -> None:
    good = GOOD[id(m)]
    expected = m.tally(good)
    frozen = good.copy()
    frozen.flags.writeable = False
    for form in (frozen, np.repeat(good, 2, axis=0)[::2], good[::-1], np.asfortranarray(good)):
        assert m.tally(form) == expected


# -- tallies ---------------------------------------------------------------------------------------

TALLY = ldp.Tally([1] * D, D, MECHANISMS["OUE"])


@pytest.mark.parametrize(
    "other",
    [
        ldp.Tally([1] * (D + 1), D, ldp.OUE(D + 1, 1.0)),
        ldp.Tally([1] * D, D, MECHANISMS["SUE"]),
        ldp.Tally([1] * D, D, ldp.OUE(D, 2.0)),
        ldp.Tally([1] * D, D),
    ],
    ids=["size", "mechanism", "epsilon", "none"],
)
def test_unequal_tallies(other: ldp.Tally) -> None:
    refuse(lambda: TALLY + other, naming="tallies")
    refuse(lambda: other + TALLY, naming="tallies")
    assert other != TALLY


def test_tallies_of_other_candidates() -> None:
    m, reports = MECHANISMS["OLH"], GOOD[id(MECHANISMS["OLH"])]
    asked = m.tally(reports, candidates=[1, 2])
    refuse(lambda: asked + m.tally(reports, candidates=[1, 3]), naming="tallies")
    refuse(lambda: m.tally(reports, candidates=range(D)) + m.tally(reports), naming="tallies")
    assert (asked + m.tally(reports, candidates=[1, 2])).num_reports == 6


@pytest.mark.parametrize("other", [3, 0.0, None, [1] * D], ids=repr)
def test_a_tally_and_something_else(other: object) -> None:
    with pytest.raises(TypeError):
        TALLY + other  # type: ignore[operator]


def test_tally_of_another_mechanism() -> None:
    for m in (MECHANISMS["SUE"], ldp.OUE(D, 2.0), MECHANISMS["GRR"]):
        refuse(lambda m=m: ldp.debias(TALLY, m), naming="tally")
        refuse(lambda m=m: ldp.confidence_interval(TALLY, m), naming="tally")
    refuse(lambda: ldp.debias(ldp.Tally([1] * 5, 5), MECHANISMS["OUE"]), naming="tally")


@pytest.mark.parametrize(
    ("counts", "num_reports", "naming"),
    [
        ([], 0, "counts"),
        ([[1, 2]], 3, "counts"),
        ([np.nan, 1.0], 1, "counts"),
        (["1", "2"], 3, "counts"),
        ([True, False], 1, "counts"),
        (np.array([1, 2], dtype=object), 3, "counts"),
        (np.array([2**63, 1], dtype=np.uint64), 3, "counts"),
        ([1, 2], -1, "num_reports"),
        ([1, 2], 3.0, "num_reports"),
        ([1, 2], True, "num_reports"),
    ],
)
def test_tally_fields(counts: Any, num_reports: Any, naming: str) -> None:
    refuse(lambda: ldp.Tally(counts, num_reports), naming=naming)
