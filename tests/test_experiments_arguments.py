"""What grids of experiments refuse, before any work or before a run is stored."""

import functools
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from grid_functions import die, draw, fail_unreadably, scaled

from ldp.experiments import run_grid, run_rng

ONE = [{"n": 1}]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((draw, {"n": 1}, 1, 7), {}, "cells must be a sequence of dicts, got dict."),
        ((draw, 3, 1, 7), {}, "cells must be a sequence of dicts, got int."),
        ((draw, [], 1, 7), {}, "cells must be at least one, got 0."),
        ((draw, [3], 1, 7), {}, "cells must be dicts, got int."),
        ((draw, [{1: 1}], 1, 7), {}, "cells must have strings as names, got 1."),
        ((draw, [{"n": [1]}], 1, 7), {}, r"cells must hold bool, .*, got n = \[1\]."),
        ((draw, [{"n": np.int64(1)}], 1, 7), {}, r"cells must hold bool, .*, got n = np.int64"),
        ((draw, [{"n": float("nan")}], 1, 7), {}, "cells must hold finite numbers, got n = nan."),
        ((draw, [{"a": 1, "b": 2}, {"b": 2, "a": 1}], 1, 7), {}, "cells must differ, got .* twice"),
        ((draw, [{"run": 1}], 1, 7), {}, "cells must not hold 'run'"),
        ((draw, ONE, 0, 7), {}, "num_runs must be an integer, at least 1 .*, got 0."),
        ((draw, ONE, 1.0, 7), {}, "num_runs must be an integer, at least 1 .*, got 1.0."),
        ((draw, ONE, 1, -1), {}, "seed must be an integer, at least 0, got -1."),
        ((draw, ONE, 1, None), {}, "seed must be an integer, at least 0, got None."),
        ((draw, ONE, 1, 7), {"processes": 0}, "processes must be an integer, at least 1, got 0."),
        ((draw, ONE, 1, 7), {"version": 2}, "version must be a string, got 2."),
        ((draw, ONE, 1, 7), {"folder": 3}, "folder must be a path, got 3."),
        ((draw, ONE, 1, 7), {"folder": b"x"}, "folder must be a path, got b'x'."),
        ((draw, ONE, 1, 7), {"folder": __file__}, "folder must be a folder .*, got the file .*py."),
        (("draw", ONE, 1, 7), {}, "function must be callable, got str."),
        ((lambda c, r: {}, ONE, 1, 7), {"processes": 2}, "function must be importable by its name"),
        ((lambda c, r: None, ONE, 1, 7), {}, "rows of function must be dicts, got NoneType."),
        ((lambda c, r: {"run": 1}, ONE, 1, 7), {}, "rows of function must have new names"),
        ((lambda c, r: {"n": 1}, ONE, 1, 7), {}, "must have new names, got 'n' again."),
        ((lambda c, r: {"a": c}, ONE, 1, 7), {}, "rows of function must hold bool"),
    ],
)
def test_bad_input_is_refused(arguments, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run_grid(*arguments, **options)


class Scale:
    """What its methods return depends on more than their text."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, cell, rng):
        return {"u": self.factor * rng.random()}


def make_scaled(factor):
    def inner(cell, rng):
        return scaled(cell, rng, factor)

    return inner


@pytest.mark.parametrize(
    "function",
    [
        make_scaled(2),
        lambda cell, rng: scaled(cell, rng, 2),
        Scale(2),
        Scale(2).__call__,
        functools.partial(scaled, factor=2),
    ],
)
def test_what_a_file_cannot_tell_apart_is_not_stored(tmp_path, function):
    expected = 2 * run_rng(ONE[0], 0, 7).random()
    assert run_grid(function, ONE, 1, 7) == [{"n": 1, "run": 0, "u": expected}]
    with pytest.raises(ValueError, match="function must be defined by itself"):
        run_grid(function, ONE, 1, 7, folder=tmp_path)
    assert not list(tmp_path.iterdir())


def test_partial_applications_run_in_other_processes():
    part = functools.partial(scaled, factor=2)
    assert run_grid(part, ONE, 2, 7, processes=2) == run_grid(part, ONE, 2, 7)


def test_an_error_that_another_process_cannot_read_is_told_in_words():
    with pytest.raises(RuntimeError, match="TwoWords: no such law") as caught:
        run_grid(fail_unreadably, ONE, 1, 7, processes=2)
    assert "This happened in run 0 of the cell {'n': 1}." in str(caught.value)


def test_a_process_that_dies_is_told():
    with pytest.raises(BrokenProcessPool) as caught:
        run_grid(die, ONE, 1, 7, processes=2)
    assert "perhaps for want of memory" in caught.value.__notes__[0]


SCRIPT = """
import functools
from ldp.experiments import run_grid
def draw(cell, rng, factor=1): return {"u": rng.random()}
for function in (draw, functools.partial(draw, factor=2)):
    try:
        run_grid(function, [{"n": 1}], 1, 7, processes=2)
    except ValueError as error:
        print(error)
"""


def test_a_function_typed_into_a_terminal_is_refused_by_other_processes():
    done = subprocess.run(
        [sys.executable, "-"], input=SCRIPT, capture_output=True, text=True, check=True, timeout=60
    )
    told = done.stdout.splitlines()
    assert len(told) == 2
    assert all(line.startswith("function must be importable by its name") for line in told)


def test_a_function_without_text_is_not_stored(tmp_path):
    scope: dict[str, Callable[..., dict[str, float]]] = {}
    exec("def typed(cell, rng):\n    return {'u': rng.random()}", scope)
    assert len(run_grid(scope["typed"], ONE, 1, 7)) == 1
    with pytest.raises(ValueError, match="function must be written in a file or a notebook"):
        run_grid(scope["typed"], ONE, 1, 7, folder=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("run", "seed"), [(-1, 7), (0, -1), (2**32, 7), (0.0, 7)])
def test_bad_numbers_of_a_run_are_refused(run, seed):
    with pytest.raises((TypeError, ValueError), match="must be an integer, at least 0"):
        run_rng({"n": 1}, run, seed)
