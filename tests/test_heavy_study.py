"""The study of heavy hitters: where its table comes from, and a run of it computed again."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

import heavy_hitters as study
import searches
from ldp.experiments import run_rng
from ldp.heavy_hitters import prefix_rounds
from populations import population

STUDIES = Path(searches.__file__).parent


def stored(cell):
    with (STUDIES / "heavy_hitters.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    place = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in cell.values()]
    return {row["method"]: row for row in rows if [row[key] for key in cell] == place}


def cell_of(grid, population, epsilon):
    every = [c for c in study.CELLS if c["grid"] == grid and c["population"] == population]
    return next(c for c in every if c["epsilon"] == epsilon)


def agreeing(cell, run):
    """How many methods have the stored F1 of run 0, in the run of this number; and how many are."""
    rows, old = searches.one_run(cell, run_rng(cell, run, study.SEED)), stored(cell)
    assert {row["method"] for row in rows} == set(old)
    same = [
        row["f1"] == pytest.approx(float(old[row["method"]]["first"]), abs=6e-4) for row in rows
    ]
    return sum(same), len(same)


@pytest.mark.parametrize("place", [("allocations", "names", 4.0), ("short", "zipf", 2.0)])
def test_a_run_is_what_the_study_computed(place):
    cell = cell_of(*place)
    same, methods = agreeing(cell, 0)
    assert same == methods
    other, _ = agreeing(cell, 1)  # control: another run is another number
    assert other < methods / 2


@pytest.mark.slow
@pytest.mark.parametrize("cell", study.CELLS)
def test_the_first_run_of_every_cell_is_what_the_study_computed(cell):
    same, methods = agreeing(cell, 0)
    assert same == methods


def test_the_table_is_whole_and_says_where_it_comes_from():
    told = json.loads((STUDIES / "heavy_hitters.json").read_text(encoding="utf-8"))
    assert told.keys() == {"table", "runs"} | study.origin().keys()
    assert told["table"] == "heavy_hitters.csv"
    assert told["seed"] == study.SEED
    assert re.fullmatch("[0-9a-f]{12}(-dirty)?", told["commit"])
    for cell in study.CELLS:
        rows = stored(cell)
        assert list(rows) == list(searches.GRIDS[cell["grid"]])
        assert {int(row["runs"]) for row in rows.values()} == {told["runs"]}


def test_populations_have_the_users_that_they_say():
    rng = np.random.default_rng(1)
    for cell in study.CELLS:
        codes, counts = population(cell, rng)
        users = {"zipf": 1_000_000, "names": 3_574_717, "aol": 657_427}
        assert counts.sum() == users[cell["population"]]
        assert np.unique(codes).size == codes.size == counts.size
        assert codes.max() < 2 ** cell["bits"]


def test_lists_of_all_rounds_are_equally_long():
    assert searches.even_depths(48, 15) == [20, 35, 48]
    assert searches.even_depths(48, 1) == list(range(6, 49))
    for shares in searches.SHARES.values():
        for size in (5, 11):
            given = None if shares is None else shares(size)
            depths = searches.DEPTHS[str(size)]
            assert sum(prefix_rounds(43, 1.0, depths=depths, shares=given).shares) == pytest.approx(
                1
            )
    assert searches.SHARES["rising by half"](5)[-1] == pytest.approx(
        1.5 * searches.SHARES["rising by half"](5)[0]
    )


def test_the_bounds_are_above_all_methods():
    # The full string sees everybody at full length: nothing beats it but by chance.
    for cell in study.CELLS:
        rows = stored(cell)
        if cell["grid"] == "allocations":
            continue
        best = rows.pop("full string")
        for name, row in rows.items():
            error = np.hypot(float(row["f1_se"]), float(best["f1_se"]))
            assert float(row["f1"]) <= float(best["f1"]) + 5 * error, (cell, name)
