"""What reports are made of: said once by their mechanism, checked here, and packed into bits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ldp import _checks
from ldp.types import Array, Bits, Bools, Integers, Mechanism, ReportType

_CELLS_AT_ONCE = 2**22


def numbers(least: int, most: int, shape: tuple[int, ...] = ()) -> ReportType:
    """Integers from `least` to `most` in the smallest dtype, unsigned where none is negative."""
    farthest = most if least >= 0 else min(least, -most - 1)
    return ReportType(np.min_scalar_type(farthest), shape, (least, most))


def outcome_number(mechanism: Any) -> ReportType:
    """A number below `num_outcomes`."""
    return numbers(0, mechanism.num_outcomes - 1)


def packed_bits(mechanism: Mechanism) -> ReportType:
    """A bit for each value, first value in the highest bit (the order of ``numpy.packbits``)."""
    return ReportType(np.dtype(np.uint8), (-(-mechanism.domain_size // 8),))


def check_reports(reports: npt.ArrayLike, report: ReportType) -> Array:
    """Return reports as an array of their dtype; where they are numbers, of any integers."""
    dtype, shape, bounds = report
    given = _checks.plain_array(reports, "reports")
    if bounds is None and given.dtype != dtype:
        raise TypeError(f"reports must have dtype {dtype}, got {given.dtype}.")
    if given.ndim != 1 + len(shape) or given.shape[1:] != shape:
        wanted = f"(n, {', '.join(map(str, shape))})" if shape else "(n,)"
        raise ValueError(f"reports must be of shape {wanted}, got {given.shape}.")
    if bounds is not None and given.size:
        _checks.whole(reports, given, "reports")
        low, high = int(given.min()), int(given.max())
        wrong = low if low < bounds[0] else high
        if not bounds[0] <= wrong <= bounds[1]:
            raise ValueError(f"reports must be from {bounds[0]} to {bounds[1]}, got {wrong}.")
    return np.ascontiguousarray(given, dtype=dtype)


def check_packed(mechanism: Mechanism, reports: npt.ArrayLike) -> Bits:
    """Return bit-packed reports, whose padding bits are zero."""
    given, size = check_reports(reports, mechanism.report), mechanism.domain_size
    if given.size and (given[:, -1] & (255 >> (size - 1) % 8 + 1)).any():
        raise ValueError(f"reports must have zero padding bits after bit {size - 1}, got ones.")
    return given


def number_outcomes(mechanism: Any, reports: npt.ArrayLike) -> Integers:
    """Report y is column y."""
    return check_reports(reports, mechanism.report).astype(np.int64)


def packed_supports(reports: Array, size: int, held: Callable[[Array], Bools]) -> Bits:
    """Pack the rows that `held` makes of some of the reports, a few at a time."""
    rows = np.empty((len(reports), -(-size // 8)), dtype=np.uint8)
    step = max(1, _CELLS_AT_ONCE // size)
    for first in range(0, len(reports), step):
        part = slice(first, first + step)
        rows[part] = np.packbits(held(reports[part]), axis=1)
    return rows
