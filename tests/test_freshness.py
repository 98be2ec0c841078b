"""What is run again after a change, and what is not."""

import json
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest
import run
from small_book import LEDGER, append, declaration, tool

from tools import chapters, freshness, runs


def stale_names(project: Path, profile: str = "fast") -> list[str]:
    """Chapters that a run in this profile would execute."""
    options = Namespace(root=project, profile=profile, force=False)
    return run.to_run(chapters.names(project), runs.load(project), options)


BOTH = ["00-good", "01-twin"]


def test_a_study_reruns_the_chapters_that_name_its_table(good_book: Path) -> None:
    table = good_book / "studies" / "votes.csv"
    table.parent.mkdir()
    table.write_text("rule,mean\n")
    assert stale_names(good_book) == []
    chapter = good_book / "book" / "01-twin.md"
    chapter.write_text(chapter.read_text() + "\nSee `votes.csv`.\n")
    index = runs.load(good_book)
    common = freshness.common_digest(good_book)
    for name in chapters.names(good_book):
        index["chapters"][name]["key"] = freshness.key(name, "fast", common, good_book)
    runs.save(index, good_book)
    assert stale_names(good_book) == []
    append(table)
    assert stale_names(good_book) == ["01-twin"]


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
    assert {"run.py", "ledger.py", "agreement.py"} <= {path.name for path in runs.SOURCES}
    monkeypatch.setattr(runs, "TOOL", "another")
    assert stale_names(good_book) == BOTH


@pytest.mark.parametrize("name", ["Python", "numpy"])
def test_another_version_of_what_was_imported_reruns(good_book: Path, name: str) -> None:
    index = runs.load(good_book)
    run = index["chapters"]["01-twin"]["run"]
    versions = run if name == "Python" else run["distributions"]
    now = versions[name.lower()]
    versions[name.lower()] = "0.1"  # as if the run had been before an update
    runs.save(index, good_book)
    assert stale_names(good_book) == ["01-twin"]
    reason = f"{name} was 0.1 in its run and is {now} now"
    assert freshness.stale(good_book) == {"01-twin": reason}


def test_what_was_imported_and_is_gone_reruns(good_book: Path) -> None:
    index = runs.load(good_book)
    index["chapters"]["01-twin"]["run"]["distributions"]["gone-with-the-wind"] = "1.0"
    runs.save(index, good_book)
    reason = "gone-with-the-wind was 1.0 in its run and is not installed now"
    assert freshness.stale(good_book) == {"01-twin": reason}


def test_times_and_caches_do_not_count(good_book: Path) -> None:
    (good_book / "book" / "00-good.md").touch()
    (good_book / "ldp" / "core.py").touch()
    (good_book / "ldp" / "__pycache__").mkdir()
    (good_book / "ldp" / "__pycache__" / "core.pyc").write_text("x")
    assert stale_names(good_book) == []


def test_a_lost_notebook_is_run_again(good_book: Path) -> None:
    chapters.executed("01-twin", good_book).unlink()
    assert stale_names(good_book) == ["01-twin"]


@pytest.mark.parametrize("text", ['{"profile": ', "{}", "[]", "3", '{"chapters": {"00-good": {}}}'])
def test_a_damaged_index_runs_all_again(good_book: Path, text: str) -> None:
    (good_book / "_build" / "executed" / "index.json").write_text(text)
    assert stale_names(good_book) == BOTH
    assert sorted(freshness.stale(good_book)) == BOTH


def test_any_damaged_byte_of_the_index_is_noticed_and_written_over(good_book: Path) -> None:
    path = good_book / "_build" / "executed" / "index.json"
    sound, index = path.read_bytes(), runs.load(good_book)
    assert index["chapters"].keys() == set(BOTH)
    for place in range(len(sound)):
        for change in (0x01, 0x10, 0x80):
            damaged = bytearray(sound)
            damaged[place] ^= change
            path.write_bytes(damaged)
            found = runs.load(good_book)
            # Another kind of white space changes nothing.
            assert found == {"profile": None, "chapters": {}} or found == index
    runs.save(index, good_book)
    assert path.read_bytes() == sound


@pytest.mark.parametrize("value", ["x", None, [], True, 1e400])
def test_an_entry_with_a_value_of_another_kind_never_fails_a_run(
    good_book: Path, value: object
) -> None:
    path = good_book / "_build" / "executed" / "index.json"
    index = json.loads(path.read_text())
    index["chapters"]["01-twin"]["seconds"] = value
    path.write_text(json.dumps(index))
    assert stale_names(good_book) == BOTH


def test_nothing_of_a_lost_chapter_is_left_though_the_index_is_damaged(good_book: Path) -> None:
    (good_book / "_build" / "executed" / "index.json").write_text("{")
    lost = [path("07-lost", good_book) for path in (chapters.executed, chapters.claims_path)]
    for path in lost:
        path.write_text("[")
    tool("run.py", good_book, "--only", "01-twin")
    assert not any(path.exists() for path in lost)


def test_a_renamed_folder_changes_nothing(good_book: Path) -> None:
    moved = good_book.rename(good_book.with_name("another name"))
    assert stale_names(moved) == []
    assert freshness.stale(moved) == {}


def test_two_files_that_change_places_change_the_key(good_book: Path) -> None:
    first, second = good_book / "ldp" / "core.py", good_book / "ldp" / "datasets" / "core.py"
    second.write_text("x = 2\n")
    before = freshness.common_digest(good_book)
    first.rename(good_book / "core.py")
    second.rename(first)
    (good_book / "core.py").rename(second)
    assert freshness.common_digest(good_book) != before


@pytest.mark.parametrize("path", [chapters.executed, chapters.claims_path])
@pytest.mark.parametrize("text", ["", '{"cells": [', "[{}]"])
def test_a_damaged_or_changed_run_is_run_again(good_book: Path, path: Callable, text: str) -> None:
    path("01-twin", good_book).write_text(text)
    assert stale_names(good_book) == ["01-twin"]
    reason = "what its run stored is damaged or was changed"
    assert freshness.stale(good_book) == {"01-twin": reason}


def test_nothing_is_executed_or_written_when_nothing_changed(good_book: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in (good_book / "_build").rglob("*") if p.is_file()}
    done = tool("run.py", good_book)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 chapters, 0 run" in done.stdout
    after = {p: p.stat().st_mtime_ns for p in (good_book / "_build").rglob("*") if p.is_file()}
    assert after == before


def test_claims_are_compared_again_without_a_run(good_book: Path) -> None:
    (good_book / "book" / "claims.yml").write_text(declaration("S000-07", "01-twin"))
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
    assert not chapters.claims_path("01-twin", good_book).exists()
    assert freshness.stale(good_book) == {"01-twin": "it has no successful run"}


def test_an_unknown_chapter_is_refused(good_book: Path) -> None:
    done = tool("run.py", good_book, "--only", "07-none")
    assert done.returncode == 2
    assert "no chapter 07-none; there are: 00-good, 01-twin" in done.stdout
