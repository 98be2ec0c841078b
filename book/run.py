"""Run the chapters of the book once each, two at a time, and keep only what passed.

    python book/run.py [--only NN-name] [--profile fast|full] [--force] [--jobs 2]

A chapter is run again only if its text, the package, the data, the lock file, the profile or
this tool changed. One that fails is named with its cell and message, loses its executed
notebook, and makes the exit status 1.
"""

import signal

if __name__ == "__mp_main__":  # in a worker: the keyboard interrupts the run, which ends them all
    signal.signal(signal.SIGINT, signal.SIG_IGN)

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from tools import chapters, claims, freshness, ledger, revision, runs
from tools.execute import Result
from tools.workers import side_by_side, warm_up


def main(arguments: list[str] | None = None) -> int:
    """Run what is not fresh; return the exit status."""
    options = parse(arguments)
    with chapters.at_work(options.root):
        return run(options)


def run(options: argparse.Namespace) -> int:
    """Do the work of `main`, as the only run in this folder."""
    known = chapters.names(options.root)
    if unknown := set(options.only) - set(known):
        print(f"no chapter {', '.join(sorted(unknown))}; there are: {', '.join(known) or 'none'}")
        return 2
    started = time.perf_counter()
    index = runs.load(options.root)
    wanted = options.only or known
    todo = to_run(wanted, index, options)
    for name in (chapters.stored(options.root) | set(index["chapters"])) - set(known):
        forget(name, index, options.root)
    failures = [r for r in execute(todo, index, options) if r.message]
    failures += check_claims([n for n in wanted if n in index["chapters"]], options.root)
    report(wanted, todo, index, failures, time.perf_counter() - started)
    return 1 if failures else 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Command line of the tool."""
    parser = argparse.ArgumentParser(description="Run the chapters that are not fresh.")
    parser.add_argument("--only", action="append", default=[], metavar="NN-name")
    parser.add_argument("--profile", choices=chapters.PROFILES, default="fast")
    parser.add_argument("--force", action="store_true", help="run even what is fresh")
    parser.add_argument("--jobs", type=int, default=2, help="chapters at a time")
    parser.add_argument("--timeout", type=float, help="seconds for each cell")
    parser.add_argument("--root", type=Path, default=chapters.ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.root = options.root.resolve()
    options.only = [Path(name).stem for name in options.only]
    return options


def to_run(wanted: list[str], index: dict, options: argparse.Namespace) -> list[str]:
    """Chapters that must run; the rest already show what the present sources compute."""
    common = freshness.common_digest(options.root)
    options.keys = {n: freshness.key(n, options.profile, common, options.root) for n in wanted}
    fresh = {
        n
        for n in runs.intact(index, options.root)
        if n in wanted
        and index["chapters"][n]["key"] == options.keys[n]
        and not freshness.moved(index["chapters"][n]["run"])
    }
    return [n for n in wanted if options.force or n not in fresh]


def execute(todo: list[str], index: dict, options: argparse.Namespace) -> Iterator[Result]:
    """Run chapters side by side and enter each into the index as soon as it has passed."""
    index["profile"] = options.profile
    for name in todo:
        forget(name, index, options.root)
    runs.save(index, options.root)
    if not todo:
        return
    print(f"running {len(todo)} of the chapters, profile {options.profile}", flush=True)
    warm_up(options.root)
    tasks = [(name, options.profile, options.root, options.timeout) for name in todo]
    with closing(side_by_side(tasks, options.jobs)) as results:
        for count, (_, result) in enumerate(results, start=1):
            keep(result, index, options)
            state = "FAILED" if result.message else "passed"
            progress = f"[{count}/{len(todo)}] {result.name}  {state}  {result.seconds:.1f} s"
            print(f"  {progress}", flush=True)
            yield result


def keep(result: Result, index: dict, options: argparse.Namespace) -> None:
    """Store what a chapter left; only here, so that no worker overwrites a later run."""
    name, root = result.name, options.root
    common = freshness.common_digest(root)
    if freshness.key(name, options.profile, common, root) != options.keys[name]:
        result.where = result.where or "at its end"
        result.message = result.message or "its sources changed while it ran; run it again"
    if result.message:
        if result.notebook:
            chapters.write_text(chapters.failed(name, root), result.notebook)
        return
    claims.store(name, result.records, root)
    chapters.write_text(chapters.executed(name, root), result.notebook)
    index["chapters"][name] = {
        "key": options.keys[name],
        "digest": runs.digest(name, root),
        "profile": options.profile,
        "seconds": result.seconds,
        "peak_mb": result.peak_mb,
        "cells": result.cells,
        "run": result.run | {"commit": revision.commit(root)},
    }
    runs.save(index, root)


def forget(name: str, index: dict, root: Path) -> None:
    """Drop what an earlier run left, so that no page can show it."""
    index["chapters"].pop(name, None)
    for path in (chapters.executed, chapters.claims_path, chapters.failed):
        path(name, root).unlink(missing_ok=True)


def check_claims(names: list[str], root: Path) -> list[Result]:
    """Judge what the chapters verified by what `book/claims.yml` declares for them."""
    found = ledger.faults(names, claims.declared(root), claims.load(root))
    return [Result(name, where="at its end", message=fault) for name, fault in found.items()]


def report(
    wanted: list[str], todo: list[str], index: dict, failures: list[Result], seconds: float
) -> None:
    """Each chapter's time, then each failure with its chapter, cell and message."""
    print()
    for name in wanted:
        entry = index["chapters"].get(name)
        if entry:
            note = "" if name in todo else "  (unchanged)"
            numbers = f"{entry['seconds']:7.1f} s {entry['peak_mb']:6d} MB"
            print(f"  {name:<32}{numbers}  {entry['profile']}{note}")
    for failure in failures:
        print(f"\nFAILED {failure.name}, {failure.where}:\n  {failure.message}")
    verdict = f"{len(failures)} failed" if failures else "all passed"
    print(f"\n{len(wanted)} chapters, {len(todo)} run in {seconds:.1f} s, {verdict}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted; the chapters that passed are kept")
        sys.exit(130)
