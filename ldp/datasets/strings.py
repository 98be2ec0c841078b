"""Strings that people hold: too many different ones to list beforehand."""

import numpy as np

from ldp.datasets.tables import CountTable, numbers, table
from ldp.types import Integers


def first_names() -> CountTable:
    """First names given in the United States in 2017: 30,092 names, 3,574,717 births.

    In lower case, most frequent first; girls and boys together. Names of fewer than five births of
    a sex are withheld by the source.

    Examples
    --------
    >>> names = first_names()
    >>> len(names.labels), int(names.counts.sum()), names.labels[:3]
    (30092, 3574717, ('emma', 'liam', 'olivia'))

    References
    ----------
    ``ssa2023names``.
    """
    return table("first_names.csv.gz")


def query_counts() -> Integers:
    """How often each beginning of a search query was asked, most frequent first: counts only.

    Of 657,427 queries in a log of 2006 the first six bytes, of which 120,978 differ; the strings
    themselves are not kept. Give each a random code to have users who hold such strings.

    Examples
    --------
    >>> counts = query_counts()
    >>> counts.size, int(counts.sum()), counts[:3].tolist()
    (120978, 657427, [18720, 12292, 6132])

    References
    ----------
    ``wang2021heavy``, whose experiments use these counts.
    """
    spectrum = numbers("query_counts.csv")
    return np.repeat(spectrum[:, 0], spectrum[:, 1])[::-1].copy()
