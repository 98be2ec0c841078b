"""When an observed value agrees with an expected one, and the smallest fault that would show.

Three rules and no others: to rounding; within five standard errors of a simulation; and, where two
estimators are called equal or one of them better, by a practical margin beyond that noise.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Relation: TypeAlias = Literal["==", "<=", ">=", "<", ">"]
RELATIONS = ("==", "<=", ">=", "<", ">")
Z = 5.0  # standard errors: a true statement fails in one run of 1.7 million
MARGIN = 0.05  # of a mean squared error: what five per cent more users would buy
DETECTION = 1.645  # standard errors beyond the tolerance: a fault that shows in 95 of 100 runs
Array: TypeAlias = npt.NDArray[Any]


def agrees(
    observed: Any,
    expected: Any,
    *,
    standard_error: Any = None,
    rtol: float = 1e-12,
    margin: float | None = None,
    relation: Relation = "==",
) -> bool:
    """Whether `observed` stands to `expected` as `relation` says.

    The rules and the parameters are those of :func:`companion.claim`.

    Examples
    --------
    >>> agrees(0.1 + 0.2, 0.3), agrees(float("nan"), float("nan"))
    (True, False)
    >>> agrees([1.0, 2.0], [1.5, 2.5], relation="<")
    True
    """
    left, right = _checked(observed, expected, standard_error, rtol, margin, relation)
    if _kind(left, "observed") != "number":
        return bool(np.all(left == right))
    if standard_error is not None:
        error = np.asarray(standard_error, dtype=float)
        with np.errstate(invalid="ignore"):  # inf - inf is NaN, which agrees with nothing
            rooms = _rooms(left.astype(float), right.astype(float), error, margin, relation)
        strict = relation in ("<", ">")
        return all(bool(np.all(room > 0 if strict else room >= 0)) for room in rooms)
    if _is_exact(left) and _is_exact(right):
        return bool(np.all(_compare(left, right, relation)))
    return _agrees_to_rounding(left.astype(float), right.astype(float), rtol, relation)


def smallest_noticed(
    observed: Any,
    expected: Any,
    *,
    standard_error: Any = None,
    rtol: float = 1e-12,
    margin: float | None = None,
    relation: Relation = "==",
) -> float | None:
    """Smallest relative fault of the observed numbers that `agrees` would refuse.

    A fault multiplies every observed number by one factor; where there is noise it must show in 95
    of 100 runs. An inequality notices faults in the direction that it guards. None for booleans,
    strings and integers, of which a factor says nothing, and where all that is compared is zero.

    Examples
    --------
    >>> smallest_noticed(2.0, 2.0), smallest_noticed([1.0, 2.0], [1.1, 2.5], relation="<=")
    (1e-12, 0.1)
    >>> round(smallest_noticed(10.02, 10.0, standard_error=0.01), 6)
    0.006645
    """
    left, right = _checked(observed, expected, standard_error, rtol, margin, relation)
    if _kind(left, "observed") != "number" or {left.dtype.kind, right.dtype.kind} <= set("iu"):
        return None
    low, high = left.astype(float), right.astype(float)
    if standard_error is None and relation == "==":
        exact = _is_exact(left) and _is_exact(right)
        return (0.0 if exact else rtol) if np.any(high != 0) else None
    error = np.zeros_like(low) if standard_error is None else np.asarray(standard_error, float)
    with np.errstate(all="ignore"):
        if relation == "==" and margin is None:
            fault = (Z + DETECTION) * error / np.abs(high)
        else:
            rooms = _rooms(low, high, error, margin, relation)
            fault = (np.maximum.reduce(rooms) + DETECTION * error) / np.abs(low)
    fault = fault[np.isfinite(fault)]
    return float(round(fault.min(), 12)) if fault.size else None


def smallest_fault(check: Callable[[float], bool], most: float = 0.5) -> float | None:
    """Smallest relative fault that `check` refuses in both directions, to one per cent of itself.

    Parameters
    ----------
    check : callable
        Takes the factor by which a formula is falsified; True where the comparison still passes.
    most : float
        Largest fault that is tried, between 0 and 1.

    Returns
    -------
    float or None
        The fault by bisection, at least 1e-12; None if even `most` passes on one side.

    Raises
    ------
    ValueError
        If the check refuses the formula as it is, or `most` is not between 0 and 1.

    Examples
    --------
    >>> fault = smallest_fault(lambda scale: abs(scale * 3.0 - 3.0) <= 0.03)
    >>> 0.01 <= fault < 0.0102
    True
    """
    if not 0 < most < 1:
        raise ValueError(f"most must be between 0 and 1, got {most}")
    if not check(1.0):
        raise ValueError("check must pass where nothing is falsified, got a refusal at factor 1")

    def seen(fault: float) -> bool:
        return not check(1 - fault) and not check(1 + fault)

    if not seen(most):
        return None
    low, high = 1e-12, most
    while high > 1.01 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high


def _checked(
    observed: Any,
    expected: Any,
    standard_error: Any,
    rtol: float,
    margin: float | None,
    relation: Relation,
) -> tuple[Array, Array]:
    """Both sides as arrays of one kind and shape; misuse is an error and not a verdict."""
    if relation not in RELATIONS:
        raise ValueError(f"relation must be one of {', '.join(RELATIONS)}, got {relation!r}")
    if not 0 <= rtol < 1:
        raise ValueError(f"rtol must be in [0, 1), got {rtol}")
    if margin is not None and not 0 < margin < 1:
        raise ValueError(f"margin must be between 0 and 1, got {margin}")
    if margin is not None and standard_error is None:
        raise ValueError("margin needs a standard_error, got none")
    left, right = np.asarray(observed), np.asarray(expected)
    kinds = _kind(left, "observed"), _kind(right, "expected")
    if kinds[0] != kinds[1]:
        raise TypeError(f"observed and expected must be of one kind, got {kinds[0]}, {kinds[1]}")
    if left.shape != right.shape:
        raise ValueError(
            f"observed and expected must have one shape, got {left.shape} and {right.shape}"
        )
    if left.size == 0:
        raise ValueError("observed must hold at least one value, got none")
    if kinds[0] != "number" and relation != "==":
        raise TypeError(f"relation must be == for values that are not numbers, got {relation}")
    error = np.asarray(0.0 if standard_error is None else standard_error, dtype=float)
    if not np.all(np.isfinite(error) & (error >= 0)):
        raise ValueError(f"standard_error must be finite and not negative, got {standard_error}")
    return left, right


def _rooms(
    left: Array, right: Array, error: Array, margin: float | None, relation: Relation
) -> list[Array]:
    """How far the observed values are from refusal, on each side that the relation guards.

    Without a margin noise is forgiven, except by a strict inequality, which must hold beyond it.
    With one the noise counts against the claim, whatever it is.
    """
    proved = margin is not None or relation in ("<", ">")
    allowance = (-Z if proved else Z) * error
    factor = 1 + (margin or 0.0)
    above = right / factor if relation == "<" else right * factor
    below = right * factor if relation == ">" else right / factor
    if relation == "==":
        width = (margin or 0.0) * np.abs(right) + allowance
        return [width - (left - right), width + (left - right)]
    return [above - left + allowance] if relation in ("<", "<=") else [left - below + allowance]


def _kind(values: Array, name: str) -> str:
    """Say which rule of comparison applies to an array."""
    if values.dtype.kind in "iuf":
        return "number"
    if values.dtype.kind == "b":
        return "boolean"
    if values.dtype.kind == "U":
        return "string"
    if values.dtype.kind == "O" and all(type(v) in (int, Fraction) for v in values.flat):
        return "number"
    raise TypeError(f"{name} must hold booleans, numbers or strings, got {values.dtype}")


def _is_exact(values: Array) -> bool:
    return values.dtype.kind in "iuO"


def _compare(left: Any, right: Any, relation: Relation) -> Any:
    if relation == "==":
        return left == right
    if relation == "<=":
        return left <= right
    if relation == ">=":
        return left >= right
    return left < right if relation == "<" else left > right


def _agrees_to_rounding(left: Array, right: Array, rtol: float, relation: Relation) -> bool:
    if relation in ("<", ">"):
        return bool(np.all(_compare(left, right, relation)))
    finite = right[np.isfinite(right)]
    largest = float(np.max(np.abs(finite), initial=0.0)) if right.size > 1 else 0.0
    scale = np.where(right == 0, largest, np.abs(right))
    with np.errstate(invalid="ignore"):  # inf - inf, settled by the equality below
        near = np.abs(left - right) <= rtol * np.where(np.isfinite(scale), scale, 0.0)
    return bool(np.all(near | _compare(left, right, relation)))
