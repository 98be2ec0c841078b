"""Designs modulo v: every pair of points equally often, every cell its tickets, exact tallies."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.stats

from ldp import CyclicResponse, CyclotomicResponse, SubsetSelection, Tally, variance
from ldp.mechanisms import _family_kernels, cyclic, cyclic_sums, families
from ldp.mechanisms.cyclic import Hyperplanes
from ldp.mechanisms.cyclotomic import PowerClasses
from ldp.mechanisms.families import Family
from ldp.mechanisms.primes import divisors, is_prime, prime_factors, primes_from
from ldp.mechanisms.singer import hyperplane_order, num_residues
from ldp.mechanisms.tickets import Tickets
from ldp.types import Array, Integers

PRIMES = [number for number in range(2, 60) if all(number % k for k in range(2, number))]
SOME = [  # with and without 0, all classes and half of them, shifts of one set, single points
    PowerClasses(13, 4, 1, False),
    PowerClasses(13, 3, 1, True),
    PowerClasses(11, 5, 2, True),
    PowerClasses(7, 2, 1, False),
    PowerClasses(5, 4, 3, True),
    PowerClasses(2, 1, 0, True),
    Hyperplanes(2, 3),
    Hyperplanes(3, 3),
    Hyperplanes(4, 2),
]
of_some = pytest.mark.parametrize("design", SOME, ids=str)


def holds(family: Family) -> Array:
    """Blocks (c, s) as rows: whether each holds x, that is whether x - s is in base block c."""
    v = family.num_points
    member = np.zeros((family.num_blocks, v), dtype=bool)
    for row, residues in zip(member, family.blocks(), strict=True):
        row[residues] = True
    x_minus_s = (np.arange(v) - np.arange(v)[:, None]) % v
    return member[:, x_minus_s].reshape(-1, v)


def is_balanced(family: Family) -> bool:
    """Whether all pairs of points are in equally many blocks, by counting; and all points."""
    rows = holds(family).astype(float)
    together = rows.T @ rows
    apart = together[~np.eye(family.num_points, dtype=bool)]
    m, w, v = family.num_blocks, family.block_size, family.num_points
    assert (np.diag(together) == m * w).all()
    return bool((apart * (v - 1) == m * w * (w - 1)).all())


# -- which families are designs --------------------------------------------------------------------


@pytest.mark.parametrize("prime", PRIMES)
def test_power_classes_are_designs_and_half_of_them_just_where_it_is_said(prime: int) -> None:
    """Every number of classes, of those taken, with 0 and without."""
    for classes in divisors(prime - 1):
        size = (prime - 1) // classes
        for taken, zero in product(range(classes), (False, True)):
            if taken + zero == 0:
                continue
            design = PowerClasses(prime, classes, taken, zero)
            assert is_balanced(design.family), design
            assert is_balanced(design.family._replace(num_blocks=classes)), design
            assert (2 * design.num_blocks == classes) == (classes % 2 == 0 and size % 2 == 1)
            if classes % 2 == 0 and size % 2 == 0 and taken:  # the control: it is sharp
                assert not is_balanced(design.family._replace(num_blocks=classes // 2)), design


@pytest.mark.parametrize("prime", PRIMES)
def test_classes_are_those_of_the_discrete_logarithm(prime: int) -> None:
    for classes in divisors(prime - 1):
        order = PowerClasses(prime, classes, 1, False).family.order
        assert sorted(order.tolist()) == list(range(1, prime))
        runs = order.reshape(classes, -1).tolist()
        powers = {pow(x, classes, prime) for x in range(1, prime)}
        assert set(runs[0]) == powers  # class 0 is that of the powers, and ...
        for first, second in zip(runs, [*runs[1:], runs[0]], strict=True):
            ratios = {b * pow(a, -1, prime) % prime for a, b in product(first, second)}
            assert len(ratios) == len(first)  # ... each class is the one before times one class
            assert ratios == {b * pow(runs[0][0], -1, prime) % prime for b in runs[1 % classes]}


@pytest.mark.parametrize(
    ("order", "dimension"),
    [
        (2, 3),
        (2, 6),
        (2, 9),
        (3, 3),
        (3, 5),
        (4, 3),
        (4, 4),
        (5, 3),
        (8, 3),
        (9, 3),
        (25, 3),
        (32, 2),
    ],
)
def test_hyperplanes_are_designs(order: int, dimension: int) -> None:
    design = Hyperplanes(order, dimension)
    residues = hyperplane_order(order, dimension)
    assert sorted(residues.tolist()) == list(range(1, design.num_points))
    assert is_balanced(design.family)
    damaged = residues.copy()
    damaged[[0, -1]] = damaged[[-1, 0]]  # the control: one residue is another
    assert dimension == 2 or not is_balanced(design.family._replace(order=damaged))


def test_the_smallest_hyperplanes_of_each_dimension_are_looked_at() -> None:
    for d in (*range(2, 70), 1023, 1024, 1025, 4095, 4096, 4097):
        found = list(cyclic._designs(d))
        for dimension in range(2, 24):
            powers = (n for n in range(2, 2 * d + 1) if len(prime_factors(n)) == 1)
            first = next(n for n in powers if num_residues(n, dimension) >= d)
            of_dimension = [each.order for each in found if each.dimension == dimension]
            if num_residues(first, dimension) <= 2**23:
                assert of_dimension[0] == first
                assert len(of_dimension) <= 20


def test_number_theory() -> None:
    assert [n for n in range(60) if is_prime(n)] == PRIMES == list(primes_from(0, 59))
    for n in range(1, 300):
        assert divisors(n) == [k for k in range(1, n + 1) if n % k == 0]
        assert prime_factors(n) == [k for k in divisors(n) if is_prime(k)]


# -- the law of a report ---------------------------------------------------------------------------


@of_some
def test_every_cell_gets_exactly_its_tickets(design: Any) -> None:
    """By enumeration of all tickets: also the last place, which wrapping around once lost."""
    family, v = design.family, design.num_points
    law = Tickets(5, 2, design.block_size, v, design.num_blocks)
    size = law.num_blocks * law.total
    words = np.array([-(-k * 2**64 // size) for k in range(size)], dtype=np.uint64)
    blocks = family.order, family.step, family.with_zero
    for x in range(v):
        cells = np.empty(size, dtype=np.int64)
        _family_kernels.draw_cells(np.full(size, x), words, law.numbers, blocks, cells)
        tickets = np.bincount(cells, minlength=law.num_blocks * v)
        np.testing.assert_array_equal(tickets, np.where(holds(family)[:, x], 5, 2))


def made(design: Any, domain_size: int, epsilon: float) -> Any:
    kind: Any = CyclotomicResponse if isinstance(design, PowerClasses) else CyclicResponse
    return kind(domain_size, epsilon, tuple(design))


@of_some
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_p_and_q_are_right_to_the_last_digit(design: Any, epsilon: float) -> None:
    """From the channel in fractions: all blocks that hold a value, for every value of every user.

    Also where some of the points are no values.
    """
    rows, v = holds(design.family), design.num_points
    for d in {v, max(2, v - 2)}:
        m = made(design, d, epsilon)
        law = families.law_of(m)
        total = law.num_blocks * law.total
        for x, y in product(range(min(d, 4)), range(d)):
            inside = int((rows[:, x] & rows[:, y]).sum())
            outside = int((~rows[:, x] & rows[:, y]).sum())
            chance = Fraction(inside * law.inside + outside * law.outside, total)
            assert float(chance) == (m.p if x == y else m.q)


@of_some
def test_supports_are_blocks(design: Any) -> None:
    m = made(design, max(2, design.num_points - 1), 1.0)
    bits = m.support(np.arange(m.num_outcomes))
    rows = np.unpackbits(bits, axis=1, count=m.domain_size)
    np.testing.assert_array_equal(rows, holds(design.family)[:, : m.domain_size])


# -- the tally -------------------------------------------------------------------------------------


def brute_force(m: Any, histogram: Integers) -> list[int]:
    rows = holds(m.design.family)[:, : m.domain_size]
    return [sum(int(n) for n in histogram[column]) for column in rows.T]


DECODED = [made(each, max(2, each.num_points - 1), 1.0) for each in SOME]
DECODED += [CyclotomicResponse(d, e) for d in (20, 59, 64, 127, 128) for e in (0.5, 2.0)]
DECODED += [CyclicResponse(d, e) for d in (20, 59, 127) for e in (0.5, 2.0)]


@pytest.mark.parametrize("m", DECODED, ids=repr)
@pytest.mark.parametrize("additions_each", [0, 2**40], ids=["transform", "additions"])
def test_decoding_equals_brute_force(m: Any, additions_each: int, monkeypatch: Any) -> None:
    """To the last of up to 2**62 reports, which no floating-point transform would have."""
    monkeypatch.setattr(cyclic_sums, "_ADDITIONS_EACH", additions_each)
    rng = np.random.default_rng(1)
    cells = m.num_outcomes
    one = np.zeros(cells, dtype=np.int64)
    one[cells // 3] = 2**62
    for histogram in (
        rng.integers(0, 100, cells),
        rng.integers(0, 2**62 // cells, cells),
        np.full(cells, 2**62 // cells),
        one,
    ):
        shaped = histogram.reshape(m.design.num_blocks, -1)
        sums = cyclic_sums.cyclic_sums(shaped, m.design.family.blocks(), m.domain_size)
        assert sums.tolist() == brute_force(m, histogram)


@pytest.mark.parametrize("d", [300, 1_000, 8_200, 20_000])
def test_tallies_of_large_domains_count_supports(d: int) -> None:
    """Small enough for additions, and so large that the transform is used."""
    for m in (CyclotomicResponse(d, 2.0), CyclicResponse(d, 2.0)):
        rng = np.random.default_rng(d)
        reports = m.privatize(rng.integers(0, d, 200), rng)
        held = np.unpackbits(m.support(reports), axis=1, count=d)
        np.testing.assert_array_equal(m.tally(reports).counts, held.sum(axis=0))


def test_multiplication_modulo_the_prime() -> None:
    prime = _family_kernels.PRIME
    assert is_prime_by_fermat(prime)
    assert pow(7, (prime - 1) // 2, prime) == prime - 1  # 7 is no square: roots of one of 2**32
    edges = [0, 1, 2, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**63, prime - 2**32, prime - 1]
    some = np.random.default_rng(2).integers(0, prime, 300, dtype=np.uint64).tolist()
    pairs = [*product(edges, edges), *zip(some, reversed(some), strict=True)]
    for a, b in pairs:
        found = _family_kernels.multiply(np.uint64(a), np.uint64(b))
        assert int(found) == a * b % prime


def is_prime_by_fermat(number: int) -> bool:
    """Pocklington: 7 has an order divided by 2**32, the larger part of the root of the number."""
    root = pow(7, (number - 1) // 2, number)
    return pow(7, number - 1, number) == 1 and math.gcd(root - 1, number) == 1


# -- tallies drawn without reports -----------------------------------------------------------------


def law_of_tallies(m: Any, values: list[int]) -> dict[tuple[int, ...], float]:
    """Exact law of the tally of a few users: all their reports."""
    channel, law = m.channel(), {tuple([0] * m.domain_size): 1.0}
    rows = holds(m.design.family)[:, : m.domain_size]
    for value in values:
        longer: dict[tuple[int, ...], float] = {}
        for (counts, chance), cell in product(law.items(), range(m.num_outcomes)):
            key = tuple((np.array(counts) + rows[cell]).tolist())
            longer[key] = longer.get(key, 0.0) + chance * channel[value, cell]
        law = longer
    return law


def p_value(drawn: list[tuple[int, ...]], law: dict[tuple[int, ...], float]) -> float:
    """Chi-square test of tallies; those expected less than five times are one class."""
    common = {key: len(drawn) * chance for key, chance in law.items() if len(drawn) * chance >= 5}
    found = [drawn.count(key) for key in common]
    wanted = list(common.values())
    if len(common) < len(law):
        found, wanted = [*found, len(drawn) - sum(found)], [*wanted, len(drawn) - sum(wanted)]
    return float(scipy.stats.chisquare(found, np.array(wanted)).pvalue)


@pytest.mark.parametrize("per_cell", [-1, 8], ids=["by cells", "by reports"])
@pytest.mark.parametrize("design", [SOME[1], SOME[4], SOME[6]], ids=str)
def test_drawn_tallies_have_their_exact_joint_law(
    design: Any, per_cell: int, monkeypatch: Any
) -> None:
    """Of two users, by all their reports; false alarms: six in 10**4 runs, at other seeds."""
    monkeypatch.setattr(families, "_REPORTS_PER_CELL", per_cell)
    m, rng = made(design, 4, 1.0), np.random.default_rng(5)
    drawn = [tuple(m.simulate([0, 1, 0, 1], rng).counts.tolist()) for _ in range(3_000)]
    law = law_of_tallies(m, [1, 3])
    assert set(drawn) <= law.keys()
    assert p_value(drawn, law) > 1e-4
    assert p_value(drawn, law_of_tallies(m, [0, 1])) < 1e-4  # the control: another user


def test_spreading_keeps_all_and_fills_cells_alike() -> None:
    """False alarm of each of the twenty cells: a normal deviation beyond 5, 6e-7."""
    for size in (1, 2, 3, 20):
        rows = families._spread(np.array([10**9, 0, 10**9]), size, np.random.default_rng(3))
        assert rows.shape == (3, size)
        assert rows.sum(axis=1).tolist() == [10**9, 0, 10**9]
        deviation = math.sqrt(10**9 / size * (1 - 1 / size))
        assert np.abs(rows[[0, 2]] - 10**9 / size).max() <= 5 * deviation


def test_a_billion_users() -> None:
    """Each count within 6 standard errors of its mean: false alarms below 3e-6."""
    m, n = CyclotomicResponse(1024, 1.0), 10**9
    counts = np.random.default_rng(1).multinomial(n, np.full(1024, 1 / 1024))
    tally = m.simulate(counts, np.random.default_rng(2))
    mean = n * m.q + counts * (m.p - m.q)
    spread = np.sqrt((n - counts) * m.q * (1 - m.q) + counts * m.p * (1 - m.p))
    assert tally.num_reports == n
    assert (np.abs(tally.counts - mean) < 6 * spread).all()


# -- defaults and refusals -------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.05, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0])
def test_the_default_is_within_half_a_per_cent_of_subset_selection(epsilon: float) -> None:
    """From 100 values on at budgets up to 2; the worst is 114, behind a gap between primes."""
    for d in (*range(100, 160), 200, 293, 317, 500, 1024, 1327, 4096, 10**5, 2**20):
        m = CyclotomicResponse(d, epsilon)
        assert variance(m, 1) < 1.005 * variance(SubsetSelection(d, epsilon), 1)
        assert m.num_outcomes <= 2**24


def noise_of(m: Any) -> float:
    return families.noise(m.design.num_points, m.design.block_size, m.epsilon)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 5.0])
def test_the_default_is_the_best_of_all(epsilon: float) -> None:
    """Of all designs modulo primes up to twice the size, whatever the share of their blocks.

    The fewest blocks near subset selection's variance; else the least variance.
    """
    for d in (2, 4, 7, 8, 20, 31, 64):
        near, found = 1.003 * variance(SubsetSelection(d, epsilon), 1), []
        for prime in primes_from(d, 2 * d):
            for classes in divisors(prime - 1):
                for taken, zero in product(range(classes), (False, True)):
                    if taken + zero:
                        design = PowerClasses(prime, classes, taken, zero)
                        noise = families.noise(prime, design.block_size, epsilon)
                        found.append((max(noise, near), design.num_blocks * prime))
        m = CyclotomicResponse(d, epsilon)
        assert (max(noise_of(m), near), m.num_outcomes) == min(found)


def test_the_default_hyperplanes_have_the_least_noise() -> None:
    for d, epsilon in product((2, 10, 57, 100, 1000), (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)):
        m = CyclicResponse(d, epsilon)
        for order, dimension in product((2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 31, 32), range(2, 13)):
            if d <= Hyperplanes(order, dimension).num_points <= 2**23:
                other = CyclicResponse(d, epsilon, (order, dimension))
                assert noise_of(m) <= noise_of(other)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_designs_are_chosen_by_the_variance_that_they_have(epsilon: float) -> None:
    for m in (CyclotomicResponse(300, epsilon), CyclicResponse(300, epsilon)):
        assert noise_of(m) == pytest.approx(variance(m, 1), rel=1e-9)  # but for whole tickets


@pytest.mark.parametrize(
    ("kind", "design", "error", "message"),
    [
        (CyclotomicResponse, [13, 4, 1, False], TypeError, "design must be a tuple of a prime"),
        (CyclotomicResponse, (13, 4, 1), TypeError, "design must be a tuple of a prime"),
        (CyclotomicResponse, (13, 4, 1, 0), TypeError, "the last part of design must be True or"),
        (CyclotomicResponse, (7, 2, 1, True), ValueError, "the prime of design must be an integ"),
        (CyclotomicResponse, (15, 2, 1, True), ValueError, "design must have a prime and a divis"),
        (CyclotomicResponse, (13, 5, 1, True), ValueError, "design must have a prime and a divis"),
        (CyclotomicResponse, (13, 1, 1, False), ValueError, "the number of classes of design must"),
        (CyclotomicResponse, (13, 4, 4, True), ValueError, "the classes of a block of design mus"),
        (CyclotomicResponse, (13, 4, 0, False), ValueError, "the classes of a block of design m"),
        (CyclotomicResponse, (10_007, 10_006, 1, False), ValueError, "design must have at most"),
        (CyclicResponse, (3,), TypeError, "design must be a tuple of two integers"),
        (CyclicResponse, (6, 3), ValueError, "design must have the power of a prime"),
        (CyclicResponse, (2, 3), ValueError, "design must have 9 to 8388608 points, got 7"),
        (CyclicResponse, (2, 1), ValueError, "the dimension of design must be"),
    ],
)
def test_what_is_no_design_is_refused(
    kind: Any, design: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        kind(9, 1.0, design)


def test_counts_that_no_blocks_have_are_refused() -> None:
    whole = CyclotomicResponse(7, 1.0, (7, 3, 1, False))  # blocks of two of the seven values
    assert Tally([2, 2, 2, 2, 2, 2, 2], 7, whole).num_reports == 7
    with pytest.raises(ValueError, match="must sum to 2 to 2 for each of the 7 reports, got"):
        Tally([2, 2, 2, 2, 2, 2, 3], 7, whole)
    part = CyclotomicResponse(6, 1.0, (7, 3, 1, False))  # or of one of six
    assert Tally([1, 0, 0, 0, 0, 0], 1, part).num_reports == 1
    with pytest.raises(ValueError, match="must sum to 1 to 2 for each of the 1 reports, got"):
        Tally([1, 1, 1, 0, 0, 0], 1, part)
    with pytest.raises(ValueError, match="must sum to 1 to 2 for each of the 1 reports, got"):
        Tally([0] * 6, 1, part)
