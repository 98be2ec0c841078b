"""Show on each chapter's page exactly what its one verified run stored.

The run tool keeps the executed notebook of a chapter in `_build/executed`. When Sphinx reads the
chapter's text, the outputs of that notebook are put behind the same cells. A chapter without a
run that matches its sources is a warning (an error of the build), and none of its cells appear.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx
from sphinx.util import logging

BOOK = Path(__file__).resolve().parents[1]
# The package of this folder comes first, for all extensions: it is the one that was hashed.
sys.path[:0] = [str(BOOK.parent), str(BOOK)]

from claims_badge import badge

from companion import CLAIM_MIME
from tools import chapters, claims, freshness, ledger, revision, runs

logger = logging.getLogger(__name__)


def read(text: str, name: str, root: str) -> nbformat.NotebookNode:
    """Cells of a chapter with the outputs of its run; the text alone if there is no such run."""
    notebook = chapters.read(text)
    outputs = run_cells(name, Path(root))
    declared = {claim["id"]: claim for claim in ledger.sound(claims.declared(Path(root)))}
    cells, lines, missing = [], [], []
    for cell in notebook.cells:
        line = cell.metadata.pop("ldp")["line"]
        if cell.cell_type == "code":
            done = outputs.get(cell["id"])
            if done is None or done.source != cell.source:
                missing.append(str(line + 1))
                continue
            for output in done.outputs:
                # For the report, not for the page: Sphinx would not know how to show it.
                record = output.get("data", {}).pop(CLAIM_MIME, None)
                if record and record["id"] in declared:
                    output.data["text/html"] = badge(declared[record["id"]], record)
            cell.update(outputs=done.outputs, execution_count=done.execution_count)
        cells.append(cell)
        lines.append(line)
        if "parameters" in cell.metadata.get("tags", []) and "injected-parameters" in outputs:
            cells.append(outputs["injected-parameters"])
            lines.append(line)
    if outputs and missing:
        message = "chapter %s: not in its run are the cells at lines %s; run `make run`"
        where = {"location": f"book/{name}", "type": "verified"}
        logger.warning(message, name, ", ".join(missing), **where)
    notebook.cells = cells
    notebook.metadata["source_map"] = lines
    return notebook


def run_cells(name: str, root: Path) -> dict[str, nbformat.NotebookNode]:
    """Cells of the stored run by their id; none if it is missing or not as it was stored."""
    if name not in runs.intact(runs.load(root), root):
        return {}
    run = nbformat.read(chapters.executed(name, root), as_version=4)
    return {cell["id"]: cell for cell in run.cells}


def register_chapters(app: Sphinx, config: Any) -> None:
    """Let each chapter be read by `read`, and tell every page what it was built from."""
    root = Path(app.srcdir)
    for name in chapters.names(root):
        keywords = {"name": name, "root": str(root)}
        config.nb_custom_formats[f"/{name}.md"] = ["verified.read", keywords, False]
    config.html_context["build"] = build_facts(root)


def build_facts(root: Path) -> dict[str, str]:
    """Commit and profile behind the pages; no date, so that equal sources give equal pages."""
    profile = runs.load(root)["profile"] or "none"
    return {"commit": revision.commit(root), "profile": profile} | revision.identifiers(root)


def warn_of_stale_chapters(app: Sphinx) -> None:
    """Warn on every build, for Sphinx itself re-reads only the pages whose text changed."""
    for name, reason in freshness.stale(Path(app.srcdir)).items():
        logger.warning(
            "chapter %s: %s; run `make run`", name, reason, location=f"book/{name}", type="verified"
        )


def depend_on_run(app: Sphinx, docname: str, content: list[str]) -> None:
    """Have a chapter read again when it was run again, though its text is the same."""
    name = Path(docname).name
    if name in chapters.names(Path(app.srcdir)):
        app.env.note_dependency(str(chapters.executed(name, Path(app.srcdir))))
        app.env.note_dependency(
            str(claims.path(Path(app.srcdir)))
        )  # its badges say what is claimed


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hooks."""
    # After myst-nb has made every custom format a file suffix: ours are names, not suffixes.
    app.connect("config-inited", register_chapters, priority=900)
    app.connect("builder-inited", warn_of_stale_chapters)
    app.connect("source-read", depend_on_run)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
