"""Modules `venv` and `pip` that install nothing, stop where told to, and break as real ones do.

A stub `pip` is missing until the stub `venv` has ended, and takes what it finds half installed for
whole: so does the real one, and an install after a kill must not rest on either.
"""

import os
import shutil
import sys
from pathlib import Path

from tools import chapters

REACH = """\
import os, time
from pathlib import Path

def reach(place):
    with open("log", "a") as log:
        print(place, file=log)
    if place == os.environ.get("STOP_AT"):
        Path("parent").write_text(str(os.getppid()))
        Path("parent").rename("reached")
        while not Path("go").exists():
            time.sleep(0.01)
"""
VENV = """\
import shutil, sys
from pathlib import Path
from stub import reach

folder = Path(sys.argv[-1])
if "--clear" in sys.argv and folder.exists():
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
(folder / "bin").mkdir(parents=True, exist_ok=True)
(folder / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}")
(folder / "bin" / "python").symlink_to(sys.executable)
reach("the python appears")
(folder / "pip").touch()
"""
PIP = """\
import sys
from pathlib import Path
from stub import reach

folder = Path(sys.prefix)
if not (folder / "pip").exists():
    sys.exit("No module named pip")
what = "package" if "-e" in sys.argv else "lock"
if not (folder / what).exists():
    (folder / what).write_text("half")
    reach(f"inside pip, {what}")
    (folder / what).write_text("whole")
"""
PLACES = ["the python appears", "inside pip, lock", "inside pip, package"]


def write_stubs(folder: Path) -> dict[str, str]:
    """Make the stubs; return the environment in which Python finds them first."""
    for name, code in {"venv": VENV, "pip": PIP}.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
        (folder / name / "__main__.py").write_text(code)
    (folder / "stub.py").write_text(REACH)
    return os.environ | {"PYTHONPATH": str(folder)}


def write_checkout(folder: Path) -> Path:
    """Make a folder with what an install needs of the repository."""
    (folder / "book" / "tools").mkdir(parents=True)
    needed = ["Makefile", "book/install.py", "book/tools/__init__.py", "book/tools/lock.py"]
    for name in needed:
        shutil.copyfile(chapters.ROOT / name, folder / name)
    for name in ("requirements.txt", "pyproject.toml"):
        (folder / name).write_text("")
    return folder


def install_command() -> list[str]:
    """The command that every other command of the Makefile begins with."""
    return ["make", ".venv/installed", f"PYTHON={sys.executable}"]


def is_whole(folder: Path) -> bool:
    """Whether everything is installed, and says so."""
    parts = [folder / ".venv" / name for name in ("lock", "package")]
    done = folder / ".venv" / "installed"
    return done.exists() and all(part.read_text() == "whole" for part in parts)
