"""Sphinx extension: what the stored runs say of themselves, and what the sources are called.

Directives: `run-times` (seconds, memory and cells of each chapter), `run-machine` (where and with
what the chapters ran), `run-versions` (everything they imported), `run-seeds` (claims at other
seeds) and `source-identifiers`. All is read from what the runs stored; nothing is asked of the
machine that builds the pages.
"""

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from tables import facts_list, table

from tools import runs

Entries = dict[str, dict[str, Any]]  # of the index, by chapter


def versions(entries: Entries) -> dict[str, str]:
    """Versions of what the numbers rest on most."""
    packages = {
        name: distinct(entries, lambda run, name=name: run["distributions"].get(name, ""))
        for name in ("numpy", "scipy", "numba")
    }
    own = {"python": "python", "ldp-companion": "ldp"}
    return {k: distinct(entries, lambda run, v=v: run[v]) for k, v in own.items()} | packages


def machine(entries: Entries) -> dict[str, str]:
    """Where and when the chapters ran."""
    dates = sorted(entry["run"]["date"] for entry in entries.values())
    return {
        "system": distinct(entries, lambda run: run["system"]),
        "processor": distinct(entries, lambda run: run["processor"]),
        "cores": distinct(entries, lambda run: str(run["cores"])),
        "instruction sets": distinct(entries, lambda run: ", ".join(run["simd"])),
        "linear algebra": distinct(entries, lambda run: pairs(run["blas"])),
        "threads": distinct(entries, lambda run: threads(run["threads"])),
        "run": " to ".join(sorted({date_of(date) for date in (dates[:1] + dates[-1:])})),
    }


def distinct(entries: Entries, told: Callable[[dict], str]) -> str:
    """What the runs say, once; one after the other where they do not agree."""
    return "; ".join(sorted({told(entry["run"]) for entry in entries.values()} - {""}))


def pairs(given: dict[str, str]) -> str:
    """Names with what they stand for, in one line."""
    return ", ".join(f"{name}: {text}" for name, text in given.items())


def threads(given: dict[str, str]) -> str:
    """Threads of the numerical libraries: one number where all have the same."""
    return given["NUMBA_NUM_THREADS"] if len(set(given.values())) == 1 else pairs(given)


def date_of(stamp: str) -> str:
    """A date for reading: to the minute, in UTC."""
    return stamp[:16].replace("T", " ") + " UTC"


def times_table(entries: Entries) -> str:
    """Table of what each chapter took."""
    heads = ("chapter", "seconds", "peak MB", "cells", "profile", "run at (UTC)", "commit")
    seconds = sum(entry["seconds"] for entry in entries.values())
    most = max((entry["peak_mb"] for entry in entries.values()), default=0)
    cells = sum(entry["cells"] for entry in entries.values())
    return table(
        "Cost of each chapter",
        heads,
        [_times_row(name, entries[name]) for name in sorted(entries)],
        last=["all chapters", f"{seconds:.1f}", str(most), str(cells), "", "", ""],
        caption="Cost of each chapter; in the last line sums, and the largest memory",
        more=" run-times",
    )


def _times_row(name: str, entry: dict[str, Any]) -> list[str]:
    run = entry["run"]
    cells = [f"{entry['seconds']:.1f}", str(entry["peak_mb"]), str(entry["cells"])]
    cells += [entry["profile"], date_of(run["date"]).removesuffix(" UTC"), run["commit"]]
    return [f'<a href="{name}.html">{name}</a>', *map(html.escape, cells)]


def imported(entries: Entries) -> dict[str, str]:
    """Version of every distribution that one of the chapters imported."""
    names = {name for entry in entries.values() for name in entry["run"]["distributions"]}
    return {
        name: distinct(entries, lambda run, name=name: run["distributions"].get(name, ""))
        for name in sorted(names, key=str.lower)
    }


def identifiers(build: dict[str, str]) -> dict[str, str]:
    """Commit behind the pages and its identifiers, for reading."""
    dirty = build["commit"].endswith("-dirty")
    note = " (the sources had changes that it does not hold)" if dirty else ""
    rows = {"commit": build["commit"].removesuffix("-dirty") + note}
    return rows | {f"its {k}": build.get(k, "") for k in ("rev", "dir")}


def seeds_table(stored: dict[str, Any]) -> str:
    """How often each statistical claim held at other seeds; what failed stands below."""
    claims, seeds = stored["claims"], stored["seeds"]
    always = sum(claim["held"] == seeds for claim in claims.values())
    rows = [
        [f'<a href="report.html#claim-{name}">{name}</a>', claim["chapter"]]
        + [str(len(claim[state])) for state in ("held", "failed", "missing")]
        for name, claim in claims.items()
    ]
    told = "".join(
        f"<li>{chapter}, seed {seed}: {html.escape(text)}</li>"
        for chapter, seed, text in stored["failures"]
    )
    caption = (
        f"{always} of {len(claims)} statistical claims held at each of {len(seeds)} seeds "
        f"({seeds[0]} to {seeds[-1]}), profile {stored['profile']}, commit {stored['commit']}, "
        f"{date_of(stored['date'])}"
    )
    heads = ("claim", "chapter", "held", "failed", "not reached")
    made = table("Claims at other seeds", heads, rows, caption=caption)
    return made + (f"<ul>{told}</ul>" if told else "")


class FromSeeds(SphinxDirective):
    """Claims at other seeds, if they have been run."""

    def run(self) -> list[nodes.Node]:
        """Write the table, or how to get it."""
        path = Path(self.env.srcdir) / "_build" / "seeds.json"
        self.env.note_dependency(str(path))
        if not path.exists():
            return [nodes.paragraph("", "It has not been run for these pages.")]
        stored = json.loads(path.read_text(encoding="utf-8"))
        return [nodes.raw("", seeds_table(stored), format="html")]


class FromRuns(SphinxDirective):
    """A piece of HTML made of the index of runs."""

    def run(self) -> list[nodes.Node]:
        """Write it, and have the page read again after the next run."""
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "_build" / "executed" / "index.json"))
        entries = runs.load(root)["chapters"]
        if not entries:
            return [nodes.paragraph("", "No chapter has been run.")]
        made = {
            "run-times": times_table,
            "run-machine": lambda all_: facts_list(machine(all_) | versions(all_)),
            "run-versions": lambda all_: facts_list(imported(all_)),
        }
        return [nodes.raw("", made[self.name](entries), format="html")]


class SourceIdentifiers(SphinxDirective):
    """Commit and archive identifiers of the sources."""

    def run(self) -> list[nodes.Node]:
        """Write them; a page that names its commit is read again by every build."""
        self.env.note_reread()
        text = facts_list(identifiers(self.env.config.html_context["build"]))
        return [nodes.raw("", text, format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    for name in ("run-times", "run-machine", "run-versions"):
        app.add_directive(name, FromRuns)
    app.add_directive("run-seeds", FromSeeds)
    app.add_directive("source-identifiers", SourceIdentifiers)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
