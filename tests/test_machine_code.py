"""Compiled functions that are kept on disk: found again, and never when what they call is new."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from ldp import _kernels

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
print(outer(5), sum(outer.dispatcher.stats.cache_hits.values()))
"""


def run(folder: Path, factor: int = 3, operation: str = "FACTOR * x", **settings: str) -> list[str]:
    """Value of the outer function, and whether it was found on disk, in a process of its own."""
    (folder / "inner.py").write_text(INNER.format(factor=factor, operation=operation))
    if not (folder / "outer.py").exists():  # its file stays as it is
        (folder / "outer.py").write_text(OUTER)
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # else Python may keep inner.py
    environment |= settings
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


def flip(contents: bytes) -> bytes:
    """Change one bit of the machine code."""
    middle = len(contents) // 2
    return contents[:middle] + bytes([contents[middle] ^ 1]) + contents[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [lambda _: b"", lambda contents: contents[:-1], flip],
    ids=["empty", "one byte short", "one bit"],
)
def test_a_damaged_file_is_written_over(tmp_path, damage):
    assert run(tmp_path) == ["15", "0"]
    files = list((tmp_path / "__pycache__").glob("*.nbc"))
    assert len(files) == 3, "one for each function"
    sound = [path.read_bytes() for path in files]
    for path in files:
        path.write_bytes(damage(path.read_bytes()))
    assert run(tmp_path) == ["15", "0"]
    assert [len(path.read_bytes()) for path in files] == list(map(len, sound))
    assert run(tmp_path) == ["15", "1"]


def test_a_machine_without_a_folder_for_machine_code_still_compiles(tmp_path):
    (tmp_path / "__pycache__").write_text("no folder, and none in the home either")
    assert run(tmp_path, HOME="/dev/null", XDG_CACHE_HOME="/dev/null") == ["15", "0"]


def test_a_folder_that_can_no_longer_be_written_costs_no_result(tmp_path):
    found = "from pathlib import Path\nouter.dispatcher\n"  # the folder is there, and is lost then
    lost = found + "Path('__pycache__').rmdir()\nPath('__pycache__').touch()\n"
    (tmp_path / "outer.py").write_text(OUTER.replace("print", lost + "print"))
    assert run(tmp_path) == ["15", "0"]
    assert (tmp_path / "__pycache__").is_file()


DRAWS = """
import numpy as np
import ldp
rng = np.random.default_rng(1)
m = ldp.GRR(20, 1.0)
tally = m.simulate(np.arange(20) * 50, rng)
phi, steps = np.arange(1.0, 21.0), np.full(2_000, 1e-4)
laws = ldp.bayes.sgld(tally, m, phi, steps, rng).laws
print(laws[-1].tobytes().hex())
"""


def test_code_from_disk_gives_the_last_digits_of_code_just_compiled(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", DRAWS]
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert list(tmp_path.rglob("*.nbc")), "nothing was kept"
    assert first == second


LOADED = """
import sys
import numpy as np
import ldp
print(*sorted({"numba", "scipy.special", "scipy.optimize", "matplotlib"} & set(sys.modules)))
ldp.GRR(3, 1.0).privatize([0, 1, 2], np.random.default_rng(1))
print("numba" in sys.modules)
"""


def test_what_compiles_and_solves_is_loaded_when_it_is_needed():
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["", "True"]


def test_a_compiled_loop_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(_kernels.replace_value)) is _kernels.replace_value
