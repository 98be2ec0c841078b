"""From runs of the study of frequent items to a table."""

from itertools import groupby
from typing import Any

import numpy as np

from table import standard_error

Row = dict[str, Any]
NOTHING = {"f1": np.nan, "var": None}


def summarise(rows: list[Row]) -> list[Row]:
    """One row for every cell and method.

    Errors `var` are means over the runs that found a true item, of which there are `var_runs`;
    `log_var` is the mean of their decimal logarithms.
    Comparisons are within runs, which have one population: `f1_ratio` is the quotient of the mean
    F1 to that of LDPMiner, `log_var_ratio` the mean decimal logarithm of the quotient of its error
    to this one's, `f1_gain` the mean difference of F1 to that of SVIM.
    """
    by_run = {(*cell_of(row), row["run"], row["method"]): row for row in rows}
    ordered = sorted(rows, key=cell_of)  # stable: methods stay in the order of a run
    names = list(dict.fromkeys(row["method"] for row in rows))
    ordered.sort(key=lambda row: (cell_of(row), names.index(row["method"])))
    summary = []
    for (data, epsilon, method), group in groupby(
        ordered, key=lambda row: (*cell_of(row), row["method"])
    ):
        runs = list(group)
        plain = [by_run[data, epsilon, row["run"], "LDPMiner"] for row in runs]
        svim = [by_run[data, epsilon, row["run"], "SVIM"] for row in runs]
        quality = np.array([row["f1"] for row in runs])
        cumulated = np.array([row["ncr"] for row in runs])
        errors = np.array([row["var"] for row in runs if row["var"]])
        if method == "SVSM":  # it looks for something else
            plain, svim = [NOTHING] * len(runs), [NOTHING] * len(runs)
        ratio = quotient(quality, np.array([row["f1"] for row in plain]))
        gains = quality - [row["f1"] for row in svim]
        both = [(b["var"], a["var"]) for a, b in zip(runs, plain, strict=True)]
        logs = np.array([np.log10(b / a) for b, a in both if a and b])
        summary.append(
            {"data": data, "epsilon": epsilon, "method": method, "runs": len(runs)}
            | {"first": quality[0], "f1": quality.mean(), "f1_se": standard_error(quality)}
            | {"ncr": cumulated.mean(), "ncr_se": standard_error(cumulated)}
            | {"var": mean(errors), "var_se": standard_error(errors), "var_runs": errors.size}
            | {"log_var": mean(np.log10(errors)), "log_var_se": standard_error(np.log10(errors))}
            | {"f1_ratio": ratio[0], "f1_ratio_se": ratio[1]}
            | {"log_var_ratio": mean(logs), "log_var_ratio_se": standard_error(logs)}
            | {"f1_gain": gains.mean(), "f1_gain_se": standard_error(gains)}
        )
    return summary


def cell_of(row: Row) -> tuple[Any, ...]:
    """What the runs of a cell share."""
    return row["data"], row["epsilon"]


def mean(numbers: Any) -> float:
    """Mean, or nan of none."""
    return float(np.mean(numbers)) if len(numbers) else np.nan


def quotient(above: Any, below: Any) -> tuple[float, float]:
    """Quotient of two means of pairs, and its standard error to first order."""
    if not below.mean() > 0:
        return np.nan, np.nan
    ratio = above.mean() / below.mean()
    return float(ratio), standard_error(above - ratio * below) / float(below.mean())


def show(summary: list[Row]) -> None:
    """Print F1 and errors."""
    for row in summary:
        print(f"{row['data']:<13} {row['epsilon']:g}  {row['method']:<22}", end="")
        print(f"{row['f1']:.3f} ± {row['f1_se']:.3f}  {row['ncr']:.3f}  {row['var']:.2g}", end="")
        print(f" ± {row['var_se']:.1g} ({row['var_runs']})", end="")
        print(f"  F1 x {row['f1_ratio']:.2f} ± {row['f1_ratio_se']:.2f}", end="")
        print(f"  10^{row['log_var_ratio']:.2f} ± {row['log_var_ratio_se']:.2f}", end="")
        print(f"  {row['f1_gain']:+.3f} ± {row['f1_gain_se']:.3f}")
