"""Public tables: how many people, trips or visits have each value."""

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


def lines(name: str) -> list[str]:
    """Lines of a file of this folder."""
    stored = resources.files(__package__).joinpath(name).read_bytes()
    return (gzip.decompress(stored) if name.endswith(".gz") else stored).decode().splitlines()


def rows(name: str) -> list[list[str]]:
    """Rows of a file without the first one."""
    return list(csv.reader(lines(name)))[1:]


def numbers(name: str) -> Integers:
    """Numbers in the rows of a file without the first one."""
    return np.array([[int(field) for field in row] for row in rows(name)])


def table(name: str) -> CountTable:
    """Table of a file with a label and a count in each row."""
    given = rows(name)
    return CountTable(tuple(row[0] for row in given), np.array([int(row[1]) for row in given]))


def adult_age() -> CountTable:
    """Age in years, 17 to 90: 74 values, 32,561 people, nobody aged 89.

    Examples
    --------
    >>> table = adult_age()
    >>> len(table.labels), int(table.counts.sum()), int(table.counts[table.labels.index("89")])
    (74, 32561, 0)

    References
    ----------
    ``becker1996adult``.
    """
    return table("adult_age.csv")


def adult_workclass() -> CountTable:
    """Work class: 9 values with "?" for not given, 32,561 people.

    Examples
    --------
    >>> adult_workclass().labels[0], int(adult_workclass().counts[0])
    ('Private', 22696)

    References
    ----------
    ``becker1996adult``.
    """
    return table("adult_workclass.csv")


def taxi_distance() -> CountTable:
    """Length of a taxi trip in hundredths of a mile, 0 to 999: 1,000 values, 54,981 trips.

    Longer trips are left out. Not the month nor the fleet of ``S003``, which does not name its own.

    Examples
    --------
    >>> table = taxi_distance()
    >>> len(table.labels), int(table.counts.sum()), int(table.counts[0])
    (1000, 54981, 2870)

    References
    ----------
    ``tlc2024trips``.
    """
    return table("taxi_distance.csv")


def taxi_payment() -> CountTable:
    """How a taxi trip was paid: 5 values, 53,136 trips; trips without an entry are left out.

    Not the month nor the fleet of ``S003``, which does not name its own.

    Examples
    --------
    >>> taxi_payment().labels[:2], taxi_payment().counts[:2].tolist()
    (('Credit card', 'Cash'), [36660, 15913])

    References
    ----------
    ``tlc2024trips``.
    """
    return table("taxi_payment.csv")


def taxi_pickup() -> CountTable:
    """When a taxi trip began, by local time of day: 1,024 bins of 84.375 seconds, 56,549 trips.

    Labels are lower edges in seconds since midnight. A substitute for the pick-up times of
    ``S004``, which are of another fleet and month.

    Examples
    --------
    >>> table = taxi_pickup()
    >>> len(table.labels), int(table.counts.sum()), table.labels[1]
    (1024, 56549, '84.375')

    References
    ----------
    ``tlc2024trips``.
    """
    return table("taxi_pickup.csv")


def sf_pay() -> CountTable:
    """Yearly pay of a city employee, 0 to 524,288 dollars: 1,024 bins of 512, 148,651 entries.

    Labels are lower edges in dollars; three higher entries are left out. A substitute for the
    incomes of ``S004``, which are of other people.

    Examples
    --------
    >>> table = sf_pay()
    >>> len(table.labels), int(table.counts.sum()), table.labels[1]
    (1024, 148651, '512')

    References
    ----------
    ``sfsalaries2015``.
    """
    return table("sf_pay.csv")


def sf_benefits() -> CountTable:
    """Yearly benefits of a city employee, 0 to 60,000 dollars: 1,024 bins, 111,899 entries.

    Labels are lower edges in dollars. The bins are 58.59 dollars wide, but an entry was known to 5
    dollars and is in the bin of the lower end of those. A substitute for the retirement plans of
    ``S004``.

    Examples
    --------
    >>> table = sf_benefits()
    >>> len(table.labels), int(table.counts.sum()), table.labels[1]
    (1024, 111899, '58.59375')

    References
    ----------
    ``sfsalaries2015``.
    """
    return table("sf_benefits.csv")


def msweb_areas() -> CountTable:
    """Areas of a web site by name: 285 values, and how many of 32,710 users visited each.

    The items of :func:`msweb`, in that order.

    Examples
    --------
    >>> table = msweb_areas()
    >>> table.labels[8], int(table.counts[8])
    ('Free Downloads', 10835)

    References
    ----------
    ``breese1998msweb``.
    """
    return table("msweb_areas.csv")
