"""Bad input of the room for sets: one sentence, before any work, and nothing dropped or padded."""

import copy
import pickle
import re

import numpy as np
import pytest
from test_bad_input import BAD_EPSILONS, each_of, refuse

from ldp import GRR, OUE, SHE, HadamardResponse, Tally, WideHashing, debias, maximum_likelihood
from ldp.itemsets import (
    ItemSets,
    PadAndSample,
    SetSelection,
    amplified_epsilon,
    cut_frequencies,
    cut_variance,
)

SETS = ItemSets.of([[0, 2], [], [1, 2, 0]], num_items=3)
MECHANISMS = {
    "GRR": PadAndSample(3, 2, GRR(5, amplified_epsilon(1.0, 2)), 1.0),
    "OUE": PadAndSample(3, 2, OUE(5, 1.0)),
    "selection": SetSelection(3, 2, 1.0),
    "pairs": SetSelection(3, 2, 1.0, 2),
}
every_mechanism = pytest.mark.parametrize("m", MECHANISMS.values(), ids=MECHANISMS.keys())

# -- sets ------------------------------------------------------------------------------------------


def test_sets_are_kept_in_order_and_as_given():
    sets = ItemSets([2, 0, 1, 2, 0], [2, 0, 3], 3)
    assert [items.tolist() for items in sets] == [[0, 2], [], [0, 1, 2]]
    assert (len(sets), sets.counts().tolist(), sets.sizes().tolist()) == (
        3,
        [2, 1, 2],
        [1, 0, 1, 1],
    )
    assert not sets.items.flags.writeable
    assert not sets.lengths.flags.writeable
    empty = ItemSets.of([], num_items=4)
    assert (len(empty), empty.counts().tolist(), empty.sizes().tolist()) == (0, [0] * 4, [0])


def test_lists_of_every_kind_are_taken():
    rows = [[0, 2], (1,), np.array([2, 1]), {0}, range(3), frozenset()]
    sets = ItemSets.of(rows, num_items=3)
    assert [items.tolist() for items in sets] == [[0, 2], [1], [1, 2], [0], [0, 1, 2], []]
    assert ItemSets.of(iter([[1]]), num_items=3)[0].tolist() == [1]


def test_users_are_chosen_by_slices_masks_and_numbers():
    for users in ([2, 0, 0], slice(None, None, -1), np.array([True, False, True]), [], [-1]):
        chosen = SETS[users]
        expected = [SETS[int(i)].tolist() for i in np.arange(3)[users]]
        assert [items.tolist() for items in chosen] == expected
        assert chosen.num_items == 3
        assert not chosen.items.flags.writeable
    assert SETS[np.int32(2)].tolist() == [0, 1, 2]


def test_every_set_once():
    found = [tuple(items) for items in ItemSets.every(3)]
    assert found == [(), (0,), (1,), (0, 1), (2,), (0, 2), (1, 2), (0, 1, 2)]


def test_restricted_sets_hold_the_candidates_by_their_places():
    sets = SETS.restrict([2, 0])
    assert [items.tolist() for items in sets] == [[0, 1], [], [0, 1]]
    assert (sets.num_items, len(sets)) == (2, 3)
    rng = np.random.default_rng(1)
    many = ItemSets.every(6)[rng.integers(0, 64, 200)]
    candidates = [4, 0, 3]
    for mine, whole in zip(many.restrict(candidates), many, strict=True):
        assert sorted(candidates[i] for i in mine) == sorted(set(candidates) & set(whole.tolist()))


def test_copies_are_checked_and_frozen():
    for made in (copy.deepcopy(SETS), pickle.loads(pickle.dumps(SETS))):
        assert made.items.tolist() == SETS.items.tolist()
        assert not made.items.flags.writeable
    given = np.array([0, 2])
    sets = ItemSets(given, [2], 3)
    given[0] = 1
    assert sets[0].tolist() == [0, 2]


BAD_SETS = [
    (lambda: ItemSets.of([[0, 1], [2, 0, 2]], num_items=3), "items", "item 2 twice in set 1"),
    (lambda: ItemSets.of([[0, 0]], num_items=1), "items", "item 0 twice in set 0"),
    (lambda: ItemSets.of([[3]], num_items=3), "items", "got 3"),
    (lambda: ItemSets.of([[-1]], num_items=3), "items", "got -1"),
    (lambda: ItemSets.of([[0.0]], num_items=3), "items", "float64"),
    (lambda: ItemSets.of([[True]], num_items=3), "items", "bool"),
    (lambda: ItemSets.of([["a"]], num_items=3), "items", "dtype"),
    (lambda: ItemSets.of([2, 1], num_items=3), "lists", "got 2"),
    (lambda: ItemSets.of(["12"], num_items=3), "lists", "12"),
    (lambda: ItemSets.of("12", num_items=3), "lists", "1"),
    (lambda: ItemSets.of([{1: 2}], num_items=3), "lists", "1: 2"),
    (lambda: ItemSets.of([iter([1])], num_items=3), "lists", "iterator"),
    (lambda: ItemSets.of(None, num_items=3), "lists", "None"),
    (lambda: ItemSets.of([[1]], num_items=0), "num_items", "got 0"),
    (lambda: ItemSets.of([[1]], num_items=2.0), "num_items", "got 2.0"),
    (lambda: ItemSets.of([[1]], num_items=2**40), "num_items", "got"),
    (lambda: ItemSets([0, 1], [1], 3), "lengths", "got 1"),
    (lambda: ItemSets([0, 1], [1, 2], 3), "lengths", "got 3"),
    (lambda: ItemSets([0, 1], [3, -1], 3), "lengths", "got -1"),
    (lambda: ItemSets([0, 1], [2**62, 2**62, 2**62, 2**62, 2], 3), "lengths", "got"),
    (lambda: ItemSets([0, 1], [2.0], 3), "lengths", "float64"),
    (lambda: ItemSets([[0, 1]], [2], 3), "items", "2 dimensions"),
    (lambda: ItemSets.every(0), "num_items", "got 0"),
    (lambda: ItemSets.every(17), "num_items", "got 17"),
    (lambda: SETS.restrict([0, 0]), "candidates", r"\[0, 0\]"),
    (lambda: SETS.restrict([]), "candidates", r"\[\]"),
    (lambda: SETS.restrict([3]), "candidates", "got 3"),
    (lambda: SETS.restrict([0.5]), "candidates", "float64"),
    (lambda: SETS[[0.5]], "users", "float64"),
    (lambda: SETS[np.array([True])], "users", "bool"),
    (lambda: SETS["a"], "users", "dtype|dimensions"),
    (lambda: cut_frequencies(ItemSets.of([], num_items=3), 1), "sets", "got none"),
    (lambda: cut_frequencies([[1]], 1), "sets", r"\[\[1\]\]"),
    (lambda: cut_frequencies(SETS, 0), "length", "got 0"),
    (lambda: cut_variance(SETS, 1.5), "length", "got 1.5"),
    (lambda: amplified_epsilon(1.0, 0), "length", "got 0"),
    (lambda: amplified_epsilon(1.0, 10**400), "length", "got 1000"),
    (lambda: cut_variance(SETS, 10**400), "length", "got 1000"),
    (lambda: amplified_epsilon(-1.0, 2), "epsilon", "got -1.0"),
    (lambda: amplified_epsilon(1e3, 2), "epsilon", "got 1000.0"),
]


@pytest.mark.parametrize(("call", "naming", "value"), BAD_SETS)
def test_what_is_no_set(call, naming, value):
    message = refuse(call, naming=naming)
    assert re.search(value, message), message


@pytest.mark.parametrize("user", [3, -4, [0, 3]])
def test_users_that_are_not_there(user):
    with pytest.raises(IndexError, match=r"^users must be below the 3 there are, got -?\d\.$"):
        SETS[user]


@pytest.mark.parametrize("users", ["a", 1.0, True, None, [True]])
def test_users_that_are_no_numbers(users):
    with pytest.raises(TypeError, match=r"^users must be integers, got"):
        SETS[users]


# -- mechanisms ------------------------------------------------------------------------------------

BAD_ORACLES = [GRR(4, 1.0), GRR(3, 1.0), GRR, None, SHE(5, 1.0), MECHANISMS["pairs"]]
BAD_ORACLES += [HadamardResponse(5, 1.0, block_size=2)]  # the first two: shared dummies, or none
BAD_MECHANISMS = [
    (lambda bad: PadAndSample(bad, 2, GRR(2, 1.0)), "num_items", 0),
    (lambda bad: PadAndSample(3, bad, GRR(5, 1.0)), "length", 0, 2.0),
    (lambda bad: PadAndSample(3, 2, bad), "oracle", *BAD_ORACLES),
    (lambda bad: PadAndSample(3, 2, bad, 1.0), "oracle", OUE(5, 1.5), GRR(5, 1.8)),
    (lambda bad: PadAndSample(3, 2, OUE(5, 1.5), bad), "epsilon", np.nan),
    (lambda bad: SetSelection(bad, 2, 1.0), "num_items", 0),
    (lambda bad: SetSelection(3, bad, 1.0), "length", 0, 2**31, "2"),
    (lambda bad: SetSelection(3, 2, 1.0, bad), "subset_size", 0, 3, 1.0),  # at most half of five
    (lambda bad: SetSelection(2, 6, 1.0, bad), "subset_size", 3),  # would meet every set
    (lambda bad: SetSelection(3, 2, 1.0, frequency=bad), "frequency", 1.5, "0"),
    (lambda bad: SetSelection(3, 2, bad), "epsilon", 1e3, 40.0, 1e-16),  # 40: all meet the own set
    (lambda bad: SetSelection(2**30, 2, bad, 1), "epsilon", 1e-9),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD_MECHANISMS))
def test_what_is_no_mechanism(call, naming):
    refuse(call, naming=naming)


@pytest.mark.parametrize("epsilon", BAD_EPSILONS, ids=lambda value: repr(value)[:12])
def test_epsilon(epsilon):
    refuse(lambda: SetSelection(3, 2, epsilon), naming="epsilon")
    refuse(lambda: amplified_epsilon(epsilon, 2), naming="epsilon")
    if epsilon is not None:
        refuse(lambda: PadAndSample(3, 2, OUE(5, 1.0), epsilon), naming="epsilon")


def test_any_epsilon_works_or_is_refused():
    for epsilon in np.geomspace(1e-18, 1e3, 200):
        if 1e-11 < epsilon < 20:
            m = SetSelection(11, 3, float(epsilon))
            assert 0 < m.q < m.p < 1
            tally = m.simulate(ItemSets.every(11), np.random.default_rng(1))
            assert np.isfinite(debias(tally, m)).all()
        elif not 1e-15 < epsilon < 30:
            refuse(lambda e=epsilon: SetSelection(11, 3, float(e)), naming="epsilon")


@every_mechanism
def test_sets_of_other_items(m):
    rng = np.random.default_rng(1)
    others = [ItemSets.of([[0]], num_items=4), [[0]], None, np.array([0]), "sets"]
    for sets in others:
        for call in (m.privatize, m.simulate):
            refuse(lambda call=call, sets=sets: call(sets, rng), naming="sets", rng=rng)
    for wrong in (None, 1, np.random):
        refuse(lambda wrong=wrong: m.privatize(SETS, wrong), naming="rng")


BAD_REPORTS = [[[0, 0]], [[1, 0]], [[0, 5]], [0, 1], [[0, 1, 2]], [[0, 2**32 - 1]]]
BAD_REPORTS = [np.array(reports, dtype=np.uint32) for reports in BAD_REPORTS]


@pytest.mark.parametrize("reports", [*BAD_REPORTS, [[0, 1]], np.array([[0, 1]]), None], ids=repr)
def test_what_no_set_selection_reports(reports):
    m = MECHANISMS["pairs"]
    for call in (m.tally, m.outcomes):
        refuse(lambda call=call: call(reports), naming="reports")


@every_mechanism
def test_candidates(m):
    reports = m.privatize(SETS, np.random.default_rng(1))
    for wrong in ([], [5], [-1], [0.5], "a"):
        refuse(lambda wrong=wrong: m.tally(reports, wrong), naming="candidates")
    assert m.tally(reports, [4, 0]).candidates.tolist() == [4, 0]


@every_mechanism
def test_tallies_of_other_mechanisms_and_impossible_ones(m):
    tally = m.tally(m.privatize(SETS, np.random.default_rng(1)))
    other = SetSelection(3, 1, 1.0)
    refuse(lambda: debias(tally, other), naming="tally")
    refuse(lambda: debias(Tally([1, 2, 9], 3), m), naming="counts of the tally")
    refuse(lambda: debias(Tally([1, 2], 3), m), naming="tally")


@every_mechanism
def test_a_likelihood_of_values_is_not_to_be_had_from_reports_of_sets(m):
    reports = m.privatize(SETS, np.random.default_rng(1))
    with pytest.raises((TypeError, AttributeError)):
        maximum_likelihood(reports, m)


@pytest.mark.parametrize("m", [SetSelection(20, 2, 1.0), PadAndSample(20, 2, GRR(22, 1.0))])
def test_channels_too_large_to_write_out(m):
    refuse(m.channel, naming="num_items")


def test_no_users_make_no_reports():
    none = ItemSets.of([], num_items=3)
    for m in MECHANISMS.values():
        reports = m.privatize(none, np.random.default_rng(1))
        assert len(reports) == m.tally(reports).num_reports == 0
        assert m.simulate(none, np.random.default_rng(1)).num_reports == 0


@every_mechanism
def test_all_users_cost_as_many_words_whatever_they_hold(m):
    """Up to the words that are drawn again, once in 2**59 here."""
    ends = []
    for items in ([], [1], [0, 1, 2]):
        rng = np.random.default_rng(3)
        m.privatize(ItemSets.of([items] * 50, num_items=3), rng)
        ends.append(rng.integers(2**62))
    assert len(set(ends)) == 1


def test_wide_hashing_counts_the_cells_that_are_asked_for():
    m = PadAndSample(2**30 - 1, 1, WideHashing(30, 3.0))
    sets = ItemSets.of([[5]] * 2000, num_items=2**30 - 1)
    tally = m.tally(m.privatize(sets, np.random.default_rng(1)), [5, 6])
    assert debias(tally, m).round() + 0.0 == pytest.approx([1.0, 0.0])
