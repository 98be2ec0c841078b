"""Numbers of the run in text: ``{observed[0]:.3g}`` in the ledger, a role on the pages.

A name is a field of a claim's record, with indices, the end of a summarized array, and a format:
``observed``, ``expected[1]:.2f``, ``standard_error.max:.1e``, ``values.gain:.0%``; a claim's id and
a point before it name another claim. What has no such value is left as it is and reported.
"""

import re
from fractions import Fraction
from typing import Any

from companion import CLAIM_ID

Records = dict[str, dict[str, Any]]

_TAIL = r"(?P<indices>(?:\[\d+\])*)(?:\.(?P<end>min|max))?(?::(?P<format>[^{}`]*))?"
NAME = (
    rf"(?:(?P<id>{CLAIM_ID})\.)?(?P<field>observed|expected|standard_error|notices|values\.\w+)"
    rf"{_TAIL}"
)
_BRACED = re.compile(r"\{" + NAME + r"\}")  # LaTeX has no groups of these names
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def fill(text: str, own: str, records: Records) -> tuple[str, list[str]]:
    """Text with its numbers filled in, and the names for which there is none.

    A claim that has not been checked has no numbers yet: its text is left as it is.

    Examples
    --------
    >>> records = {"S000-01": {"observed": [1, 0.25]}}
    >>> fill("off by {observed[1]:.1%} of {expected}", "S000-01", records)
    ('off by 25.0% of {expected}', ['expected'])
    """
    absent = []

    def number(match: re.Match[str]) -> str:
        try:
            return _formatted(match, own, records)
        except (LookupError, TypeError, ValueError):
            absent.append(match[0][1:-1])
            return match[0]

    return (_BRACED.sub(number, text), absent) if own in records else (text, [])


def in_text(name: str, records: Records, remembered: dict[str, Any]) -> str:
    """What the role `value` writes: a number of a claim (its name has a dash), or a remembered one.

    Raises
    ------
    LookupError, TypeError, ValueError
        If there is no such number, or it does not take this format.

    Examples
    --------
    >>> in_text("S000-01.observed:.2g", {"S000-01": {"observed": 1.23e-06}}, {})
    '1.2 × 10⁻⁶'
    >>> in_text("gains[1]:.0%", {}, {"gains": [0.1, 0.25]})
    '25%'
    """
    if "-" in name.partition(":")[0]:
        match = re.fullmatch(NAME, name)
        if match and match["id"]:
            return _formatted(match, match["id"], records)
    elif match := re.fullmatch(rf"(?P<field>\w+){_TAIL}", name):
        return _formatted(match, "", {"": remembered})
    raise LookupError(f"no number is called {name}")


def _formatted(match: re.Match[str], own: str, records: Records) -> str:
    """The number that a name means, for reading."""
    value: Any = records[match.groupdict().get("id") or own]
    for key in match["field"].split("."):
        value = value[key]
    for index in re.findall(r"\d+", match["indices"]):
        value = value[int(index)]
    if match["end"]:
        value = value[match["end"]]
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(f"{match[0]} is not one number")
    if isinstance(value, str):  # infinities and fractions, which JSON does not have
        value = float(Fraction(value)) if re.fullmatch(r"-?\d+(/\d+)?", value) else float(value)
    return written(format(value, match["format"] or (".4g" if isinstance(value, float) else "")))


def written(text: str) -> str:
    """A formatted number as books print it: a minus sign, and powers of ten.

    Examples
    --------
    >>> written("-1.5e-07"), written("12%")
    ('−1.5 × 10⁻⁷', '12%')
    """
    power = re.fullmatch(r"(.*)e([+-])0*(\d+)(%?)", text)
    if not power:
        return text.replace("-", "−")
    exponent = (power[3] if power[2] == "+" else f"-{power[3]}").translate(_SUPERSCRIPT)
    return f"{power[1]} × 10{exponent}".replace("-", "−")
