"""The checks that rooms share, each message typed once.

A check runs before any work, returns the argument in the one form the code uses, and never
changes its meaning: it converts a list to an array, but never a float to an integer.
"""

import math
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp._plain import frequency as frequency
from ldp._plain import plain_array as plain_array
from ldp._plain import reals as reals
from ldp._plain import shown as shown

_LARGEST_DOMAIN = 2**31
_BOOLS = frozenset((bool, np.bool_))
_NO_INTEGERS = (bool, np.bool_, np.timedelta64)  # Python or numpy counts them among the integers
_MOST_USERS = 2**53  # sums stay far from the end of int64, and exact as floats


def integer(value: Any, name: str, least: int, most: int | None = None) -> int:
    """Return `value` as an int, or refuse it."""
    rule = f"an integer, at least {least}" + (f" and at most {most}" if most is not None else "")
    if isinstance(value, _NO_INTEGERS):
        raise TypeError(f"{name} must be {rule}, got {shown(value)}.")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be {rule}, got {shown(value)}.") from None
    if number < least or (most is not None and number > most):
        raise ValueError(f"{name} must be {rule}, got {shown(number)}.")
    return number


def real(value: Any, name: str, rule: str) -> float:
    """Return `value` as a float; `rule` says what it must be in the error message."""
    other = isinstance(value, (*_NO_INTEGERS, np.complexfloating))
    if other or not isinstance(value, int | float | np.number):
        raise TypeError(f"{name} must be {rule}, got {shown(value)}.")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be {rule}, got {shown(value)}.") from None


def flag(value: Any, name: str) -> bool:
    """Return a yes or no, which no number or word stands for."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {shown(value)}.")
    return bool(value)


def domain_size(value: Any) -> int:
    """Return a number of values: an integer, at least 2."""
    return integer(value, "domain_size", 2, _LARGEST_DOMAIN)


def positive(value: Any, name: str) -> float:
    """Return a number that is positive and finite."""
    number = real(value, name, "positive and finite")
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be positive and finite, got {number}.")
    return number


def epsilon(value: Any) -> float:
    """Return a privacy budget: positive and finite."""
    return positive(value, "epsilon")


def probabilities(p: float, q: float, budget: float, name: str = "epsilon") -> None:
    """Refuse an epsilon at which float64 cannot tell the two probabilities from 0, 1 or each other.

    Beyond it the report would be the value itself, or would say nothing about it.
    """
    if not (q > 0 and 1 - q < 1 and p < 1):
        raise ValueError(
            f"{name} must be small enough that no probability rounds to 0 or 1, got {budget}."
        )
    if not p - q > 2.0**-40 * p:  # else rounding would decide what their difference is
        raise ValueError(
            f"{name} must be large enough that p and q differ in float64, got {budget}."
        )


def integer_weights(
    p: float, budget: float, num_outside: int, window: int = 1, name: str = "epsilon"
) -> None:
    """Refuse an epsilon that the integer weights of many cells would lose.

    Of 2**64, weights outside a window are rounded up by one unit each and 2**15 in all, at the
    expense of those inside. That must be little beside what a cell of the window gains; else
    reports would say less of the value than the estimators believe.
    """
    gain = math.ldexp(-p * math.expm1(-budget), 64)
    if gain < 128 * max(1, (num_outside + 2**15) / window):
        raise ValueError(f"{name} must be large enough for {num_outside + 1} values, got {budget}.")


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
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got dtype {array.dtype}.")
    if isinstance(given, list | tuple) and not _BOOLS.isdisjoint(map(type, given)):
        raise TypeError(f"{name} must be integers, got a bool among them.")
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} must fit in 64 signed bits, got {array.max()}.")
    return np.ascontiguousarray(array, dtype=np.int64)


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


def packed_rows(reports: Any, size: int) -> npt.NDArray[np.uint8]:
    """Return bit-packed reports: uint8 rows of ceil(size/8) bytes with zero padding bits."""
    array = plain_array(reports, "reports")
    width = -(-size // 8)
    if array.dtype != np.uint8:
        raise TypeError(f"reports must be bit-packed uint8, got dtype {array.dtype}.")
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"reports must have shape (n, {width}), got {array.shape}.")
    padding = 8 * width - size
    if padding and array.size and int((array[:, -1] & ((1 << padding) - 1)).max()):
        raise ValueError(f"reports must have zero padding bits after bit {size - 1}, got ones.")
    return np.ascontiguousarray(array)


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
