"""Which chapters the book has, where their results are kept, how their text becomes cells."""

from pathlib import Path

import nbformat
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ("fast", "full")
CLAIM_MIME = "application/vnd.ldp.claim+json"


def names(root: Path = ROOT) -> list[str]:
    """Names (`NN-word`) of the executable chapters, in reading order."""
    pages = sorted((root / "book").glob("[0-9][0-9]-*.md"))
    return [p.stem for p in pages if is_myst_markdown_notebook(p.read_text(encoding="utf-8"))]


def source(name: str, root: Path = ROOT) -> Path:
    """Path of the chapter's text."""
    return root / "book" / f"{name}.md"


def executed(name: str, root: Path = ROOT) -> Path:
    """Path of the chapter's executed notebook."""
    return root / "_build" / "executed" / f"{name}.ipynb"


def claims(name: str, root: Path = ROOT) -> Path:
    """Path of the records of the claims that the chapter verified."""
    return root / "_build" / "claims" / f"{name}.json"


def read(text: str) -> nbformat.NotebookNode:
    """Cells of a chapter, by the reader that also makes its page; ids do not change between runs.

    The line of the text where each cell starts is kept in the cell, for messages.
    """
    notebook = read_myst_markdown_notebook(text, add_source_map=True)
    lines = notebook.metadata.pop("source_map")
    code_cells = 0
    for index, (cell, line) in enumerate(zip(notebook.cells, lines, strict=True)):
        cell["id"] = f"cell-{index:03d}"
        code_cells += cell.cell_type == "code"
        cell.metadata["ldp"] = {"index": index, "line": line, "code_cell": code_cells}
    return notebook


def write_text(path: Path, text: str) -> None:
    """Write a file atomically, and only when its contents change (Sphinx looks at times)."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
