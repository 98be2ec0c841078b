"""Frequency estimation under local differential privacy, exact and audited.

Here are the mechanisms, `Tally`, and the estimators to start with. The rest is by room:

* ``likelihood``, ``bayes``: the most likely law; the posterior of the law.
* ``postprocess``, ``trees``: repaired frequencies; hierarchies and ranges.
* ``means``, ``itemsets``, ``samplers``: users who hold a number, a set, a distribution.
* ``planning``: which mechanism, how many people, which budget.
* ``heavy_hitters``, ``protocols``, ``assigned``: values that nobody can list; rounds that adapt;
  users who are asked different things.
* ``bounds``, ``utilities``, ``metrics``, ``waves``: what cannot be beaten; what a report is worth;
  errors; densities on the line.
* ``datasets``, ``types``: tables and laws; what a mechanism of your own provides. And
  ``import ldp.experiments`` for grids of runs.
"""

from ldp import (
    assigned,
    bayes,
    bounds,
    datasets,
    heavy_hitters,
    itemsets,
    likelihood,
    means,
    metrics,
    planning,
    postprocess,
    protocols,
    samplers,
    trees,
    types,
    utilities,
    waves,
)
from ldp.assigned import Assigned
from ldp.audit import worst_case_epsilon
from ldp.binning import bin_values
from ldp.likelihood import em, maximum_likelihood
from ldp.linear import confidence_interval, debias, sampling_variance, variance
from ldp.mechanisms.affine import AffineResponse
from ldp.mechanisms.cyclic import CyclicResponse
from ldp.mechanisms.cyclotomic import CyclotomicResponse
from ldp.mechanisms.hadamard import HadamardResponse
from ldp.mechanisms.hashing import BLH, OLH, LocalHashing
from ldp.mechanisms.hierarchy import HierarchicalHistogram
from ldp.mechanisms.histogram_encoding import SHE, THE
from ldp.mechanisms.randomized_response import GRR
from ldp.mechanisms.restricted import RRRR
from ldp.mechanisms.square_wave import SquareWave
from ldp.mechanisms.subset import SubsetSelection
from ldp.mechanisms.unary import OUE, SUE, UnaryEncoding
from ldp.mechanisms.wide_hashing import WideHashing
from ldp.planning import plan
from ldp.postprocess import norm_sub
from ldp.protocols import adobest
from ldp.tally import Tally
from ldp.types import FrequencyOracle, Mechanism

__all__ = [
    "BLH",
    "GRR",
    "OLH",
    "OUE",
    "RRRR",
    "SHE",
    "SUE",
    "THE",
    "AffineResponse",
    "Assigned",
    "CyclicResponse",
    "CyclotomicResponse",
    "FrequencyOracle",
    "HadamardResponse",
    "HierarchicalHistogram",
    "LocalHashing",
    "Mechanism",
    "SquareWave",
    "SubsetSelection",
    "Tally",
    "UnaryEncoding",
    "WideHashing",
    "adobest",
    "assigned",
    "bayes",
    "bin_values",
    "bounds",
    "confidence_interval",
    "datasets",
    "debias",
    "em",
    "heavy_hitters",
    "itemsets",
    "likelihood",
    "maximum_likelihood",
    "means",
    "metrics",
    "norm_sub",
    "plan",
    "planning",
    "postprocess",
    "protocols",
    "samplers",
    "sampling_variance",
    "trees",
    "types",
    "utilities",
    "variance",
    "waves",
    "worst_case_epsilon",
]

__version__ = "0.2.0"


def __dir__() -> list[str]:
    """Show what is public, and no private module."""
    return __all__
