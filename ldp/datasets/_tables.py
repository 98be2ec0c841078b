"""How a table of counts is kept."""

import csv
import gzip
from importlib import resources
from typing import NamedTuple

import numpy as np

from ldp.types import Integers


class CountTable(NamedTuple):
    """Labels of the values and the number of people or trips with each."""

    labels: tuple[str, ...]
    counts: Integers


def rows(name: str) -> list[list[str]]:
    """Rows of a file without the first one."""
    stored = resources.files(__package__).joinpath(name).read_bytes()
    text = (gzip.decompress(stored) if name.endswith(".gz") else stored).decode()
    return list(csv.reader(text.splitlines()))[1:]


def table(name: str) -> CountTable:
    """Table of a file with a label and a count in each row."""
    given = rows(name)
    return CountTable(tuple(row[0] for row in given), np.array([int(row[1]) for row in given]))
