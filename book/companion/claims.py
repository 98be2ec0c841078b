"""Checked claims: one that holds leaves a badge and a record, one that does not raises."""

import html
import re
from typing import Any

import numpy as np

from companion.agreement import Relation, Z, agrees, smallest_noticed
from companion.distance import farthest
from companion.records import plain, publish

CLAIM_MIME = "application/vnd.ldp.claim+json"
CLAIM_ID = r"[A-Za-z][A-Za-z0-9]*-F?\d+"  # short name of the source and number
_SIGNS = {"==": "=", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}


class ClaimError(AssertionError):
    """A declared claim does not hold."""


def claim(
    id: str,
    *,
    observed: Any,
    expected: Any,
    standard_error: Any = None,
    rtol: float = 1e-12,
    relation: Relation = "==",
    margin: float | None = None,
    notices: float | None = None,
    values: dict[str, Any] | None = None,
) -> None:
    """Check one declared claim; show a badge, or raise `ClaimError`.

    Parameters
    ----------
    id : str
        The claim's name in ``claims.yml``, such as ``S004-41``.
    observed, expected : bool, int, Fraction, float, str or array of them
        What this run computed, and what it must be. NaN never agrees with anything.
    standard_error : float or array, optional
        Standard error of ``observed - expected``. Without it the comparison is exact: booleans,
        integers, fractions and strings equal, floats equal to a relative `rtol`. With it ``==``
        asks for a difference of at most five of them; ``<=`` and ``>=`` fail only beyond five of
        them; ``<`` and ``>`` must hold by more than five.
    rtol : float
        Relative tolerance of exact comparisons of floats. An expected zero inside an array is
        compared on the scale of the array's largest entry; a lone zero must be met exactly.
    relation : {"==", "<=", ">=", "<", ">"}
        How `observed` must stand to `expected`, for arrays entry by entry.
    margin : float, optional
        Practical margin, `MARGIN` throughout the book, of a comparison by simulation: ``==`` then
        means within the margin, ``<`` and ``>`` beyond it, ``<=`` and ``>=`` no worse than it, each
        with five standard errors to spare.
    notices : float, optional
        Smallest relative fault of the formula that this check refuses, where the rule for numbers
        does not know it: of truth values, counts, and ratios in which constants cancel. See
        `smallest_fault`.
    values : dict, optional
        Further numbers of this run, by name, for the text of the ledger and of the pages.

    Raises
    ------
    ClaimError
        If the claim does not hold.
    ValueError, TypeError
        If the two sides cannot be compared, or `notices` is negative.

    Examples
    --------
    >>> claim("S004-32", observed=(1 / 2 + 1 / 4) / (1 / 4), expected=3.0)
    [S004-32 checked] observed 3 = expected 3 (relative tolerance 1e-12)
    >>> claim("S004-34", observed=81.3, expected=80.0, standard_error=0.5)
    [S004-34 checked] observed 81.3 = expected 80 (tolerance 5 standard errors of 0.5)
    >>> claim("S004-67", observed=4, expected=5)
    Traceback (most recent call last):
    companion.claims.ClaimError: S004-67: observed 4 = expected 5 does not hold (exact)
    """
    if not isinstance(id, str) or not re.fullmatch(CLAIM_ID, id):
        raise ValueError(f"id must look like S004-41 or S004-F07, got {id!r}")
    if notices is not None and not notices >= 0:
        raise ValueError(f"notices must not be negative, got {notices}")
    rule: dict[str, Any] = {"standard_error": standard_error, "rtol": rtol, "margin": margin}
    holds = agrees(observed, expected, relation=relation, **rule)
    tolerance = _tolerance(observed, expected, relation=relation, **rule)
    text = f"observed {_short(observed)} {_SIGNS[relation]} expected {_short(expected)}"
    if not holds:
        raise ClaimError(f"{id}: {text} does not hold ({tolerance})")
    record = {
        "id": id,
        "observed": plain(observed),
        "expected": plain(expected),
        "relation": relation,
        "tolerance": tolerance,
        "standard_error": None if standard_error is None else plain(standard_error),
        "rtol": float(rtol),
        "margin": margin,
        "notices": notices,
        "farthest": farthest(observed, expected, relation, standard_error, margin),
        "size": int(np.asarray(observed).size),
        "values": {name: plain(value) for name, value in (values or {}).items()},
    }
    if notices is None:
        record["notices"] = smallest_noticed(observed, expected, relation=relation, **rule)
    _show(id, f"{text} ({tolerance})", record)


def _tolerance(
    observed: Any,
    expected: Any,
    *,
    standard_error: Any,
    rtol: float,
    margin: float | None,
    relation: Relation,
) -> str:
    """Describe the tolerance in words."""
    if margin is not None:
        side = {"==": "within", "<": "beyond", ">": "beyond"}.get(relation, "no worse than")
        return f"{side} {margin:.0%} by {Z:g} standard errors of {_short(standard_error)}"
    if standard_error is not None:
        strict = "by more than" if relation in ("<", ">") else "tolerance"
        return f"{strict} {Z:g} standard errors of {_short(standard_error)}"
    arrays = np.asarray(observed), np.asarray(expected)
    floating = any(a.dtype.kind == "f" for a in arrays)
    if floating and relation not in ("<", ">"):
        return f"relative tolerance {rtol:g}"
    return "exact"


def _short(value: Any) -> str:
    """Write a value in a few characters."""
    array = np.asarray(value)
    if array.size > 6:
        return f"{array.size} values"
    if array.ndim:
        return "[" + ", ".join(_short(item) for item in array) + "]"
    item = array.item()
    if isinstance(item, float):
        return f"{item:.5g}"
    return str(item)


def _show(id: str, text: str, record: dict[str, Any]) -> None:
    """Display the badge and the record in a notebook; print the text anywhere else."""
    plain_text = f"[{id} checked] {text}"
    badge = f"<p><strong>{id} checked</strong>: {html.escape(text)}</p>"
    if not publish({"text/html": badge, "text/plain": plain_text, CLAIM_MIME: record}):
        print(plain_text)
