"""Compiled functions that are kept on disk: found again, and never when what they call is new."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ldp import _compiled

INNER = """
from ldp._compiled import compiled
FACTOR = {factor}
@compiled
def inner(x):
    return {operation}
"""
OUTER = """
from ldp._compiled import compiled
from inner import inner
@compiled
def middle(x):
    return inner(x)
@compiled
def outer(x):
    return middle(x)
print(outer(5), sum(outer.stats.cache_hits.values()))
"""


def run(folder: Path, factor: int = 3, operation: str = "FACTOR * x") -> list[str]:
    """Value of the outer function, and whether it was found on disk, in a process of its own."""
    (folder / "inner.py").write_text(INNER.format(factor=factor, operation=operation))
    if not (folder / "outer.py").exists():  # its file stays as it is
        (folder / "outer.py").write_text(OUTER)
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # else Python may keep inner.py
    command = [sys.executable, "outer.py"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize("change", [{"factor": 4}, {"operation": "FACTOR + x"}], ids=repr)
def test_code_on_disk_is_used_until_a_called_function_changes(tmp_path, change):
    assert run(tmp_path) == ["15", "0"]
    assert run(tmp_path) == ["15", "1"]
    new = {"factor": "20", "operation": "8"}[next(iter(change))]
    assert run(tmp_path, **change) == [new, "0"]
    assert run(tmp_path) == ["15", "1"]


def test_a_machine_without_a_folder_for_machine_code_still_compiles(monkeypatch):
    real = _compiled.numba.njit

    def without_folder(*given, **options):
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*given, **options)

    monkeypatch.setattr(_compiled.numba, "njit", without_folder)
    assert _compiled.compiled(lambda x: x + 1)(2) == 3
