"""Which chapters the book has, where their results are kept, how their text becomes cells."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from tools.lock import alone

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ("fast", "full")


def names(root: Path = ROOT) -> list[str]:
    """Names (`NN-word`) of the executable chapters, in reading order."""
    pages = sorted((root / "book").glob("[0-9][0-9]-*.md"))
    return [p.stem for p in pages if is_myst_markdown_notebook(p.read_text(encoding="utf-8"))]


def of_page(docname: str, root: Path = ROOT) -> str:
    """Name of the chapter whose page this is; empty for others, such as that of its claims."""
    name = docname.removeprefix("book/")
    return name if name in names(root) else ""


def source(name: str, root: Path = ROOT) -> Path:
    """Path of the chapter's text."""
    return root / "book" / f"{name}.md"


def tables(root: Path = ROOT) -> list[Path]:
    """Tables of the long studies, which chapters may show and depend on then."""
    return sorted((root / "studies").glob("*.csv"))


def scripts(text: str, root: Path = ROOT) -> list[Path]:
    """Scripts of the explorables that a chapter runs, and the core that all of them share."""
    found = sorted((root / "book" / "_static" / "explore").glob("*.js"))
    named = [p for p in found if f'"{p.stem}"' in text]
    return [p for p in found if p.stem == "core"] + named if named else []


def executed(name: str, root: Path = ROOT) -> Path:
    """Path of the chapter's executed notebook."""
    return root / "_build" / "executed" / f"{name}.ipynb"


def drawings(root: Path = ROOT) -> Path:
    """Folder for the figures that the pages show, taken out of the executed notebooks."""
    return root / "_build" / "drawings"


def claims_path(name: str, root: Path = ROOT) -> Path:
    """Path of the records of the claims that the chapter verified."""
    return root / "_build" / "claims" / f"{name}.json"


def stored(root: Path = ROOT) -> set[str]:
    """Names of all chapters of which a run left anything, also of those that are gone."""
    kept = [
        (root / "_build" / "executed").glob("*.ipynb"),
        (root / "_build" / "claims").glob("*.json"),
    ]
    return {path.stem for paths in kept for path in paths}


def failed(name: str, root: Path = ROOT) -> Path:
    """Path of what a chapter that failed had computed, for inspection."""
    return root / "_build" / "failed" / f"{name}.ipynb"


def scratch(root: Path = ROOT) -> Path:
    """Folder for what a run needs only while it runs."""
    return root / "_build" / ".scratch"


@contextmanager
def at_work(root: Path = ROOT) -> Iterator[None]:
    """Run chapters while no other command does, with an empty scratch folder, and leave none."""
    with alone(root / "_build"):
        shutil.rmtree(scratch(root), ignore_errors=True)  # what a killed run left
        try:
            yield
        finally:
            shutil.rmtree(scratch(root), ignore_errors=True)


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
    contents = text.encode()
    if path.exists() and path.read_bytes() == contents:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(contents)
    partial.replace(path)
