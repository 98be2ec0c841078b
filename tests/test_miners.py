"""Protocols that find frequent items: what they ask, what they find, what they refuse."""

from itertools import combinations

import numpy as np
import pytest
from test_bad_input import refuse

from ldp import GRR, LocalHashing, debias
from ldp.itemsets import (
    ItemSets,
    PadAndSample,
    SetSelection,
    asking,
    frequent_items,
    ldp_miner,
    svim,
    svsm,
)
from ldp.itemsets.svsm import contained, likely_sets

FIVE = ["ace", "be", "abe", "ade", "abcdef"]  # S004, Frequent Itemset Mining


def crowd(copies: int) -> ItemSets:
    """Copies of the five users; items a to f are 0 to 5."""
    return ItemSets.of([["abcdef".index(c) for c in s] for s in FIVE] * copies, num_items=6)


MINERS = {
    "ldp_miner": lambda s, e, rng, k=2: ldp_miner(s, e, rng, top_k=k, length=3),
    "ldp_miner amplified": lambda s, e, rng, k=2: ldp_miner(
        s, e, rng, top_k=k, length=3, amplified=True
    ),
    "svim": lambda s, e, rng, k=2: svim(s, e, rng, top_k=k),
    "frequent_items": lambda s, e, rng, k=2: frequent_items(s, e, rng, top_k=k),
    "svsm": lambda s, e, rng, k=2: svsm(s, e, rng, top_k=k),
}
every_miner = pytest.mark.parametrize("name", MINERS)


def test_the_five_users_by_brute_force():
    sets = [frozenset(s) for s in FIVE]
    every = [frozenset(c) for k in range(1, 7) for c in combinations("abcdef", k)]
    support = {items: sum(items <= held for held in sets) for items in every}
    best = sorted(every, key=lambda items: (-support[items], len(items), sorted(items)))
    assert [("".join(sorted(i)), support[i]) for i in best[:3]] == [("e", 5), ("a", 4), ("ae", 4)]
    found = svsm(crowd(20_000), 4.0, np.random.default_rng(1), top_k=5)
    wanted = {tuple(sorted("abcdef".index(c) for c in i)): support[i] / 5 for i in best[:5]}
    assert found.items[0] == (4,)
    assert {(0,), (0, 4)} == set(found.items[1:3])
    assert set(found.items) == set(wanted)  # b and be, of three users each, come next
    true = [wanted[items] for items in found.items]
    np.testing.assert_allclose(found.frequencies, true, atol=0.12)  # 5 s.d. and the cut of size 6


@every_miner
def test_a_large_budget_and_crowd_find_the_frequent_items(name):
    found = MINERS[name](crowd(20_000), 6.0, np.random.default_rng(2), 2)
    assert [i if isinstance(i, int) else i[0] for i in np.ravel(found.items).tolist()][:2] == [4, 0]
    np.testing.assert_allclose(found.frequencies, [1.0, 0.8], atol=0.15)
    # Control: users whose favourite is another item.
    other = ItemSets.of([[3], [3, 2]] * 20_000, num_items=6)
    found = MINERS[name](other, 6.0, np.random.default_rng(2), 2)
    assert np.ravel(found.items[0]).tolist() == [3]


# -- whom they ask ---------------------------------------------------------------------------------


class Watched:
    """Remembers which users were asked: user i of these sets holds item i alone."""

    def __init__(self, monkeypatch):
        self.asked, self.sizes = [], 0
        items, sizes = asking.ask_items, asking.ask_sizes

        def of_items(sets, candidates, mechanism, rng):
            self.asked.append(sets.items)
            return items(sets, candidates, mechanism, rng)

        def of_sizes(sets, most, epsilon, rng):
            self.sizes += len(sets)
            return sizes(sets, most, epsilon, rng)

        monkeypatch.setattr(asking, "ask_items", of_items)
        monkeypatch.setattr(asking, "ask_sizes", of_sizes)


@pytest.mark.parametrize("name", ["svim", "frequent_items", "ldp_miner", "svsm"])
def test_every_user_is_asked_at_most_once(monkeypatch, name):
    # A label that nobody asks for: user i holds item i. In SVIM the second and the third part
    # are cut to the candidates first, so parts are watched where the users are drawn.
    sets = ItemSets(np.arange(3_000), np.ones(3_000, dtype=int), 3_000)
    seen = []
    drawn = asking.parts_of

    def parts_of(*arguments, **options):
        wanted, parts = drawn(*arguments, **options)
        seen.extend(part.items for part in parts)
        return wanted, parts

    monkeypatch.setattr(asking, "parts_of", parts_of)
    watched = Watched(monkeypatch)
    found = MINERS[name](sets, 1.0, np.random.default_rng(3))
    everyone = np.concatenate(seen)
    assert sorted(everyone) == list(range(3_000))  # parts are disjoint and leave nobody out
    reports = sum(asked.tally.num_reports for asked in found.rounds)
    if name == "ldp_miner":  # control: it asks everybody twice, with half of the budget
        assert reports == 6_000
        assert [asked.mechanism.epsilon for asked in found.rounds] == [0.5, 0.5]
        assert all(sorted(users) == list(range(3_000)) for users in watched.asked)
        return
    assert reports == 3_000
    assert [asked.mechanism.epsilon for asked in found.rounds] == [1.0] * len(found.rounds)
    by_part = [asked.tally.num_reports for asked in found.rounds]
    assert by_part == [part.size for part in seen]


def test_parts_do_not_depend_on_the_sets():
    first, second = crowd(200), ItemSets.of([[5]] * 1_000, num_items=6)
    parts = []
    for sets in (first, second):
        given = asking.parts_of(sets, 2, (0.4, 0.1, 0.5), 3, np.random.default_rng(4))[1]
        parts.append([len(part) for part in given])
    assert parts[0] == parts[1]


# -- the pieces ------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize(("d", "length"), [(2, 1), (64, 4), (64, 64), (5_000, 1), (5_000, 16)])
def test_the_oracle_is_the_better_of_two_within_the_budget(d, length, epsilon):
    odds = np.exp(epsilon)
    hashed = 1 / np.arange(2, 100)  # one over the number of buckets
    kept = odds * hashed / (1 + (odds - 1) * hashed)
    of_hashing = min(length**2 * hashed * (1 - hashed) / (kept - hashed) ** 2)
    for amplified in (True, False):
        weight = 1 + (odds - 1) * (length if amplified else 1)
        q = 1 / (weight + d + length - 1)
        direct = length**2 * q * (1 - q) / ((weight - 1) * q) ** 2
        m = asking.pad_and_sample(d, length, epsilon, amplified=amplified)
        assert isinstance(m.oracle, GRR if direct < of_hashing else LocalHashing)
        assert m.epsilon == epsilon
        spent = np.log1p(np.expm1(m.oracle.epsilon) / (length if isinstance(m.oracle, GRR) else 1))
        assert spent <= epsilon * (1 + 1e-12)


def test_best_is_in_order_and_prefers_the_first():
    assert asking.best(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist() == [1, 3, 2]


def test_lengths_and_corrections_by_hand():
    sizes = np.array([0.1, 0.3, 0.2, 0.2, 0.0, 0.2])
    assert asking.covering_length(sizes) == 5
    assert asking.covering_length(sizes, 0.7) == 3
    assert asking.covering_length(np.array([1.0, 0.0])) == 1
    cut = 0.3 + 0.4 + 0.4 + 0.4
    assert asking.correction(sizes, 2) == pytest.approx((0.3 + 0.4 + 0.6 + 1.0) / cut)
    assert asking.correction(sizes, 5) == 1.0
    assert asking.correction(np.array([1.0, 0.0]), 1) == 1.0


def test_the_correction_makes_up_for_what_is_cut_in_all():
    sets = crowd(1)
    expected = [np.mean([min(1, 2 / len(s)) if c in s else 0 for s in FIVE]) for c in "abcdef"]
    factor = asking.correction(sets.sizes() / 5, 2)
    total = sets.counts().sum() / 5
    assert factor * sum(expected) == pytest.approx(total, rel=1e-12)
    assert sum(expected) < 0.8 * total  # control: without it much is missing


def test_noise_in_sizes_is_set_to_zero():
    sets = ItemSets.of([[0], [0, 1]] * 2_000, num_items=40)
    told = asking.ask_sizes(sets, 40, 1.0, np.random.default_rng(5))
    clipped, kept = asking.without_noise(told, 0.0), asking.without_noise(told, 4.0)
    assert np.flatnonzero(kept).tolist() == [1, 2]
    assert np.count_nonzero(clipped) > 10  # control: noise of which SVIM as published makes sizes
    assert asking.covering_length(kept) == 2
    assert asking.covering_length(clipped) > 10


@pytest.mark.parametrize("seed", range(5))
def test_likely_sets_are_those_of_the_largest_products(seed):
    f = np.sort(np.random.default_rng(seed).random(7))[::-1]
    shares = 0.9 * f / f[0]
    every = [c for k in range(2, 8) for c in combinations(range(7), k)]
    product = {places: np.prod(shares[list(places)]) for places in every}
    found = likely_sets(f, 20)
    assert len(found) == len(set(found)) == 20
    wanted = sorted(product.values(), reverse=True)[:20]
    np.testing.assert_allclose([product[places] for places in found], wanted, rtol=1e-12)


def test_likely_sets_where_nothing_is_known():
    assert set(likely_sets(np.array([-0.1, -0.2, -0.3]), 9)) == {(0, 1), (1, 2), (0, 2), (0, 1, 2)}
    assert likely_sets(np.array([0.5, 0.2]), 9) == [(0, 1)]


def test_sets_that_are_held_whole():
    held = contained(crowd(1), [(0, 4), (1,), (0, 1, 4)])
    assert [user.tolist() for user in held] == [[0], [1], [0, 1, 2], [0], [0, 1, 2]]


@pytest.mark.statistical
def test_frequencies_are_estimated_as_they_should():
    """Mean of 400 runs of both rounds within 5 standard errors: false alarms 1 in 10**5."""
    sets = ItemSets.of([[0], [0, 1], [0, 1, 2], []] * 250, num_items=3)
    runs = [
        frequent_items(sets, 2.0, child, top_k=3) for child in np.random.default_rng(6).spawn(400)
    ]
    found = np.array([r.frequencies[np.argsort(r.items)] for r in runs])
    error = found.std(axis=0) / np.sqrt(len(runs))
    assert (np.abs(found.mean(axis=0) - [0.75, 0.5, 0.25]) < 5 * error).all()
    assert (np.abs(found.mean(axis=0) - [0.72, 0.5, 0.25]) > 5 * error).any()  # control
    assert {type(asked.mechanism) for asked in runs[0].rounds} == {SetSelection}


def test_rounds_hold_what_was_asked():
    found = svim(crowd(2_000), 2.0, np.random.default_rng(7), top_k=2)
    first, told, last = found.rounds
    assert first.candidates.tolist() == list(range(6))
    assert told.candidates is None
    assert told.mechanism.domain_size == 5
    assert isinstance(last.mechanism, PadAndSample)
    assert set(found.items) <= set(last.candidates.tolist())
    by_hand = debias(last.tally, last.mechanism)[np.isin(last.candidates, found.items)]
    ratio = np.sort(found.frequencies) / np.sort(by_hand)
    assert ratio[0] == pytest.approx(ratio[1])  # one factor for all


# -- bad input -------------------------------------------------------------------------------------

RNG = np.random.default_rng
BAD = [
    ({"top_k": 0}, "top_k"),
    ({"top_k": 7}, "top_k"),
    ({"top_k": 2.0}, "top_k"),
    ({"epsilon": 0.0}, "epsilon"),
    ({"epsilon": None}, "epsilon"),
    ({"sets": [[0], [1]]}, "sets"),
    ({"sets": ItemSets.of([[0]], num_items=6)[:0]}, "sets"),
    ({"rng": 1}, "rng"),
]
SHARED = [(0.5, 0.5, 0.5), (0.5, 0.5), (1.0, 0.0, 0.0), (1.2, -0.1, -0.1), None, (0.4, np.nan, 0.6)]


def call(miner, **changed):
    given = {"sets": crowd(20), "epsilon": 1.0, "rng": RNG(1), "top_k": 2} | changed
    if miner is ldp_miner and "length" not in given:
        given["length"] = 2
    return miner(**given)


@pytest.mark.parametrize("miner", [ldp_miner, svim, frequent_items, svsm])
@pytest.mark.parametrize(("changed", "naming"), BAD)
def test_bad_input_is_refused_before_any_work(miner, changed, naming):
    rng = changed.get("rng", RNG(1))
    if isinstance(rng, int):
        with pytest.raises(TypeError, match=r"^rng must be"):
            call(miner, **changed)
        return
    refuse(lambda: call(miner, **({"rng": rng} | changed)), naming=naming, rng=rng)


@pytest.mark.parametrize("shares", SHARED, ids=repr)
def test_bad_shares_are_refused(shares):
    rng = RNG(1)
    refuse(lambda: call(svim, shares=shares, rng=rng), naming="shares", rng=rng)


@pytest.mark.parametrize(
    ("miner", "changed", "naming"),
    [
        (ldp_miner, {"length": 0}, "length"),
        (ldp_miner, {"length": 2.5}, "length"),
        (ldp_miner, {"amplified": 1}, "amplified"),
        (frequent_items, {"length": 0}, "length"),
        (frequent_items, {"shares": (1.0, 0.0)}, "shares"),
        (svim, {"deviations": -1.0}, "deviations"),
        (svim, {"deviations": np.inf}, "deviations"),
        (svsm, {"deviations": np.nan}, "deviations"),
        (svsm, {"top_k": 1}, "top_k"),
        (svsm, {"shares": (0.5, 0.5)}, "shares"),
    ],
)
def test_bad_settings_are_refused(miner, changed, naming):
    rng = RNG(1)
    refuse(lambda: call(miner, rng=rng, **changed), naming=naming, rng=rng)


def test_an_empty_part_is_refused():
    one = ItemSets.of([[0]], num_items=6)
    for miner in (svim, frequent_items, svsm):
        refuse(lambda m=miner: call(m, sets=one), naming="sets")
