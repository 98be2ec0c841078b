"""Notebooks for readers: nothing of the site in their text, blank where asked, all they need."""

import re
import zipfile
from pathlib import Path

import nbformat
import plain_notebooks
import pytest
from plain_text import Renderer

from tools import chapters

CHAPTER = """\
---
kernelspec: {name: python3, display_name: Python 3}
---
# Nets

See {doc}`01-nets`, {prf:ref}`prp-net` and {cite:p}`warner1965randomized`.
```{prf:proposition} A net holds
:label: prp-net
It holds $x$.
```
```{code-cell} ipython3
x = 1
```
```{exercise} Count
:label: ex-count
How many?
```
```{solution-start} ex-count
:class: dropdown
```
Two, plainly.
```{code-cell} ipython3
assert x + 1 == 2
```
Quite so.
```{solution-end}
```
````{solution} ex-other
:class: dropdown
Forty.
````
## After
The end.
"""


def made(kind: str, tmp_path: Path) -> nbformat.NotebookNode:
    (tmp_path / "book").mkdir(exist_ok=True)
    (tmp_path / "book" / "01-nets.md").write_text(CHAPTER)
    bibliography = chapters.ROOT / "book" / "references.bib"
    (tmp_path / "book" / "references.bib").write_bytes(bibliography.read_bytes())
    (tmp_path / "ldp").mkdir(exist_ok=True)
    (tmp_path / "ldp" / "__init__.py").write_text('__version__ = "1"\n')
    return plain_notebooks.plain(
        "01-nets", chapters.read(CHAPTER), Renderer(tmp_path), [], blank=kind == "blank"
    )


def words(notebook: nbformat.NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells)


def test_what_the_site_marks_is_said_in_words(tmp_path: Path) -> None:
    text = words(made("plain", tmp_path))
    assert "See Nets, Proposition “A net holds” and (Warner, 1965)." in text
    assert "> **Proposition. A net holds**\n>\n> It holds $x$." in text
    assert "**Solution.**" in text
    assert "<details><summary>Solution</summary>\n\nForty." in text


def test_a_blank_notebook_has_room_where_the_others_have_solutions(tmp_path: Path) -> None:
    plain, blank = words(made("plain", tmp_path)), words(made("blank", tmp_path))
    for solved in ("Two, plainly.", "assert x + 1", "Quite so.", "Forty."):
        assert solved in plain
        assert solved not in blank
    assert blank.count("# Your solution") == 2
    for kept in ("How many?", "x = 1", "## After\nThe end."):
        assert kept in blank


@pytest.fixture(scope="module")
def target(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebooks")
    (folder / "dist").mkdir()
    plain_notebooks.write(root, folder)
    return folder


def test_no_chapter_leaves_a_mark_of_the_site(target: Path, root: Path) -> None:
    for name in chapters.names(root):
        for path in target.glob(f"notebooks/{name}*.ipynb"):
            notebook = nbformat.read(path, 4)
            nbformat.validate(notebook)
            texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
            marks = r"\{[a-z:]+\}`|^[`:]{3,}\{|^\([a-z-]+\)=$|\]\((?!https?:)[^)]*\.md"
            assert [f for t in texts for f in re.findall(marks, t, re.MULTILINE)] == [], path.name


def test_cells_are_those_of_the_chapter(target: Path, root: Path) -> None:
    for name in chapters.names(root):
        given = [c.source for c in chapters.read(chapters.source(name, root).read_text()).cells]
        notebook = nbformat.read(target / "notebooks" / f"{name}-plain.ipynb", 4)
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        assert code[0] == plain_notebooks.INSTALL
        assert [source for source in given if source in code[1:]] == code[1:]


def test_the_archive_holds_all_that_a_notebook_needs(target: Path, root: Path) -> None:
    with zipfile.ZipFile(target / plain_notebooks.archive(root)) as packed:
        names = packed.namelist()
    assert any(re.match(r"dist/ldp_companion_book-.*\.whl", name) for name in names)
    assert {f"studies/{table.name}" for table in chapters.tables(root)} <= set(names)
    assert sum(name.endswith("-exercises.ipynb") for name in names) == len(chapters.names(root))


def test_the_helpers_are_in_a_wheel_that_asks_for_the_package(target: Path) -> None:
    (wheel,) = target.glob("dist/ldp_companion_book-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        assert {"companion/__init__.py", "companion/explore/core.js"} <= {*packed.namelist()}
        (metadata,) = (name for name in packed.namelist() if name.endswith("METADATA"))
        assert "Requires-Dist: ldp-companion==" in packed.read(metadata).decode()
