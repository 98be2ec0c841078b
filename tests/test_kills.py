"""After a kill at any moment the next command succeeds by itself."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import install
import pytest
from processes import LIMIT, kill_when, start, wait_for
from small_book import GOOD, PATIENT, write_project
from stub_environment import PLACES, install_command, is_whole, write_checkout, write_stubs

from tools import chapters, freshness, runs


def again(command: list[str], **options: object) -> str:
    """Run a command to its end, which must be a good one; return what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def script(name: str, project: Path) -> list[str]:
    return [sys.executable, str(chapters.ROOT / "book" / name), "--root", str(project)]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return write_checkout(tmp_path / "checkout")


@pytest.fixture
def stubs(tmp_path: Path) -> dict[str, str]:
    return write_stubs(tmp_path / "stubs")


@pytest.mark.parametrize("place", PLACES)
def test_a_killed_install_is_made_anew(checkout: Path, stubs: dict[str, str], place: str) -> None:
    kill_when(
        (checkout / "reached").exists,
        install_command(),
        cwd=checkout,
        env=stubs | {"STOP_AT": place},
    )
    assert not (checkout / ".venv" / "installed").exists()
    again(install_command(), cwd=checkout, env=stubs)
    assert is_whole(checkout)
    assert again(install_command(), cwd=checkout, env=stubs).startswith("make")  # nothing to do


def test_a_killed_update_of_an_environment_is_made_anew(
    checkout: Path, stubs: dict[str, str]
) -> None:
    again(install_command(), cwd=checkout, env=stubs)
    os.utime(checkout / ".venv" / "installed", (0, 0))  # older than the lock
    (checkout / ".venv" / "lock").unlink()  # something that the new lock adds
    options = {"cwd": checkout, "env": stubs | {"STOP_AT": "inside pip, lock"}}
    kill_when((checkout / "reached").exists, install_command(), **options)
    again(install_command(), cwd=checkout, env=stubs)
    assert is_whole(checkout)


def test_two_installs_at_once_are_one_install(checkout: Path, stubs: dict[str, str]) -> None:
    options = {"cwd": checkout, "env": stubs | {"STOP_AT": "inside pip, lock"}}
    first = start(install_command(), **options)
    wait_for((checkout / "reached").exists)
    second = start(install_command(), **options)
    assert second.stdout.readline().startswith("waiting for another command that works in .venv")
    (checkout / "go").touch()
    for process in (first, second):
        output = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, output
    assert is_whole(checkout)
    assert (checkout / "log").read_text().splitlines() == PLACES


def test_a_pip_that_outlives_its_make_keeps_others_out(
    checkout: Path, stubs: dict[str, str]
) -> None:
    options = {"cwd": checkout, "env": stubs | {"STOP_AT": "inside pip, lock"}}
    first = start(install_command(), **options)
    wait_for((checkout / "reached").exists)
    os.kill(int((checkout / "reached").read_text()), signal.SIGKILL)  # the parent of pip
    second = start(install_command(), **options)
    assert second.stdout.readline().startswith("waiting for another command that works in .venv")
    (checkout / "go").touch()
    output = second.communicate(timeout=LIMIT)
    assert second.returncode == 0, output
    first.communicate(timeout=LIMIT)
    assert first.returncode != 0
    assert is_whole(checkout)


def test_a_python_that_makes_no_environments_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    assert install.main(tmp_path / "environment") == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert "lacks the modules venv and ensurepip: install them" in line
    assert not (tmp_path / "environment").exists()


@pytest.fixture
def long_book(tmp_path: Path) -> Path:
    """A book in a folder whose name is longer than the path of a socket may be."""
    cells = {"00-good": GOOD, "01-patient": PATIENT}
    return write_project(tmp_path / ("long " * 30) / "book", cells)


@pytest.mark.parametrize("moment", ["_build/.scratch/*/kernel.json", "_build/executed/00*.ipynb"])
def test_a_killed_run_is_finished_by_the_next(long_book: Path, tmp_path: Path, moment: str) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    options = {"env": os.environ | {"TMPDIR": str(temporary)}}
    run = [*script("run.py", long_book), "--jobs", "1"]
    kill_when(lambda: any(long_book.glob(moment)), run, **options)
    kept = list(runs.load(long_book)["chapters"])
    (long_book / "book" / "go").touch()
    assert f"2 chapters, {2 - len(kept)} run" in again(run, **options)
    assert freshness.stale(long_book) == {}
    left = [*temporary.iterdir(), *(long_book / "_build").glob(".scratch")]
    assert left == []


# Stops a build at an event of Sphinx until it is told to go on.
STOP = """\
import os
import time
from pathlib import Path

def setup(app):
    def wait(*_):
        Path(app.srcdir, "reached").touch()
        while not Path(app.srcdir, "go").exists():
            time.sleep(0.01)
    if moment := os.environ.get("STOP_AT"):
        app.connect(moment, wait)
"""


def contents(site: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}


def test_a_killed_build_is_made_anew(good_book: Path) -> None:
    (good_book / "stop.py").write_text(STOP)
    config = good_book / "_config.yml"
    config.write_text(config.read_text().replace("{verified:", "{stop: ., verified:"))
    build = script("build_html.py", good_book)
    again(build)
    site = good_book / "_build" / "html"
    pages = contents(site)
    again(build)
    assert contents(site) == pages, "nothing changed"
    chapters.executed("01-twin", good_book).touch()  # to be read again
    again(build)
    assert contents(site) == pages, "one page was made again"
    chapters.executed("01-twin", good_book).touch()
    stop = os.environ | {"STOP_AT": "html-page-context"}
    kill_when((good_book / "reached").exists, build, env=stop)
    (good_book / "reached").unlink()  # the archive of the sources would hold it
    # A kill inside a write leaves half of a file.
    for name in ("book/00-good.html", "searchindex.js"):
        (site / name).write_bytes((site / name).read_bytes()[:1000])
    again(build)
    assert contents(site) == pages
