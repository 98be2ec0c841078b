"""Seed a small fault in a formula, many times; each must be seen by the test that it names.

`python tests/faults.py` tries every fault of `faults.yml` on a copy of the last commit, and prints
a table. With `--chapters` the chapter that speaks of the formula is run too, and must fail;
`--only` takes faults by a part of their names. What fails without a fault would prove nothing, so
that is tried first, unless `--trust` says that it passes.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
FAULTS = yaml.safe_load((ROOT / "tests" / "faults.yml").read_text())


def fails(copy: Path, *command: str) -> bool:
    """Whether a command fails, with the package of the copy."""
    threads = {f"{kind}_NUM_THREADS": "1" for kind in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    environment = os.environ | threads | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, check=False
    )
    return done.returncode != 0


def test_fails(copy: Path, name: str) -> bool:
    return fails(copy, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/{name}.py")


def chapter_fails(copy: Path, name: str) -> bool:
    shutil.rmtree(copy / "_build", ignore_errors=True)
    return fails(copy, "book/run.py", "--only", name)


def seen(fault: dict, copy: Path, chapters: bool) -> tuple[bool, bool | None]:
    """Whether the test and the chapter notice a fault; None if no chapter is asked."""
    path = copy / fault["file"]
    text = path.read_text()
    if text.count(fault["old"]) != 1:
        sys.exit(f"{fault['name']}: the old text must stand once in {fault['file']}")
    path.write_text(text.replace(fault["old"], fault["new"]))
    try:
        chapter = fault.get("chapter")
        by_test = test_fails(copy, fault["test"])
        return by_test, chapter_fails(copy, chapter) if chapters and chapter else None
    finally:
        path.write_text(text)


def check_without_fault(copy: Path, wanted: list[dict], chapters: bool) -> None:
    """Refuse what fails without a fault."""
    for name in sorted({f["test"] for f in wanted}):
        if test_fails(copy, name):
            sys.exit(f"{name} fails without a fault")
    for name in sorted({f["chapter"] for f in wanted if chapters and "chapter" in f}):
        if chapter_fails(copy, name):
            sys.exit(f"{name} fails without a fault")


def main(only: str, chapters: bool, trust: bool) -> int:
    """Print a line per fault; return the number of those that something missed."""
    wanted = [f for f in FAULTS if only in f["name"]]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, stdout=-1)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        if not trust:
            check_without_fault(copy, wanted, chapters)
        print(
            "| fault | test | seen | chapter | seen |\n| --- | --- | --- | --- | --- |", flush=True
        )
        for fault in wanted:
            found = seen(fault, copy, chapters)
            words = ["-" if each is None else "yes" if each else "NO" for each in found]
            cells = [fault["name"], fault["test"], words[0], fault.get("chapter", "-"), words[1]]
            print("|", " | ".join(cells), "|", flush=True)
            missed += False in found
    print(f"{len(wanted)} faults, {missed} missed")
    return missed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--chapters", action="store_true")
    parser.add_argument("--trust", action="store_true")
    given = parser.parse_args()
    sys.exit(main(given.only, given.chapters, given.trust) > 0)
