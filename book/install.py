"""Make the virtual environment from what `requirements.txt` locks: complete, or not at all.

    python book/install.py .venv

The file `installed` is written last. An environment without it was left by a kill, and a package
in it may be there by half, which pip does not notice: it is made from nothing.
"""

import importlib.util
import subprocess
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parent
sys.path.insert(0, str(BOOK))

from tools.lock import alone

SOURCES = [BOOK.parent / "requirements.txt", BOOK.parent / "pyproject.toml"]
STEPS = (
    ["--require-hashes", "-r", str(SOURCES[0])],
    ["--no-deps", "--no-build-isolation", "-e", str(BOOK.parent)],
)


def main(folder: Path) -> int:
    """Install what is missing; return the exit status."""
    if any(importlib.util.find_spec(module) is None for module in ("venv", "ensurepip")):
        print(
            f"{sys.executable} cannot make virtual environments, for it lacks the modules venv and "
            "ensurepip: install them (on Debian and Ubuntu the package python3-venv), or name "
            "another Python with make PYTHON=..."
        )
        return 1
    with alone(folder) as lock:
        return 0 if is_current(folder) else install(folder, lock)


def is_current(folder: Path) -> bool:
    """Whether another command has installed all while this one waited."""
    done = folder / "installed"
    return done.exists() and done.stat().st_mtime >= max(s.stat().st_mtime for s in SOURCES)


def install(folder: Path, lock: int) -> int:
    """Make the environment, or bring a complete one up to date; return the exit status."""
    print(
        f"installing what requirements.txt locks into {folder}; this takes a minute or two",
        flush=True,
    )
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install"]
    pip += ["--quiet", "--disable-pip-version-check"]
    commands = [pip + step for step in STEPS]
    if not (folder / "installed").exists():
        commands.insert(0, [sys.executable, "-m", "venv", "--clear", str(folder)])
    (folder / "installed").unlink(missing_ok=True)
    for command in commands:
        # A pip that outlives its killed parent keeps the lock, so that no other one joins it.
        status = subprocess.run(command, pass_fds=(lock,), check=False).returncode
        if status != 0:
            return status
    (folder / "installed").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
