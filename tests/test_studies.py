"""The study of adaptive estimation: its table, and a run of it computed again."""

import csv
from pathlib import Path

import numpy as np
import plain_notebooks
import pytest

import adobest
import table
from ldp.experiments import run_rng

CELL = {"domain_size": 3, "epsilon": 2.0, "rho": 1.0, "n": 300}
STORED = Path(adobest.__file__).with_suffix(".csv")


def errors(cell, run, wanted):
    rules = [rule for rule in adobest.RULES if adobest.describe(rule) == wanted]
    assert len(rules) == 1
    return adobest.compare(cell, run_rng(cell, run, 0), rules)[0]


@pytest.mark.parametrize("wanted", [("none", 1.0), ("honest", 0.8)])
def test_the_stored_table_is_what_the_study_computes(wanted):
    # A rounding in another library may move draws, but no likelihood of reports under one subset.
    # Its maximum is certified to within 1e-9 for each of 500,000 reports: within sqrt(2 * 5e-4)
    # = 0.03 standard errors, and the error of an estimate is about one of them.
    cell = {"domain_size": 10, "epsilon": 5.0, "rho": 1.0, "n": 500_000}
    rule = dict(zip(table.RULE, wanted, strict=True))
    place = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in (cell | rule).values()]
    with STORED.open(encoding="utf-8") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if [row[name] for name in (*cell, *rule, "estimator")] == [*place, "mle"]
        ]
    assert len(rows) == 1
    assert errors(cell, 0, rule)["mle"] == pytest.approx(float(rows[0]["first"]), rel=0.05)
    other = errors(cell, 1, rule)["mle"]  # control: another run is another number
    assert other != pytest.approx(float(rows[0]["first"]), rel=0.05)


def test_the_stored_table_is_whole():
    with STORED.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18 * len(adobest.RULES) * len(table.ESTIMATORS)
    assert len({row["runs"] for row in rows}) == 1
    for row in rows:
        five = [float(row[name]) for name in ("min", "q1", "median", "q3", "max")]
        assert five[0] >= 0
        assert five == sorted(five)
        assert five[-1] <= 1
        if row["rule"] == "none":
            assert float(row["difference"]) == float(row["difference_se"]) == 0


def test_a_rule_has_the_same_numbers_whatever_the_others():
    few = adobest.few_rules(CELL, run_rng(CELL, 0, 0))
    every = adobest.all_rules(CELL, run_rng(CELL, 0, 0))
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

    rule = adobest.MassPrefix(0.6)
    assert adobest.hits(Run, rule, np.array([0.7, 0.3])) == 1 / 4
    assert adobest.hits(Run, rule, np.array([0.3, 0.7])) == 3 / 4


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
    rows = adobest.few_rules(CELL, run_rng(CELL, 0, 0))
    summary = table.summarise([CELL | {"run": 0} | row for row in rows])
    table.write(summary, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    assert len(read) == len(summary) == 4 * len(table.ESTIMATORS)
    assert float(read[3]["mean"]) == pytest.approx(summary[3]["mean"], rel=1e-2)
    assert read[3]["se"] == "nan"  # a single run tells nothing of the spread
    table.show(summary)
    assert "honest 0.8" in capsys.readouterr().out
