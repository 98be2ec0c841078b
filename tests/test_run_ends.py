"""Runs that are killed, interrupted, started twice, or whose sources change under them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import processes
import pytest
from processes import LIMIT, wait_for
from small_book import PATIENT, append, write_project

from tools import chapters, freshness, runs


@pytest.fixture
def patient_book(tmp_path: Path) -> Path:
    project = write_project(tmp_path / "book", {"00-patient": PATIENT, "01-twin": "1 + 1"})
    (project / "book" / "claims.yml").write_text("")
    return project


@pytest.fixture
def start(patient_book: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a run of the book in a process group of its own, as a terminal does."""
    started: list[subprocess.Popen[str]] = []

    def begin(*options: str) -> subprocess.Popen[str]:
        script = str(chapters.ROOT / "book" / "run.py")
        command = [sys.executable, script, "--root", str(patient_book), *options]
        started.append(processes.start(command))
        return started[-1]

    yield begin
    (patient_book / "book" / "go").touch()  # should a worker have outlived its run
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def begun(project: Path) -> list[int]:
    """Wait for the patient cell to run; numbers of its kernel and its worker."""
    path = project / "book" / "begun"
    wait_for(path.exists)
    return [int(number) for number in path.read_text().split()]


def is_alive(process: int) -> bool:
    """Whether a process runs; one that only waits to be collected does not."""
    done = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() not in ("", "Z", "Zs", "Z+", "Zl", "Zsl")


def test_a_killed_run_leaves_no_process_and_no_result(
    patient_book: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    run = start()
    kernel, worker = begun(patient_book)
    run.kill()
    wait_for(lambda: not is_alive(worker) and not is_alive(kernel))
    (patient_book / "book" / "go").touch()
    assert not chapters.executed("00-patient", patient_book).exists()
    done = start()
    assert "all passed" in done.communicate(timeout=LIMIT)[0]
    assert freshness.stale(patient_book) == {}


def test_an_interrupt_is_one_line_and_status_130(
    patient_book: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    run = start()
    kernel, worker = begun(patient_book)
    os.killpg(run.pid, signal.SIGINT)
    output, errors = run.communicate(timeout=LIMIT)
    assert run.returncode == 130
    assert errors == ""
    assert output.splitlines()[-1] == "interrupted; the chapters that passed are kept"
    wait_for(lambda: not is_alive(worker) and not is_alive(kernel))


def test_a_chapter_whose_sources_change_while_it_runs_is_refused(
    patient_book: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    run = start("--only", "00-patient")
    begun(patient_book)
    append(patient_book / "ldp" / "core.py")
    (patient_book / "book" / "go").touch()
    assert "its sources changed while it ran" in run.communicate(timeout=LIMIT)[0]
    assert run.returncode == 1
    assert not chapters.executed("00-patient", patient_book).exists()


def test_a_second_run_waits_for_the_first(
    patient_book: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    first = start()
    begun(patient_book)
    second = start("--profile", "full")
    assert second.stdout.readline().startswith("waiting for another command that works in")
    (patient_book / "book" / "go").touch()
    assert "profile fast" in first.communicate(timeout=LIMIT)[0]
    assert "profile full" in second.communicate(timeout=LIMIT)[0]
    entries = runs.load(patient_book)["chapters"].values()
    assert [entry["profile"] for entry in entries] == ["full", "full"]


def test_help_needs_no_valid_profile() -> None:
    done = subprocess.run(
        ["make", "-C", str(chapters.ROOT), "help"],
        capture_output=True,
        text=True,
        env=os.environ | {"PROFILE": "prod"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
