"""Equal sources and equal stored runs give the same bytes, in whatever folder they are built."""

import shutil
import subprocess
import sys
from pathlib import Path

import build_html
import pytest
from small_book import tool

from tools import chapters

TERMS = "# Terms\n\n```{glossary}\nlie\n  A report that is not the value.\n```\n"


def sums(project: Path) -> list[str]:
    """Hash and name of every file of the built site."""
    return (project / "_build" / "html" / "SHA256SUMS").read_text().splitlines()


def moved_to(folder: Path, project: Path) -> Path:
    """Copy a project with its stored runs, but without any page."""
    left_out = shutil.ignore_patterns(
        "html*", ".doctrees", "jupyter_execute", ".venv", "__pycache__", ".*_cache", ".kernel"
    )
    shutil.copytree(project, folder, ignore=left_out, symlinks=True)
    return folder


def differences(one: list[str], other: list[str]) -> list[str]:
    """Files that are not the same in two built sites."""
    return sorted({line.split("  ", 1)[1] for line in set(one) ^ set(other)})


def test_two_builds_in_folders_of_other_names_are_equal(good_book: Path, tmp_path: Path) -> None:
    (good_book / "book" / "notation.md").write_text(TERMS)
    toc = good_book / "_toc.yml"
    toc.write_text(toc.read_text() + "- file: book/notation\n")
    settings = good_book / "_config.yml"
    with_terms = "{search_terms: book/_ext, verified"
    settings.write_text(settings.read_text().replace("{verified", with_terms))
    copies = [moved_to(tmp_path / name, good_book) for name in ("one", "another-longer-name")]
    for project in copies:
        done = tool("build_html.py", project)
        assert done.returncode == 0, done.stdout + done.stderr
    first, second = map(sums, copies)
    assert len(first) > 40
    assert differences(first, second) == []
    (copies[0] / "book" / "01-twin.md").touch()  # this page alone is read and written again
    assert tool("build_html.py", copies[0]).returncode == 0
    assert differences(first, sums(copies[0])) == []
    # Control: another stored run is seen, in the pages that show it and in no others.
    shown = copies[1] / "_build" / "html" / "book" / "01-twin.html"
    shown.write_text(shown.read_text().replace("seed is 1", "seed is 2"))
    build_html.write_sums(copies[1] / "_build" / "html")
    assert differences(first, sums(copies[1])) == ["book/01-twin.html"]


@pytest.mark.slow
def test_two_builds_of_this_book_are_equal(root: Path, tmp_path: Path) -> None:
    if not chapters.executed("00-introduction", root).exists():
        pytest.fail("no chapter has been run: run make run first")
    copies = [moved_to(tmp_path / name, root) for name in ("one", "another-longer-name")]
    for project in copies:
        command = [sys.executable, "book/build_html.py"]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    first, second = map(sums, copies)
    assert len(first) > 200
    assert differences(first, second) == []


def test_sums_name_every_file_and_see_a_changed_one(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.html").write_text("page")
    (tmp_path / "a b.txt").write_text("")
    for _ in range(2):  # the second time the list itself is there
        build_html.write_sums(tmp_path)
    assert (tmp_path / "SHA256SUMS").read_text() == (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a b.txt\n"
        "3660315a9af3df255d8f19ab077e4797822b41488a0e2a04bc6af71213c23274  book/page.html\n"
    )
