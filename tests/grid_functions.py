"""Functions for grids of experiments, and a grid in a process of its own that a test can kill."""

import os
import sys
import time
from pathlib import Path

from ldp.experiments import run_grid

CELLS = [{"n": n, "law": law} for n in (1, 2, 3) for law in ("flat", "steep")]


def draw(cell, rng):
    child = rng.spawn(1)[0]
    return {"u": rng.random(), "sum": child.standard_normal(cell["n"]).sum()}


def draw_slowly(cell, rng):
    row = draw(cell, rng)
    if Path(sys.argv[0]).stem == "grid_functions" and len(sys.argv) == 4:
        (Path(sys.argv[3]) / repr(row["u"])).touch()  # this run has begun
    time.sleep(0.05)
    return row


def scaled(cell, rng, factor):
    return {"u": factor * rng.random()}


def fail_once(cell, rng):
    if cell["n"] == 2:
        raise ArithmeticError("no such law")
    return draw(cell, rng)


class TwoWords(Exception):
    """Cannot be copied to another process, which would make it of its one message."""

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


def fail_unreadably(cell, rng):
    raise TwoWords("no such", "law")


def die(cell, rng):
    os._exit(1)


if __name__ == "__main__":
    import grid_functions  # by the name that the test knows

    folder, processes = Path(sys.argv[1]), int(sys.argv[2])  # and where runs say that they begin
    run_grid(grid_functions.draw_slowly, CELLS, 20, 7, folder=folder, processes=processes)
