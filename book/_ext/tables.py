"""Tables and lists of facts as HTML."""

import html
from collections.abc import Sequence


def table(
    label: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    last: Sequence[str] = (),
    caption: str = "",
    more: str = "",
) -> str:
    """Table of HTML cells, the first of a row its name; it scrolls by itself on narrow screens."""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in heads)
    body = "".join(_row(cells) for cells in rows)
    foot = f"<tfoot>{_row(last)}</tfoot>" if last else ""
    return (
        f'<div class="claims-scroll" role="region" aria-label="{label}" tabindex="0">'
        f'<table class="table claims-counts{more}"><caption>{caption or label}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>{foot}</table></div>"
    )


def _row(cells: Sequence[str]) -> str:
    name, *others = cells
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'


def facts_list(rows: dict[str, str]) -> str:
    """Definition list of the rows that have a text."""
    items = "".join(
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd></div>"
        for name, text in rows.items()
        if text
    )
    return f'<dl class="claims-run">{items}</dl>'
