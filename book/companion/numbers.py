"""Numbers of a run for the text beside it."""

from typing import Any

from companion.records import plain, publish

VALUES_MIME = "application/vnd.ldp.values+json"


def remember(**values: Any) -> None:
    """Keep numbers of this run for the chapter's text, where a role puts them in.

    In the text, ``{value}`gain:.0%` `` writes the number `gain` as Python's format says; indices
    and the ends of a long array are those of `companion.claim`.

    Parameters
    ----------
    **values : bool, int, Fraction, float, str or array of them
        Numbers by name. A later number of the same name replaces the earlier.

    Examples
    --------
    >>> remember(gain=0.25)
    """
    record = {"values": {name: plain(value) for name, value in values.items()}}
    publish({VALUES_MIME: record, "text/plain": ""})
