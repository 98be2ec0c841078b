"""Users who are asked different things: one budget, one report each, nobody lost."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats
from test_bad_input import each_of, refuse

from ldp import GRR, OUE, Assigned, WideHashing, debias, worst_case_epsilon
from ldp._words import threshold
from ldp.assigned import AssignedReports, Intervals, assign


def same(size):
    return Intervals(size, 1)


TWO = Assigned([(Intervals(16, 4), GRR(4, 1.0), 0.3), (same(16), GRR(16, 1.0), 0.7)])


def test_the_budget_is_spent_exactly():
    channel = TWO.channel()
    assert channel.shape == (16, 20)
    np.testing.assert_allclose(channel.sum(axis=1), 1, rtol=1e-14)
    assert worst_case_epsilon(channel) == pytest.approx(1.0, rel=1e-12)


def test_control_shares_that_depend_on_the_value_spend_more():
    shares = np.where(np.arange(16) < 8, 0.3, 0.5)[:, None]
    first, second = GRR(4, 1.0).channel()[np.arange(16) >> 2], GRR(16, 1.0).channel()
    leaking = np.hstack([shares * first, (1 - shares) * second])
    assert worst_case_epsilon(leaking) > 1.5


def test_the_budget_is_the_largest_of_the_parts():
    parts = [(same(4), GRR(4, 1.0), 0.5), (same(4), OUE(4, 2.0), 0.5)]
    assert Assigned(parts).epsilon == 2.0
    assert worst_case_epsilon(Assigned(parts).channel()) == pytest.approx(2.0, rel=1e-12)


def test_everybody_answers_once_and_in_order():
    values = np.random.default_rng(1).integers(0, 16, 5_000)
    sharp = Assigned([(Intervals(16, 4), GRR(4, 30.0), 0.3), (same(16), GRR(16, 30.0), 0.7)])
    made = sharp.privatize(values, np.random.default_rng(2))
    assert made.part.shape == (5_000,)
    assert (made.reports[0] == values[made.part == 0] >> 2).all()  # at 30 the truth is told
    assert (made.reports[1] == values[made.part == 1]).all()
    tallies = sharp.tally(made)
    assert sum(t.num_reports for t in tallies) == 5_000


@pytest.mark.statistical
def test_parts_have_their_shares():
    """Chi-square at 10**-9; shares off by three per cent, the control, are seen."""
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    observed = np.bincount(assign(2_000_000, shares, np.random.default_rng(3)))
    assert stats.chisquare(observed, 2_000_000 * shares).pvalue > 1e-9
    wrong = shares * [1.03, 1.03, 1, 1]
    assert stats.chisquare(observed, 2_000_000 * wrong / wrong.sum()).pvalue < 1e-9


def test_parts_do_not_depend_on_values():
    parts = [
        TWO.privatize(values, np.random.default_rng(4)).part
        for values in (np.zeros(500, int), np.arange(500) % 16)
    ]
    assert (parts[0] == parts[1]).all()


@pytest.mark.parametrize("parts", [3, 4, 5, 1024])
def test_equal_shares_cut_the_words_in_equal_runs(parts):
    """To the word; as for the control, a share of a third is none of 64 bits in float64."""
    ends = [2**64 * i // parts for i in range(1, parts + 1)]
    given = [end + step for end in ends for step in (0, 1) if end + step < 2**64]

    class Words(np.random.Generator):
        def integers(self, *_args, size, **_options):
            return np.array(given, dtype=np.uint64)

    part = assign(len(given), np.full(parts, 1 / parts), Words(np.random.PCG64(1)))
    assert part.tolist() == [word * parts // 2**64 for word in given]
    last = np.array([2**64 // 3], dtype=np.uint64)  # of the first third
    assert np.searchsorted([threshold(1 / 3)], last, side="right") == [1]


def test_candidates_of_each_part():
    hashed = WideHashing(40, 3.0)
    both = Assigned([(Intervals(2**40, 2**36), GRR(16, 3.0), 0.5), (same(2**40), hashed, 0.5)])
    values = np.repeat([2**39 + 7, 5], 2_000)
    made = both.privatize(values, np.random.default_rng(5))
    first, second = both.tally(made, [None, [5, 6, 2**39 + 7]])
    assert first.counts.size == 16
    assert second.candidates.tolist() == [5, 6, 2**39 + 7]
    assert debias(second, hashed)[[0, 2]] == pytest.approx([0.5, 0.5], abs=0.1)


@pytest.mark.statistical
def test_simulate_has_the_moments_of_reports():
    """Estimates of both ways, six standard errors; the control simulates other users."""
    hashed = WideHashing(40, 2.0)
    both = Assigned([(Intervals(2**40, 2**36), GRR(16, 2.0), 0.4), (same(2**40), hashed, 0.6)])
    values, counts, asked = [2**39 + 7, 5, 2**38], [500, 300, 200], [None, [6, 5, 2**39 + 7]]

    def estimates(tallies):
        return np.concatenate([t.counts for t in tallies] + [[t.num_reports for t in tallies]])

    children = np.random.default_rng(6).spawn(1_500)
    users = np.repeat(values, counts)
    made = [estimates(both.tally(both.privatize(users, g), asked)) for g in children[:500]]
    drawn, others = (
        [estimates(both.simulate(values, held, g, candidates=asked)) for g in some]
        for held, some in ((counts, children[500:1000]), ([300, 500, 200], children[1000:]))
    )

    def apart(a, b):
        spread = np.var(a, axis=0) + np.var(b, axis=0)
        return (np.abs(np.mean(a, axis=0) - np.mean(b, axis=0)) / np.sqrt(spread / 500)).max()

    assert apart(made, drawn) < 6
    assert apart(made, others) > 6
    ratio = np.var(drawn, axis=0) / np.var(made, axis=0)
    assert (np.abs(np.log(ratio)) < 6 * np.sqrt(4 / 500)).all()


def test_split_loses_nobody():
    counts = np.array([10, 0, 7])
    split = TWO.split(counts, np.random.default_rng(7))
    assert split.shape == (2, 3)
    assert (split.sum(axis=0) == counts).all()


MADE = TWO.privatize([1, 2, 3], np.random.default_rng(1))
WIDE = Assigned([(same(16), WideHashing(4, 1.0), 1.0)])
RNG = np.random.default_rng(1)
FINE = (same(4), GRR(4, 1.0), 0.5)


BAD_PARTS = [], None, [GRR(4, 1.0)], [FINE, (same(5), GRR(5, 1.0), 0.5)], [(GRR, GRR(4, 1.0), 1.0)]
BAD_REPORTS = MADE.reports, AssignedReports(np.array([0, 0, 0, 1]), MADE.reports)
BAD = [
    (Assigned, "parts", *BAD_PARTS, [(same(4), "GRR", 1.0)]),
    (lambda bad: Assigned([*bad, FINE]), "shares", [], [(same(4), GRR(4, 1.0), "1")]),
    (lambda bad: Assigned([FINE, FINE, (same(4), GRR(4, 1.0), bad)]), "shares", 0.0, -0.1),
    (lambda bad: assign(bad, [1.0], RNG), "num_users", -1),
    (lambda bad: assign(3, bad, RNG), "shares", [], [0.5, 0.6]),
    (lambda bad: assign(3, [1.0], bad), "rng", 1),
    (lambda bad: TWO.privatize(bad, RNG), "values", [16]),
    (lambda bad: TWO.privatize([1], bad), "rng", None),
    (TWO.tally, "reports", *BAD_REPORTS),
    (TWO.tally, "parts", AssignedReports(np.array([0, 2, 1]), MADE.reports)),
    (lambda bad: TWO.tally(MADE, bad), "candidates", [None], 3, [[1], None]),
    (lambda bad: TWO.split(bad, RNG), "counts", [-1]),
    (lambda bad: TWO.simulate(bad, [1, 2], RNG), "values", [1, 1]),
    (lambda bad: TWO.simulate([1, 2], bad, RNG), "counts", [1]),
    (lambda bad: TWO.simulate([1], [1], RNG, candidates=bad), "candidates", [[1], None]),
    (lambda bad: WIDE.simulate([1], [1], RNG, candidates=[bad]), "candidates", [], [1, 1], [16]),
    (lambda bad: WIDE.tally(AssignedReports(np.array([0]), bad)), "reports", (None,), None),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD))
def test_bad_input(call, naming):
    refuse(call, naming=naming)


class Odd(NamedTuple):
    """A view whose results are not one value of the mechanism for each value."""

    results: list[float]
    domain_size: int = 4

    def __call__(self, _values):
        return self.results


@pytest.mark.parametrize("results", [[1], [0, 4], [-1, 0], [0.5, 1.0], [[0, 1]]])
def test_views_that_lose_users_or_leave_the_domain_are_refused(results):
    odd = Assigned([(Odd(results), GRR(4, 1.0), 1.0)])
    refuse(lambda: odd.privatize([0, 1], RNG), naming="results of a view")
    refuse(lambda: odd.simulate([0, 1], [2, 2], RNG), naming="results of a view")
    refuse(odd.channel, naming="results of a view")


def test_control_a_view_of_the_mechanism_is_taken():
    fine = Assigned([(Odd([0, 3]), GRR(4, 1.0), 1.0)])
    assert fine.privatize([0, 1], RNG).reports[0].size == 2


def test_the_number_of_other_parts_is_said():
    with pytest.raises(ValueError, match=r"^reports must be of 1 parts, got 2\.$"):
        WIDE.tally(MADE)


def test_nobody_at_all_is_simulated():
    first, second = TWO.simulate([], [], RNG)
    wide = WIDE.simulate([], [], RNG, candidates=[[3, 1]])[0]
    assert [t.num_reports for t in (first, second, wide)] == [0, 0, 0]
    assert wide.counts.tolist() == [0, 0]


def test_shares_a_little_above_one_are_split():
    rounds = Assigned([(same(4), GRR(4, 1.0), 1 + 5e-10), (same(4), GRR(4, 1.0), 1e-12)])
    assert rounds.split([1000, 10], RNG).tolist() == [[1000, 10], [0, 0]]


def test_nothing_is_drawn_before_a_refusal():
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    for counts, candidates in (([1], None), ([1, 2], [[1], None]), ([1, 2], [[], None])):
        with pytest.raises((TypeError, ValueError)):
            TWO.simulate([1, 2], counts, rng, candidates=candidates)
    assert rng.bit_generator.state == before
