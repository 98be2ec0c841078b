"""The study of adaptive estimation: its tables, and a run of it computed again."""

import csv
from pathlib import Path

import numpy as np
import plain_notebooks
import pytest

import adobest as study
import grids
import table
from ldp import BestPrefix, SliceSampler, adobest, maximum_likelihood, slice_sample, tv
from ldp.experiments import run_rng

CELL = {"domain_size": 3, "epsilon": 2.0, "rho": 1.0, "n": 300}
STUDIES = Path(study.__file__).parent


def errors(cell, run, wanted):
    rules = [rule for rule in study.RULES if study.describe(rule) == wanted]
    assert len(rules) == 1
    return study.compare(cell, run_rng(cell, run, 0), rules)[0]


def stored(name):
    with (STUDIES / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("wanted", [("none", 1.0), ("honest", 0.8)])
def test_the_stored_table_is_what_the_study_computes(wanted):
    # A rounding in another library may move draws, but no likelihood of reports under one subset.
    # Its maximum is certified to within 1e-9 for each of 500,000 reports: within sqrt(2 * 5e-4)
    # = 0.03 standard errors, and the error of an estimate is about one of them.
    cell = {"domain_size": 10, "epsilon": 5.0, "rho": 1.0, "n": 500_000}
    rule = dict(zip(table.RULE, wanted, strict=True))
    place = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in (cell | rule).values()]
    rows = [
        row
        for row in stored("adobest.csv")
        if [row[name] for name in (*cell, *rule, "estimator")] == [*place, "mle"]
    ]
    assert len(rows) == 1
    assert errors(cell, 0, rule)["mle"] == pytest.approx(float(rows[0]["first"]), rel=0.05)
    other = errors(cell, 1, rule)["mle"]  # control: another run is another number
    assert other != pytest.approx(float(rows[0]["first"]), rel=0.05)


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
    return tv(maximum_likelihood(mechanisms, tallies).theta, THETA)


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
        same.mechanisms, same.tallies, np.ones(4), 100, again, burn_in=100, num_chains=2
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


def test_plain_notebooks_find_the_tables_where_chapters_do(tmp_path):
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "votes.csv").write_text("rule,mean\n")
    assert plain_notebooks.main(["--root", str(tmp_path)]) == 0
    folder = tmp_path / "_build" / "notebooks"
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
