"""The study of frequent items: its table, a run computed again, and its pieces."""

import csv
import json
import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

import found_table
import itemsets
import mining
from ldp.experiments import run_rng
from ldp.itemsets import ItemSets

STUDIES = Path(itemsets.__file__).parent
FIVE = ItemSets.of([[0, 2, 4], [1, 4], [0, 1, 4], [0, 3, 4], range(6)], num_items=40)


def stored():
    with (STUDIES / "itemsets.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_table_is_whole():
    rows = stored()
    wanted = [
        (data, f"{epsilon:g}", method)
        for data, epsilon in product(mining.RUNS, mining.EPSILONS)
        for method in (*itemsets.METHODS, *itemsets.SET_METHODS)
        if (data, method) != ("kosarak-like", "SVSM")
    ]
    assert [(row["data"], row["epsilon"], row["method"]) for row in rows] == wanted
    for row in rows:
        assert int(row["runs"]) == mining.RUNS[row["data"]] >= int(row["var_runs"])
        assert 0 <= float(row["f1"]) <= 1
        assert 0 <= float(row["ncr"]) <= 1
        if row["method"] == "SVIM":
            assert float(row["f1_gain"]) == float(row["f1_gain_se"]) == 0


def test_the_table_says_where_it_comes_from():
    told = json.loads((STUDIES / "itemsets.json").read_text(encoding="utf-8"))
    now = mining.origin()
    assert set(told) == {"table", "runs", *now}
    for field in ("seed", "command"):
        assert told[field] == now[field]
    assert re.fullmatch("[0-9a-f]{12}", told["commit"])
    assert None not in told.values()


def test_the_first_run_of_a_cell_is_what_the_study_computes():
    cell = {"data": "msweb", "epsilon": 2.0}
    firsts = {row["method"]: float(row["first"]) for row in stored() if in_cell(row, cell)}
    found = {row["method"]: row["f1"] for row in itemsets.compare(cell, run_rng(cell, 0, 0))}
    assert found == pytest.approx(firsts, rel=0.0051)  # the table has three digits
    other = {row["method"]: row["f1"] for row in itemsets.compare(cell, run_rng(cell, 1, 0))}
    assert sum(other[name] == found[name] for name in found) < 6  # control: another run


def in_cell(row, cell):
    return row["data"] == cell["data"] and float(row["epsilon"]) == cell["epsilon"]


def test_baskets_are_read_only_from_the_file_of_the_study(tmp_path):
    (tmp_path / "retail.dat").write_text("0 1 2\n5\n")
    with pytest.raises(ValueError, match="must hold the 88,162 baskets"):
        itemsets.baskets(str(tmp_path / "retail.dat"))


def test_frequent_sets_are_those_of_brute_force(monkeypatch):
    monkeypatch.setattr(itemsets, "TOP", 5)
    names, shares = itemsets.frequent_sets(FIVE)
    held = [set(user.tolist()) for user in FIVE]
    every = [c for k in range(1, 7) for c in combinations(range(6), k)]
    support = {c: sum(set(c) <= user for user in held) for c in every}
    best = sorted(support, key=lambda c: (-support[c], c))[:5]
    assert names == best
    assert shares.tolist() == [support[c] / 5 for c in best]


def run(number, method, quality, error):
    row = {"data": "msweb", "epsilon": 1.0, "run": number, "method": method}
    return row | {"f1": quality, "ncr": quality, "var": error}


def test_comparisons_are_made_within_runs():
    rows = [run(0, "LDPMiner", 0.2, 1e-2), run(0, "SVIM", 0.4, 1e-4)]
    rows += [run(1, "LDPMiner", 0.4, None), run(1, "SVIM", 0.6, 1e-6)]
    first, svim = found_table.summarise(rows)
    assert (first["method"], svim["method"]) == ("LDPMiner", "SVIM")
    assert svim["f1_ratio"] == pytest.approx(0.5 / 0.3)
    assert first["f1_gain"] == pytest.approx(-0.2)
    assert first["f1_gain_se"] == pytest.approx(0, abs=1e-12)  # the same lead in both runs
    assert svim["f1_se"] == pytest.approx(0.1)
    assert svim["log_var_ratio"] == pytest.approx(2)  # of the one run in which both found some
    assert (first["var_runs"], svim["var_runs"]) == (1, 2)
    assert svim["log_var"] == pytest.approx(-5)


def test_a_quotient_has_the_error_of_its_pairs():
    rng = np.random.default_rng(1)
    below = rng.uniform(0.5, 1.0, 200)
    assert found_table.quotient(3 * below, below) == pytest.approx((3, 0), abs=1e-12)
    ratio, error = found_table.quotient(3 * below + rng.normal(0, 0.1, 200), below)
    assert abs(ratio - 3) < 5 * error
    assert error == pytest.approx(0.1 / np.sqrt(200) / below.mean(), rel=0.2)
    assert np.isnan(found_table.quotient(below, 0 * below)).all()
