r"""Data for the experiments: public tables of counts, populations of sets, and synthetic laws.

A table holds how many people or trips have each value, which for frequency estimation is the whole
data set. Those named after Adult derive from B. Becker and R. Kohavi (1996), Adult, UCI Machine
Learning Repository, doi:10.24432/C5XW20, licensed CC BY 4.0. Those of trips derive from the New
York City Taxi and Limousine Commission's trip records of green taxis, January 2024, open data free
of restrictions. Those of San Francisco derive from Transparent California's salaries of city
employees, 2011 to 2014, as released in the data set "SF Salaries", licensed CC0 1.0. The sets of
web areas derive from J. Breese, D. Heckerman and C. Kadie (1998), Anonymous Microsoft Web Data, UCI
Machine Learning Repository, doi:10.24432/C5VS3Q, licensed CC BY 4.0. Of the click stream Kosarak,
which F. Bodon made public without stating terms, only counts are kept. First names derive from the
baby names of the United States Social Security Administration, a government work in the public
domain. The log of queries was released by AOL in 2006 for non-commercial research and withdrawn: of
its strings nothing is kept, only how many have which count.
"""

import numpy as np
import scipy

from ldp import _checks
from ldp.datasets._tables import CountTable as CountTable
from ldp.datasets._tables import table
from ldp.datasets.sets import SetTable as SetTable
from ldp.datasets.sets import kosarak_like as kosarak_like
from ldp.datasets.sets import msweb as msweb
from ldp.datasets.strings import first_names as first_names
from ldp.datasets.strings import query_counts as query_counts
from ldp.types import Floats


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


def beta(domain_size: int, a: float = 5.0, b: float = 2.0) -> Floats:
    r"""Beta(a, b) law on [0, 1] in d equal bins.

    .. math:: \theta_v=I_{(v+1)/d}(a,b)-I_{v/d}(a,b),

    :math:`I` being the regularised incomplete beta function.

    Examples
    --------
    >>> beta(4).round(4)
    array([0.0046, 0.1047, 0.4246, 0.4661])
    """
    d = _checks.domain_size(domain_size)
    a, b = _checks.positive(a, "a"), _checks.positive(b, "b")
    below = scipy.special.betainc(a, b, np.arange(d + 1) / d)
    above = scipy.special.betainc(b, a, np.arange(d, -1, -1) / d)
    # From either end, for the digits of small bins: differences of numbers near 1 have none.
    law: Floats = np.where(below[1:] <= 0.5, np.diff(below), above[:-1] - above[1:])
    return law


def uniform(domain_size: int) -> Floats:
    r"""Uniform law :math:`\theta_v=1/d`.

    Examples
    --------
    >>> uniform(4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    d = _checks.domain_size(domain_size)
    return np.full(d, 1 / d)


def zipf(domain_size: int, exponent: float = 1.0) -> Floats:
    r"""Zipf's law :math:`\theta_v\propto(v+1)^{-s}` with exponent :math:`s\ge 0`.

    Examples
    --------
    >>> zipf(3).round(4)
    array([0.5455, 0.2727, 0.1818])
    """
    d = _checks.domain_size(domain_size)
    s = _checks.not_negative(exponent, "exponent")
    weights = np.arange(1, d + 1, dtype=np.float64) ** -s
    law: Floats = weights / weights.sum()
    return law


def geometric(domain_size: int, ratio: float = 0.5) -> Floats:
    r"""Truncated geometric law :math:`\theta_v\propto r^v` with ratio :math:`0<r<1`.

    Examples
    --------
    >>> geometric(3).round(4)
    array([0.5714, 0.2857, 0.1429])
    """
    d = _checks.domain_size(domain_size)
    r = _checks.between(ratio, "ratio")
    weights = r ** np.arange(d, dtype=np.float64)
    law: Floats = weights / weights.sum()
    return law


def jeffreys_dirichlet(domain_size: int, rng: np.random.Generator) -> Floats:
    r"""One law drawn from Jeffreys' prior, Dirichlet(1/2, ..., 1/2).

    Examples
    --------
    >>> round(float(jeffreys_dirichlet(5, np.random.default_rng(0)).sum()), 12)
    1.0
    """
    d = _checks.domain_size(domain_size)
    return _checks.rng(rng).dirichlet(np.full(d, 0.5))
