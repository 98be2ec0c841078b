"""Write every chapter as a plain notebook, for people who want to run and change it."""

import argparse
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import nbformat

from tools import chapters

INSTALL = """\
**Before you run this notebook**: it imports the package `ldp` of the repository it comes from and \
the folder `companion` beside it, which checks claims and styles figures; elsewhere it needs both. \
In the root folder of that repository, type `make notebooks` once, then \
`.venv/bin/pip install jupyterlab && .venv/bin/jupyter lab _build/notebooks`. \
The text may use roles and directives of the book that a notebook viewer shows as they are."""

CACHES = shutil.ignore_patterns("__pycache__")


def main(arguments: list[str] | None = None) -> int:
    """Write the notebooks to `_build/notebooks`."""
    parser = argparse.ArgumentParser(description="Write every chapter as a plain notebook.")
    parser.add_argument("--root", type=Path, default=chapters.ROOT, help=argparse.SUPPRESS)
    root = parser.parse_args(arguments).root.resolve()
    target = root / "_build" / "notebooks"
    for name in chapters.names(root):
        text = chapters.source(name, root).read_text(encoding="utf-8")
        chapters.write_text(target / f"{name}.ipynb", nbformat.writes(plain(text)) + "\n")
    room = target / "companion"
    shutil.copytree(chapters.ROOT / "book" / room.name, room, dirs_exist_ok=True, ignore=CACHES)
    for table in chapters.tables(root):  # the same way up and down as from the folder `book`
        chapters.write_text(target.parent / "studies" / table.name, table.read_text("utf-8"))
    print(f"{len(chapters.names(root))} notebooks in {target}")
    return 0


def plain(text: str) -> nbformat.NotebookNode:
    """Cells of a chapter without the book's own marks, after a note on how to install."""
    notebook = chapters.read(text)
    for cell in notebook.cells:
        del cell.metadata["ldp"]
    note = nbformat.v4.new_markdown_cell(INSTALL, id="install")
    notebook.cells.insert(0, note)
    notebook.metadata = nbformat.from_dict({"kernelspec": notebook.metadata["kernelspec"]})
    return notebook


if __name__ == "__main__":
    sys.exit(main())
