"""The run tool on a small book of its own: what must pass passes, what must fail fails by name."""

import json
import os
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import nbformat
import pytest
import run

import verified
from tools import chapters, claims, freshness, outputs

HEAD = """\
---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {name: python3, display_name: Python 3, language: python}
---
# A chapter

```{code-cell} ipython3
:tags: [parameters]
profile = "fast"
seed = 1
```

```{code-cell} ipython3
%s
```
"""
GOOD = """\
from ldp.companion import claim

print(f"the profile is {profile}, the seed is {seed}")
claim("S000-01", observed=3, expected=3)"""
MUTE_FIGURE = "import matplotlib.pyplot as plt\n\nplt.plot([0, 1])\nplt.show()"
# name -> (last cell, what the report must say about it)
BAD = {
    "00-slow": ("import time\n\ntime.sleep(100)", "exceeded its time limit"),
    "01-false": (GOOD.replace("observed=3", "observed=2"), "ClaimError: S000-01: observed 2"),
    "02-undeclared": (
        GOOD.replace("S000-01", "S000-99"),
        "not declared in book/claims.yml: S000-99",
    ),
    "03-missing": ("print(1)", "declared for this chapter but not checked: S000-03"),
    "04-elsewhere": (GOOD, "declared for another chapter: S000-01"),
    "06-dead": ("import os\n\nos._exit(1)", "the kernel died"),
    "07-warning": ("import warnings\n\nwarnings.warn('beware')", "wrote to stderr"),
    "08-address": ("object()", "shows a memory address"),
    "09-mute": (MUTE_FIGURE, "image without alternative text"),
    "10-path": ("import os\n\nprint(os.getcwd())", "shows a path of this machine"),
    "11-error": ("x = 1\n1 / 0", "ZeroDivisionError: division by zero"),
}
LEDGER = """\
- {id: S000-01, chapter: 00-good, verdict: reproduced}
- {id: S000-02, chapter: 00-good, verdict: open}
- {id: S000-03, chapter: 03-missing, verdict: refuted}
"""
CONFIG = """\
title: Toy
only_build_toc_files: true
execute: {execute_notebooks: "off"}
sphinx:
  recursive_update: true
  local_extensions: {verified: book/_ext}
  config: {html_static_path: []}
"""


def tool(script: str, project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the book on another project, with a hostile personal configuration."""
    command = [sys.executable, str(chapters.ROOT / "book" / script), "--root", str(project)]
    hostile = {"MPLBACKEND": "agg", "PYTHONWARNINGS": "error", "PYTHONSTARTUP": "/nonexistent"}
    environment = os.environ | (hostile if script == "run.py" else {})
    return subprocess.run(
        [*command, *options], capture_output=True, text=True, env=environment, check=False
    )


def write_project(folder: Path, cells: dict[str, str]) -> Path:
    """Make a book with one chapter per cell."""
    (folder / "book").mkdir(parents=True)
    (folder / "ldp" / "datasets").mkdir(parents=True)
    for name, cell in cells.items():
        (folder / "book" / f"{name}.md").write_text(HEAD % cell)
    (folder / "book" / "claims.yml").write_text(LEDGER)
    (folder / "book" / "notation.md").write_text("# A page that is no chapter\n")
    (folder / "ldp" / "core.py").write_text("x = 1\n")
    (folder / "ldp" / "datasets" / "age.csv").write_text("17,395\n")
    (folder / "requirements.txt").write_text("numpy==2.0\n")
    (folder / "_config.yml").write_text(CONFIG)
    listed = "".join(f"- file: book/{name}\n" for name in list(cells)[1:])
    toc = f"format: jb-book\nroot: book/{next(iter(cells))}\n"
    (folder / "_toc.yml").write_text(toc + (f"chapters:\n{listed}" if listed else ""))
    (folder / "book" / "_ext").symlink_to(chapters.ROOT / "book" / "_ext")
    return folder


@pytest.fixture(scope="module")
def bad_book(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """A book with one good chapter and one chapter of each bad kind, after a run."""
    cells = {"00-good": GOOD} | {name: cell for name, (cell, _) in BAD.items()}
    project = write_project(tmp_path_factory.mktemp("bad") / "book", cells)
    # The slow chapter waits while the others run beside it.
    done = tool("run.py", project, "--timeout", "15")
    return project, done.stdout, done.returncode


@pytest.fixture
def good_book(bad_book: tuple[Path, str, int], tmp_path: Path) -> Path:
    """A book of two good chapters with their run, made by copying: nothing is executed again."""
    project = write_project(tmp_path / "book", {"00-good": GOOD, "01-twin": GOOD})
    (project / "book" / "claims.yml").write_text("")
    index = {"profile": "fast", "chapters": {}}
    common = freshness.common_digest(project)
    for name in ("00-good", "01-twin"):
        target = chapters.executed(name, project)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(chapters.executed("00-good", bad_book[0]), target)
        claims.store(name, [], project)
        index["chapters"][name] = {
            "key": freshness.key(name, "fast", common, project),
            "profile": "fast",
            "seconds": 1.0,
            "peak_mb": 1,
            "cells": 2,
        }
    freshness.save_index(index, project)
    return project


def stale_names(project: Path, profile: str = "fast") -> list[str]:
    """Chapters that a run in this profile would execute."""
    options = Namespace(root=project, profile=profile, force=False)
    return run.to_run(chapters.names(project), freshness.load_index(project), options)


# --- one run of a book with every kind of fault ---


def test_a_bad_chapter_makes_the_exit_status_1(bad_book: tuple[Path, str, int]) -> None:
    assert bad_book[2] == 1
    assert f"{len(BAD) + 1} chapters, {len(BAD) + 1} run" in bad_book[1]
    assert bad_book[1].rstrip().endswith(f"{len(BAD)} failed")


@pytest.mark.parametrize("name", BAD)
def test_report_names_chapter_cell_and_message(bad_book: tuple[Path, str, int], name: str) -> None:
    found = re.search(rf"^FAILED {name}, (.*):\n  (.*)$", bad_book[1], re.M)
    assert found, bad_book[1]
    assert BAD[name][1] in found[2]
    if name not in ("02-undeclared", "03-missing", "04-elsewhere"):
        assert found[1] == "code cell 2 (line 15)"


@pytest.mark.parametrize("name", BAD)
def test_a_bad_chapter_leaves_nothing_to_publish(
    bad_book: tuple[Path, str, int], name: str
) -> None:
    project = bad_book[0]
    assert name in freshness.stale(project)
    if name not in ("02-undeclared", "03-missing", "04-elsewhere"):
        assert not chapters.executed(name, project).exists()
        assert not chapters.claims(name, project).exists()
        assert name not in freshness.load_index(project)["chapters"]


def test_the_good_chapter_passes_beside_the_bad_ones(bad_book: tuple[Path, str, int]) -> None:
    project, report, _ = bad_book
    assert "FAILED 00-good" not in report
    assert re.search(r"^  00-good +\d+\.\d s +\d+ MB  fast$", report, re.M)
    assert "00-good" not in freshness.stale(project)


def test_claim_records_say_where_they_stand(bad_book: tuple[Path, str, int]) -> None:
    (record,) = json.loads(chapters.claims("00-good", bad_book[0]).read_text())
    assert record["id"] == "S000-01"
    assert (record["cell"], record["code_cell"], record["line"]) == (2, 2, 15)
    assert (record["chapter"], record["profile"]) == ("00-good", "fast")
    assert 0 < record["seconds"] < 60


def test_executed_notebook_holds_nothing_of_the_machine(bad_book: tuple[Path, str, int]) -> None:
    path = chapters.executed("00-good", bad_book[0])
    text = path.read_text()
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert str(bad_book[0]) not in text
    assert str(Path.home()) + "/" not in text
    assert not re.search(r"papermill|start_time|input_path", text)
    injected = next(c for c in notebook.cells if c.id == "injected-parameters")
    assert "remove-cell" in injected.metadata.tags


def test_failed_chapter_is_kept_for_inspection(bad_book: tuple[Path, str, int]) -> None:
    failed = {p.stem for p in (bad_book[0] / "_build" / "failed").glob("*.ipynb")}
    assert failed >= {"00-slow", "07-warning", "11-error"}
    assert "00-good" not in failed


# --- what is fresh ---


def append(path: Path) -> None:
    path.write_text(path.read_text() + "\n")


BOTH = ["00-good", "01-twin"]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("book/01-twin.md", ["01-twin"]),
        ("ldp/core.py", BOTH),
        ("ldp/datasets/age.csv", BOTH),
        ("requirements.txt", BOTH),
        ("book/claims.yml", []),
        ("book/notation.md", []),
    ],
)
def test_a_change_reruns_what_depends_on_it(
    good_book: Path, changed: str, expected: list[str]
) -> None:
    assert stale_names(good_book) == []
    append(good_book / changed)
    assert stale_names(good_book) == expected
    assert sorted(freshness.stale(good_book)) == expected


def test_a_new_file_in_the_package_reruns_all(good_book: Path) -> None:
    (good_book / "ldp" / "new.py").write_text("")
    assert stale_names(good_book) == BOTH


def test_the_profile_and_the_tool_are_part_of_the_key(
    good_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stale_names(good_book, "full") == BOTH
    monkeypatch.setattr(freshness, "TOOL", good_book / "ldp")
    assert stale_names(good_book) == BOTH


def test_times_and_caches_do_not_count(good_book: Path) -> None:
    (good_book / "book" / "00-good.md").touch()
    (good_book / "ldp" / "core.py").touch()
    (good_book / "ldp" / "__pycache__").mkdir()
    (good_book / "ldp" / "__pycache__" / "core.pyc").write_text("x")
    assert stale_names(good_book) == []


def test_a_lost_notebook_or_index_is_run_again(good_book: Path) -> None:
    chapters.executed("01-twin", good_book).unlink()
    assert stale_names(good_book) == ["01-twin"]
    (good_book / "_build" / "executed" / "index.json").write_text('{"profile": ')
    assert stale_names(good_book) == BOTH


def test_nothing_is_executed_or_written_when_nothing_changed(good_book: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in (good_book / "_build").rglob("*") if p.is_file()}
    done = tool("run.py", good_book)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 chapters, 0 run" in done.stdout
    after = {p: p.stat().st_mtime_ns for p in (good_book / "_build").rglob("*") if p.is_file()}
    assert after == before


def test_claims_are_compared_again_without_a_run(good_book: Path) -> None:
    (good_book / "book" / "claims.yml").write_text(
        "- {id: S000-07, chapter: 01-twin, verdict: reproduced}\n"
    )
    done = tool("run.py", good_book)
    assert done.returncode == 1
    assert "0 run" in done.stdout
    assert "FAILED 01-twin, at its end:" in done.stdout


def test_one_chapter_alone_and_in_the_full_profile(good_book: Path) -> None:
    (good_book / "book" / "claims.yml").write_text(LEDGER.replace("00-good", "01-twin"))
    done = tool("run.py", good_book, "--only", "01-twin", "--profile", "full")
    assert done.returncode == 0, done.stdout + done.stderr
    text = chapters.executed("01-twin", good_book).read_text()
    assert "the profile is full, the seed is 1" in text
    assert freshness.stale(good_book) == {
        "00-good": "it was run in profile fast, another one in full"
    }


def test_a_chapter_that_breaks_loses_what_it_had(good_book: Path) -> None:
    page = good_book / "book" / "01-twin.md"
    page.write_text(page.read_text().replace("observed=3", "observed=4"))
    assert tool("run.py", good_book).returncode == 1
    assert not chapters.executed("01-twin", good_book).exists()
    assert not chapters.claims("01-twin", good_book).exists()
    assert freshness.stale(good_book) == {"01-twin": "it has no successful run"}


def test_an_unknown_chapter_is_refused(good_book: Path) -> None:
    done = tool("run.py", good_book, "--only", "07-none")
    assert done.returncode == 2
    assert "no chapter 07-none; there are: 00-good, 01-twin" in done.stdout


def test_a_chapter_without_the_profile_parameter_is_refused(tmp_path: Path) -> None:
    project = write_project(tmp_path / "book", {"00-bare": "print(1)"})
    page = project / "book" / "00-bare.md"
    page.write_text(page.read_text().replace('profile = "fast"\n', ""))
    done = tool("run.py", project)
    assert done.returncode == 1
    assert "the parameters cell does not define profile" in done.stdout


# --- what the pages show ---


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


def test_printed_text_is_one_piece_however_the_kernel_cut_it() -> None:
    def printed(text: str, name: str = "stdout") -> nbformat.NotebookNode:
        return nbformat.v4.new_output("stream", name=name, text=text)

    image = nbformat.v4.new_output("display_data", {"image/png": "AA=="})
    merged = outputs.merge_streams([printed("a"), printed("b\n"), image, printed("c")])
    assert [output.get("text") for output in merged] == ["ab\n", None, "c"]
    assert len(outputs.merge_streams([printed("a"), printed("b", "stderr")])) == 2


def test_two_images_in_a_cell_are_a_fault() -> None:
    show = nbformat.v4.new_output("display_data", {"image/png": "AA=="})
    cell = nbformat.v4.new_code_cell(outputs=[show, show])
    cell.metadata = nbformat.from_dict(
        {"ldp": {"code_cell": 1, "line": 0}, "mystnb": {"image": {"alt": "x"}}}
    )
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert "more than one image" in outputs.first_fault(notebook, chapters.ROOT)[1]
