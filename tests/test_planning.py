"""Every figure of a plan, beside what small channels, simulations and hand calculation say."""

import dataclasses
import json
import math

import catalogue
import numpy as np
import pytest
from catalogue import scores, small
from scipy import stats
from test_bad_input import BAD_EPSILONS, TELLS_ALL, TELLS_NOTHING, each_of, refuse

import ldp
from ldp import GRR, OUE, SHE, LocalHashing, SubsetSelection, confidence_interval, plan
from ldp.planning.costs import COSTS, MAKERS, costs
from ldp.planning.rows import Row, expected_largest, noticed_frequency, row
from ldp.planning.tables import COLUMNS

SMALL = [m for eps in (0.7, 4.0) for m in small(eps, catalogue.ORACLES) if type(m) in COSTS]
PURE = [m for m in SMALL if not isinstance(m, SHE)]
every_small = pytest.mark.parametrize("m", SMALL, ids=repr)
every_pure = pytest.mark.parametrize("m", PURE, ids=repr)

# Frequency oracles that no plan names.
LEFT_OUT = {
    "UnaryEncoding": "its p and q are one's own: SUE, OUE and THE choose them",
    "LocalHashing": "its number of buckets is one's own: BLH and OLH choose it",
    "CountMeanSketch": "its number of buckets is one's own; the more, the nearer to SUE",
    "WideHashing": "nobody can list its values, so that no error is one of all of them",
}


def test_every_frequency_oracle_is_in_a_plan_or_left_out_with_a_reason():
    listed = {name.split()[0] for name in catalogue.makers(catalogue.ORACLES)}
    assert listed - MAKERS.keys() == LEFT_OUT.keys()
    assert MAKERS.keys() <= listed
    assert {type(make(64, 1.0)) for make in MAKERS.values()} == COSTS.keys()


# -- attack success --------------------------------------------------------------------------------


def guessed(m):
    """How often the best guess is right, from the whole channel."""
    uniform = np.full(m.domain_size, 1 / m.domain_size)
    return ldp.utilities.attack_success(uniform, m.channel())


@every_small
def test_attack_success_is_that_of_the_channel(m):
    # Short words make hash functions far from independent: three keys in progression.
    near = 4e-2 if isinstance(m, LocalHashing) else 1e-12
    assert costs(m).attack_success(m) == pytest.approx(guessed(m), rel=near)


@pytest.mark.parametrize("d", range(2, 12))
@pytest.mark.parametrize("make", [*MAKERS.values()], ids=[*MAKERS])
def test_attack_success_at_every_small_size(make, d):
    for epsilon in (0.1, 1.0, 3.0, 6.0):
        m = make(d, epsilon)
        if type(m) not in (LocalHashing, SHE):
            assert costs(m).attack_success(m) == pytest.approx(guessed(m), rel=1e-12)


@pytest.mark.parametrize("block_size", [2, 4, 8, 16])
def test_attack_success_of_every_number_of_blocks(block_size):
    for d in range(block_size // 2, 40):
        m = ldp.HadamardResponse(max(2, d), 1.5, block_size=block_size)
        assert costs(m).attack_success(m) == pytest.approx(guessed(m), rel=1e-12)


@pytest.mark.parametrize("d", [8, 24, 90])
def test_attack_success_of_every_window_where_points_are_missing(d):
    """3, 5 and 7 points up to the next prime are no values: short windows hold only such ones."""
    for window in (*range(1, 9), d):
        m = ldp.AffineResponse(d, 2.0, window)
        assert costs(m).attack_success(m) == pytest.approx(guessed(m), rel=1e-12)
    for buckets in (2, d // 2, d - 1, d):
        m = ldp.rivals.BalancedSketch(min(d, 24), 2.0, min(buckets, 24))
        assert costs(m).attack_success(m) == pytest.approx(guessed(m), rel=1e-12)


def test_control_an_attacker_who_forgets_the_empty_report_is_wrong_less_often_than_said():
    m = OUE(4, 1.0)
    without = m.channel()[:, 1:].max(axis=0).sum() / 4
    assert without < 0.9 * costs(m).attack_success(m)


@pytest.mark.statistical
@pytest.mark.parametrize("make", [ldp.OLH, ldp.BLH])
@pytest.mark.parametrize("d", [2, 5, 20])
def test_attack_success_of_hashing_with_words_in_use(make, d):
    """20,000 functions: buckets that hold a value, within five standard errors (1e-6)."""
    m = make(d, 2.0)
    seeds = np.random.default_rng(1).integers(0, 2**64, 20_000, dtype=np.uint64)
    held = [len(set(each)) for each in m.hashes.table(seeds, np.arange(d)).tolist()]
    p, q, g = m.response.p, m.response.q, m.num_buckets
    found = [(p * number + q * (g - number)) / d for number in held]
    assert abs(np.mean(found) - costs(m).attack_success(m)) < 5 * np.std(found) / 20_000**0.5 + 1e-5


@pytest.mark.parametrize("d", [2, 3, 100, 4_000, 10**6])
def test_no_attack_succeeds_more_often_than_the_budget_allows(d):
    """At most e^eps/(e^eps + d - 1), and more than without a report."""
    for epsilon in (0.01, 1.0, 5.0, 12.0):
        most = math.exp(epsilon) / (math.exp(epsilon) + d - 1) * (1 + 1e-9)
        found = plan(d, epsilon, 10).columns()
        assert 1 / d < min(found["attack_success"]) < max(found["attack_success"]) <= most
        assert found["name"][np.argmax(found["attack_success"])] in ("GRR", "SubsetSelection")


# -- errors ----------------------------------------------------------------------------------------


def noise(m):
    """Variance of one debiased score of value v (column) under value x (row), by enumeration."""
    estimates = (scores(m) - m.q) / (m.p - m.q)
    return m.channel() @ estimates**2 - (m.channel() @ estimates) ** 2


@every_pure
def test_errors_are_those_of_the_channel(m):
    n, f, d = 1000, 0.3, m.domain_size
    made = row("", m, n, f)
    own, given = np.diag(noise(m)).mean(), noise(m)
    other = (given.sum() - np.trace(given)) / (d * (d - 1))  # the other users spread evenly
    assert made.error == pytest.approx(math.sqrt(n * other), rel=1e-9)
    assert made.error_frequent == pytest.approx(
        math.sqrt(n * (f * own + (1 - f) * other)), rel=1e-9
    )
    assert made.worst_case == pytest.approx(math.sqrt(n * given.max()), rel=1e-9)
    even = math.sqrt(n * given.mean())
    assert made.sup_norm == pytest.approx(even * expected_largest(d), rel=1e-9)


@pytest.mark.parametrize("m", [m for m in SMALL if isinstance(m, SHE)], ids=repr)
def test_errors_of_noise_are_those_of_its_law(m):
    alpha, steps = math.exp(-m.epsilon / 2 / m.resolution), np.arange(-20_000, 20_001)
    law = (1 - alpha) / (1 + alpha) * alpha ** np.abs(steps).astype(float)
    expected = math.sqrt(50 * law @ steps**2.0) / m.resolution
    made = row("", m, 50, 0.2)
    errors = (
        made.error,
        made.error_frequent,
        made.worst_case,
        made.sup_norm / expected_largest(m.domain_size),
    )
    assert errors == pytest.approx([expected] * 4, rel=1e-9)


def test_the_largest_of_normal_numbers():
    """Of one and of two in closed form, of many by the other tail of the integral."""
    assert expected_largest(1) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-6)
    assert expected_largest(2) == pytest.approx(2 / math.sqrt(math.pi), rel=1e-6)
    draws = np.abs(np.random.default_rng(1).normal(size=(4_000, 300))).max(axis=1)
    assert abs(draws.mean() - expected_largest(300)) < 5 * draws.std() / 4_000**0.5
    assert expected_largest(2**31) == pytest.approx(6.4, abs=0.2)  # near sqrt(2 ln 2 d) = 6.66


@pytest.mark.statistical
@pytest.mark.parametrize("make", [*MAKERS.values()], ids=[*MAKERS])
def test_errors_are_those_of_simulated_surveys(make):
    """400 surveys of 6,400 people, evenly spread over 16 values, and all with one value.

    The root of a mean square has a relative standard error of about 1/sqrt(2 * 400 * d) or more:
    within 15 percent even of one value, false alarms below 1e-4. The largest error is at most the
    stated one and five standard errors, and not below it by a tenth: d - 1 free counts are nearly
    independent. The control is half the budget.
    """
    d, people, runs, rng = 16, 6_400, 400, np.random.default_rng(2)
    m = make(d, 1.5)
    made = row("", m, people, 1 / d)
    even, one = np.full(d, people // d), np.zeros(d, dtype=int)
    one[0] = people
    errors = {}
    for name, held in (("even", even), ("one", one)):
        drawn = [ldp.debias(m.simulate(held, rng), m) * people - held for _ in range(runs)]
        errors[name] = np.array(drawn)
    spread = np.sqrt((errors["even"] ** 2).mean())
    assert spread == pytest.approx(made.error_frequent, rel=0.05)
    of_all = np.sqrt((errors["one"] ** 2).mean(axis=0))
    assert of_all.max() < 1.2 * made.worst_case  # the largest of 16 of these
    largest = np.abs(errors["even"]).max(axis=1)
    slack = 5 * largest.std() / runs**0.5
    assert 0.9 * made.sup_norm - slack < largest.mean() < made.sup_norm + slack
    other = row("", make(d, 0.75), people, 1 / d)
    assert spread < 0.7 * other.error_frequent
    assert largest.mean() < 0.7 * other.sup_norm


# -- the detection limit ---------------------------------------------------------------------------


@pytest.mark.statistical
@pytest.mark.parametrize("make", [OUE, ldp.SUE, ldp.OLH, GRR, ldp.HadamardResponse])
def test_a_value_at_the_detection_limit_is_noticed_in_four_of_five_surveys(make):
    """Of 1,000 surveys, within five standard errors (.063) and .01 for counts that are no normal
    numbers; the control has three quarters of the holders."""
    d, people, rng = 20, 40_000, np.random.default_rng(3)
    m = make(d, 1.0)
    limit = row("", m, people, 0.0).detection_limit

    def noticed(holders):
        held = np.zeros(d, dtype=int)
        held[7], held[1:3] = holders, (people - holders) // 2
        held[1] += people - held.sum()
        found = 0
        for _ in range(1_000):
            lower, _upper = confidence_interval(m.simulate(held, rng), m, simultaneous=True)
            found += lower[7] > 0
        return found / 1_000

    assert abs(noticed(math.ceil(limit)) - 0.8) < 0.073
    assert noticed(math.ceil(0.75 * limit)) < 0.6


@every_small
def test_the_detection_limit_solves_its_equation(m):
    for people in (30, 1_000, 10**6):
        f = noticed_frequency(m, people)
        if f <= 1:
            none, held = (math.sqrt(ldp.variance(m, people, share)) for share in (0.0, f))
            bar = -stats.norm.ppf(0.025 / m.domain_size) * none
            assert f - bar == pytest.approx(stats.norm.ppf(0.8) * held, rel=1e-9)


def test_a_value_that_everybody_holds_may_go_unnoticed():
    assert noticed_frequency(OUE(16, 0.1), 100) == math.inf
    assert row("", OUE(16, 0.1), 100, 0.1).detection_limit == math.inf
    assert noticed_frequency(OUE(16, 8.0), 100) < 1
    assert " inf " in str(plan(16, 0.1, 100))


# -- costs -----------------------------------------------------------------------------------------

# By hand at 1,000 values, a budget of 1 and a million people: bits, client, server.
BY_HAND = {
    "GRR": (10, 1, 1_001_000),  # 2**10 = 1024
    "SUE": (1000, 1000, 10**9),
    "OUE": (1000, 1000, 10**9),
    "THE": (1000, 1000, 10**9),
    "SHE": (15_000, 1000, 10**9),  # 64 steps beyond 2**13 at both ends
    "BLH": (65, 2, 10**9),
    "OLH": (66, 2, 10**9),  # four buckets
    "SubsetSelection": (1000, 270, 10**9),  # a set of 269 = 1000/(e + 1)
    "HadamardResponse": (10, 2, 1_000_000 + 1024 * 10),
    "AffineResponse": (19, 1, 1_000_000 + 504 * 1009),  # 1009 is the next prime
    "BalancedSketch": (20 + 2, 2, 10**9),  # 1008 * 1009 functions, four buckets
    "PIRAPPOR": (20, 1, 1_000_000 + 1009**2),
    # Modulo 1013 four classes of 253, two of them enough: 2026 blocks of 254, five transforms.
    "CyclotomicResponse": (11, 1, 1_000_000 + 5 * 11 * 2048),
    "CyclicResponse": (11, 1, 1_000_000 + 3 * 12 * 4096),  # 1365 hyperplanes
}


def test_costs_are_those_counted_by_hand():
    rows = plan(1000, 1.0, 10**6).rows
    assert {r.name: (r.bits, r.client_ops, r.server_ops) for r in rows} == BY_HAND


@every_pure
def test_bits_are_enough_for_every_report_and_fit_into_its_bytes(m):
    reports = len(m.channel().T)
    bits = costs(m).bits(m)
    assert reports <= 2**bits
    fields = len(m.report.dtype.names or [0])
    assert bits < math.log2(reports) + fields or isinstance(m, SubsetSelection)
    assert bits <= 8 * m.report.dtype.itemsize * math.prod(m.report.shape)


# -- the table -------------------------------------------------------------------------------------


def test_rows_are_sorted_by_each_column():
    for column in COLUMNS:
        found = plan(300, 1.0, 10_000, sort_by=column).columns()[column]
        assert len(found) == len(MAKERS)
        assert found == sorted(found)
    assert plan(2, 1.0, 10).rows[0].name == "GRR"  # a tie with sets of one, of fewer bits


def test_limits_part_the_rows_and_are_kept():
    everything = plan(300, 1.0, 10_000)
    made = plan(300, 1.0, 10_000, max_bits=66, max_server_ops=10**6)
    assert {"GRR", "HadamardResponse"} <= {r.name for r in made.rows}
    assert {*made.rows, *made.beyond} == {*everything.rows}
    assert all(r.bits <= 66 and r.server_ops <= 10**6 for r in made.rows)
    assert all(r.bits > 66 or r.server_ops > 10**6 for r in made.beyond)
    at = made.rows[0]
    same = plan(300, 1.0, 10_000, max_bits=at.bits, max_server_ops=at.server_ops)
    assert at in same.rows
    assert at not in plan(300, 1.0, 10_000, max_server_ops=at.server_ops - 1).rows


def test_a_plan_in_which_nothing_keeps_within_the_limits_says_so():
    made = plan(300, 1.0, 10_000, max_bits=2)
    assert made.rows == ()
    assert "No mechanism keeps within the limits." in str(made)
    assert made.columns()["name"] == []


def test_what_refuses_is_named_with_its_reason():
    made = plan(300, 40.0, 10_000)  # 1 - p of unary encoding is lost
    refused = dict(made.refused)
    assert refused["SUE"].startswith("epsilon must be small enough")
    assert "Not for these values and this budget: " in str(made)
    assert refused.keys() | {r.name for r in made.rows} == MAKERS.keys()


@pytest.mark.parametrize("size", [2, 300, 2**22])
def test_a_table_has_a_fixed_width(size):
    for epsilon, people in ((0.01, 1), (12.0, 2**53)):
        limits = {"max_bits": 10**12, "max_server_ops": 10**30}
        made = plan(size, epsilon, people, frequency=0.02, sort_by="detection_limit", **limits)
        lines = str(made).splitlines()
        table = lines[2 : 3 + len(made.rows)]
        assert table[0].startswith("mechanism ")
        assert {len(line) for line in table} == {100}
        assert {len(line.split()) for line in table[1:]} == {len(COLUMNS) + 1}  # blanks between
        assert max(map(len, lines)) <= 100
        assert repr(made) == str(made)
        nothing = str(plan(size, epsilon, people, max_bits=1)).splitlines()
        assert max(map(len, nothing)) <= 100


def test_a_plan_is_a_frozen_value_and_plain_columns():
    made = plan(20, 1.0, 100)
    assert made == plan(20, 1.0, 100)
    assert hash(made) == hash(plan(20, 1.0, 100))
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.epsilon = 2.0
    columns = made.columns()
    assert json.loads(json.dumps(columns)) == columns
    assert {len(column) for column in columns.values()} == {len(MAKERS)}
    assert [*columns] == [name for name in Row._fields if name != "mechanism"]
    assert all(r.mechanism == MAKERS[r.name](20, 1.0) for r in made.rows)


BAD = [
    (lambda bad: plan(bad, 1.0, 10), "domain_size", 1, 2**22 + 1, 2.0, "4", None, True),
    (lambda bad: plan(4, bad, 10), "epsilon", *BAD_EPSILONS, *TELLS_ALL, *TELLS_NOTHING),
    (lambda bad: plan(4, 1.0, bad), "num_users", 0, -1, 2**53 + 1, 1.0, None),
    (lambda bad: plan(4, 1.0, 9, frequency=bad), "frequency", -0.1, 1.1, np.nan, "1", [0.1], None),
    (lambda bad: plan(4, 1.0, 9, max_bits=bad), "max_bits", 0, 1.5, True, "8"),
    (lambda bad: plan(4, 1.0, 9, max_server_ops=bad), "max_server_ops", 0, 1e6, -1),
    (lambda bad: plan(4, 1.0, 9, sort_by=bad), "sort_by", "name", "", None, 3, ["error"]),
]


@pytest.mark.parametrize(("call", "naming"), each_of(BAD))
def test_bad_input(call, naming):
    refuse(call, naming=naming)


def test_costs_of_what_has_none_are_refused():
    refuse(lambda: costs(ldp.SquareWave(4, 1.0)), naming="mechanism")
    refuse(lambda: costs(GRR), naming="mechanism")
