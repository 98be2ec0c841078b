"""The pages show the one verified run of a chapter, and nothing of a failed one."""

from pathlib import Path

from small_book import append, tool

import verified
from tools import chapters


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
    run_of_twin = chapters.executed("01-twin", good_book)
    run_of_twin.write_text(run_of_twin.read_text().replace("seed is 1", "seed is 2"))
    assert tool("build_html.py", good_book).returncode == 0
    assert "the seed is 2" in page_of(good_book, "01-twin"), "the text is the same, the run is not"
    append(good_book / "ldp" / "core.py")
    done = tool("build_html.py", good_book)
    assert done.returncode == 1
    assert "chapter 00-good: its sources changed since its run" in done.stderr


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


def test_commit_outside_git_is_unknown(tmp_path: Path) -> None:
    assert verified.commit(tmp_path) == "unknown"
