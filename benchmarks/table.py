"""Turn the file that pytest-benchmark writes into a table that can be read and compared.

A benchmark tells the table what it did in `benchmark.extra_info`: `items` (how many per call),
`unit` (of what) and, where one was promised, `target` (items per second). Benchmarks of one
`benchmark.group` do the same work; the one with `numpy` in its name is the plain twin to which
the others are compared.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "numba")


def main(source: str, target: str) -> int:
    """Write the table to a file and show it."""
    text = table(json.loads(Path(source).read_text(encoding="utf-8")))
    Path(target).write_text(text, encoding="utf-8")
    print(text)
    return 0


def table(results: dict) -> str:
    """Markdown table of all benchmarks, with the machine and the versions they ran on."""
    twins = {
        b["group"]: seconds(b) for b in results["benchmarks"] if b["group"] and "numpy" in b["name"]
    }
    rows = [row(b, twins.get(b["group"])) for b in results["benchmarks"]]
    head = [
        "| benchmark | time per call | per second | promised | faster than numpy |",
        "|:--|--:|--:|--:|--:|",
    ]
    return "\n".join([*about(results), "", *head, *rows]) + "\n"


def about(results: dict) -> list[str]:
    """Machine, Python and libraries, in two lines."""
    machine = results["machine_info"]
    processor = machine.get("cpu", {}).get("brand_raw") or machine.get("machine", "unknown")
    versions = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    commit = (results.get("commit_info") or {}).get("id") or "unknown"
    return [
        f"{processor}, {machine['system']}, Python {machine['python_version']}, {versions}",
        f"commit {commit[:12]}, best of the rounds, one thread",
    ]


def seconds(benchmark: dict) -> float:
    """Best round: on a shared machine everything else only adds."""
    return benchmark["stats"]["min"]


def row(benchmark: dict, twin: float | None) -> str:
    """One line of the table."""
    info, time = benchmark.get("extra_info", {}), seconds(benchmark)
    rate = info["items"] / time if "items" in info else None
    promised = info.get("target")
    cells = [
        benchmark["name"].removeprefix("bench_").removeprefix("test_"),
        f"{1e3 * time:.3g} ms",
        f"{rate:.2e} {info.get('unit', '')}".strip() if rate else "",
        f"{promised:.1e} {'kept' if rate and rate >= promised else 'MISSED'}" if promised else "",
        f"{twin / time:.1f}" if twin else "",
    ]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
