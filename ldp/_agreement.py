"""When an observed value agrees with an expected one: exactly, to rounding, or within noise."""

import math
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Relation: TypeAlias = Literal["==", "<=", ">=", "<", ">"]
RELATIONS = ("==", "<=", ">=", "<", ">")
Array: TypeAlias = npt.NDArray[Any]


def agrees(
    observed: Any,
    expected: Any,
    *,
    standard_error: Any = None,
    z: float = 5.0,
    rtol: float = 1e-12,
    relation: Relation = "==",
) -> bool:
    """Whether `observed` stands to `expected` as `relation` says.

    The rules and the parameters are those of :func:`ldp.companion.claim`.

    Examples
    --------
    >>> agrees(0.1 + 0.2, 0.3), agrees(float("nan"), float("nan"))
    (True, False)
    >>> agrees([1.0, 2.0], [1.5, 2.5], relation="<")
    True
    """
    if relation not in RELATIONS:
        raise ValueError(f"relation must be one of {', '.join(RELATIONS)}, got {relation!r}")
    if not (math.isfinite(z) and z > 0):
        raise ValueError(f"z must be positive and finite, got {z}")
    if not 0 <= rtol < 1:
        raise ValueError(f"rtol must be in [0, 1), got {rtol}")
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
    if kinds[0] != "number":
        if relation != "==":
            raise TypeError(f"relation must be == for values that are not numbers, got {relation}")
        return bool(np.all(left == right))
    if standard_error is not None:
        return _agrees_within_noise(left, right, standard_error, z, relation)
    if _is_exact(left) and _is_exact(right):
        return bool(np.all(_compare(left, right, relation)))
    return _agrees_to_rounding(left.astype(float), right.astype(float), rtol, relation)


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


def _agrees_within_noise(
    left: Array, right: Array, standard_error: Any, z: float, relation: Relation
) -> bool:
    error = np.asarray(standard_error, dtype=float)
    if not np.all(np.isfinite(error) & (error >= 0)):
        raise ValueError(f"standard_error must be finite and not negative, got {standard_error}")
    with np.errstate(invalid="ignore"):  # inf - inf is NaN, which agrees with nothing
        difference = left.astype(float) - right.astype(float)
    margin = z * error
    if relation == "==":
        return bool(np.all(np.abs(difference) <= margin))
    if relation in ("<=", "<"):
        return bool(np.all(_compare(difference, margin if relation == "<=" else -margin, relation)))
    return bool(np.all(_compare(difference, -margin if relation == ">=" else margin, relation)))


def _agrees_to_rounding(left: Array, right: Array, rtol: float, relation: Relation) -> bool:
    if relation in ("<", ">"):
        return bool(np.all(_compare(left, right, relation)))
    finite = right[np.isfinite(right)]
    largest = float(np.max(np.abs(finite), initial=0.0)) if right.size > 1 else 0.0
    scale = np.where(right == 0, largest, np.abs(right))
    with np.errstate(invalid="ignore"):  # inf - inf, settled by the equality below
        near = np.abs(left - right) <= rtol * np.where(np.isfinite(scale), scale, 0.0)
    return bool(np.all(near | _compare(left, right, relation)))
