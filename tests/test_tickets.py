"""One word for a report of a design: exact tickets, exactly uniform, for every budget."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from ldp.mechanisms.tickets import Tickets, draw_point, tickets

BUDGETS = (1e-6, 0.01, 0.5, math.log(2), 1.0, math.log(3), 2.0, math.log(4), 4.0, 8.0, 20.0)
SIZES = [(1, 3, 1), (2, 5, 2), (258, 1033, 4), (1, 1031, 515), (275_000, 1_000_003, 4)]


def lower_and_upper(x: Fraction, terms: int = 120) -> tuple[Fraction, Fraction]:
    """Bounds of e**x: the series, and the series with a geometric tail."""
    term, total = Fraction(1), Fraction(1)
    for k in range(1, terms):
        term *= x / k
        total += term
    return total, total + term * x / (terms - x)


@pytest.mark.parametrize("epsilon", BUDGETS)
def test_inside_tickets_are_the_exact_floor(epsilon: float) -> None:
    low, high = lower_and_upper(Fraction(epsilon))
    for size in SIZES:
        given = tickets(epsilon, *size, 2)
        # A / B is below e**epsilon, and (A + 1) / B above: by rational bounds, no tolerance.
        assert Fraction(given.inside, given.outside) < low
        assert Fraction(given.inside + 1, given.outside) > high


def test_a_float_floor_would_exceed_the_budget() -> None:
    # The control: e**ln 2 in float64 is 2, but ln 2 in float64 lies below ln 2.
    assert math.floor(math.exp(math.log(2)) * 2**24) > lower_and_upper(Fraction(math.log(2)))[1] * (
        2**24
    )


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("size", SIZES)
def test_as_many_tickets_as_few_redraws_allow(epsilon: float, size: tuple[int, int, int]) -> None:
    given = tickets(epsilon, *size, 2)
    assert given.num_blocks * given.total <= 2**50
    doubled = given._replace(inside=2 * given.inside, outside=2 * given.outside)
    assert given.num_blocks * (doubled.total + given.block_size) > 2**50  # or one more inside


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("size", SIZES)
def test_p_and_q_are_right_to_the_last_digit(epsilon: float, size: tuple[int, int, int]) -> None:
    w, v, _ = size
    given = tickets(epsilon, *size, 2)
    p = Fraction(w * given.inside, given.total)
    assert given.p == float(p)  # a fraction is rounded correctly
    assert given.q == float((w - p) / (v - 1))
    # The same from what a block of a 2-design does: within it w - 1 others, outside it w.
    assert (w - p) / (v - 1) == (p * (w - 1) + (1 - p) * w) / (v - 1)
    assert given.odds == float(Fraction(given.inside, given.outside))


@pytest.mark.parametrize("bits", [4, 6, 8])
def test_words_that_are_left_draw_every_ticket_as_often(bits: int) -> None:
    """By brute force over all words of few bits, for every m and M that fit."""
    size = 2**bits
    for m, total in product(range(1, size), range(1, size)):
        if m * total > size:
            continue
        counts: dict[tuple[int, int], int] = {}
        for word in range(size):
            if word * m * total % size < size % (m * total):
                continue  # drawn again
            block, rest = divmod(word * m, size)
            ticket = rest * total // size
            counts[block, ticket] = counts.get((block, ticket), 0) + 1
        assert len(counts) == m * total
        assert set(counts.values()) == {size // (m * total)}


def plain_point(word: int, given: Tickets) -> tuple[int, int]:
    block, rest = divmod(word * given.num_blocks, 2**64)
    ticket = rest * given.total >> 64
    border = given.block_size * given.inside
    if ticket < border:
        return block, ticket // given.inside
    return block, given.block_size + (ticket - border) // given.outside


@pytest.mark.parametrize("epsilon", BUDGETS)
@pytest.mark.parametrize("size", SIZES)
def test_the_loop_draws_what_integers_of_any_size_do(
    epsilon: float, size: tuple[int, int, int]
) -> None:
    given = tickets(epsilon, *size, 2)
    drawn = given.words(np.random.default_rng(1), 300).tolist()
    # And words at both sides of the borders between tickets of different places.
    w = given.block_size
    ends = [k * given.inside for k in sorted({0, 1, w // 3, w // 2, w - 1, w})]
    ends.append(given.total - given.outside)
    for block, end in product((0, given.num_blocks - 1), ends):
        edge = (block * given.total + end) * 2**64 // (given.num_blocks * given.total)
        drawn += [word for word in (edge - 1, edge, edge + 1) if 0 <= word < 2**64]
    for word in drawn:
        found = draw_point(np.uint64(word), *given.numbers)
        assert found == plain_point(word, given)
        assert 0 <= found[0] < given.num_blocks
        assert 0 <= found[1] < given.num_points


def test_every_place_has_exactly_its_tickets() -> None:
    """The last one too, whose block once lost it to the first."""
    given = Tickets(inside=5, outside=2, block_size=3, num_points=7, num_blocks=2)
    numbers = range(given.num_blocks * given.total)
    counts = np.zeros((2, 7), dtype=int)
    for number in numbers:
        word = -(-number * 2**64 // len(numbers))  # the first that draws it
        counts[draw_point(np.uint64(word), *given.numbers)] += 1
    assert counts.tolist() == [[5, 5, 5, 2, 2, 2, 2]] * 2


class Scripted:
    """A generator of given words, as many as are asked for."""

    def __init__(self, given: list[list[int]]) -> None:
        self.given = given

    def integers(self, *_: object, size: int, **__: object) -> np.ndarray:
        assert size == len(self.given[0])
        return np.array(self.given.pop(0), dtype=np.uint64)


def test_uneven_words_are_drawn_again() -> None:
    given = tickets(1.0, 2, 5, 2, 2)
    assert 2**64 % (2 * given.total) > 0  # so that word 0 is uneven, and small others are not
    script: Any = Scripted([[0, 7, 10, 0], [0, 9], [11]])
    assert given.words(script, 4).tolist() == [11, 7, 10, 9]
    assert script.given == []


@pytest.mark.parametrize("epsilon", [1e-300, 1e-15, 9e-10])
def test_a_budget_that_gives_no_more_tickets_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon must be large enough for 1000 values, got"):
        tickets(epsilon, 258, 1033, 4, 1000)


@pytest.mark.parametrize("epsilon", [34.0, 100.0, 1e308])
def test_a_budget_that_needs_too_many_tickets_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon must be small enough for 1000 values, got"):
        tickets(epsilon, 2, 1033, 4, 1000)
