"""Mean oracles: unbiased estimates of the mean of values in a range, from integer reports."""

from ldp.means.hybrid import HybridMean
from ldp.means.interval import mean_interval
from ldp.means.laplace import LaplaceMean, central_laplace_mean
from ldp.means.one_bit import OneBitMean
from ldp.means.piecewise import PiecewiseMean
from ldp.means.vector import VectorMean

__all__ = [
    "HybridMean",
    "LaplaceMean",
    "OneBitMean",
    "PiecewiseMean",
    "VectorMean",
    "central_laplace_mean",
    "mean_interval",
]
