"""The scripts of the explorables, run without a browser; and what a run hands to them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from companion.records import publish

HERE = Path(__file__).resolve().parent
# In the wheel for the notebooks the scripts are in this package, else beside it in the book.
SCRIPTS = HERE / "explore" if (HERE / "explore").exists() else HERE.parent / "_static" / "explore"
DIGITS = 13  # of a number that is handed to a script: ten times finer than what is compared


def javascript(
    name: str, function: str, arguments: Sequence[Sequence[Any]], data: Any = None
) -> npt.NDArray[np.float64]:
    """Evaluate one formula of an explorable, as the browser would, at many points.

    Parameters
    ----------
    name : str
        Name of the explorable: its script is ``NAME.js``.
    function : str
        Name of the formula in its script.
    arguments : sequence of sequences
        The arguments of each call: numbers, texts, or lists of them.
    data : optional
        What the run hands to the script; if given, it is the first argument of each call.

    Returns
    -------
    array
        What the calls return: one number each, or equally long lists of numbers.

    Raises
    ------
    ValueError
        If the script has no such formula, or a call does not return finite numbers.

    Examples
    --------
    >>> javascript("core", "reading", [["1"]])
    Traceback (most recent call last):
    ValueError: function must be a formula of the explorable 'core', got 'reading'
    """
    script = engine(name)
    formula = f"explore.specs[{json.dumps(name)}]?.formulas[{json.dumps(function)}]"
    if script.eval(f"typeof {formula}") != "function":
        raise ValueError(f"function must be a formula of the explorable {name!r}, got {function!r}")
    calls = [list(call) if data is None else [_handed(data), *call] for call in arguments]
    text = script.eval(
        f"JSON.stringify({json.dumps(_plain(calls))}.map((call) => {formula}(...call)))"
    )
    values = np.array(json.loads(text), dtype=np.float64)
    if not np.all(np.isfinite(values)):
        raise ValueError(f"{function} must return finite numbers, got {values}")
    return values


def engine(name: str) -> Any:
    """A JavaScript engine that has read the core and the script of an explorable."""
    from _quickjs import Context  # `quickjs` around it keeps a thread, for which a run would wait

    made = Context()
    for script in dict.fromkeys(["core", name]):
        made.eval((SCRIPTS / f"{script}.js").read_text(encoding="utf-8"))
    return made


def hand_over(name: str, data: Any) -> None:
    """Put numbers of this run on the page, for the script of an explorable (`kit.data`).

    Parameters
    ----------
    name : str
        Name of the explorable.
    data
        Numbers, texts, arrays, and lists and dictionaries of them.

    Examples
    --------
    >>> hand_over("budget", {"risk": [1 / 3, 2]})
    [numbers of this run for the explorable budget]
    """
    text = f"[numbers of this run for the explorable {name}]"
    handed = json.dumps(_handed(data), separators=(",", ":")).replace("</", "<\\/")
    script = f'<script type="application/json" data-explore-data="{name}">{handed}</script>'
    if not publish({"text/html": script, "text/plain": text}):
        print(text)


def _handed(data: Any) -> Any:
    """What a script gets of the data: their numbers at `DIGITS` digits."""
    if isinstance(data, dict):
        return {key: _handed(value) for key, value in data.items()}
    if isinstance(data, list | tuple | np.ndarray):
        return [_handed(item) for item in data]
    value = _plain(data)
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _plain(value: Any) -> Any:
    """Lists and plain numbers instead of arrays and numpy's."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
