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

from ldp.datasets.laws import beta, geometric, jeffreys_dirichlet, uniform, zipf
from ldp.datasets.sets import SetTable, kosarak_like, msweb
from ldp.datasets.strings import first_names, query_counts
from ldp.datasets.tables import (
    CountTable,
    adult_age,
    adult_workclass,
    msweb_areas,
    sf_benefits,
    sf_pay,
    taxi_distance,
    taxi_payment,
    taxi_pickup,
)

__all__ = [
    "CountTable",
    "SetTable",
    "adult_age",
    "adult_workclass",
    "beta",
    "first_names",
    "geometric",
    "jeffreys_dirichlet",
    "kosarak_like",
    "msweb",
    "msweb_areas",
    "query_counts",
    "sf_benefits",
    "sf_pay",
    "taxi_distance",
    "taxi_payment",
    "taxi_pickup",
    "uniform",
    "zipf",
]
