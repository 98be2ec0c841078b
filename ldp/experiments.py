"""Grids of repeated random experiments: reproducible run by run, and resumed where they stopped."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from ldp import _checks
from ldp._runs import Cell, Function, Job, Row, all_results, check_importable, digest, origin, plain

__all__ = ["run_grid", "run_rng"]

_MOST_RUNS = 2**32  # the number of a run is one word of its seed


def run_grid(
    function: Function,
    cells: Sequence[Cell],
    num_runs: int,
    seed: int,
    *,
    folder: str | os.PathLike[str] | None = None,
    processes: int = 1,
    progress: bool = False,
    version: str = "",
) -> list[Row]:
    """Run a random experiment several times in every cell of a grid.

    A run has its own generator, derived from the seed, what the cell holds, and the number of the
    run. Its result is the same whatever else is in the grid, in any order, in any number of
    processes, and after any interruption.

    Parameters
    ----------
    function : callable
        ``function(cell, rng)`` returns a dict of plain values, or a list of such dicts: the rows
        of one run. It must draw from `rng` alone.
    cells : sequence of dict
        Different settings: names and plain values (bool, int, float, str or None). The numbers 1
        and 1.0 make different cells.
    num_runs : int
        Runs in every cell.
    seed : int
        Not negative.
    folder : path, optional
        Where to store the rows of every run as soon as it ends. A run stored there is not
        computed again. `function` must then be defined by itself: no lambda, no method, not
        inside another function.
    processes : int
        Number of processes. More than one need a `function` that can be imported by its name,
        which one typed into a notebook cannot.
    progress : bool
        Whether to show a bar on standard error; needs the package ``tqdm``.
    version : str
        Becomes part of what is stored: another word, and nothing stored before is used.

    Returns
    -------
    list of dict
        Rows in the order of cells and runs: the cell's values, ``run`` = 0, 1, ..., and what
        `function` returned.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above, two cells are equal, or a row names a value of the cell or
        ``run`` again. An error of `function` ends the grid, with a note that names cell and run.

    Warns
    -----
    RuntimeWarning
        If a stored file is damaged; its run is computed again.

    Notes
    -----
    Run 0 of all cells comes first, then run 1: a grid that is interrupted has seen every cell about
    equally often, and asking for fewer runs returns what is there.

    A file is written whole and then renamed. Its name is a digest of the function's name and code,
    of the file in which it is written (of the function alone in a notebook), the cell, the
    seed, the run, `version`, and the versions of ``ldp`` and ``numpy``: if one of them changes,
    the run is computed again. Not seen are changes of other files that the function imports and, in
    a notebook, of other cells whose names it uses; give another `version` then.

    Examples
    --------
    >>> def mean_of_normals(cell, rng):
    ...     return {"mean": rng.standard_normal(cell["n"]).mean()}
    >>> rows = run_grid(mean_of_normals, [{"n": 10}, {"n": 1_000}], 50, seed=1)
    >>> len(rows), list(rows[0])
    (100, ['n', 'run', 'mean'])
    >>> bool(np.std([row["mean"] for row in rows if row["n"] == 1_000]) < 0.05)
    True
    """
    given = _check_cells(cells)
    num_runs = _checks.integer(num_runs, "num_runs", 1, _MOST_RUNS)
    seed = _checks.integer(seed, "seed", 0)
    processes = _checks.integer(processes, "processes", 1)
    progress = _checks.flag(progress, "progress")
    if not callable(function):
        raise TypeError(f"function must be callable, got {type(function).__name__}.")
    if not isinstance(version, str):
        raise TypeError(f"version must be a string, got {_checks.shown(version)}.")
    if processes > 1:
        check_importable(function)
    store = None
    if folder is not None:
        depends_on = origin(function, version)
        store = _check_folder(folder)
        store.mkdir(parents=True, exist_ok=True)
    jobs = []
    for run, cell in product(range(num_runs), given):
        path = store and store / f"{digest([depends_on, cell, seed, run])}.json"
        jobs.append(Job(function, cell, run, _seeds(cell, run, seed), path))
    results = all_results(jobs, processes, progress)
    return [
        cell | {"run": run} | row
        for i, cell in enumerate(given)
        for run in range(num_runs)
        for row in results[run * len(given) + i]
    ]


def run_rng(cell: Cell, run: int, seed: int) -> np.random.Generator:
    """Return the generator of one run of :func:`run_grid`, to look at this run alone.

    Parameters
    ----------
    cell : dict
        Setting, as for :func:`run_grid`.
    run : int
        Number of the run, from 0.
    seed : int
        Seed of the grid.

    Returns
    -------
    numpy.random.Generator
        As fresh as `function` got it.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above.

    Examples
    --------
    >>> rows = run_grid(lambda cell, rng: {"u": rng.random()}, [{"n": 10}], 5, seed=1)
    >>> rows[3]["u"] == run_rng({"n": 10}, 3, seed=1).random()
    True
    """
    run = _checks.integer(run, "run", 0, _MOST_RUNS - 1)
    seed = _checks.integer(seed, "seed", 0)
    return np.random.default_rng(_seeds(_check_cell(cell), run, seed))


def _check_folder(folder: object) -> Path:
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f"folder must be a path, got {_checks.shown(folder)}.")
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ValueError(f"folder must be a folder or a new name, got the file {folder}.")
    return path


def _check_cells(cells: Sequence[Cell]) -> list[Cell]:
    scalar = isinstance(cells, Mapping | str) or not isinstance(cells, Iterable)
    if scalar or getattr(cells, "ndim", 1) == 0:
        raise TypeError(f"cells must be a sequence of dicts, got {type(cells).__name__}.")
    checked = [_check_cell(cell) for cell in cells]
    if not checked:
        raise ValueError("cells must be at least one, got 0.")
    seen = set()
    for cell in checked:
        if digest(cell) in seen:
            raise ValueError(f"cells must differ, got {cell} twice.")
        seen.add(digest(cell))
    return checked


def _check_cell(cell: Cell) -> Cell:
    checked = plain(cell, "cells")
    if "run" in checked:
        raise ValueError("cells must not hold 'run', which numbers the runs, got one that does.")
    for name, value in checked.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"cells must hold finite numbers, got {name} = {value}.")
    return checked


def _seeds(cell: Cell, run: int, seed: int) -> np.random.SeedSequence:
    words = np.frombuffer(bytes.fromhex(digest(cell)), dtype=">u4")
    return np.random.SeedSequence(seed, spawn_key=(*words.tolist(), run))
