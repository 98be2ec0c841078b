"""Run the study of heavy hitters, and write its table.

    python studies/heavy_hitters.py [--profile fast|full] [--runs 20] [--processes 1]

`heavy_hitters.csv` holds how well each method finds the 32 most frequent values: its F1, the
normalised cumulative rank (NCR), and the mean squared error of the frequencies of what was found.
Grid `wide` has codes of 48 bits, `short` codes of 20, `allocations` names as they are written.

Runs that have ended are kept in `_build/studies`, so that a study that was interrupted goes on. The
fast profile prints a small part and writes nothing. Run r of a cell has the generator
`ldp.experiments.run_rng(cell, r, seed)`.
"""

import argparse
import hashlib
import sys
from itertools import groupby, product
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book"))

import searches
import table
from ldp.experiments import run_grid
from populations import LETTERS
from tools import environment, revision

SEED, RUNS = 0, 20
EPSILONS = (1.0, 2.0, 4.0)
CELL = ("grid", "population", "codes", "bits", "epsilon")
USED = ("heavy_hitters/*.py", "mechanisms/wide_hashing.py", "assigned/*.py", "_found.py")


def grid(name: str, populations: tuple, codes: str, bits: int, epsilons: tuple) -> list[dict]:
    """Cells of all combinations."""
    pairs = product(populations, epsilons)
    return [dict(zip(CELL, (name, p, codes, bits, e), strict=True)) for p, e in pairs]


EVERY = ("zipf", "names", "aol")
CELLS = [
    *grid("wide", EVERY, "random", 48, EPSILONS),
    *grid("short", ("zipf", "names"), "random", 20, EPSILONS),
    *grid("allocations", ("names",), "natural", LETTERS.num_bits, EPSILONS),
]


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, then summarise."""
    parser = argparse.ArgumentParser(description="Run the study of heavy hitters.")
    parser.add_argument("--profile", choices=("fast", "full"), default="fast")
    parser.add_argument("--runs", type=int, help="runs in every cell")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.profile == "fast":
        show(summarise(run_grid(searches.one_run, CELLS[:1], options.runs or 2, SEED)))
        return 0
    folder, runs = ROOT / "_build" / "studies", options.runs or RUNS
    rows = run_grid(
        searches.one_run,
        CELLS,
        runs,
        SEED,
        folder=folder,
        processes=options.processes,
        progress=sys.stderr.isatty(),
        version=digest(),
    )
    path, facts = ROOT / "studies" / "heavy_hitters.csv", origin()
    table.write(summarise(rows), path)
    table.write_origin(path, runs, facts)
    return 0


def summarise(rows: list[dict]) -> list[dict]:
    """One row for every cell and method.

    ``first`` is F1 of run 0, so that a single run can check the table. ``mse`` is the mean over the
    runs that found anything, ``hits`` how many did.
    """
    key = (*CELL, "method")
    first = {tuple(row[name] for name in key): i for i, row in reversed([*enumerate(rows)])}
    ordered = sorted(rows, key=lambda row: first[tuple(row[name] for name in key)])
    summary = []
    for values, group in groupby(ordered, key=lambda row: tuple(row[name] for name in key)):
        runs = list(group)
        new = dict(zip(key, values, strict=True)) | {"runs": len(runs), "first": runs[0]["f1"]}
        for name in ("f1", "ncr", "mse"):
            numbers = [row[name] for row in runs if row[name] is not None]
            new |= {name: float(np.mean(numbers)) if numbers else np.nan}
            new |= {f"{name}_se": table.standard_error(numbers)}
        summary.append(new | {"hits": sum(row["mse"] is not None for row in runs)})
    return summary


def show(summary: list[dict]) -> None:
    """Print F1 and its standard error."""
    for row in summary:
        cell = " ".join(str(row[name]) for name in CELL)
        print(f"{cell:<40} {row['method']:<28} {row['f1']:.3f} ± {row['f1_se']:.3f}")


def origin() -> dict[str, Any]:
    """Where the numbers of the table come from."""
    command = "python studies/heavy_hitters.py --profile full"
    facts = {"command": command, "seed": SEED, "commit": revision.commit(ROOT)}
    return facts | environment.facts() | {"note": ""}


def digest() -> str:
    """Tell one state of what the study uses from another: older runs are not used."""
    paths = [path for pattern in USED for path in (ROOT / "ldp").glob(pattern)]
    texts = [path.read_bytes() for path in [*sorted(paths), ROOT / "studies" / "searches.py"]]
    return hashlib.sha256(b"".join(texts)).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
