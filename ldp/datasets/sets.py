"""Populations of users who hold a set of items each: a public one, and one drawn anew."""

from typing import NamedTuple

import numpy as np

from ldp import _checks
from ldp.datasets.tables import lines, numbers
from ldp.types import Floats, Integers


class SetTable(NamedTuple):
    """Sets of items, one after the other: what ``ldp.itemsets.ItemSets(*table)`` takes.

    `items` holds the items of the first user, then those of the second, and so on; `lengths` how
    many each user has; items are 0..num_items-1.
    """

    items: Integers
    lengths: Integers
    num_items: int


def msweb() -> SetTable:
    """Areas of a web site visited by 32,710 users in a week: 285 areas, 98,653 visits.

    The training part of the "Anonymous Microsoft Web Data" without its one user more, as the R
    package ``recommenderlab`` has it. Names of the areas are those of
    :func:`ldp.datasets.msweb_areas`.

    Examples
    --------
    >>> table = msweb()
    >>> table.num_items, table.lengths.size, table.items.size, table.items[:5].tolist()
    (285, 32710, 98653, [0, 1, 2, 1, 3])

    References
    ----------
    ``breese1998msweb``.
    """
    users = [line.split() for line in lines("msweb.txt.gz")]
    items = np.array([int(item) for user in users for item in user])
    return SetTable(items, np.array([len(user) for user in users]), 285)


def kosarak_like(num_users: int, rng: np.random.Generator) -> SetTable:
    """Users with sets as large as those of a click stream, of items as uneven: 17,034 items.

    A stand-in for the data set Kosarak. The number of a user's items is drawn from its first 36,682
    transactions, and the items are drawn from the counts there, one after the other, until they are
    as many different ones. So users visit pages independently of one another and of the other
    pages, which the real ones do not. Item 0 is the likeliest; 31 users in a
    hundred have it, of the real ones 61.

    Parameters
    ----------
    num_users : int
        At least 1; Kosarak has 990,002.
    rng : numpy.random.Generator

    Returns
    -------
    SetTable

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above.

    Examples
    --------
    >>> table = kosarak_like(1_000, np.random.default_rng(0))
    >>> table.num_items, table.lengths.size
    (17034, 1000)

    References
    ----------
    ``bodon2003fast``, whose workshop offers the data set.
    """
    count = _checks.integer(num_users, "num_users", 1, 10**8)
    rng = _checks.rng(rng)
    sizes, users = numbers("kosarak_sizes.csv").T
    times, alike = numbers("kosarak_items.csv").T
    lengths = rng.choice(sizes, size=count, p=users / users.sum())
    weights = np.repeat(times, alike).astype(np.float64)
    return SetTable(_different_items(lengths, weights, rng), lengths, weights.size)


def _different_items(lengths: Integers, weights: Floats, rng: np.random.Generator) -> Integers:
    """For every user draw items by weight until there are as many different ones as asked for."""
    below = np.cumsum(weights / weights.sum())
    below[-1] = 1.0
    size, waiting, missing = weights.size, np.arange(lengths.size), lengths
    held = np.zeros(0, dtype=np.int64)  # of users who wait for items: user and item, one number
    complete = []
    while waiting.size:
        drawn = np.searchsorted(below, rng.random(missing.sum()), side="right")
        held = np.sort(np.concatenate([held, np.repeat(waiting, missing) * size + drawn]))
        held = held[np.diff(held, prepend=-1) > 0]  # sorted is many times faster than np.unique
        place = np.searchsorted(waiting, held // size)
        missing = lengths[waiting] - np.bincount(place, minlength=waiting.size)
        short = missing[place] > 0
        complete.append(held[~short])
        held, waiting, missing = held[short], waiting[missing > 0], missing[missing > 0]
    items: Integers = np.sort(np.concatenate(complete)) % size
    return items
