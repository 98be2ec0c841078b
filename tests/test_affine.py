"""Affine response: its blocks by enumeration, its law in fractions, its loops beside twins."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from ldp import GRR, AffineResponse, SubsetSelection, variance
from ldp.mechanisms import _affine_kernels, affine_maps
from ldp.mechanisms.families import law_of
from ldp.mechanisms.primes import next_prime
from ldp.mechanisms.tickets import Tickets

PRIMES = [p for p in range(2, 60) if all(p % f for f in range(2, p))]
DESIGNS = [(p, w) for p in PRIMES for w in range(1, p)]
BUDGETS = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)


def blocks(m):
    """Every report's block, a row of zeros and ones, from the definition alone."""
    a, s, x = np.ix_(
        range(1, m.design.num_blocks + 1), range(m.design.num_points), range(m.domain_size)
    )
    return ((a * x + s) % m.design.num_points < m.window).reshape(-1, m.domain_size).astype(int)


def supports(m):
    return np.unpackbits(m.support(np.arange(m.num_outcomes)), axis=1, count=m.domain_size)


# -- the design ------------------------------------------------------------------------------------


def pairs_of_two_values(rows):
    """How many blocks hold two values, for every two; the diagonal: how many hold one."""
    rows = rows.astype(np.int32)
    return rows.T @ rows


def is_two_design(rows):
    shared = pairs_of_two_values(rows)
    return len(np.unique(shared[~np.eye(len(shared), dtype=bool)])) < 2


def test_the_blocks_are_a_two_design_for_every_prime_below_60_and_every_window():
    assert len(DESIGNS) == 423
    for prime, window in DESIGNS:
        m = AffineResponse(prime, 1.0, window)
        rows = supports(m).astype(int)
        np.testing.assert_array_equal(rows, blocks(m))
        assert (rows.sum(axis=1) == window).all()
        assert is_two_design(rows)


def test_control_some_of_the_slopes_are_no_design():
    for prime, window in DESIGNS[:200]:
        if 1 < window < prime - 1:
            rows = blocks(AffineResponse(prime, 1.0, window))
            assert not is_two_design(rows[prime:])


def test_no_report_has_the_block_of_another_and_none_is_left_out():
    """P (P - 1) / 2 of P (P - 1) maps, or P of them if blocks have one value or all but one."""
    for prime, window in DESIGNS:
        m = AffineResponse(prime, 1.0, window)
        found = {row.tobytes() for row in np.packbits(blocks(m), axis=1)}
        assert len(found) == m.num_outcomes
        assert m.num_outcomes == (prime if window in (1, prime - 1) else prime * (prime - 1) // 2)
        a, s, x = np.ix_(range(1, prime), range(prime), range(prime))
        every = ((a * x + s) % prime < window).reshape(-1, prime)
        assert {row.tobytes() for row in np.packbits(every, axis=1)} == found


def test_two_maps_have_each_block():
    """(a, s) and (-a, w - 1 - s)."""
    for prime, window in DESIGNS:
        a, s, x = np.ix_(range(1, prime), range(prime), range(prime))
        other = (-a * x + window - 1 - s) % prime < window
        assert (((a * x + s) % prime < window) == other).all()


# -- the law ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("d", [2, 3, 4, 5, 6, 8, 11, 14])
def test_p_and_q_are_exact_on_a_part_of_the_points_too(d, epsilon):
    """From the tickets and the blocks, by integers; q is a float of the very fraction."""
    for window in range(1, next_prime(d)):
        m = AffineResponse(d, epsilon, window)
        t, rows = law_of(m), blocks(m).astype(object)
        weights = t.outside + (t.inside - t.outside) * rows.T  # [x, y]
        total = weights.sum(axis=1)
        assert (total == t.total * m.design.num_blocks).all()
        chances = weights @ rows  # [x, v]: that a report of x supports v
        assert {Fraction(int(c), int(total[0])) for c in np.diag(chances)} == {
            p := Fraction(window * t.inside, t.total)
        }
        others = chances[~np.eye(d, dtype=bool)]
        (q,) = {Fraction(int(c), int(total[0])) for c in others}
        assert q == (window - p) / (m.design.num_points - 1)
        assert (m.p, m.q) == (float(p), float(q))


def test_every_report_has_exactly_its_tickets():
    """All of them, for small numbers of tickets: the first word that draws each."""
    for prime, window, slopes in [(2, 1, 1), (5, 4, 1), (5, 2, 2), (7, 3, 3)]:
        given = Tickets(5, 2, window, prime, slopes)
        tickets = given.total * slopes
        first = np.array([-(-k * 2**64 // tickets) for k in range(tickets)], dtype=np.uint64)
        for value in range(prime):
            cells = np.empty(tickets, dtype=np.uint8)
            values = np.full(tickets, value)
            _affine_kernels.draw_cells(values, first, given.numbers, prime, 1, cells)
            a, s = divmod(np.arange(slopes * prime), prime)
            held = ((a + 1) * value + s) % prime < window
            expected = np.where(held, given.inside, given.outside)
            assert np.bincount(cells, minlength=held.size).tolist() == expected.tolist()


@pytest.mark.parametrize("d", [2, 3])
def test_of_two_or_three_values_it_is_randomized_response(d):
    m = AffineResponse(d, 1.0)
    rows = m.channel().T
    assert sorted(map(tuple, rows.round(8))) == sorted(map(tuple, GRR(d, 1.0).channel().round(8)))


def cost(size, epsilon, window):
    """Variance for a rare value on all points: q (1 - q) / (p - q)^2."""
    e = np.exp(epsilon)
    p = window * e / (window * e + size - window)
    q = (window - p) / (size - 1)
    return q * (1 - q) / (p - q) ** 2


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_the_window_and_the_prime_are_the_best(epsilon):
    """Of all windows; and the least cost rises with the number of points, so no prime is better."""
    least = {size: cost(size, epsilon, np.arange(1, size)).min() for size in range(2, 4112)}
    assert (np.diff(list(least.values())) > 0).all()
    for d in [*range(2, 130), 1000, 1024, 4096]:
        m = AffineResponse(d, epsilon)
        assert cost(m.design.num_points, epsilon, m.window) <= least[m.design.num_points] * (
            1 + 1e-12
        )
        assert variance(m, 1) == pytest.approx(
            least[m.design.num_points], rel=1e-5
        )  # tickets are rounded


def test_the_next_prime_is_the_next():
    assert [next_prime(d) for d in (2, 3, 4, 8, 100, 1024, 4096)] == [
        2, 3, 5, 11, 101, 1031, 4099,
    ]  # fmt: skip


def test_the_variance_is_nearly_that_of_subset_selection():
    """At a prime the same; from 100 values on within half a percent up to a budget of 2."""
    for d, epsilon in product(PRIMES, BUDGETS):
        same = variance(SubsetSelection(d, epsilon), 1)
        assert variance(AffineResponse(d, epsilon), 1) == pytest.approx(same, rel=1e-6)
    for d, epsilon in product(range(100, 4096, 7), (0.5, 1.0, 2.0)):
        ratio = variance(AffineResponse(d, epsilon), 1) / variance(SubsetSelection(d, epsilon), 1)
        assert 1 - 1e-6 < ratio < 1.005
    # What few values pay for a prime that is far: eight values by maps modulo 11.
    few = variance(AffineResponse(8, 2.0), 1) / variance(SubsetSelection(8, 2.0), 1)
    assert few == pytest.approx(1.224, abs=5e-4)


# -- loops beside plain twins ----------------------------------------------------------------------

SHAPES = [(2, None), (4, 1), (6, 3), (9, 10), (14, 5), (100, None), (1024, None), (4096, 4098)]
SHAPES.insert(-2, (103, None))  # where multiples of P, times 1 / P as floats, are rounded down


@pytest.mark.parametrize(("d", "window"), SHAPES)
def test_reports_are_those_of_integers_of_any_size(d, window):
    m, rng = AffineResponse(d, 1.0, window), np.random.default_rng(1)
    values, t = rng.integers(0, d, 2_000), law_of(m)
    values[:4] = 0, d - 1, 0, d - 1
    random_words = t.words(rng, values.size)
    reports = np.empty(values.size, dtype=m.report.dtype)
    _affine_kernels.draw_cells(values, random_words, t.numbers, m.design.num_points, 1, reports)
    for value, word, report in zip(
        values.tolist(), random_words.tolist(), reports.tolist(), strict=True
    ):
        row, rest = divmod(word * m.design.num_blocks, 2**64)
        ticket = rest * t.total >> 64
        border = m.window * t.inside
        place = ticket // t.inside
        if ticket >= border:
            place = m.window + (ticket - border) // t.outside
        assert (
            report == row * m.design.num_points + (place - (row + 1) * value) % m.design.num_points
        )


def test_control_there_a_quotient_of_floats_is_one_too_low():
    quotients = np.arange(1, 103)
    assert (np.floor(quotients * 103 * (1 / 103)) < quotients).sum() > 50


@pytest.mark.parametrize(("d", "window"), SHAPES[:-1])
def test_the_tally_counts_supports(d, window):
    m, rng = AffineResponse(d, 1.0, window), np.random.default_rng(2)
    reports = rng.integers(0, m.num_outcomes, 3_000).astype(m.report.dtype)
    reports[:2] = 0, m.num_outcomes - 1
    held = np.unpackbits(m.support(reports), axis=1, count=d)
    assert m.tally(reports).counts.tolist() == held.sum(axis=0, dtype=int).tolist()


def test_a_report_is_the_smallest_integer():
    sizes = {2: 2, 23: 253, 29: 406, 100: 5050, 1024: 530_965}
    kinds = [np.uint8, np.uint8, np.uint16, np.uint16, np.uint32]
    for (d, outcomes), kind in zip(sizes.items(), kinds, strict=True):
        m = AffineResponse(d, 1.0)
        assert m.num_outcomes == outcomes
        assert m.privatize([0, d - 1], np.random.default_rng(1)).dtype == kind


# -- the joint law of the tally --------------------------------------------------------------------

FALSE_ALARM = 1e-9
JOINT = [(2, None), (4, 2), (5, 2), (5, 4), (6, 3), (7, 5)]


def tally_law(m, users):
    """Every tally of so many users' values and its probability, by all reports they can make."""
    rows, channel, law = blocks(m), m.channel(), Counter({(0,) * m.domain_size: 1.0})
    for value in users:
        more = Counter()
        for counts, chance in law.items():
            for row, each in zip(rows, channel[value], strict=True):
                more[tuple((np.array(counts) + row).tolist())] += chance * each
        law = more
    return law


def joint_p_value(m, law_of, users, size=3_000):
    rng = np.random.default_rng(3)
    given = np.bincount(users, minlength=m.domain_size)
    seen = Counter(tuple(affine_maps.simulated_counts(m, given, rng).tolist()) for _ in range(size))
    law = tally_law(law_of, users)
    if set(seen) - set(law):
        return 0.0
    chances = np.array(list(law.values()))
    found = np.array([seen[counts] for counts in law])
    rare = chances * size < 20  # together in one cell
    chances = np.append(chances[~rare], chances[rare].sum())
    found = np.append(found[~rare], found[rare].sum())
    kept = chances * size >= 5  # whatever is left is hardly ever drawn
    z = (found - size * chances)[kept] ** 2 / (size * chances[kept])
    return stats.chi2.sf(z.sum(), kept.sum() - 1)


@pytest.mark.statistical
@pytest.mark.parametrize("cells_at_once", [1, 2**13])
@pytest.mark.parametrize(("d", "window"), JOINT)
def test_simulated_tallies_have_the_joint_law_of_two_users(d, window, cells_at_once, monkeypatch):
    """Against all pairs of reports; the control has an eighth of the budget.

    All slopes are drawn at a time, or one after the other.
    """
    monkeypatch.setattr(affine_maps, "_CELLS_AT_ONCE", cells_at_once)
    m, wrong = AffineResponse(d, 2.0, window), AffineResponse(d, 0.25, window)
    assert joint_p_value(m, m, [0, d - 1]) > FALSE_ALARM
    if cells_at_once > 1:
        assert joint_p_value(wrong, m, [0, d - 1]) < FALSE_ALARM


@pytest.mark.statistical
def test_halves_are_fair_coins_one_by_one_or_at_once():
    """Bits of a word for up to 64 coins, numpy's binomial for more; five counts, one chi-square."""
    for number in (0, 1, 5, 63, 64, 65, 200):
        halves = affine_maps._halves(np.full(100_000, number), np.random.default_rng(4))
        law = stats.binom.pmf(np.arange(number + 1), number, 0.5) * halves.size
        found, kept = np.bincount(halves, minlength=number + 1), law >= 20
        z = np.append((found - law)[kept], found[~kept].sum() - law[~kept].sum())
        size = np.append(law[kept], max(law[~kept].sum(), 1.0))
        assert len(found) == number + 1
        assert stats.chi2.sf((z**2 / size).sum(), max(kept.sum(), 1)) > FALSE_ALARM


@pytest.mark.statistical
def test_few_users_make_reports_and_many_do_not():
    """On both sides of the border the mean of a count has the error of theory."""
    m = AffineResponse(29, 1.0)
    for n in (8 * m.num_outcomes, 8 * m.num_outcomes + 1):
        given = np.eye(29, dtype=int)[3] * n
        total = sum(m.simulate(given, rng).counts for rng in np.random.default_rng(5).spawn(50))
        z = (total[3] - 50 * n * m.p) / np.sqrt(50 * n * m.p * (1 - m.p))
        assert abs(z) < -stats.norm.ppf(FALSE_ALARM / 4)


# -- refusals --------------------------------------------------------------------------------------


def test_too_many_values_are_refused_with_what_takes_them():
    message = (
        "^domain_size must be at most 4096 for AffineResponse, whose table of counts grows with "
        "its square; CyclotomicResponse takes more, got 4097.$"
    )
    with pytest.raises(ValueError, match=message):
        AffineResponse(4097, 1.0)


@pytest.mark.parametrize("window", [0, 11, -1, 2.0, True, "3"])
def test_windows_that_are_none(window):
    with pytest.raises((TypeError, ValueError), match="window must be an integer, at least 1"):
        AffineResponse(8, 1.0, window)


def test_counts_that_no_reports_have_are_refused():
    from ldp import Tally

    at_prime, part = AffineResponse(5, 1.0, 3), AffineResponse(4, 1.0, 3)
    assert Tally([1, 1, 1, 0, 0], 1, at_prime).num_reports == 1
    with pytest.raises(
        ValueError, match="counts must sum to 3 to 3 for each of the 1 reports, got a sum of 4"
    ):
        Tally([1, 1, 1, 1, 0], 1, at_prime)
    for counts in ([1, 1, 0, 0], [1, 1, 1, 0]):
        assert Tally(counts, 1, part).num_reports == 1
    with pytest.raises(
        ValueError, match="counts must sum to 2 to 3 for each of the 1 reports, got a sum of 1"
    ):
        Tally([1, 0, 0, 0], 1, part)
