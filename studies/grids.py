"""Run the study of AdOBEst-LDP, and write its tables.

    python studies/grids.py [--profile fast|full] [--runs 50] [--processes 2]

`adobest.csv` holds the sources' grid: all rules, 500,000 users. `region.csv` holds a few of the
rules from a thousand to a million users: where does it pay to adapt?

Runs that have ended are kept in `_build/studies`: a study that was interrupted goes on, and one
that has ended can be given other numbers of runs, whose tables are printed. The fast profile prints
a small part and writes nothing.

Beside each table a JSON file of its name says how it was computed: command, seed, commit, machine,
versions. Run r of a cell has the generator `ldp.experiments.run_rng(cell, r, seed)`, so that any
single number can be computed again.
"""

import argparse
import hashlib
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book"))

import adobest
import table
from ldp.experiments import run_grid
from tools import environment, revision

SEED = 0


def grid(sizes: tuple, epsilons: tuple, rhos: tuple, nums: tuple) -> list[dict]:
    """Cells of all combinations."""
    names = ("domain_size", "epsilon", "rho", "n")
    return [dict(zip(names, c, strict=True)) for c in product(sizes, epsilons, rhos, nums)]


EPSILONS, RHOS = (0.5, 1.0, 5.0), (0.01, 0.1, 1.0)
SOURCES = grid((10, 20), EPSILONS, RHOS, (500_000,))
REGION = grid((20,), EPSILONS, RHOS, (1_000, 10_000, 100_000, 1_000_000))
FAST = [
    cell
    for epsilon, rho in zip(EPSILONS, RHOS, strict=True)
    for cell in grid((10,), (epsilon,), (rho,), (1_000, 10_000, 100_000))
]
TABLES = {
    "adobest.csv": (adobest.all_rules, SOURCES, 50),
    "region.csv": (adobest.few_rules, REGION, 20),
}


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, then summarise."""
    parser = argparse.ArgumentParser(description="Run the study of AdOBEst-LDP.")
    parser.add_argument("--profile", choices=("fast", "full"), default="fast")
    parser.add_argument("--runs", type=int, help="runs in every cell")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.profile == "fast":
        table.show(summary(adobest.few_rules, FAST, 10, options, folder=None))
        return 0
    for name, (function, cells, runs) in TABLES.items():
        rows = summary(function, cells, runs, options, folder=ROOT / "_build" / "studies")
        if options.runs is None:
            table.write(rows, ROOT / "studies" / name)
            table.write_origin(ROOT / "studies" / name, runs, origin())
        else:
            table.show(rows)
    return 0


def summary(
    function: Any, cells: list[dict], runs: int, options: argparse.Namespace, folder: Path | None
) -> list[dict]:
    """Table of one grid."""
    started = time.perf_counter()
    rows = run_grid(
        function,
        cells,
        runs if options.runs is None else options.runs,
        SEED,
        folder=folder,
        processes=options.processes,
        progress=sys.stderr.isatty(),
        version=digest_of_package(),
    )
    print(f"{len(rows)} runs of a rule, {time.perf_counter() - started:.0f} s for those not stored")
    return table.summarise(rows)


def origin() -> dict[str, Any]:
    """Where the numbers of a table come from, but for what single tables have."""
    facts = {"command": "make study PROFILE=full", "seed": SEED, "commit": revision.commit(ROOT)}
    return facts | environment.facts() | {"note": ""}


def digest_of_package() -> str:
    """Tell one state of the package from another: stored runs of an older one are not used."""
    texts = [path.read_bytes() for path in sorted((ROOT / "ldp").rglob("*.py"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
