"""Run the study of frequent items, and write its table.

    python studies/mining.py [--retail retail.dat] [--runs 5] [--data msweb retail kosarak-like]

Runs that have ended are kept in `_build/studies`. With `--runs` or `--data` the table is printed,
not written. Run r of a cell has the generator `ldp.experiments.run_rng(cell, r, seed)`, so that any
single number can be computed again.
"""

import argparse
import hashlib
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book"))

import found_table
import itemsets
import table
from ldp.experiments import run_grid
from tools import environment, revision

SEED = 0
RUNS = {"msweb": 30, "retail": 30, "kosarak-like": 20}
EPSILONS = (1.0, 2.0, 4.0)


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, then summarise."""
    parser = argparse.ArgumentParser(description="Run the study of frequent items.")
    parser.add_argument("--retail", default="retail.dat", help="file of the baskets")
    parser.add_argument("--runs", type=int, help="runs in every cell")
    parser.add_argument("--data", nargs="+", choices=RUNS, help="populations; all by default")
    options = parser.parse_args(arguments)
    itemsets.RETAIL["path"] = options.retail
    summary = []
    for data in options.data or RUNS:
        cells = [{"data": data, "epsilon": epsilon} for epsilon in EPSILONS]
        runs = options.runs or RUNS[data]
        folder = ROOT / "_build" / "studies"
        rows = run_grid(itemsets.compare, cells, runs, SEED, folder=folder, version=digest())
        summary += found_table.summarise(rows)
    if options.runs or options.data:
        found_table.show(summary)
    else:
        path = ROOT / "studies" / "itemsets.csv"
        table.write(summary, path)
        table.write_origin(path, max(RUNS.values()), origin())
    return 0


def origin() -> dict[str, Any]:
    """Where the numbers of the table come from, but for what single tables have."""
    command = "python studies/mining.py --retail retail.dat"
    facts = {"command": command, "seed": SEED, "commit": revision.commit(ROOT)}
    return facts | environment.facts() | {"note": "The table says how many runs a cell has."}


def digest() -> str:
    """Tell one state of the protocols from another: stored runs of an older one are not used."""
    files = [*(ROOT / "ldp" / "itemsets").glob("*.py"), ROOT / "ldp" / "datasets" / "sets.py"]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
