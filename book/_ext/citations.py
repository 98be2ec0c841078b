"""Sphinx extension: author-year labels in the bibliography, citations in docstrings.

The label of an entry reads like the citations that lead to it; a source keeps its short name. In a
docstring a key of the bibliography is written as a literal, which reads well in a terminal; the
reference page makes it a citation.
"""

import re
from collections.abc import Iterator
from typing import Any

from pybtex.database import Entry
from pybtex.plugin import register_plugin
from pybtex.richtext import Text
from pybtex.style.formatting.unsrt import Style as UnsortedStyle
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx

from tools import claims

KEY = re.compile(r"``([A-Za-z]+\d+[a-z]*)``")
SHORT_NAMES = {source["key"]: source["name"] for source in claims.sources()}


class AuthorYearLabels(BaseLabelStyle):
    """Label every entry as the reference style `author_year` cites it."""

    def format_labels(self, sorted_entries: list[Entry]) -> Iterator[str]:
        """Yield one label for each entry; Sphinx warns if two are the same."""
        yield from map(label, sorted_entries)


class AuthorYearStyle(UnsortedStyle):
    """The style `unsrt`, sorted by author, with author-year labels."""

    default_sorting_style = "author_year_title"
    default_label_style = AuthorYearLabels


def label(entry: Entry) -> str:
    """Authors and year of one entry, after the short name of a source."""
    people = entry.persons["author"]
    last = [str(Text.from_latex(" ".join(p.prelast_names + p.last_names))) for p in people]
    authors = " and ".join(last) if len(last) <= 2 else f"{last[0]} et al."
    short = SHORT_NAMES.get(entry.key, authors)
    return f"{short + ': ' if short != authors else ''}{authors}, {entry.fields['year']}"


def cite_keys(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Turn the literals that are keys of the bibliography into citations."""
    keys = app.env.get_domain("cite").bibdata.data.entries
    for number, line in enumerate(lines):
        lines[number] = KEY.sub(
            lambda match: f":cite:t:`{match[1]}`" if match[1] in keys else match[0], line
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the style and the hook."""
    register_plugin("pybtex.style.formatting", "author_year", AuthorYearStyle)
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", cite_keys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
