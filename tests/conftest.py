"""What every test can ask for: the repository, the built site, a browser."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
import site_browser
from hypothesis import settings
from small_book import BAD, GOOD, tool, write_project

from tools import chapters, claims, freshness, runs

ROOT = Path(__file__).resolve().parents[1]
collect_ignore = ["mutants.py"]  # a command, which needs a package that readers do not install
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
NO_BROWSER = "NO CHROMIUM FOUND: the tests of the built site in a browser DID NOT RUN"

# The same examples in every run, and no clock: a slow machine is not a wrong result.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("nightly", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def site_dir() -> Path:
    folder = ROOT / "_build" / "html"
    if not (folder / "index.html").exists():
        pytest.fail("the site is not built: run make book")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    path = find_chromium() or fetch_chromium()
    if path is None and os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(NO_BROWSER)
    if path is None:
        pytest.skip(NO_BROWSER)
    return path


@pytest.fixture(scope="session")
def browser(site_dir: Path, chromium: str) -> Iterator[site_browser.Browser]:
    """One browser for all tests of a process: playwright does not start a second one beside it."""
    with site_browser.opened(site_dir, chromium) as it:
        yield it


def find_chromium() -> str | None:
    """Path of a browser of this machine, else of the one that playwright keeps."""
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    return found or playwright_chromium()


def playwright_chromium() -> str | None:
    """Path of playwright's own browser, if it is there."""
    # In a process of its own: playwright's loop must not stay behind in this one.
    code = (
        "from playwright.sync_api import sync_playwright as p\n"
        "with p() as it: print(it.chromium.executable_path)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    path = done.stdout.strip()
    return path if path and Path(path).exists() else None


def fetch_chromium() -> str | None:
    """Let playwright download its browser; None where that is not possible."""
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        subprocess.run(command, capture_output=True, check=True, timeout=300)
    except (OSError, subprocess.SubprocessError):
        return None
    return playwright_chromium()


@pytest.fixture(params=chapters.names())
def name(request: pytest.FixtureRequest) -> str:
    """Each chapter."""
    return request.param


@pytest.fixture
def notebook(name: str) -> nbformat.NotebookNode:
    """Its cells."""
    return chapters.read(chapters.source(name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
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
        index["chapters"][name] = runs.load(bad_book[0])["chapters"]["00-good"] | {
            "key": freshness.key(name, "fast", common, project),
            "digest": runs.digest(name, project),
        }
    runs.save(index, project)
    return project


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep what shares the small book in one process: it takes half a minute to run."""
    for item in items:
        if "bad_book" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("small book"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that a whole kind of test was skipped."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_BROWSER in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"!!!!! {NO_BROWSER} !!!!!", red=True, bold=True)
