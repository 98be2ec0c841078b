"""From runs to a table: how large the errors are, and how they compare within a run."""

import csv
import json
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

ESTIMATORS = ("mle", "mean", "sgld_draw", "sgld_mle", "oracle_mle")
CELL = ("domain_size", "epsilon", "rho", "n")
RULE = ("rule", "parameter")
Row = dict[str, Any]


def summarise(rows: list[Row]) -> list[Row]:
    """One row for every cell, rule and estimator.

    Errors are total variations. ``first`` is the one of run 0, so that a single run can check the
    table. ``difference`` is the mean difference to the same estimator without adaptation, in the
    same run; its standard error and that of the mean are over runs.
    """
    plain = {(*cell_of(row), row["run"]): row for row in rows if row["rule"] == "none"}
    summary = []
    key = CELL + RULE
    ordered = sorted(rows, key=lambda row: [row[name] for name in CELL])
    first = {tuple(row[name] for name in key): i for i, row in reversed([*enumerate(ordered)])}
    ordered.sort(key=lambda row: first[tuple(row[name] for name in key)])
    for values, group in groupby(ordered, key=lambda row: tuple(row[name] for name in key)):
        runs = list(group)
        pairs = [plain[(*cell_of(row), row["run"])] for row in runs]
        for estimator in ESTIMATORS:
            errors = np.array([row[estimator] for row in runs])
            differences = errors - [row[estimator] for row in pairs]
            quarters = np.quantile(errors, [0, 0.25, 0.5, 0.75, 1])
            summary.append(
                dict(zip(key, values, strict=True))
                | {"estimator": estimator, "runs": len(runs), "first": errors[0]}
                | {"mean": errors.mean(), "se": standard_error(errors)}
                | dict(zip(("min", "q1", "median", "q3", "max"), quarters, strict=True))
                | {"difference": differences.mean(), "difference_se": standard_error(differences)}
            )
    return summary


def cell_of(row: Row) -> tuple[Any, ...]:
    """What the runs of a cell share."""
    return tuple(row[name] for name in CELL)


def standard_error(numbers: Any) -> float:
    """Standard error of a mean; unknown from a single number."""
    return float(np.std(numbers, ddof=1) / np.sqrt(len(numbers))) if len(numbers) > 1 else np.nan


def write(summary: list[Row], path: Path) -> None:
    """Write a table, with three digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(summary[0])
        for row in summary:
            writer.writerow([f"{v:.3g}" if isinstance(v, float) else v for v in row.values()])
    print(f"{len(summary)} rows in {path.name}")


def write_origin(path: Path, runs: int, facts: dict[str, Any]) -> None:
    """Write beside a table where its numbers come from."""
    text = json.dumps({"table": path.name, "runs": runs} | facts, indent=1)
    path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def show(summary: list[Row]) -> None:
    """Print errors by maximum likelihood and by Langevin dynamics, each with its standard error."""
    print(f"{'d':>3} {'eps':>4} {'rho':>5} {'n':>7}  {'rule':<16}", end="")
    print(*(f"{name:^22}" for name in ("mle", "- none", "sgld_draw", "- none")))
    for key, group in groupby(summary, key=lambda row: [row[name] for name in CELL + RULE]):
        by = {row["estimator"]: row for row in group}
        d, epsilon, rho, n, rule, parameter = key
        print(f"{d:>3} {epsilon:>4} {rho:>5} {n:>7}  {rule + f' {parameter}':<16}", end="")
        for estimator in ("mle", "sgld_draw"):
            for number in ("mean", "difference"):
                error = "se" if number == "mean" else "difference_se"
                print(f"{by[estimator][number]:>11.4f} ± {by[estimator][error]:<8.4f}", end="")
        print()
