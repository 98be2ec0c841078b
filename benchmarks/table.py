"""Turn the record of a benchmark run into a table for people (Markdown) and one for programs (CSV).

Usage: python benchmarks/table.py RECORD.json TABLE.md
"""

import csv
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

SMALLER_IS_BETTER = {"ms", "s", "MB"}
HEADER = ["what", "unit", "measured", "target", "met", "plain twin", "times better"]


def value(benchmark: dict[str, Any]) -> float:
    """Rate of the fastest round, or the amount that was measured instead of a time."""
    info = benchmark["extra_info"]
    if "value" in info:
        return float(info["value"])
    fastest: float = benchmark["stats"]["min"]
    if info["unit"] in SMALLER_IS_BETTER:
        return fastest / info["work"]
    return float(info["work"] / fastest)


def number(amount: float | None) -> str:
    if amount is None:
        return ""
    if amount >= 1e5:
        mantissa, exponent = f"{amount:.2e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{amount:.3g}" if amount < 100 else f"{amount:.0f}"


def rows(record: dict[str, Any]) -> list[list[str]]:
    """One row for each pair of benchmark and twin."""
    ours = [b for b in record["benchmarks"] if not b["extra_info"]["twin"]]
    twins = {
        b["extra_info"]["row"]: value(b) for b in record["benchmarks"] if b["extra_info"]["twin"]
    }
    table = []
    for benchmark in ours:
        info = benchmark["extra_info"]
        measured, target, twin = value(benchmark), info["target"], twins.get(info["row"])
        less = info["unit"] in SMALLER_IS_BETTER
        met = "" if target is None else "yes" if (measured <= target) == less else "NO"
        ratio = None if twin is None else (twin / measured if less else measured / twin)
        table.append(
            [
                info["row"],
                info["unit"],
                *map(number, (measured, target)),
                met,
                *map(number, (twin, ratio)),
            ]
        )
    return table


def machine(record: dict[str, Any]) -> str:
    """Processor, versions and commit, without the machine's name."""
    info, commit = record["machine_info"], record["commit_info"]
    processor = info.get("cpu", {}).get("brand_raw") or platform.processor() or "unknown processor"
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))
    state = f"commit {commit.get('id', 'unknown')[:12]}{'-dirty' if commit.get('dirty') else ''}"
    return (
        f"{processor}, one thread; {platform.system()}, Python {platform.python_version()}, "
        f"{versions}; {state}; {record['datetime'][:10]}"
    )


def main(source: str, target: str) -> None:
    record = json.loads(Path(source).read_text(encoding="utf-8"))
    table = [HEADER, *rows(record)]
    lines = ["| " + " | ".join(row) + " |" for row in table]
    lines.insert(1, "|---|---|" + "---:|" * (len(HEADER) - 2))
    note = (
        "A million users (fewer for matrices of users and values; rates are per user), 1,024 "
        "values, epsilon 1, where a row does not say otherwise. "
        "Processor time of the fastest round after compilation."
    )
    text = "\n".join([machine(record), "", note, "", *lines, ""])
    Path(target).write_text(text, encoding="utf-8")
    with Path(target).with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(table)
    print(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
