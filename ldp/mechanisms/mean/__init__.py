"""Mean oracles: unbiased estimates of the mean of values in a range, from integer reports."""

from ldp.mechanisms.mean.hybrid import HybridMean
from ldp.mechanisms.mean.laplace import LaplaceMean, central_laplace_mean
from ldp.mechanisms.mean.one_bit import OneBitMean
from ldp.mechanisms.mean.piecewise import PiecewiseMean
from ldp.mechanisms.mean.vector import VectorMean

__all__ = [
    "HybridMean",
    "LaplaceMean",
    "OneBitMean",
    "PiecewiseMean",
    "VectorMean",
    "central_laplace_mean",
]
