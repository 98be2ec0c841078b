"""Run the statistical claims at seeds that the chapters were not written with, and count.

    python book/seeds.py [--seeds 20] [--only NN-name] [--profile fast|full] [--jobs 2]

A claim on a simulation was seen to hold at the seed of its chapter. Here each chapter that has
such claims runs at other seeds, every cell of it, also after one that fails. For each claim it is
counted how often it held, how often it did not, and how often a failure before it kept it from
being checked. The result is `_build/seeds.json`, which the report shows. The status is 1 if not
all held.
"""

import signal

if __name__ == "__mp_main__":  # in a worker: the keyboard interrupts the run, which ends them all
    signal.signal(signal.SIGINT, signal.SIG_IGN)

import argparse
import json
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import nbformat

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tools import chapters, claims, revision
from tools.execute import CELL_TIMEOUT, Result
from tools.workers import side_by_side, warm_up

FIRST = 1001  # no chapter has such a seed
MARK = "ClaimError: "
NOTHING = {"failed": {}, "errors": []}


def main(arguments: list[str] | None = None) -> int:
    """Run, count, print and store; return the exit status."""
    options = parse(arguments)
    with chapters.at_work(options.root):
        return count(options)


def count(options: argparse.Namespace) -> int:
    """Do the work of `main`, while no chapter runs otherwise."""
    statistical = {r["chapter"] for r in claims.load(options.root) if is_statistical(r)}
    names = [n for n in options.only or chapters.names(options.root) if n in statistical]
    if not names:
        print("no chapter with statistical claims has been run: run make run first")
        return 2
    seeds = list(range(FIRST, FIRST + options.seeds))
    print(f"running {len(names)} chapters at {len(seeds)} seeds, profile {options.profile}")
    started, found = time.perf_counter(), []
    facts = {
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": revision.commit(options.root),
        "profile": options.profile,
    }
    warm_up(options.root)
    given = (options.profile, options.root, CELL_TIMEOUT["full"])
    tasks = [(name, *given, seed) for seed in seeds for name in names]
    with closing(side_by_side(tasks, options.jobs)) as results:
        for (name, *_, seed), result in results:
            found.append({"chapter": name, "seed": seed} | left(result, options.profile))
            text = json.dumps(facts | summary(found), indent=1, ensure_ascii=False) + "\n"
            chapters.write_text(options.root / "_build" / "seeds.json", text)
            print(f"  [{len(found)}/{len(tasks)}] {name}, seed {seed}")
    whole = summary(found)
    print("\n".join(["", *lines(whole)]) + f"\n\n{time.perf_counter() - started:.0f} s")
    return (
        1 if any(claim["failed"] or claim["missing"] for claim in whole["claims"].values()) else 0
    )


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Command line of the tool."""
    parser = argparse.ArgumentParser(description="Run the statistical claims at other seeds.")
    parser.add_argument("--seeds", type=int, default=20, help="number of seeds")
    parser.add_argument("--only", action="append", default=[], metavar="NN-name")
    parser.add_argument("--profile", choices=chapters.PROFILES, default="fast")
    parser.add_argument("--jobs", type=int, default=2, help="chapters at a time")
    parser.add_argument("--root", type=Path, default=chapters.ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.root = options.root.resolve()
    return options


def is_statistical(record: dict) -> bool:
    """Whether a claim was compared within standard errors."""
    return record["standard_error"] is not None


def left(result: Result, profile: str) -> dict:
    """Statistical claims that held, claims that did not, and the first line of other failures."""
    if not result.message:
        return {"held": [r["id"] for r in result.records if is_statistical(r)]} | NOTHING
    if not result.notebook:
        return {"held": []} | NOTHING | {"errors": [f"{result.where}: {result.message}"]}
    notebook = nbformat.reads(result.notebook, as_version=4)
    records = claims.collect(notebook, result.name, profile)
    raised = [
        f"{output.ename}: {output.evalue}".splitlines()[0]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]
    failed = [text.removeprefix(MARK) for text in raised if text.startswith(MARK)]
    return {
        "held": [r["id"] for r in records if is_statistical(r)],
        "failed": {text.split(":")[0]: text for text in failed},
        "errors": [text for text in raised if not text.startswith(MARK)],
    }


def summary(found: list[dict]) -> dict:
    """Seeds at which each claim held, failed, or was not reached; and all other failures."""
    seeds = sorted({each["seed"] for each in found})
    place = {i: each["chapter"] for each in found for i in (*each["held"], *each["failed"])}
    counted = {}
    for name, chapter in sorted(place.items(), key=lambda pair: pair[::-1]):
        here = [each for each in found if each["chapter"] == chapter]
        held = sorted(each["seed"] for each in here if name in each["held"])
        failed = sorted(each["seed"] for each in here if name in each["failed"])
        missing = sorted({each["seed"] for each in here} - {*held, *failed})
        counted[name] = {"chapter": chapter, "held": held, "failed": failed, "missing": missing}
    told = sorted((e["chapter"], e["seed"], t) for e in found for t in failures(e))
    return {"seeds": seeds, "claims": counted, "failures": told}


def failures(each: dict) -> list[str]:
    """What failed in one run, claims and other cells."""
    return [*each["failed"].values(), *each["errors"]]


def lines(whole: dict) -> list[str]:
    """The result for reading."""
    claims_ = whole["claims"].items()
    table = [f"  {n:<9} {c['chapter']:<26} {len(c['held'])} of {total(c)}" for n, c in claims_]
    told = [f"  {chapter}, seed {seed}: {text}" for chapter, seed, text in whole["failures"]]
    always = sum(len(c["held"]) == total(c) for _, c in claims_)
    last = f"{always} of {len(claims_)} statistical claims held at every seed"
    return ["held at", *table, *(["", "failed", *told] if told else []), "", last]


def total(claim: dict) -> int:
    """Number of runs that ought to have checked a claim."""
    return sum(len(claim[state]) for state in ("held", "failed", "missing"))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted")
        sys.exit(130)
