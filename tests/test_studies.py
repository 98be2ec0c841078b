"""The study of adaptive estimation: its tables, and a run of it computed again."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import plain_notebooks
import pytest

import adobest as study
import grids
import table
from ldp import adobest, maximum_likelihood
from ldp.bayes import slice_sample
from ldp.experiments import run_rng
from ldp.metrics import tv
from ldp.protocols import BestPrefix, SliceSampler

CELL = {"domain_size": 3, "epsilon": 2.0, "rho": 1.0, "n": 300}
STUDIES = Path(study.__file__).parent


def stored(name):
    with (STUDIES / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def in_cell(name, cell):
    """Rows of a stored table for one cell, by rule and estimator."""
    place = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in cell.values()]
    rows = [row for row in stored(name) if [row[key] for key in cell] == place]
    return {(row["rule"], float(row["parameter"]), row["estimator"]): row for row in rows}


def third_digit(number):
    """A number, but for one in the third digit, to which the tables are rounded."""
    return pytest.approx(float(number), rel=0.0101, abs=1e-12)


LANGEVIN = ("sgld_draw", "sgld_mle")


def agreeing(name, cell, run):
    """Whether a run of four rules has the stored errors: of Langevin dynamics, and of the rest."""
    rows = in_cell(name, cell)
    found = {True: [], False: []}
    for row in study.compare(cell, run_rng(cell, run, 0), study.FEW_RULES):
        for e in table.ESTIMATORS:
            same = row[e] == third_digit(rows[row["rule"], row["parameter"], e]["first"])
            found[e in LANGEVIN].append(same)
    return found[True], found[False]


# Sums of another order, as another processor or compiler makes them, move a likelihood of reports
# by no more than the last digits. Langevin dynamics they can lead elsewhere. Between the order in
# which the tables were computed and the present one, no first run of 20 values and a budget of at
# most 1 went elsewhere; in the large table each other cell had one that did. So the former alone
# are compared: one of the four rules may go astray, with its two numbers, and a single number more.
def assert_as_stored(name, cell):
    langevin, rest = agreeing(name, cell, 0)
    assert all(rest)
    if cell["domain_size"] == 20 and cell["epsilon"] <= 1:
        assert sum(langevin) >= 5


SMALL = {"domain_size": 20, "epsilon": 1.0, "rho": 0.1, "n": 1_000}


def test_a_small_cell_is_what_the_study_computes():
    assert_as_stored("region.csv", SMALL)
    langevin, rest = agreeing("region.csv", SMALL, 1)  # control: another run is another number
    assert sum(langevin) <= 2
    assert sum(rest) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("name", grids.TABLES)
@pytest.mark.parametrize("epsilon", grids.EPSILONS)
def test_the_first_run_of_every_cell_is_what_the_study_computes(name, epsilon):
    for cell in grids.TABLES[name][1]:
        if cell["epsilon"] == epsilon:
            assert_as_stored(name, cell)


@pytest.mark.slow
def test_whole_rows_of_a_small_cell_are_what_the_study_computes():
    runs = [
        SMALL | {"run": r} | row
        for r in range(20)
        for row in study.compare(SMALL, run_rng(SMALL, r, 0), study.FEW_RULES)
    ]
    old = in_cell("region.csv", SMALL)
    rows = table.summarise(runs)
    assert len(rows) == len(old) == 20
    for row in rows:
        was = old[row["rule"], row["parameter"], row["estimator"]]
        if row["estimator"] in LANGEVIN:  # two of the twenty runs may end elsewhere
            reach = float(was["max"]) - float(was["min"])
            assert abs(row["mean"] - float(was["mean"])) <= 2 / 20 * reach
        else:
            for column in ("first", "mean", "se", "min", "q1", "median", "q3", "max"):
                assert row[column] == third_digit(was[column]), (was, column)
            close = pytest.approx(float(was["difference"]), abs=0.01 * row["mean"])
            assert row["difference"] == close


@pytest.mark.parametrize("name", grids.TABLES)
def test_every_table_says_where_it_comes_from(name):
    told = json.loads((STUDIES / name).with_suffix(".json").read_text(encoding="utf-8"))
    now = {"table": name, "runs": grids.TABLES[name][2]} | grids.origin()
    assert told.keys() == now.keys()
    for field in ("table", "runs", "seed", "command"):
        assert told[field] == now[field]
    assert re.fullmatch("[0-9a-f]{12}(-dirty)?", told["commit"])
    assert None not in now.values()
    unknown = [field for field, value in told.items() if value is None]
    assert not unknown or "What is null is not known." in told["note"]


def test_a_new_table_says_where_it_comes_from(tmp_path):
    path = tmp_path / "votes.csv"
    table.write_origin(path, 7, grids.origin())
    told = json.loads((tmp_path / "votes.json").read_text())
    assert (told["table"], told["runs"], told["seed"]) == ("votes.csv", 7, grids.SEED)
    assert told["distributions"]["numpy"] == np.__version__


@pytest.mark.parametrize("name", grids.TABLES)
def test_the_stored_tables_are_whole(name):
    _, cells, runs = grids.TABLES[name]
    rules = study.RULES if name == "adobest.csv" else study.FEW_RULES
    rows = stored(name)
    assert len(rows) == len(cells) * len(rules) * len(table.ESTIMATORS)
    assert {row["runs"] for row in rows} == {str(runs)}
    for row in rows:
        five = [float(row[name]) for name in ("min", "q1", "median", "q3", "max")]
        assert five[0] >= 0
        assert five == sorted(five)
        assert five[-1] <= 1
        if row["rule"] == "none":
            assert float(row["difference"]) == float(row["difference_se"]) == 0


def test_a_rule_has_the_same_numbers_whatever_the_others():
    few = study.few_rules(CELL, run_rng(CELL, 0, 0))
    every = study.all_rules(CELL, run_rng(CELL, 0, 0))
    assert len(every) == 18
    for row in few:
        assert row in every
    # All rules ask the same users: without adaptation, restricting none is all that Fisher does.
    assert [row["size"] for row in every if row["rule"] == "fisher"] == [0, 0]


def test_hits_count_users_of_the_second_half():
    class Run:
        epsilon = 1.0
        reports = np.zeros(8)
        starts = np.array([0, 5, 6])  # 5, 1 and 2 users; the second half is users 4 to 7
        subsets = np.array([[False, True], [True, False], [False, True]])

    rule = study.MassPrefix(0.6)
    assert study.hits(Run, rule, np.array([0.7, 0.3])) == 1 / 4
    assert study.hits(Run, rule, np.array([0.3, 0.7])) == 3 / 4


THETA = np.array([0.6, 0.25, 0.1, 0.05])
VALUES = np.repeat(range(4), [60, 25, 10, 5])
ADAPTIVE = BestPrefix("honest", 0.8)


def error_of_likeliest(mechanisms, tallies):
    return tv(maximum_likelihood(tallies, mechanisms).theta, THETA)


@pytest.fixture
def seen_runs(monkeypatch):
    """Arguments and results of the adaptive runs of a study."""
    seen = []

    def watched(*arguments, **options):
        seen.append((arguments[4], options, adobest(*arguments, **options)))
        return seen[-1][2]

    monkeypatch.setattr(study, "adobest", watched)
    return seen


def test_errors_of_langevin_dynamics_are_what_they_are_called(seen_runs):
    row = study.by_langevin(ADAPTIVE, VALUES, THETA, 1.0, np.random.default_rng(1))
    ((sampler, options, run),) = seen_runs
    assert options == {"growth": 0.02}
    assert sampler.num_updates == 200
    assert sampler.step_size(np.array([10, 100])).tolist() == [0.5, 0.05]
    assert len(run.mechanisms) > 1
    assert row["sgld_draw"] == tv(run.laws[-1], THETA)
    assert row["sgld_mean"] == tv(run.laws[-25:].mean(axis=0), THETA)
    assert row["sgld_mle"] == error_of_likeliest(run.mechanisms, run.tallies)


def test_errors_of_exact_draws_are_what_they_are_called(seen_runs):
    rng, again = np.random.default_rng(2), np.random.default_rng(2)
    row = study.adapted(ADAPTIVE, VALUES, THETA, 1.0, rng)
    ((sampler, _, run),) = seen_runs
    assert sampler == SliceSampler()
    same = adobest(VALUES, 4, 1.0, ADAPTIVE, SliceSampler(), again, growth=0.02)
    drawn = slice_sample(
        same.tallies, same.mechanisms, np.ones(4), 100, again, burn_in=100, num_chains=2
    )
    assert row["mle"] == error_of_likeliest(run.mechanisms, run.tallies)
    assert row["mean"] == tv(drawn.mean, THETA)


def test_the_oracle_restricts_to_the_subset_that_is_best_at_the_truth():
    rng, again = np.random.default_rng(3), np.random.default_rng(3)
    row = study.by_oracle(ADAPTIVE, VALUES, THETA, 1.0, rng)
    m = ADAPTIVE.choose(THETA, 1.0)
    assert 0 < len(m.subset) == row["oracle_size"]
    assert row["oracle_mle"] == error_of_likeliest(m, m.simulate([60, 25, 10, 5], again))


def test_a_population_has_the_law_of_its_cell(monkeypatch):
    seen = []

    def keep(rule, values, theta, epsilon, rng):
        seen.append((values, theta))
        return {}

    monkeypatch.setattr(study, "adapted", keep)
    for name in ("by_langevin", "by_oracle"):
        monkeypatch.setattr(study, name, lambda *_: {})
    cell = {"domain_size": 5, "epsilon": 1.0, "rho": 0.01, "n": 50}
    for number in range(20):
        study.compare(cell, run_rng(cell, number, 0), study.FEW_RULES)
    for i, (values, _) in enumerate(seen):
        assert (values == seen[i - i % 4][0]).all()  # all rules ask the same users
    # A law of Dir(0.01, ...) has .98 on its largest value on average, one of Dir(1, ...) less
    # than a half: the seeds are fixed.
    assert np.mean([theta.max() for _, theta in seen]) > 0.9


def test_differences_are_taken_within_a_run():
    def row(run, rule, error):
        same = dict.fromkeys(table.ESTIMATORS, error)
        return CELL | {"run": run, "rule": rule, "parameter": 1.0} | same

    rows = [row(0, "none", 0.1), row(0, "mass", 0.2), row(1, "none", 0.5), row(1, "mass", 0.7)]
    for given in (rows, rows[::-1]):
        of_mass = next(
            r for r in table.summarise(given) if r["rule"] == "mass" and r["estimator"] == "mle"
        )
        assert of_mass["runs"] == 2
        assert of_mass["mean"] == pytest.approx(0.45)
        assert of_mass["se"] == pytest.approx(0.25)  # half the distance of two numbers
        assert of_mass["difference"] == pytest.approx(0.15)
        assert of_mass["difference_se"] == pytest.approx(0.05)
        assert (of_mass["min"], of_mass["median"], of_mass["max"]) == pytest.approx(
            (0.2, 0.45, 0.7)
        )


def test_plain_notebooks_find_the_tables_where_chapters_do(good_book):
    (good_book / "studies").mkdir()
    (good_book / "studies" / "votes.csv").write_text("rule,mean\n")
    assert plain_notebooks.main(["--root", str(good_book)]) == 0
    folder = good_book / "_build" / "notebooks" / "notebooks"
    assert (folder / "00-good.ipynb").exists()
    assert (folder / "../studies/votes.csv").resolve().read_text() == "rule,mean\n"


def test_a_written_table_can_be_read(tmp_path, capsys):
    rows = study.few_rules(CELL, run_rng(CELL, 0, 0))
    summary = table.summarise([CELL | {"run": 0} | row for row in rows])
    table.write(summary, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    assert len(read) == len(summary) == 4 * len(table.ESTIMATORS)
    assert float(read[3]["mean"]) == pytest.approx(summary[3]["mean"], rel=1e-2)
    assert read[3]["se"] == "nan"  # a single run tells nothing of the spread
    table.show(summary)
    assert "honest 0.8" in capsys.readouterr().out
