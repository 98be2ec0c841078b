"""How far the observed value that is farthest from its expectation is from it."""

from typing import Any

import numpy as np

from companion.agreement import Relation


def farthest(
    observed: Any,
    expected: Any,
    relation: Relation = "==",
    standard_error: Any = None,
    margin: float | None = None,
) -> float | None:
    """The observed number that is nearest to refusal, in the unit in which it would be refused.

    Where equality is meant: the largest difference in standard errors, if there is noise and no
    margin, else relative to what is expected. Of an inequality: the ratio of observed to expected
    that is nearest to its wrong side. None of truth values, of strings, and where zero is expected
    and no unit is left.

    Examples
    --------
    >>> farthest([1.0, 2.5], [1.0, 2.0], standard_error=0.25), farthest(0.97, 1.0, relation="<=")
    (2.0, 0.97)
    >>> round(farthest([1.0, 2.02], [1.0, 2.0], standard_error=0.001, margin=0.05), 6)
    0.01
    """
    kinds = {np.asarray(side).dtype.kind for side in (observed, expected)}
    if not kinds <= set("iufO"):
        return None
    left, right = (np.atleast_1d(np.asarray(side, dtype=float)) for side in (observed, expected))
    error = None if standard_error is None else np.asarray(standard_error, dtype=float)
    with np.errstate(all="ignore"):
        if relation != "==":
            ratios = left / right
            ratios = ratios[np.isfinite(ratios) & (right > 0)]
            worst = np.max if relation in ("<", "<=") else np.min
            return float(worst(ratios)) if ratios.size else None
        unit = np.abs(right) if error is None or margin is not None else error
        if error is None and right.size > 1:
            unit = np.where(right == 0, np.max(unit[np.isfinite(unit)], initial=0.0), unit)
        apart = np.where(left == right, 0.0, np.abs(left - right) / unit)
    apart = apart[np.isfinite(apart)]
    return float(apart.max()) if apart.size else None
