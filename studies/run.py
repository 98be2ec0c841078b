"""Run the study of AdOBEst-LDP over the sources' grid, and write the table `adobest.csv`.

    python studies/run.py [--profile fast|full] [--runs 50] [--processes 2]

Runs that have ended are kept in `_build/studies`: a study that was interrupted goes on, and one
that has ended can be given more runs. The fast profile prints a small part and writes nothing.
"""

import argparse
import os
import sys
import time
from itertools import product
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # before numpy: one thread to a process
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import adobest
import table
from ldp.experiments import run_grid

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "studies" / "adobest.csv"
SEED = 0


def grid(sizes: tuple, epsilons: tuple, rhos: tuple, nums: tuple) -> list[dict]:
    """Cells of all combinations."""
    names = ("domain_size", "epsilon", "rho", "n")
    return [dict(zip(names, c, strict=True)) for c in product(sizes, epsilons, rhos, nums)]


FULL = grid((10, 20), (0.5, 1.0, 5.0), (0.01, 0.1, 1.0), (500_000,))
FAST = [
    cell
    for epsilon, rho in ((0.5, 0.01), (1.0, 0.1), (5.0, 1.0))
    for cell in grid((10,), (epsilon,), (rho,), (1_000, 10_000, 100_000))
]


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, then summarise."""
    parser = argparse.ArgumentParser(description="Run the study of AdOBEst-LDP.")
    parser.add_argument("--profile", choices=("fast", "full"), default="fast")
    parser.add_argument("--runs", type=int, help="runs in every cell")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    full = options.profile == "full"
    function, cells, default = (
        (adobest.all_rules, FULL, 50) if full else (adobest.few_rules, FAST, 10)
    )
    folder = ROOT / "_build" / "studies" if full else None
    started = time.perf_counter()
    rows = run_grid(
        function,
        cells,
        default if options.runs is None else options.runs,
        SEED,
        folder=folder,
        processes=options.processes,
        progress=sys.stderr.isatty(),
    )
    print(f"{len(rows)} runs of a rule, {time.perf_counter() - started:.0f} s for those not stored")
    summary = table.summarise(rows)
    if full:
        table.write(summary, TABLE)
    else:
        table.show(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
