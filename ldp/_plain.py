"""How arguments of any kind are taken in, and how they are written into error messages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_DEEPEST = 8  # of lists in lists: no argument has as many dimensions
_LONGEST = 200  # characters
_TEXT = (str, bytes, bytearray, memoryview, range)  # sequences that hold no others


def plain_array(given: Any, name: str) -> npt.NDArray[Any]:
    """Return an array; a mask would be lost, and rows of unequal length are none."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{name} must be a plain array, got a masked one.")
    # numpy goes down a list that holds itself twice for ever, and takes all memory for it.
    if _too_deep(given):
        raise ValueError(f"{name} must be an array, got lists more than {_DEEPEST} deep.")
    try:
        return np.asarray(given)
    except ValueError:
        raise ValueError(f"{name} must be an array, got rows of unequal lengths.") from None


def reals(given: Any, name: str) -> npt.NDArray[np.float64]:
    """Return an array of finite real numbers, of any shape."""
    array = plain_array(given, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be real numbers, got dtype {array.dtype}.")
    with np.errstate(over="ignore"):
        numbers = array.astype(np.float64, copy=False)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite, got {numbers[~np.isfinite(numbers)][0]}.")
    return numbers


def frequency(given: Any) -> npt.NDArray[np.float64]:
    """Return frequencies from 0 to 1, an array of any shape."""
    array = reals(given, "frequency")
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise ValueError(f"frequency must be from 0 to 1, got {array[outside][0]}.")
    return array


def _too_deep(given: Any) -> bool:
    """Say whether sequences lie in sequences too often; each is looked at once a level."""
    level = [given] if _sequences({type(given)}) else []
    for _ in range(_DEEPEST):
        inner: dict[int, Any] = {}
        for outer in level:
            kinds = _sequences(set(map(type, outer)))
            if kinds:
                inner |= {id(each): each for each in outer if type(each) in kinds}
        if not inner:
            return False
        level = list(inner.values())
    return True


def _sequences(kinds: set[type]) -> set[type]:
    return {kind for kind in kinds if issubclass(kind, Sequence) and not issubclass(kind, _TEXT)}


def shown(value: Any) -> str:
    """Write a value in one line that is not long."""
    try:
        text = " ".join(repr(value).split())
    except (ValueError, RecursionError):  # an integer of too many digits, lists too deep
        return f"a {type(value).__name__} too long to write"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."
