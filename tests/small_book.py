"""A small book for the tests of the run tool: one good chapter and every kind of bad one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools import chapters

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
# `ldp.core` is only in the package of the small book: a chapter must import that one.
GOOD = """\
from ldp import core
from companion import claim

print(f"the profile is {profile}, the seed is {seed}")
claim("S000-01", observed=3, expected=3)"""
MUTE_FIGURE = "import matplotlib.pyplot as plt\n\nplt.plot([0, 1])\nplt.show()"
LATE = "import threading\n\nthreading.Timer(0.5, lambda: 1 / 0).start()"
# It says which processes are its kernel and its worker, and ends when it is told to.
PATIENT = """\
import os
import time
from pathlib import Path

Path("begun.partial").write_text(f"{os.getpid()} {os.getppid()}")
Path("begun.partial").replace("begun")
while not Path("go").exists():
    time.sleep(0.02)"""
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
    "12-late": (LATE, "Exception in thread"),
}


def declaration(name: str, chapter: str) -> str:
    """A claim as `claims.yml` declares it."""
    return (
        f"- {{id: {name}, place: here, statement: something, published: null, how: a comparison, "
        f"basis: printed, chapter: {chapter}, verdict: reproduced, notices: one}}\n"
    )


LEDGER = declaration("S000-01", "00-good") + declaration("S000-03", "03-missing")
SOURCES = """\
- {name: S000, key: ours2026, title: "Ours", text: "Our own {cite:p}`ours2026`."}
- {name: Warner65, key: warner1965, title: "Coins", text: "Coins {cite:p}`warner1965`."}
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


HOSTILE = {
    "MPLBACKEND": "agg",
    "PYTHONPATH": str(chapters.ROOT),  # its `ldp` is not the one of the small book
    "PYTHONSTARTUP": "/nonexistent",
    "PYTHONWARNINGS": "error",
}


def tool(script: str, project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the book on another project, with a hostile personal configuration."""
    command = [sys.executable, str(chapters.ROOT / "book" / script), "--root", str(project)]
    environment = os.environ | (HOSTILE if script == "run.py" else {})
    return subprocess.run(
        [*command, *options], capture_output=True, text=True, env=environment, check=False
    )


def run_script(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a few statements in a new process that can import the modules of the book."""
    folders = [str(chapters.ROOT / "book" / "_ext"), str(chapters.ROOT / "book")]
    command = [sys.executable, "-P", "-c", f"import sys; sys.path += {folders}; {code}"]
    return subprocess.run(
        command, capture_output=True, text=True, env=os.environ | environment, check=False
    )


def write_project(folder: Path, cells: dict[str, str]) -> Path:
    """Make a book with one chapter per cell."""
    (folder / "book").mkdir(parents=True)
    caches = shutil.ignore_patterns("__pycache__")
    for part in ("ldp", "book/companion"):
        shutil.copytree(chapters.ROOT / part, folder / part, ignore=caches)
    for part in ("pyproject.toml", "README.md", "LICENSE"):  # the site carries the package
        shutil.copyfile(chapters.ROOT / part, folder / part)
    for name, cell in cells.items():
        (folder / "book" / f"{name}.md").write_text(HEAD % cell)
    (folder / "book" / "claims.yml").write_text(LEDGER)
    (folder / "book" / "sources.yml").write_text(SOURCES)
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


def append(path: Path) -> None:
    """Change a file by an empty line."""
    path.write_text(path.read_text() + "\n")
