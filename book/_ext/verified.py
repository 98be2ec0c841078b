"""Show on each chapter's page exactly what its one verified run stored.

The run tool keeps the executed notebook of a chapter in `_build/executed`. When Sphinx reads the
chapter's text, the outputs of that notebook are put behind the same cells. A chapter without a
run that matches its sources is a warning (an error of the build), and none of its cells appear.
"""

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx
from sphinx.util import logging

BOOK = Path(__file__).resolve().parents[1]
# The package of this folder comes first, for all extensions: it is the one that was hashed.
sys.path[:0] = [str(BOOK.parent), str(BOOK)]

from claims_badge import box, section_ends

import drawings
from companion import CLAIM_MIME, VALUES_MIME
from tools import chapters, claims, freshness, revision, runs

logger = logging.getLogger(__name__)


def read(text: str, name: str, root: str) -> nbformat.NotebookNode:
    """Cells of a chapter with the outputs of its run; the text alone if there is no such run."""
    notebook = chapters.read(text)
    done = run_cells(name, Path(root))
    page = Page()
    missing = []
    for cell in notebook.cells:
        line = cell.metadata.pop("ldp")["line"]
        if cell.cell_type == "markdown":
            page.write(cell, line)
            continue
        run = done.get(cell["id"])
        if run is None or run.source != cell.source:
            missing.append(str(line + 1))
            continue
        name_fold(cell)
        cell.update(outputs=page.checked(run.outputs), execution_count=run.execution_count)
        page.add(cell, line)
        if figure := drawings.pull(cell, name, Path(root)):
            page.add(nbformat.v4.new_markdown_cell(figure), line)
        if "parameters" in cell.metadata.get("tags", []) and "injected-parameters" in done:
            page.add(done["injected-parameters"], line)
    page.end_section()
    if done and missing:
        message = "chapter %s: not in its run are the cells at lines %s; run `make run`"
        where = {"location": f"book/{name}", "type": "verified"}
        logger.warning(message, name, ", ".join(missing), **where)
    notebook.cells = page.cells
    notebook.metadata["source_map"] = page.lines
    return notebook


def name_fold(cell: nbformat.NotebookNode) -> None:
    """Say on the button of a folded cell what it unfolds."""
    if "hide-input" in cell.metadata.get("tags", []):
        if "figure" in cell.metadata.get("mystnb", {}):
            what = "code of the figure"
        elif re.search(r"^\s*(claim\(|assert )", cell.source, re.M):
            what = "check"
        else:
            what = "code"
        shown = {"code_prompt_show": f"Show the {what}", "code_prompt_hide": f"Hide the {what}"}
        cell.metadata["mystnb"] = dict(cell.metadata.get("mystnb", {})) | shown


class Page:
    """Cells of a page with their lines, and the claims that the present section has checked."""

    def __init__(self) -> None:
        self.cells: list[nbformat.NotebookNode] = []
        self.lines: list[int] = []
        self.claims: list[str] = []

    def add(self, cell: nbformat.NotebookNode, line: int) -> None:
        """Put a cell on the page."""
        self.cells.append(cell)
        self.lines.append(line)

    def checked(self, outputs: list[Any]) -> list[Any]:
        """Outputs for readers: the claims among them wait for the end of the section."""
        shown = []
        for output in outputs:
            data = output.get("data", {})
            if CLAIM_MIME in data:
                self.claims.append(data[CLAIM_MIME]["id"])
            elif VALUES_MIME not in data:
                shown.append(output)
        return shown

    def write(self, cell: nbformat.NotebookNode, line: int) -> None:
        """Put a text on the page, with a box where it ends a section that has checked claims."""
        rows = cell.source.splitlines()
        start = 0
        for end in section_ends(cell.source):
            if self.claims:
                self._text(rows[start:end], line + start)
                self.end_section()
                start = end
        self._text(rows[start:], line + start)

    def _text(self, rows: list[str], line: int) -> None:
        if any(row.strip() for row in rows):
            self.add(nbformat.v4.new_markdown_cell("\n".join(rows)), line)

    def end_section(self) -> None:
        """Say in one box what the section has checked."""
        if self.claims:
            self.add(nbformat.v4.new_markdown_cell(box(self.claims)), self.lines[-1])
        self.claims = []


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
    root = Path(app.srcdir)
    if name := chapters.of_page(docname, root):
        app.env.note_dependency(str(chapters.executed(name, root)))
        app.env.note_dependency(str(claims.path(root)))  # its badges say what is claimed


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hooks."""
    app.setup_extension("drawings")
    app.setup_extension("claims_badge")
    # After myst-nb has made every custom format a file suffix: ours are names, not suffixes.
    app.connect("config-inited", register_chapters, priority=900)
    app.connect("builder-inited", warn_of_stale_chapters)
    app.connect("source-read", depend_on_run)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
