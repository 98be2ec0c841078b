"""Grids: the same numbers in any order, in any number of processes, after any interruption."""

import hashlib
import importlib
import json
import os
import signal
import subprocess
import sys
import time
import types
import warnings
from collections.abc import Callable
from pathlib import Path

import grid_functions
import numpy as np
import pytest
from grid_functions import CELLS, draw, draw_slowly, fail_once

import ldp
from ldp.experiments import run_grid, run_rng

LIMIT = 60.0  # seconds; what is waited for takes two or three


def test_rows_are_tidy_and_in_order():
    rows = run_grid(draw, CELLS, 2, 7)
    assert [list(row) for row in rows] == [["n", "law", "run", "u", "sum"]] * 12
    assert [(row["n"], row["law"], row["run"]) for row in rows] == [
        (cell["n"], cell["law"], run) for cell in CELLS for run in range(2)
    ]
    assert {type(row["sum"]) for row in rows} == {float}  # not numpy's


def test_a_function_may_return_several_rows():
    rows = run_grid(lambda cell, rng: [{"k": 1}, {"k": 2}], CELLS[:1], 2, 7)
    assert [(row["run"], row["k"]) for row in rows] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert run_grid(lambda cell, rng: [], CELLS, 2, 7) == []


def test_a_run_depends_on_seed_cell_and_its_number_alone():
    rows = run_grid(draw, CELLS, 3, 7)
    for row in rows:
        cell = {"law": row["law"], "n": row["n"]}  # the order of names does not matter
        assert row["u"] == run_rng(cell, row["run"], 7).random()
    assert run_grid(draw, CELLS[::-1], 3, 7)[-3:] == rows[:3]
    assert run_grid(draw, CELLS[2:3], 2, 7) == rows[6:8]
    assert len({row["u"] for row in rows + run_grid(draw, CELLS, 3, 8)}) == 36
    # Numbers of another type make another cell, as documented.
    assert run_rng({"n": 1}, 0, 7).random() != run_rng({"n": 1.0}, 0, 7).random()


def test_the_derivation_of_seeds_stays():
    # A change would change every published number: sha256 as words, then the run.
    hashed = hashlib.sha256(b'{"law": "flat", "n": 1}').digest()
    words = [int.from_bytes(hashed[i : i + 4], "big") for i in range(0, 32, 4)]
    sequence = np.random.SeedSequence(7, spawn_key=(*words, 2))
    expected = np.random.default_rng(sequence).random(3)
    assert run_rng({"n": 1, "law": "flat"}, 2, 7).random(3).tolist() == expected.tolist()


@pytest.mark.statistical
def test_runs_are_independent_uniforms():
    # 6 cells of 500 runs: means of 3,000 uniforms and of products of neighbours, z = 5 each:
    # false alarms in 1.7e-6 of all seeds; the seed is fixed.
    u = np.array([row["u"] for row in run_grid(draw, CELLS, 500, 7)]).reshape(6, 500) - 0.5
    assert abs(u.mean()) < 5 * np.sqrt(1 / 12 / u.size)
    for product in (u[:, 1:] * u[:, :-1], u[1:] * u[:-1]):  # next runs, next cells
        assert abs(product.mean()) < 5 / 12 / np.sqrt(product.size)
    same = np.tile(u[:1], (6, 1))  # control: generators that ignore the cell
    assert abs((same[1:] * same[:-1]).mean()) > 5 / 12 / np.sqrt(same[1:].size)


def test_processes_do_not_matter(tmp_path):
    alone = run_grid(draw, CELLS, 3, 7)
    assert run_grid(draw, CELLS, 3, 7, processes=2) == alone
    assert run_grid(draw, CELLS, 3, 7, processes=2, folder=tmp_path) == alone
    assert run_grid(draw, CELLS, 3, 7, folder=tmp_path) == alone


def inodes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.glob("*.json")}


def test_what_is_stored_is_not_computed_again(tmp_path):
    rows = run_grid(draw, CELLS, 2, 7, folder=tmp_path / "new" / "folder")
    before = inodes(tmp_path / "new" / "folder")
    assert len(before) == 12
    assert run_grid(draw, CELLS, 2, 7, folder=tmp_path / "new" / "folder") == rows
    assert inodes(tmp_path / "new" / "folder") == before
    more = run_grid(draw, CELLS, 3, 7, folder=tmp_path / "new" / "folder")
    assert [row for row in more if row["run"] < 2] == rows
    after = inodes(tmp_path / "new" / "folder")
    assert len(after) == 18
    assert before.items() <= after.items()


def start(folder: Path, processes: int, begun: Path) -> subprocess.Popen[str]:
    tests = Path(grid_functions.__file__).parent
    command = [sys.executable, grid_functions.__file__, str(folder), str(processes), str(begun)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tests.parent,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "the awaited did not happen"
        time.sleep(0.02)


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_grid_goes_on(tmp_path, processes, ending):
    begun = tmp_path / "begun"
    begun.mkdir()
    process = start(tmp_path, processes, begun)
    try:
        wait_for(lambda: len(inodes(tmp_path)) >= 10)
        # A terminal interrupts all processes of a grid; what is killed may be the first alone.
        (os.kill if ending == signal.SIGKILL else os.killpg)(process.pid, ending)
        _, errors = process.communicate(timeout=LIMIT)  # returns when no worker holds the pipe
    finally:
        process.kill()
    assert process.returncode != 0
    assert errors.count("\nKeyboardInterrupt\n") == (ending == signal.SIGINT)
    left = inodes(tmp_path)
    if ending == signal.SIGINT:  # other processes end and store the runs that they have begun
        assert len(list(begun.iterdir())) - len(left) in ([0, 1] if processes == 1 else [0])
    assert 10 <= len(left) < 120
    (tmp_path / f"{next(iter(left))[:-5]}.1.partial").write_text('{"rows": [{"u"')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = run_grid(draw_slowly, CELLS, 4, 7, folder=tmp_path)
    assert rows == run_grid(draw, CELLS, 4, 7)
    assert left.items() <= inodes(tmp_path).items()


@pytest.mark.parametrize(
    "harm", ["cut", "empty", "changed", "no object", "other object", "bytes", "deep"]
)
def test_a_damaged_file_is_said_and_computed_again(tmp_path, harm):
    rows = run_grid(draw, CELLS, 2, 7, folder=tmp_path)
    path = sorted(tmp_path.glob("*.json"))[3]
    whole = path.read_bytes()
    u = repr(json.loads(whole)["rows"][0]["u"]).encode()
    damaged = {
        "cut": whole[: len(whole) // 2],
        "empty": b"",
        "changed": whole.replace(u, b"0.5"),
        "no object": b"3",
        "other object": b'{"rows": []}',
        "bytes": b"\xff\xfe\x00",
        "deep": b"[" * 100_000,
    }
    path.write_bytes(damaged[harm])
    with pytest.warns(RuntimeWarning, match=f"{path.name} is damaged; its run is computed again"):
        assert run_grid(draw, CELLS, 2, 7, folder=tmp_path) == rows
    assert path.read_bytes() == whole


def written(folder: Path, text: str) -> types.ModuleType:
    """Import a module anew from a text."""
    (folder / "written.py").write_text(text)
    sys.modules.pop("written", None)
    importlib.invalidate_caches()
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        return importlib.import_module("written")
    finally:
        sys.dont_write_bytecode = before


def test_a_changed_function_does_not_find_old_rows(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = "def answer(cell, rng):\n    return {'a': helper()}\n\ndef helper():\n    return 1\n"
    store = tmp_path / "store"

    def answers(module: types.ModuleType, **options: str) -> tuple[int, int]:
        rows = run_grid(module.answer, [{"n": 1}], 1, 7, folder=store, **options)
        return rows[0]["a"], len(inodes(store))

    assert answers(written(tmp_path, text)) == (1, 1)
    assert answers(written(tmp_path, text)) == (1, 1)
    changed = written(tmp_path, text.replace("return 1", "return 2"))
    assert answers(changed) == (2, 2)
    assert answers(changed, version="b") == (2, 3)
    monkeypatch.setattr(ldp, "__version__", "0.0.0")
    assert answers(changed) == (2, 4)
    monkeypatch.setattr(np, "__version__", "0.0.0")
    assert answers(changed) == (2, 5)
    run_grid(changed.answer, [{"n": 1}], 1, 8, folder=store)
    assert len(inodes(store)) == 6
    sys.modules.pop("written")


def test_rows_of_a_function_older_than_its_file_are_not_those_of_the_new_one(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    first = "def answer(cell, rng):\n    return {'a': 1}\n"
    second = first.replace("1", "2")
    old = written(tmp_path, first)
    (tmp_path / "written.py").write_text(second)
    for module, answer in ((old, 1), (written(tmp_path, second), 2), (old, 1)):
        rows = run_grid(module.answer, [{"n": 1}], 1, 7, folder=tmp_path / "store")
        assert rows[0]["a"] == answer
    assert len(inodes(tmp_path / "store")) == 2
    sys.modules.pop("written")


def test_an_error_says_where_and_keeps_what_ended(tmp_path):
    for processes in (1, 2):
        with pytest.raises(ArithmeticError, match="no such law") as caught:
            run_grid(fail_once, CELLS, 2, 7, folder=tmp_path, processes=processes)
        assert caught.value.__notes__[-1].startswith("This happened in run 0 of the cell {'n': 2")
        assert len(inodes(tmp_path)) >= 2


def test_the_function_cannot_change_the_cell():
    def greedy(cell, rng):
        return {"was": cell.pop("n")}

    assert [row["was"] for row in run_grid(greedy, [{"n": 1}], 2, 7)] == [1, 1]


def test_progress_goes_to_standard_error(capsys, tmp_path):
    run_grid(draw, CELLS, 2, 7, folder=tmp_path)
    run_grid(draw, CELLS, 3, 7, folder=tmp_path, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "12/18" in err
    assert "18/18" in err
