"""The checks of single numbers; :mod:`ldp._checks` offers them beside those of arrays."""

import math
import operator
from typing import Any

import numpy as np

from ldp._plain import shown

_LARGEST_DOMAIN = 2**31
_NO_INTEGERS = (bool, np.bool_, np.timedelta64)  # Python or numpy counts them among the integers


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


def not_negative(value: Any, name: str) -> float:
    """Return a number that is zero or positive, and finite."""
    number = real(value, name, "non-negative and finite")
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be non-negative and finite, got {number}.")
    return number


def between(value: Any, name: str) -> float:
    """Return a number between 0 and 1, neither of them."""
    number = real(value, name, "between 0 and 1")
    if not 0 < number < 1:
        raise ValueError(f"{name} must be between 0 and 1, got {number}.")
    return number


def share(value: Any, name: str) -> float:
    """Return a number from 0 to 1."""
    number = real(value, name, "from 0 to 1")
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be from 0 to 1, got {number}.")
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
