"""Mean oracles: unbiased estimates of the mean of values in a range, from integer reports."""

from ldp.mechanisms.mean.laplace import LaplaceMean, central_laplace_mean
from ldp.mechanisms.mean.one_bit import OneBitMean
from ldp.mechanisms.mean.vector import VectorMean
from ldp.mechanisms.mean.window import HybridMean, PiecewiseMean

__all__ = [
    "HybridMean",
    "LaplaceMean",
    "OneBitMean",
    "PiecewiseMean",
    "VectorMean",
    "central_laplace_mean",
]
