"""The badge under a checked cell: what is claimed, its verdict, and the numbers that decided it."""

import html
import re
from collections.abc import Iterator
from typing import Any

from tools import ledger

MANY = 4  # more numbers than this are told by their range
# Before the source's statement, and before the numbers of a check that is not of that statement.
LEADS = {
    "corrected": ("the source says, and it needs a correction", "Checked as corrected. "),
    "refuted": ("the source says", "Checked to the contrary. "),
}


def badge(claim: ledger.Claim, record: dict[str, Any]) -> str:
    """HTML of one badge; formulas of the statement are those of the page."""
    name, verdict = claim["id"], ledger.shown(claim)
    lead, checked = LEADS.get(claim["verdict"], ("", ""))
    return (
        f'<div class="claim-badge claim-{claim["verdict"]}" id="check-{name}">'
        f'<p><a href="report.html#claim-{name}">{name}</a> '
        f'<span class="claim-verdict">{verdict}</span> '
        f"{f'<em>{lead}:</em> ' if lead else ''}{formulas(claim['statement'])}</p>"
        f'<p class="claim-text">{checked}{html.escape(compared(record))}</p></div>'
    )


def formulas(text: str) -> str:
    """Text with its formulas marked as Sphinx marks them."""
    return re.sub(
        r"\$([^$]+)\$",
        r'<span class="math notranslate nohighlight">\\(\1\\)</span>',
        html.escape(text, quote=False),
    )


def compared(record: dict[str, Any]) -> str:
    """Sentence on what was observed, what was expected, and how far they may differ."""
    observed, expected = record["observed"], record["expected"]
    if observed == expected and all(isinstance(o, bool) for o in entries(observed)):
        return "The check of this cell holds."
    ours, theirs = brief(observed), ledger.SIGNS[record["relation"]] + brief(expected)
    if ours == theirs:
        return f"Observed as expected: {ours}{allowed(record)}."
    return f"Observed {ours}; expected {theirs}{allowed(record)}."


def allowed(record: dict[str, Any]) -> str:
    """How far the two may differ, in words."""
    error, strict = record["standard_error"], record["relation"] in ("<", ">")
    if record["margin"] is not None:
        side = "by more than" if strict else "up to"
        return f", {side} {record['margin']:.0%}, with five standard errors to spare"
    if error is not None:
        largest = max((e for e in entries(error) if isinstance(e, float | int)), default=0.0)
        size = number(float(f"{5 * largest:.2g}")) + " or less" * isinstance(error, list)
        return f", {'by more than' if strict else 'up to'} five standard errors ({size})"
    if record["tolerance"] == "exact":
        return "" if strict else ", exactly"
    return (
        ", up to rounding"
        if record["rtol"] <= ledger.ROUNDING
        else f", up to {record['rtol']:.2g} of it"
    )


def brief(value: Any) -> str:
    """A few numbers, or how many there are and their range."""
    if isinstance(value, dict):
        many = " × ".join(map(str, value["shape"])) + " values"
        return many + (extent(value["min"], value["max"]) if "min" in value else "")
    parts = list(entries(value))
    numbers = [p for p in parts if isinstance(p, float | int) and not isinstance(p, bool)]
    if len(parts) > MANY and len(numbers) == len(parts):
        return f"{len(parts)} values" + extent(min(numbers), max(numbers))
    return ", ".join(map(number, parts))


def extent(low: Any, high: Any) -> str:
    """Range of several numbers, in words."""
    ends = number(low), number(high)
    return f", all {ends[0]}" if ends[0] == ends[1] else f" from {ends[0]} to {ends[1]}"


def entries(value: Any) -> Iterator[Any]:
    """Numbers of a nested list, one after another; of a summary, its ends."""
    if isinstance(value, dict):
        yield from (value[end] for end in ("min", "max") if end in value)
    elif isinstance(value, list):
        for item in value:
            yield from entries(item)
    else:
        yield value


def number(value: Any) -> str:
    """A number for reading; the report has more digits and `claims.json` all."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return (
            f"{value:,}".replace("-", "−") if abs(value) >= 10_000 else str(value).replace("-", "−")
        )
    return f"{value:.4g}".replace("-", "−") if isinstance(value, float) else str(value)
