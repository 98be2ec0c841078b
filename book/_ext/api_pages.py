"""Sphinx extension: each page of the reference begins with a table of its names, a line for each.

Where a page has the empty directive `api-names`, the names stand that it documents below, each with
the first paragraph of its docstring.
"""

import importlib
import inspect
import re
from typing import Any

from sphinx.application import Sphinx

NEAR = re.compile(r":(func|class):`(\w+)`")
PLACE = "```{api-names}\n```\n"
ROOM = re.compile(r"^\.\. currentmodule:: (\S+)")
ENTRY = re.compile(r"^\.\. auto(?:class|function|data):: (\w+)")


def names(page: str) -> list[str]:
    """Full names of what a page documents, in its order."""
    found, room = [], ""
    for line in page.splitlines():
        if place := ROOM.match(line):
            room = place[1]
        elif entry := ENTRY.match(line):
            found.append(f"{room}.{entry[1]}")
    return found


def first_paragraph(name: str) -> str:
    """What a docstring says first; constants have none."""
    room, _, own = name.rpartition(".")
    made = getattr(importlib.import_module(room), own)
    documented = inspect.isclass(made) or inspect.isroutine(made)
    text = inspect.getdoc(made) if documented else "Constant."
    line = " ".join(text.split("\n\n")[0].split())
    return NEAR.sub(rf":\1:`~{room}.\2`", line)  # the table has no room of its own


def table(listed: list[str]) -> str:
    """A row for each name: a link and its first paragraph, which is reStructuredText."""
    rows = "".join(f"   * - :py:obj:`~{name}`\n     - {first_paragraph(name)}\n" for name in listed)
    return f"```{{eval-rst}}\n.. list-table::\n   :class: api-names\n\n{rows}```\n"


def write_tables(app: Sphinx, docname: str, content: list[str]) -> None:
    """Put the table in its place."""
    if PLACE in content[0]:
        content[0] = content[0].replace(PLACE, table(names(content[0])))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook."""
    app.connect("source-read", write_tables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
