"""The checks that rooms share, each message typed once.

A check runs before any work, returns the argument in the one form the code uses, and never
changes its meaning: it converts a list to an array, but never a float to an integer.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp._numbers import between as between
from ldp._numbers import domain_size as domain_size
from ldp._numbers import epsilon as epsilon
from ldp._numbers import flag as flag
from ldp._numbers import integer as integer
from ldp._numbers import integer_weights as integer_weights
from ldp._numbers import not_negative as not_negative
from ldp._numbers import positive as positive
from ldp._numbers import probabilities as probabilities
from ldp._numbers import real as real
from ldp._numbers import share as share
from ldp._plain import frequency as frequency
from ldp._plain import plain_array as plain_array
from ldp._plain import reals as reals
from ldp._plain import shown as shown

_BOOLS = frozenset((bool, np.bool_))
_MOST_USERS = 2**53  # sums stay far from the end of int64, and exact as floats


def rng(value: Any) -> np.random.Generator:
    """Return a numpy Generator; the library never seeds one of its own."""
    if not isinstance(value, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, got {type(value).__name__}.")
    return value


def integers(given: Any, name: str) -> npt.NDArray[np.int64]:
    """Return a vector of integers as int64."""
    array = plain_array(given, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {array.ndim} dimensions.")
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    whole(given, array, name)
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} must fit in 64 signed bits, got {array.max()}.")
    return np.ascontiguousarray(array, dtype=np.int64)


def whole(given: Any, array: npt.NDArray[Any], name: str) -> None:
    """Refuse an array that was not given as integers."""
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got dtype {array.dtype}.")
    if isinstance(given, list | tuple) and not _BOOLS.isdisjoint(map(type, given)):
        raise TypeError(f"{name} must be integers, got a bool among them.")


def integers_below(values: Any, name: str, size: int) -> npt.NDArray[np.int64]:
    """Return a vector of integers, each at least 0 and below `size`."""
    array = integers(values, name)
    if array.size:
        low, high = int(array.min()), int(array.max())
        wrong = low if low < 0 else high
        if not 0 <= wrong < size:
            raise ValueError(f"{name} must be at least 0 and below {size}, got {wrong}.")
    return array


def values(given: Any, size: int) -> npt.NDArray[np.int64]:
    """Return users' values: integers in 0..size-1, shape (n,)."""
    return integers_below(given, "values", size)


def candidates(given: Any, size: int) -> npt.NDArray[np.int64]:
    """Return values to be counted: integers in 0..size-1, at least one."""
    named = integers_below(given, "candidates", size)
    if named.size == 0:
        raise ValueError("candidates must name at least one value, got none.")
    return named


def different_candidates(given: Any, size: int) -> npt.NDArray[np.int64]:
    """Return candidates whose counts can be drawn independently: each once."""
    named = candidates(given, size)
    if named.size > 1 and not np.diff(np.sort(named)).all():  # np.unique is slower
        raise ValueError("candidates must be different, got one twice.")
    return named


def value_counts(given: Any, size: int) -> npt.NDArray[np.int64]:
    """Return how many users hold each value: non-negative integers, shape (size,)."""
    array = integers(given, "value_counts")
    if array.shape != (size,):
        raise ValueError(f"value_counts must have shape ({size},), got {array.shape}.")
    if array.min() < 0:
        raise ValueError(f"value_counts must be non-negative, got {array.min()}.")
    total = array.sum(dtype=np.float64)
    if total > _MOST_USERS:
        raise ValueError(f"value_counts must sum to at most {_MOST_USERS}, got about {total:.6g}.")
    return array


def distribution(given: Any, name: str, size: int | None = None) -> npt.NDArray[np.float64]:
    """Return a probability vector: finite, non-negative, sum one within 1e-9."""
    array = vector(given, name, size)
    with np.errstate(over="ignore"):  # what overflows is not 1
        total = array.sum()
    if array.min() < 0 or not math.isclose(total, 1.0, abs_tol=1e-9):
        raise ValueError(
            f"{name} must be non-negative and sum to 1, got minimum {array.min()} and sum {total}."
        )
    return array


def vector(given: Any, name: str, size: int | None = None) -> npt.NDArray[np.float64]:
    """Return a finite float vector, of length `size` when it is given."""
    array = plain_array(given, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be real numbers, got dtype {array.dtype}.")
    if array.ndim != 1 or array.size == 0 or (size is not None and array.size != size):
        wanted = "(d,) with d > 0" if size is None else f"({size},)"
        raise ValueError(f"{name} must have shape {wanted}, got {array.shape}.")
    return np.array(reals(array, name))  # a copy


def positive_vector(given: Any, name: str, size: int | None = None) -> npt.NDArray[np.float64]:
    """Return a vector of positive, finite numbers."""
    array = vector(given, name, size)
    if array.min() <= 0:
        raise ValueError(f"{name} must be positive, got {array.min()}.")
    return array


def interval(lower: Any, upper: Any) -> tuple[float, float]:
    """Return the ends of a range of real values: finite, the first below the second."""
    ends = real(lower, "lower", "finite"), real(upper, "upper", "finite")
    for name, end in zip(("lower", "upper"), ends, strict=True):
        if not math.isfinite(end):
            raise ValueError(f"{name} must be finite, got {end}.")
    if not (ends[0] < ends[1] and math.isfinite(ends[1] - ends[0])):
        raise ValueError(f"lower must be below upper, by a finite width, got {ends[0]}, {ends[1]}.")
    return ends


def reals_between(
    given: Any, name: str, lower: float, upper: float, dimensions: int = 1
) -> npt.NDArray[np.float64]:
    """Return an array of real numbers from `lower` to `upper`; it may be empty."""
    array = plain_array(given, name)
    if array.ndim != dimensions:
        raise ValueError(f"{name} must be {dimensions}-dimensional, got {array.ndim} dimensions.")
    if array.size and array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be real numbers, got dtype {array.dtype}.")
    numbers = array.astype(np.float64)
    outside = ~((numbers >= lower) & (numbers <= upper))  # true for NaN
    if outside.any():
        wrong = numbers[outside].flat[0]
        raise ValueError(f"{name} must be from {lower} to {upper}, got {wrong}.")
    return numbers


def channel(given: Any) -> npt.NDArray[np.float64]:
    """Return a matrix of Pr[report | value]: rows are values, each a law within 1e-9."""
    matrix = plain_array(given, "channel")
    if matrix.dtype.kind not in "iuf":
        raise TypeError(f"channel must be a matrix of real numbers, got {type(given).__name__}.")
    matrix = matrix.astype(np.float64)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"channel must be a non-empty matrix, got shape {matrix.shape}.")
    if not np.isfinite(matrix).all() or matrix.min() < 0:
        raise ValueError("channel must be finite and non-negative, got other entries.")
    with np.errstate(over="ignore"):
        sums = matrix.sum(axis=1)
    if np.abs(sums - 1).max() > 1e-9:
        wrong = sums[np.abs(sums - 1).argmax()]
        raise ValueError(f"channel must have rows that sum to 1, got a row sum of {wrong}.")
    return matrix


def channel_size(rows: int, columns: int, name: str = "domain_size") -> None:
    """Refuse to write out a channel of more than 2**24 cells; `name` is what makes it so large."""
    if rows * columns > 2**24:
        raise ValueError(
            f"{name} must keep the channel below 2**24 cells, "
            f"got {rows} rows of {columns} outcomes."
        )
