"""Sphinx extension: the directive `mutants`, which says how many random changes tests noticed.

It reads `studies/mutants.json`, the summary of the last stored run (`make mutants`).
"""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from tables import table

KINDS = ("sampled", "killed", "killed_later", "equivalent", "survived")
HEADS = ("changed", "noticed", "noticed since", "without effect", "not noticed")


def sentences(summary: dict[str, Any]) -> str:
    """Say what was done and what came of it."""
    low, high = summary["interval"]
    rest = summary["sampled"] - summary["equivalent"]
    return (
        f"On {summary['date']} the package was changed at {summary['sampled']} random places "
        f"(seed {summary['seed']}, commit {summary['commit'][:10]}), one at a time: an operator, a "
        f"number, a condition. {summary['equivalent']} changes have no effect that is promised. "
        f"Of the other {rest} the tests noticed {summary['killed']}, "
        f"{summary['score']:.1%} (95 % interval {low:.1%} to {high:.1%}). Tests written since "
        f"notice {summary['killed_later']} more; {summary['survived']} are not noticed."
    )


def rows(summary: dict[str, Any]) -> list[list[str]]:
    """One row per folder, and one for all."""
    folders: dict[str, dict[str, int]] = {}
    for module, numbers in summary["modules"].items():
        name = "/".join(module.split("/")[:2])
        found = folders.setdefault(name, dict.fromkeys(KINDS, 0))
        for kind in KINDS:
            found[kind] += numbers[kind]
    folders["all"] = {kind: summary[kind] for kind in KINDS}
    return [[name, *(str(n[kind]) for kind in KINDS)] for name, n in folders.items()]


class Mutants(SphinxDirective):
    """The sentences and the table."""

    def run(self) -> list[nodes.Node]:
        """Read the summary; a missing one is an error of the build."""
        path = Path(self.env.srcdir) / "studies" / "mutants.json"
        self.env.note_dependency(str(path))
        summary = json.loads(path.read_text())
        made = table("Changes at random places", ["place", *HEADS], rows(summary))
        return [nodes.paragraph("", sentences(summary)), nodes.raw("", made, format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("mutants", Mutants)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
