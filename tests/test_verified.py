"""The pages show the one verified run of a chapter, and nothing of a failed one."""

from pathlib import Path

import nbformat
import pytest
from site_checks import lost_files
from small_book import append, run_script, tool

import verified
from tools import chapters, runs


def store(project: Path, name: str, notebook: str) -> None:
    """Replace the run of a chapter as the run tool would."""
    chapters.executed(name, project).write_text(notebook)
    index = runs.load(project)
    index["chapters"][name]["digest"] = runs.digest(name, project)
    runs.save(index, project)


def page_of(project: Path, name: str) -> str:
    return (project / "_build" / "html" / "book" / f"{name}.html").read_text()


def test_pages_show_the_run_and_no_failed_chapter(bad_book: tuple[Path, str, int]) -> None:
    done = tool("build_html.py", bad_book[0])
    assert done.returncode == 1
    assert "chapter 11-error: it has no successful run" in done.stderr
    assert "the profile is fast, the seed is 1" in page_of(bad_book[0], "00-good")
    assert "cell_input" not in page_of(bad_book[0], "11-error")


def test_pages_build_when_all_is_fresh_and_not_when_a_source_changed(good_book: Path) -> None:
    done = tool("build_html.py", good_book)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = page_of(good_book, "01-twin")
    assert "the profile is fast, the seed is 1" in shown
    assert "Parameters" not in shown, "the injected cell is not for readers"
    assert lost_files(good_book / "_build" / "html") == []
    kinds = {path.suffix for path in (good_book / "_build" / "html").rglob("*")}
    assert not kinds & {".map", ".mo", ".po", ".ttf"}, "files that no page asks for"
    text = chapters.executed("01-twin", good_book).read_text()
    store(good_book, "01-twin", text.replace("seed is 1", "seed is 2"))
    assert tool("build_html.py", good_book).returncode == 0
    assert "the seed is 2" in page_of(good_book, "01-twin"), "the text is the same, the run is not"
    append(good_book / "ldp" / "core.py")
    done = tool("build_html.py", good_book)
    assert done.returncode == 1
    assert "chapter 00-good: its sources changed since its run" in done.stderr


@pytest.mark.parametrize("damage", [("seed is 1", "seed is 2"), ('{\n "cells"', "{")])
def test_a_notebook_that_was_changed_is_not_shown(good_book: Path, damage: tuple[str, str]) -> None:
    path = chapters.executed("01-twin", good_book)
    assert damage[0] in path.read_text()
    path.write_text(path.read_text().replace(*damage))
    done = tool("build_html.py", good_book)
    assert done.returncode == 1
    assert "chapter 01-twin: what its run stored is damaged or was changed" in done.stderr
    assert "Traceback" not in done.stderr
    assert "cell_input" not in page_of(good_book, "01-twin")


def test_a_page_never_lacks_a_cell_silently(good_book: Path) -> None:
    run = nbformat.read(chapters.executed("01-twin", good_book), as_version=4)
    del run.cells[-1]
    store(good_book, "01-twin", nbformat.writes(run))
    done = tool("build_html.py", good_book)
    assert done.returncode == 1
    assert "chapter 01-twin: not in its run are the cells at lines 15" in done.stderr


@pytest.mark.parametrize("module", ["build_html", "verified"])
def test_pages_are_built_with_the_package_of_this_folder(tmp_path: Path, module: str) -> None:
    (tmp_path / "ldp").mkdir()
    (tmp_path / "ldp" / "__init__.py").write_text("raise ImportError('not the one of the book')")
    done = run_script(f"import {module}, ldp", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_a_second_build_repeats_the_warnings_of_the_first(good_book: Path) -> None:
    toc = good_book / "_toc.yml"
    toc.write_text(toc.read_text() + "- file: book/notation\n")
    (good_book / "book" / "notation.md").write_text("# Notation\n\nA [link](nowhere.md).\n")
    for _ in range(2):
        done = tool("build_html.py", good_book)
        assert done.returncode == 1
        assert "target not found: 'nowhere.md'" in done.stderr


def test_a_cell_that_was_not_run_is_not_shown(good_book: Path) -> None:
    text = (good_book / "book" / "00-good.md").read_text()
    changed = verified.read(text.replace("expected=3", "expected=4"), "00-good", str(good_book))
    assert not any("expected=4" in cell.source for cell in changed.cells)
    same = verified.read(text, "00-good", str(good_book))
    assert any(cell.get("outputs") for cell in same.cells)
