"""Write every chapter as notebooks that run in a folder of their own: to run, executed, and blank.

    notebooks/NN-name.ipynb            executed: the outputs are those of the page
    notebooks/NN-name-plain.ipynb      without outputs
    notebooks/NN-name-exercises.ipynb  without outputs and without solutions

The first cell of each installs the package from the wheels in the folder `dist` beside `notebooks`,
as they are in the built site and in the archive of all notebooks.
"""

import argparse
import copy
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import nbformat
from plain_text import Renderer

import archives
from companion import CLAIM_MIME, VALUES_MIME
from tools import chapters, runs

NOTE = """\
*{title}* is a chapter of the book *Local differential privacy, verified*. Run the next cell once:
it installs the package `ldp` and what the chapters import, from the folder `dist`. That lies beside
the folder of this notebook, on the site and in the archive `{archive}`."""
INSTALL = """\
# Once: the package and the helpers of the book, from the files beside this notebook.
import subprocess
import sys
from pathlib import Path

wheels = [str(path) for path in Path("../dist").glob("*.whl")]
assert wheels, "no ../dist: unpack the archive of all notebooks, and open this one there"
subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *wheels], check=True)"""
NEEDED = ("matplotlib", "cvxpy", "ipykernel", "quickjs-ng")  # by chapters, not by the package
COMPANION = """\
[build-system]
requires = ["flit_core"]
build-backend = "flit_core.buildapi"
[project]
name = "ldp-companion-book"
version = "{version}"
description = "Checks of claims and the style of figures, for the notebooks of ldp-companion"
dependencies = ["ldp-companion=={version}", {needed}]
[tool.flit.module]
name = "companion"
"""
MARK = re.compile(r"^`{3,}\{solution-(start|end)\}.*\n(?:\s*:.*\n)*`{3,}[ ]*$", re.MULTILINE)
SOLUTION = re.compile(r"^(`{3,}|:{3,})\{solution\}.*?^\1[ ]*$\n?", re.MULTILINE | re.DOTALL)
KINDS = ("", "-plain", "-exercises")


def main(arguments: list[str] | None = None) -> int:
    """Write the notebooks, the wheels and the tables to `_build/notebooks`."""
    parser = argparse.ArgumentParser(description="Write every chapter as notebooks.")
    parser.add_argument("--root", type=Path, default=chapters.ROOT, help=argparse.SUPPRESS)
    root = parser.parse_args(arguments).root.resolve()
    target = root / "_build" / "notebooks"
    shutil.rmtree(target, ignore_errors=True)
    (target / "dist").mkdir(parents=True)
    archives.write_wheel(root, target / "dist")
    count = write(root, target)
    print(f"{count} notebooks in {target / 'notebooks'}")
    return 0


def write(root: Path, target: Path) -> int:
    """Write notebooks, tables, the wheel of the helpers and the archive; return how many."""
    renderer = Renderer(root)
    run = runs.intact(runs.load(root), root)
    for name in chapters.names(root):
        notebook = chapters.read(chapters.source(name, root).read_text(encoding="utf-8"))
        for kind in KINDS if name in run else KINDS[1:]:
            outputs = nbformat.read(chapters.executed(name, root), 4).cells if not kind else []
            made = plain(name, notebook, renderer, outputs, blank=kind == KINDS[2])
            path = target / "notebooks" / f"{name}{kind}.ipynb"
            chapters.write_text(path, nbformat.writes(made) + "\n")
    for table in chapters.tables(root):  # the same way up and down as from the folder `book`
        chapters.write_text(target / "studies" / table.name, table.read_text("utf-8"))
    write_companion(root, target / "dist")
    return pack(root, target)


def plain(
    name: str,
    notebook: nbformat.NotebookNode,
    renderer: Renderer,
    outputs: list[nbformat.NotebookNode],
    *,
    blank: bool,
) -> nbformat.NotebookNode:
    """Cells that any viewer shows, after the cell that installs; a blank one for each solution."""
    done = {cell["id"]: cell for cell in outputs}
    title = next(re.findall("^# (.*)$", c.source, re.MULTILINE) for c in notebook.cells)[0]
    note = NOTE.format(title=title, archive=Path(archive(renderer.root)).name)
    cells = [nbformat.v4.new_markdown_cell(note, id="note")]
    cells.append(nbformat.v4.new_code_cell(INSTALL, id="install"))
    solving = False
    for given in notebook.cells:
        cell = copy.deepcopy(given)
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "markdown":
            texts, solving = pieces(cell.source, solving=solving, blank=blank)
            for number, text in enumerate(texts):
                if text is None:
                    empty = "# Your solution"
                    cells.append(nbformat.v4.new_code_cell(empty, id=f"{cell['id']}-{number}"))
                elif rendered := renderer.text(text, name):
                    own = f"{cell['id']}-text-{number}"
                    cells.append(nbformat.v4.new_markdown_cell(rendered, id=own))
        elif not (blank and solving):
            if ran := done.get(cell["id"]):
                cell.outputs = [shown(o) for o in ran.outputs if is_read(o)]
                cell.execution_count = ran.execution_count
            cells.append(cell)
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata = nbformat.from_dict({"kernelspec": notebook.metadata["kernelspec"]})
    return made


def pieces(text: str, *, solving: bool, blank: bool) -> tuple[list[str | None], bool]:
    """Text between the marks of solutions; in a blank notebook None stands for a solution."""
    made: list[str | None] = []
    parts = MARK.split(text)
    for index, part in enumerate(parts):
        if index % 2:
            solving = part == "start"
            if solving:
                made.append(None if blank else "**Solution.**")
        elif not (blank and solving):
            made += between(part) if blank else [part]
    return made, solving


def between(text: str) -> list[str | None]:
    """A text cut where a solution without code stands."""
    parts = SOLUTION.split(text)[::2]
    return [piece for part in parts for piece in (part, None)][:-1]


def is_read(output: nbformat.NotebookNode) -> bool:
    """Whether an output is for readers, and not numbers for the text."""
    return VALUES_MIME not in output.get("data", {})


def shown(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """An output without what only the site reads."""
    output = copy.deepcopy(output)
    output.get("data", {}).pop(CLAIM_MIME, None)
    return output


def write_companion(root: Path, folder: Path) -> None:
    """Build the wheel of what the chapters import beside the package."""
    version, needed = archives.version(root), ", ".join(f'"{name}"' for name in NEEDED)
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch)
        caches = shutil.ignore_patterns("__pycache__")
        shutil.copytree(chapters.ROOT / "book" / "companion", project / "companion", ignore=caches)
        scripts = chapters.ROOT / "book" / "_static" / "explore"
        shutil.copytree(scripts, project / "companion" / "explore")
        text = COMPANION.format(version=version, needed=needed)
        (project / "pyproject.toml").write_text(text, encoding="utf-8")
        archives.write_wheel(project, folder)


def archive(root: Path) -> str:
    """Where in the site the archive of all notebooks is."""
    return f"dist/ldp_companion-{archives.version(root)}-notebooks.zip"


def pack(root: Path, target: Path) -> int:
    """Pack what a notebook needs, in the folders it expects; return how many there are."""
    notebooks = sorted(target.glob("notebooks/*.ipynb"))
    found = [*sorted(target.glob("dist/*.whl")), *notebooks, *sorted(target.glob("studies/*.csv"))]
    archives.write_zip(found, target, target / archive(root))
    return len(notebooks)


if __name__ == "__main__":
    sys.exit(main())
