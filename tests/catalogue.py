"""The one list of mechanisms in the tests: how each is made, and what is known of it beside it.

A mechanism is added here and nowhere else. Tests ask for small ones (every report written out), for
all at any size and budget, or for one by its name; `test_catalogue.py` says what is missing.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from typing import Any, Generic, NamedTuple, TypeVar
from unittest.mock import patch

import numpy as np

from ldp import (
    BLH,
    GRR,
    OLH,
    OUE,
    RRRR,
    SHE,
    SUE,
    THE,
    AffineResponse,
    Assigned,
    CyclicResponse,
    CyclotomicResponse,
    FrequencyOracle,
    HadamardResponse,
    HierarchicalHistogram,
    LocalHashing,
    Mechanism,
    SquareWave,
    SubsetSelection,
    UnaryEncoding,
    WideHashing,
)
from ldp._words import at_least, shared_rest
from ldp.assigned import Intervals
from ldp.means import HybridMean, LaplaceMean, OneBitMean, PiecewiseMean, VectorMean
from ldp.mechanisms import families, restricted_levels
from ldp.mechanisms.hashing import REPORT
from ldp.mechanisms.primes import primes_from
from ldp.rivals import PIRAPPOR, BalancedSketch, CountMeanSketch, ModularSubsetSelection
from ldp.types import Array, Floats, PureMechanism

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
LOWER, UPPER = -1.0, 2.0  # of the small mean oracles
WORDS = 2**64
TYPICAL, LARGE, LARGEST = 300, 20_000, 2**31  # sizes of domains
M = TypeVar("M")
Rounding = Callable[[Any], Any]
Law = tuple[list[tuple[int, int]], list[tuple[int, float]]]


class Entry(NamedTuple, Generic[M]):
    """What the tests know of one family.

    `makers` make it at any size and budget, the first words of their names are public names;
    `small` at any budget, so small that `reports` writes out every report, in the order of the
    channel's columns, without the mechanism's help. `law` gives, from the integers that are drawn,
    the weights of one report under values between which they differ most, up to a common factor,
    and pairs of emitted and stated probabilities; `up` and `down` round these. A family whose only
    randomness is Laplace noise has no law: `test_noise.py` has that of the noise. `megabytes` are
    the most that 100,000 users cost beyond their reports, to privatize them and to count them.
    """

    makers: Mapping[str, Callable[[int, float], M]]
    small: list[Callable[[float], M]]
    reports: Callable[[Any], Array] | None
    law: Callable[[Any, Rounding, Rounding], Law] | None
    megabytes: tuple[int, int] = (2, 1)


# -- every report of a small one -------------------------------------------------------------------


def numbered(m: Any) -> Array:
    return np.arange(getattr(m, "num_outcomes", None) or m.domain_size)


def bit_rows(m: Any) -> Array:
    rows = np.array(list(product((0, 1), repeat=m.domain_size)), dtype=np.uint8)
    return np.packbits(rows, axis=1)


def subsets(m: Any) -> Array:
    chosen = combinations(range(m.domain_size), m.subset_size)
    return np.packbits([[v in s for v in range(m.domain_size)] for s in chosen], axis=1)


def modular_subsets(m: Any) -> Array:
    rows = [(j, row) for j, part in enumerate(m.parts) for row in subsets(part)]
    width = -(-max(m.moduli) // 8)
    reports = np.zeros(len(rows), dtype=[("modulus", "u1"), ("subset", "u1", (width,))])
    for report, (j, row) in zip(reports, rows, strict=True):
        report["modulus"], report["subset"][: row.size] = j, row
    return reports


def hashed(m: Any) -> Array:
    words = np.arange(2**m.hash_bits, dtype=np.uint64) << np.uint64(32 - m.hash_bits)
    seeds = (words[:, None] << np.uint64(32) | words).ravel()
    reports = np.empty(seeds.size * m.num_buckets, dtype=REPORT)
    reports["seed"] = np.repeat(seeds, m.num_buckets)
    reports["bucket"] = np.tile(np.arange(m.num_buckets), seeds.size)
    return reports


def buckets_of_functions(m: Any) -> Array:
    prime = m.family.prime
    functions = (prime - 1) * prime
    bucket = np.min_scalar_type(m.num_buckets - 1)
    reports = np.zeros(
        functions * m.num_buckets,
        dtype=[("function", np.min_scalar_type(functions - 1)), ("bucket", bucket)],
    )
    reports["function"] = np.repeat(np.arange(functions), m.num_buckets)
    reports["bucket"] = np.tile(np.arange(m.num_buckets), functions)
    return reports


def rows_of_functions(m: Any) -> Array:
    functions = m.family.prime**2
    rows = bit_rows(m.row)
    number = np.min_scalar_type(functions - 1)
    reports = np.zeros(
        functions * len(rows), dtype=[("function", number), ("row", "u1", rows.shape[1:])]
    )
    reports["function"] = np.repeat(np.arange(functions), len(rows))
    reports["row"] = np.tile(rows, (functions, 1))
    return reports


def widely_hashed(m: Any) -> Array:
    num_words = -(-m.num_bits // m.limb_bits) + 1
    words = np.arange(2**m.word_bits, dtype=np.uint32) << np.uint32(32 - m.word_bits)
    seeds = list(product(words, repeat=num_words))
    kind: Any = [("seed", "<u4", (num_words,)), ("bucket", "<u4")]
    return np.array(list(product(seeds, range(m.num_buckets))), dtype=kind)


def steps(m: Any) -> Array:
    """Tails at the ends."""
    return np.array(list(product(range(m.resolution + 1), repeat=m.domain_size)))


# -- the law that is emitted -----------------------------------------------------------------------


def response(m: Any, up: Rounding, down: Rounding) -> Law:
    other = int(up(m.q))
    return [(WORDS - (m.domain_size - 1) * other, other)], [(other, m.q)]


def hashed_response(m: Any, up: Rounding, down: Rounding) -> Law:
    return response(m.response, up, down)


def row_of_buckets(m: Any, up: Rounding, down: Rounding) -> Law:
    return bits(m.row, up, down)


def bits(m: Any, up: Rounding, down: Rounding) -> Law:
    own, other = int(down(m.p)), int(up(m.q))
    return [(own * (WORDS - other), other * (WORDS - own))], [(own, m.p), (other, m.q)]


def subset(m: Any, up: Rounding, down: Rounding) -> Law:
    # A set is one of comb(d - 1, k - 1) with the own value or one of comb(d - 1, k) without it.
    d, k = m.domain_size, m.subset_size
    own = WORDS - int(up(m._miss)) if m.p > 0.5 else int(down(m.p))
    return [(own * (d - k), (WORDS - own) * k)], [(own, m.p)]


def hadamard(m: Any, up: Rounding, down: Rounding) -> Law:
    others, stated = m._law.num_others, m._law.num_others * m._law.other
    miss = int(up(stated))
    return [((WORDS - miss) * others, miss * (m.block_size // 2))], [(miss, stated)]


def design(m: Any, up: Rounding, down: Rounding) -> Law:
    # Tickets are integers; rounded the wrong way, one more would go to each point of the block.
    given = families.law_of(m)
    inside = given.inside + (up is not at_least)
    own = Fraction(WORDS * given.block_size * inside, given.total)
    others = given.block_size - own / WORDS
    stated = [(int(own), m.p), (int(WORDS * others / (given.num_points - 1)), m.q)]
    return [(inside, given.outside)], stated


def design_and_constants(m: Any, up: Rounding, down: Rounding) -> Law:
    pairs, stated = design(m, up, down)
    return pairs, stated[:1]  # maps of slope zero are no part of a design, and change q


def window(m: Any, up: Rounding, down: Rounding) -> Law:
    size = 2 * m.half_width + 1 if isinstance(m, SquareWave) else m.window
    num_outside = m.num_outcomes - size
    outside = int(up(m.q))
    inside = int(shared_rest(np.uint64(outside), num_outside, size))
    # The units that are left go to the first cells, whatever the value: some have one more.
    assert 0 <= WORDS - size * inside - num_outside * outside < size
    return [(inside, outside), (inside + 1, outside + 1)], [(outside, m.q)]


def restricted(m: Any, up: Rounding, down: Rounding) -> Law:
    with patch.object(restricted_levels, "at_least", up):
        other_in, across, other_out = (int(w) for w in restricted_levels.weights(m.levels))
    k, outside = len(m.subset), m.domain_size - len(m.subset)
    own_in = WORDS - (k - 1) * other_in - outside * across
    own_out = WORDS - k * other_in - (outside - 1) * other_out
    in_subset = [(own_in, other_in)] if k else []
    reports = [own_out, *[across] * (k > 0), *[other_out] * (outside > 1)]
    stated = [(other_in, m.levels.other_in)] if k else []
    stated += [(other_out, m.levels.other_out)] if outside > 1 else []
    return [*in_subset, (max(reports), min(reports))], stated


def one_bit(m: Any, up: Rounding, down: Rounding) -> Law:
    return response(GRR(2, m.epsilon), up, down)


def hybrid(m: Any, up: Rounding, down: Rounding) -> Law:
    # A coin that knows no value says which of the two kinds of reports is sent.
    cells, bit = window(m.piecewise, up, down), one_bit(m.one_bit, up, down)
    return cells[0] + bit[0], cells[1] + bit[1]


def vector(m: Any, up: Rounding, down: Rounding) -> Law:
    pairs, stated = one_bit(m.coordinate, up, down)
    return [(own**m.num_reported, other**m.num_reported) for own, other in pairs], stated


def of_parts(m: Any, up: Rounding, down: Rounding) -> Law:
    """Whom a user answers, and at which level, is drawn whatever the value is."""
    parts = getattr(m, "levels", None) or m.parts
    parts = [part.mechanism for part in parts] if isinstance(m, Assigned) else parts
    laws = [emitted(part, up, down) for part in parts]
    return [p for pairs, _ in laws for p in pairs], [s for _, near in laws for s in near]


# -- the mechanisms --------------------------------------------------------------------------------


def budget(epsilon: Any) -> float:
    """Return a number, also in place of what is no budget and must be refused as it is."""
    short = isinstance(epsilon, int) and epsilon < 2**1023
    return float(epsilon) if short or isinstance(epsilon, float | np.floating) else 1.0


def restricting(domain_size: Any, epsilon: Any, size: int, share: float) -> RRRR:
    """Restrict to the last values, at most so many; one stays outside."""
    d = int(domain_size) if isinstance(domain_size, int | np.integer) else 2
    return RRRR(domain_size, epsilon, range(max(1, d - size), d), share * budget(epsilon))


def encoding(domain_size: Any, epsilon: Any) -> UnaryEncoding:
    rare = 3 * math.exp(-budget(epsilon))
    return UnaryEncoding(domain_size, epsilon, p=0.75, q=rare / (1 + rare))


def singles(domain_size: Any) -> tuple[int, int, int, bool] | None:
    """Blocks of one value, as those of :class:`ldp.GRR`."""
    d = int(domain_size) if isinstance(domain_size, int | np.integer) else 2
    return None if d > 2**20 else (next(primes_from(max(2, d), 2**21)), 1, 0, True)


def two_parts(d: int, epsilon: float) -> Assigned:
    halves = Intervals(d, 1 + (d > 2)), GRR(max(2, (d + 1) // 2), epsilon), 0.3
    return Assigned([halves, (Intervals(d, 1), WideHashing(d.bit_length(), epsilon), 0.7)])


PURE: dict[type, Entry[PureMechanism]] = {
    GRR: Entry({"GRR": GRR}, [partial(GRR, 2), partial(GRR, 5)], numbered, response),
    UnaryEncoding: Entry(
        {
            "SUE": SUE,
            "OUE": OUE,
            "THE": THE,
            "THE at 1": partial(THE, threshold=1.0),
            "UnaryEncoding": encoding,
        },
        [
            partial(SUE, 4),
            partial(OUE, 2),
            partial(OUE, 5),
            partial(OUE, 9),  # rows of two bytes, seven of their bits padding
            partial(THE, 4),
            partial(THE, 3, threshold=1.0),
        ],
        bit_rows,
        bits,
    ),
    LocalHashing: Entry(
        {"BLH": BLH, "OLH": OLH, "LocalHashing": partial(LocalHashing, num_buckets=5)},
        [
            partial(LocalHashing, 4, num_buckets=2, hash_bits=5),
            partial(LocalHashing, 4, num_buckets=3, hash_bits=4),
            partial(LocalHashing, 5, num_buckets=3, hash_bits=6),
            partial(LocalHashing, 3, num_buckets=5, hash_bits=5),
        ],
        hashed,
        hashed_response,
        megabytes=(4, 1),
    ),
    WideHashing: Entry(
        {"WideHashing": lambda d, e: WideHashing((int(d) - 1).bit_length(), e)},
        [
            partial(WideHashing, 4, num_buckets=3, limb_bits=2, word_bits=3),
            partial(WideHashing, 3, num_buckets=2, limb_bits=1, word_bits=2),
        ],
        widely_hashed,
        hashed_response,
        megabytes=(4, 2),
    ),
    SubsetSelection: Entry(
        {
            "SubsetSelection": SubsetSelection,
            "SubsetSelection of one": partial(SubsetSelection, subset_size=1),
        },
        [
            partial(SubsetSelection, 2),
            partial(SubsetSelection, 6),
            partial(SubsetSelection, 6, subset_size=5),
            partial(SubsetSelection, 5, subset_size=3),
            partial(SubsetSelection, 9, subset_size=3),
        ],
        subsets,
        subset,
        megabytes=(4, 1),
    ),
    HadamardResponse: Entry(
        {
            "HadamardResponse": HadamardResponse,
            "HadamardResponse blocks": partial(HadamardResponse, block_size=2),
        },
        [
            partial(HadamardResponse, 2),
            partial(HadamardResponse, 6),
            partial(HadamardResponse, 7, block_size=8),
            partial(HadamardResponse, 7, block_size=4),
            partial(HadamardResponse, 5, block_size=2),
        ],
        numbered,
        hadamard,
        megabytes=(4, 1),
    ),
    CyclotomicResponse: Entry(
        {
            "CyclotomicResponse": CyclotomicResponse,
            "CyclotomicResponse of one": lambda d, e: CyclotomicResponse(d, e, singles(d)),
        },
        [
            partial(CyclotomicResponse, 2),
            partial(CyclotomicResponse, 6),
            partial(CyclotomicResponse, 7, design=(7, 3, 1, True)),
            partial(CyclotomicResponse, 5, design=(13, 4, 1, False)),  # half of the classes
            partial(CyclotomicResponse, 9, design=(11, 5, 2, True)),
        ],
        numbered,
        design,
    ),
    CyclicResponse: Entry(
        {"CyclicResponse": CyclicResponse},
        [
            partial(CyclicResponse, 2),
            partial(CyclicResponse, 7, design=(2, 3)),
            partial(CyclicResponse, 6, design=(2, 3)),
            partial(CyclicResponse, 9, design=(3, 3)),
        ],
        numbered,
        design,
    ),
    CountMeanSketch: Entry(
        {"CountMeanSketch": partial(CountMeanSketch, num_buckets=16)},
        [
            partial(CountMeanSketch, 2, num_buckets=2),
            partial(CountMeanSketch, 4, num_buckets=3),
            partial(CountMeanSketch, 3, num_buckets=5),  # more buckets than values
        ],
        rows_of_functions,
        row_of_buckets,
        megabytes=(6, 2),
    ),
    BalancedSketch: Entry(
        {"BalancedSketch": BalancedSketch},
        [
            partial(BalancedSketch, 2),
            partial(BalancedSketch, 5),
            partial(BalancedSketch, 6, num_buckets=3),
        ],
        buckets_of_functions,
        hashed_response,
        megabytes=(6, 2),
    ),
    AffineResponse: Entry(
        {"AffineResponse": AffineResponse},
        [
            partial(AffineResponse, 2),
            partial(AffineResponse, 4),
            partial(AffineResponse, 5, window=4),  # one slope, as with a window of one
            partial(AffineResponse, 6),
            partial(AffineResponse, 9, window=5),
        ],
        numbered,
        design,
        megabytes=(2, 7),  # a count for each of half a million reports, twice
    ),
    PIRAPPOR: Entry(
        {"PIRAPPOR": PIRAPPOR},
        [partial(PIRAPPOR, 2), partial(PIRAPPOR, 5), partial(PIRAPPOR, 6)],
        numbered,
        design_and_constants,
        megabytes=(2, 14),  # a million reports
    ),
}
NOISY: dict[type, Entry[FrequencyOracle]] = {
    SHE: Entry(
        {"SHE": SHE},
        [partial(SHE, 2, resolution=1), partial(SHE, 3, resolution=3)],
        steps,
        None,
        (4, 1),
    )
}
OTHERS: dict[type, Entry[Mechanism]] = {
    SquareWave: Entry(
        {"SquareWave": SquareWave, "SquareWave narrow": partial(SquareWave, half_width=0)},
        [
            partial(SquareWave, 4),
            partial(SquareWave, 2, half_width=3),
            partial(SquareWave, 9, half_width=2),
        ],
        numbered,
        window,
    ),
    RRRR: Entry(
        {
            "RRRR": partial(restricting, size=1, share=0.8),
            "RRRR evenly outside": partial(restricting, size=3, share=1.0),
            "RRRR of many": partial(restricting, size=500, share=0.5),
            "RRRR of nothing": partial(restricting, size=0, share=1.0),
        },
        [
            lambda e: RRRR(2, e, [1], 0.6 * e),  # one value outside
            lambda e: RRRR(4, e, [2, 0], e),  # those outside are not told apart
            lambda e: RRRR(5, e, [3], 0.8 * e),
            lambda e: RRRR(6, e, [5, 1, 2], 0.5 * e),
        ],
        numbered,
        restricted,
    ),
    ModularSubsetSelection: Entry(
        {"ModularSubsetSelection": ModularSubsetSelection},
        [
            partial(ModularSubsetSelection, 2),
            partial(ModularSubsetSelection, 6, moduli=[5, 3]),
            partial(ModularSubsetSelection, 9, moduli=[4, 9]),  # rows of two bytes
        ],
        modular_subsets,
        of_parts,
        megabytes=(4, 2),
    ),
}
MEANS: dict[type, Entry[Any]] = {
    OneBitMean: Entry(
        {"OneBitMean": lambda k, e: OneBitMean(0.0, 1.0, e)},
        [partial(OneBitMean, LOWER, UPPER)],
        numbered,
        one_bit,
    ),
    PiecewiseMean: Entry(
        {
            "PiecewiseMean": lambda k, e: PiecewiseMean(0.0, 1.0, e, min(k, 2**14)),
            "PiecewiseMean of one cell": lambda k, e: PiecewiseMean(0.0, 1.0, e, min(k, 2**20), 1),
        },
        [
            partial(PiecewiseMean, LOWER, UPPER, resolution=1),
            partial(PiecewiseMean, LOWER, UPPER, resolution=7),
            partial(PiecewiseMean, LOWER, UPPER, resolution=6, window=3),
            partial(PiecewiseMean, LOWER, UPPER, resolution=3, window=11),
        ],
        numbered,
        window,
    ),
    HybridMean: Entry(
        {"HybridMean": lambda k, e: HybridMean(0.0, 1.0, e, min(k, 2**14))},
        [
            partial(HybridMean, LOWER, UPPER, resolution=7),
            partial(HybridMean, LOWER, UPPER, resolution=6, window=4),
        ],
        numbered,
        hybrid,
    ),
    LaplaceMean: Entry(
        {"LaplaceMean": lambda k, e: LaplaceMean(0.0, 1.0, e, min(k, 2**14))},
        [
            partial(LaplaceMean, LOWER, UPPER, resolution=1),
            partial(LaplaceMean, LOWER, UPPER, resolution=6),
        ],
        numbered,
        None,
    ),
}
SEVERAL: dict[type, Entry[Any]] = {  # users answer by several mechanisms, or several times
    VectorMean: Entry(
        {"VectorMean": lambda d, e: VectorMean(OneBitMean, 0.0, 1.0, e, d, min(d, 7))},
        [lambda e: VectorMean(OneBitMean, LOWER, UPPER, e, 3, 2)],
        None,
        vector,
    ),
    HierarchicalHistogram: Entry(
        {
            "HierarchicalHistogram": lambda d, e: HierarchicalHistogram(
                2 ** (int(d).bit_length() - 1), e, 2
            )
        },
        [lambda e: HierarchicalHistogram(4, e, 2)],
        None,
        of_parts,
    ),
    Assigned: Entry({"Assigned": two_parts}, [partial(two_parts, 4)], None, of_parts),
}
ORACLES: dict[type, Entry[Any]] = {**PURE, **NOISY}
FREQUENCIES: dict[type, Entry[Any]] = {**ORACLES, **OTHERS}
CATALOGUE: dict[type, Entry[Any]] = {**FREQUENCIES, **MEANS, **SEVERAL}
# Which refuse the largest domain at a budget of 1, and a size and a budget that they take.
LARGEST_TAKEN = {
    **dict.fromkeys(["LocalHashing", "RRRR", "RRRR evenly outside"], (2**20, 1.0)),
    **dict.fromkeys(
        ["CyclotomicResponse", "CyclotomicResponse of one", "CyclicResponse"], (2**20, 1.0)
    ),
    **dict.fromkeys(["GRR", "SquareWave narrow", "RRRR of nothing", "Assigned"], (LARGEST, 8.0)),
    "RRRR of many": (LARGEST, 12.0),
    "AffineResponse": (2**12, 1.0),  # at any budget
    "PIRAPPOR": (2**11, 1.0),
}


# -- what the tests ask for ------------------------------------------------------------------------


def makers(entries: Mapping[type, Entry[Any]] = FREQUENCIES) -> dict[str, Callable[..., Any]]:
    """Return what makes mechanisms, of a size and a budget, by name."""
    return {name: make for entry in entries.values() for name, make in entry.makers.items()}


def made(size: int, epsilon: float, entries: Mapping[type, Entry[Any]] = FREQUENCIES) -> Any:
    """Return every mechanism of a size, at a budget, by name."""
    return {name: make(size, epsilon) for name, make in makers(entries).items()}


def small_makers(entries: Mapping[type, Entry[Any]] = FREQUENCIES) -> list[Callable[[float], Any]]:
    """Return what makes the small ones, of a budget."""
    return [make for entry in entries.values() for make in entry.small]


def small(epsilon: float, entries: Mapping[type, Entry[Any]] = FREQUENCIES) -> list[Any]:
    """Return every small one, at a budget."""
    return [make(epsilon) for make in small_makers(entries)]


def drawn(m: Any, num_reports: int, seed: int = 0) -> Array:
    """Return reports of users who hold values of a random law."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.ones(m.domain_size))
    reports: Array = m.privatize(rng.choice(m.domain_size, num_reports, p=law), rng)
    return reports


def all_reports(m: Any) -> Array:
    """Return every report of a small one, in the order of the channel's columns."""
    write = CATALOGUE[type(m)].reports
    assert write is not None, m
    return write(m)


@cache
def scores(m: Any) -> Array:
    """Return what each report adds to the count of each value: the tally of that report alone."""
    reports = all_reports(m)
    return np.stack([m.tally(reports[y : y + 1]).counts for y in range(len(reports))])


def emitted(m: Any, up: Rounding, down: Rounding) -> Law:
    """Return weights of reports, and emitted beside stated probabilities: see :class:`Entry`."""
    law = CATALOGUE[type(m)].law
    assert law is not None, m
    return law(m, up, down)


def spent(m: Any) -> Any:
    """Return the budget that is meant: below epsilon for THE, RRRR with one value out, tickets."""
    if isinstance(m, UnaryEncoding) or hasattr(m, "design"):
        return float(np.log(m.odds))
    return m.spent_epsilon if isinstance(m, RRRR) else m.epsilon


def word_bits(m: Any) -> int:
    """Return how long words of a hash are; short ones leave dependence among three values."""
    return 1 if hasattr(m, "family") else int(getattr(m, "hash_bits", getattr(m, "word_bits", 32)))


def is_noisy(m: Any) -> bool:
    """Whether a report is a value plus Laplace noise, which has no last report."""
    return CATALOGUE[type(m)].law is None


def places(m: Any) -> Array:
    """Return the values of a small one: those of a domain, or points of a grid."""
    return np.arange(m.domain_size) if hasattr(m, "domain_size") else np.asarray(m.grid.points)


def numbers_and_laws(m: Any) -> tuple[Floats, Floats]:
    """Return numbers that a report of a mean can stand for, and their law at every grid point."""
    if not is_noisy(m):
        channel = m.channel()
        possible = np.flatnonzero(channel.any(axis=0))  # a hybrid may send the bit alone
        return m.unbiased(possible), channel[:, possible]
    decay, far = m.epsilon / m.grid.resolution, int(40 * m.grid.resolution / m.epsilon) + 1
    reports = np.arange(-far, m.grid.resolution + far + 1)
    distance = np.abs(reports - np.arange(m.grid.resolution + 1)[:, None])
    law = np.tanh(decay / 2) * np.exp(-decay * distance)
    return m.grid.lower + (m.grid.upper - m.grid.lower) * reports / m.grid.resolution, law


def law_given(m: Any, value: float, laws: Floats) -> Floats:
    """Mix the laws of the two grid points between which a value lies, so that its mean stays."""
    place = (value - m.grid.lower) / (m.grid.upper - m.grid.lower) * m.grid.resolution
    below = min(int(place), m.grid.resolution - 1)
    part = place - below
    mixed: Floats = (1 - part) * laws[below] + part * laws[below + 1]
    return mixed
