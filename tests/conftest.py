"""What every test can ask for: the repository, the built site, a browser."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly that a whole kind of test was skipped."""
    skipped = terminalreporter.stats.get("skipped", [])
    if any(NO_BROWSER in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"!!!!! {NO_BROWSER} !!!!!", red=True, bold=True)
