"""Frequency estimation under local differential privacy, exact and audited."""

from ldp import (
    bounds,
    datasets,
    heavy_hitters,
    itemsets,
    metrics,
    samplers,
    utilities,
    waves,
)
from ldp.assigned import Assigned
from ldp.audit import worst_case_epsilon
from ldp.binning import bin_values
from ldp.estimators.bayes_risk import AllReports, enumerate_reports, minimum_mse
from ldp.estimators.consistency import base_cut, base_pos, norm, norm_cut, norm_mul, post_pos
from ldp.estimators.em import em
from ldp.estimators.gibbs import GibbsSample, gibbs
from ldp.estimators.langevin import Langevin, sgld
from ldp.estimators.likelihood import Fit, maximum_likelihood, maximum_posterior
from ldp.estimators.linear import confidence_interval, debias, sampling_variance, variance
from ldp.estimators.means import mean_interval
from ldp.estimators.mixture import DirichletMixture
from ldp.estimators.posterior import exact_posterior, posterior_mean
from ldp.estimators.power_law import power, power_law_exponent, power_ns
from ldp.estimators.ranges import range_query, range_variance
from ldp.estimators.simplex import mle_apx, project_simplex
from ldp.estimators.slice_sampling import SliceSample, slice_sample
from ldp.estimators.tree_admm import TreeFit, hh_admm
from ldp.estimators.trees import least_squares_tree
from ldp.mechanisms.hadamard import HadamardResponse
from ldp.mechanisms.hashing import BLH, OLH, LocalHashing
from ldp.mechanisms.hierarchy import HierarchicalHistogram
from ldp.mechanisms.histogram_encoding import SHE, THE
from ldp.mechanisms.mean import (
    HybridMean,
    LaplaceMean,
    OneBitMean,
    PiecewiseMean,
    VectorMean,
    central_laplace_mean,
)
from ldp.mechanisms.randomized_response import GRR
from ldp.mechanisms.restricted import RRRR
from ldp.mechanisms.square_wave import SquareWave
from ldp.mechanisms.subset import SubsetSelection
from ldp.mechanisms.unary import OUE, SUE, UnaryEncoding
from ldp.mechanisms.wide_hashing import WideHashing
from ldp.metrics import (
    kl,
    ks,
    l_inf,
    mean_error,
    mse,
    quantile,
    quantile_error,
    range_error,
    tv,
    variance_error,
    wasserstein,
)
from ldp.protocols.adaptive import AdaptiveRun, adobest
from ldp.protocols.prefixes import BestPrefix, EmptyPrefix, MassPrefix, prefix_utilities
from ldp.protocols.samplers import GibbsSampler, LangevinSampler, SliceSampler
from ldp.tally import Tally
from ldp.types import FrequencyOracle, Mechanism, Pair, PureMechanism, SupportMechanism

__all__ = [
    "BLH",
    "GRR",
    "OLH",
    "OUE",
    "RRRR",
    "SHE",
    "SUE",
    "THE",
    "AdaptiveRun",
    "AllReports",
    "Assigned",
    "BestPrefix",
    "DirichletMixture",
    "EmptyPrefix",
    "Fit",
    "FrequencyOracle",
    "GibbsSample",
    "GibbsSampler",
    "HadamardResponse",
    "HierarchicalHistogram",
    "HybridMean",
    "Langevin",
    "LangevinSampler",
    "LaplaceMean",
    "LocalHashing",
    "MassPrefix",
    "Mechanism",
    "OneBitMean",
    "Pair",
    "PiecewiseMean",
    "PureMechanism",
    "SliceSample",
    "SliceSampler",
    "SquareWave",
    "SubsetSelection",
    "SupportMechanism",
    "Tally",
    "TreeFit",
    "UnaryEncoding",
    "VectorMean",
    "WideHashing",
    "adobest",
    "base_cut",
    "base_pos",
    "bin_values",
    "bounds",
    "central_laplace_mean",
    "confidence_interval",
    "datasets",
    "debias",
    "em",
    "enumerate_reports",
    "exact_posterior",
    "gibbs",
    "heavy_hitters",
    "hh_admm",
    "itemsets",
    "kl",
    "ks",
    "l_inf",
    "least_squares_tree",
    "maximum_likelihood",
    "maximum_posterior",
    "mean_error",
    "mean_interval",
    "metrics",
    "minimum_mse",
    "mle_apx",
    "mse",
    "norm",
    "norm_cut",
    "norm_mul",
    "post_pos",
    "posterior_mean",
    "power",
    "power_law_exponent",
    "power_ns",
    "prefix_utilities",
    "project_simplex",
    "quantile",
    "quantile_error",
    "range_error",
    "range_query",
    "range_variance",
    "samplers",
    "sampling_variance",
    "sgld",
    "slice_sample",
    "tv",
    "utilities",
    "variance",
    "variance_error",
    "wasserstein",
    "waves",
    "worst_case_epsilon",
]

__version__ = "0.1.0"
