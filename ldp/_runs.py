"""The runs of a grid of experiments: computed here or in other processes, stored and found again.

A file holds one run. It is written whole and then renamed, so that a killed process leaves no half
of it, and it carries a digest of its rows.
"""

import functools
import hashlib
import inspect
import json
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

import ldp

Cell = dict[str, Any]
Row = dict[str, Any]
Function = Callable[[Cell, np.random.Generator], Row | list[Row]]
Results = Iterator[tuple[int, list[Row]]]  # by number of the job

_PLAIN = (bool, int, float, str, type(None))


@dataclass(frozen=True, eq=False)
class Job:
    """One run of one cell, and the file for its rows."""

    function: Function
    cell: Cell
    run: int
    seeds: np.random.SeedSequence
    path: Path | None


def all_results(jobs: list[Job], processes: int, progress: bool) -> list[list[Row]]:
    """Rows of every job: of those that are stored, then of the others as they end."""
    stored = [_load(job.path) if job.path else None for job in jobs]
    found = {i: rows for i, rows in enumerate(stored) if rows is not None}
    todo = {i: job for i, job in enumerate(jobs) if i not in found}
    ended = _in_processes(todo, processes) if processes > 1 else _one_by_one(todo)
    if progress:
        ended = _with_bar(ended, len(jobs), len(found))
    found.update(ended)
    return [found[i] for i in range(len(jobs))]


def _one_by_one(jobs: dict[int, Job]) -> Results:
    for i, job in jobs.items():
        yield i, _work(job)


def _in_processes(jobs: dict[int, Job], processes: int) -> Results:
    # Spawned, not forked: the copy of a process that has threads can hang.
    pool = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), initializer=_begin_worker
    )
    try:
        futures = {pool.submit(_work_apart, job): i for i, job in jobs.items()}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool as error:
        error.add_note("A process died without a word, perhaps for want of memory.")
        raise
    finally:  # after an error or an interrupt: runs that have begun end and are stored
        pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    """Leave interrupts to the parent, and end when it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _with_bar(ended: Results, total: int, before: int) -> Results:
    """Pass on what ends, and show how far the grid is."""
    from tqdm import tqdm  # only here: nothing else needs it

    yield from tqdm(ended, total=total, initial=before, unit="run", file=sys.stderr)


def _work(job: Job) -> list[Row]:
    """Compute one run and store it."""
    try:
        returned = job.function(dict(job.cell), np.random.default_rng(job.seeds))
        given = returned if isinstance(returned, list) else [returned]
        rows = [_check_row(row, job.cell) for row in given]
    except Exception as error:
        error.add_note(f"This happened in run {job.run} of the cell {job.cell}.")
        raise
    if job.path:
        _save(job.path, {"cell": job.cell, "run": job.run, "rows": rows, "digest": digest(rows)})
    return rows


def _work_apart(job: Job) -> list[Row]:
    """Compute one run for another process, which must be able to read its error."""
    try:
        return _work(job)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise RuntimeError("".join(traceback.format_exception(error))) from None
        raise


def _save(path: Path, content: dict[str, Any]) -> None:
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(json.dumps(content) + "\n", encoding="utf-8")
    partial.replace(path)


def _load(path: Path) -> list[Row] | None:
    """Rows of a stored run; None if there are none, and with a warning if they are damaged."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        rows: list[Row] = stored["rows"]
        if stored["digest"] == digest(rows):
            return rows
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    message = f"{path} is damaged; its run is computed again."
    warnings.warn(message, RuntimeWarning, stacklevel=5)
    return None


def origin(function: Function, version: str) -> list[str]:
    """What rows depend on beside cell, seed and run, as far as it can be seen from here.

    What a closure, a method's object or a partial application holds cannot be seen.
    """
    if not inspect.isfunction(function) or "<" in function.__qualname__:
        raise ValueError(
            "function must be defined by itself, in no other function, for its rows to be stored, "
            f"got {function!r}."
        )
    name = f"{function.__module__}.{function.__qualname__}"
    # The text may have changed since the function was made of it.
    code = repr(_told(getattr(inspect.unwrap(function), "__code__", function.__code__)))
    return [name, _source(function), code, version, ldp.__version__, np.__version__]


def _told(content: Any) -> Any:
    """Say what code does, in words that are the same in every process."""
    if isinstance(content, CodeType):
        return content.co_code, content.co_names, [_told(each) for each in content.co_consts]
    return sorted(map(repr, content)) if isinstance(content, frozenset) else content


def _source(function: Function) -> str:
    """Text of the file that a function is written in; of the function if there is no file."""
    try:
        file = Path(inspect.getsourcefile(function) or "")
        return file.read_text(encoding="utf-8") if file.is_file() else inspect.getsource(function)
    except (OSError, TypeError):
        raise ValueError(
            f"function must be written in a file or a notebook to be stored, got {function!r}."
        ) from None


def digest(content: Any) -> str:
    """Digest of plain values; the order of the names in a dict does not matter."""
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def check_importable(function: Function) -> None:
    """Refuse a function that another process could not find."""
    inner = function.func if isinstance(function, functools.partial) else function
    main = Path(getattr(sys.modules["__main__"], "__file__", None) or "<stdin>")
    hidden = getattr(inner, "__module__", "") == "__main__" and not main.is_file()
    try:
        pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError):
        hidden = True
    if hidden:
        raise ValueError(
            f"function must be importable by its name for several processes, got {function!r}."
        )


def plain(given: Any, name: str) -> dict[str, Any]:
    """Return a copy of a dict of plain values, or refuse anything else."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be dicts, got {type(given).__name__}.")
    for key, value in given.items():
        if not isinstance(key, str):
            raise TypeError(f"{name} must have strings as names, got {key!r}.")
        if type(value) not in _PLAIN:
            raise TypeError(
                f"{name} must hold bool, int, float, str or None, got {key} = {value!r}."
            )
    return dict(given)


def _check_row(row: Row, cell: Cell) -> Row:
    """Return a row of plain values; numpy's numbers become Python's, which json can write."""
    if isinstance(row, Mapping):
        row = {k: v.item() if isinstance(v, np.generic) else v for k, v in row.items()}
    checked = plain(row, "rows of function")
    for name in checked:
        if name in cell or name == "run":
            raise ValueError(f"rows of function must have new names, got {name!r} again.")
    return checked
