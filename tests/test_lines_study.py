"""The study of values on a line: its table, and a run of it computed again."""

import csv
import json
from pathlib import Path

import pytest

import lines

TABLE = Path(lines.__file__).with_name("lines.csv")


@pytest.fixture(scope="module")
def rows():
    with TABLE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_cell_has_four_methods_and_one_that_was_chosen(rows):
    cells = {}
    for row in rows:
        cells.setdefault((row["population"], row["epsilon"], row["metric"]), []).append(row)
    assert len(cells) == len(lines.populations()) * len(lines.EPSILONS) * len(lines.METRICS)
    for found in cells.values():
        assert [row["method"] for row in found] == list(lines.METHODS)
        assert sum(row["chance"] != "" for row in found) == 1
        assert {int(row["runs"]) for row in found} == {
            json.loads(TABLE.with_suffix(".json").read_text())["runs"]
        }


@pytest.mark.parametrize(("name", "epsilon"), [("spiky", 1.0), ("benefits", 2.5)])
def test_the_first_run_is_the_stored_one(rows, name, epsilon):
    cell = {"population": name, "epsilon": epsilon}
    again = lines.errors(cell, lines.populations()[name], 0)
    stored = [
        float(row["first"])
        for metric in lines.METRICS
        for row in rows
        if (row["population"], row["epsilon"], row["metric"]) == (name, f"{epsilon:.4g}", metric)
    ]
    found = [again[i][k] for k in range(len(lines.METRICS)) for i in range(len(lines.METHODS))]
    assert found == pytest.approx(stored, rel=0.01)  # stored to four digits; sums of another order
