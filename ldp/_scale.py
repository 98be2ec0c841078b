"""Sums of numbers as large as float64 has them, without overflow on the way."""

import math
from typing import TypeVar

import numpy as np

from ldp.types import Floats

Result = TypeVar("Result", float, Floats)


def power_of_two(*vectors: Floats) -> float:
    """Return a power of two, at least 1, that brings all entries below 2 when they are divided.

    Dividing by it loses nothing but what is too small to matter beside the largest entry.
    """
    largest = max(float(np.abs(vector).max()) for vector in vectors)
    return math.ldexp(1.0, max(0, math.frexp(largest)[1] - 1))


def scale_back(result: Result, *factors: float) -> Result:
    """Multiply a result by what was divided out; refuse one that float64 does not have."""
    with np.errstate(over="ignore", invalid="ignore"):
        for factor in factors:
            result = result * factor
    if not np.isfinite(result).all():
        raise OverflowError("the result must fit into float64, got a larger one.")
    return result
