"""The first use of every term of the glossary in a chapter links to its definition."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from tools import chapters

# Text that is a name, a picture of something, or a link already.
CLOSED = (
    nodes.title,
    nodes.caption,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.reference,
    nodes.raw,
    nodes.term,
    pending_xref,
)
BOXES = {"claim-box", "solution", "toggle", "cell"}


def terms(glossary: str) -> list[str]:
    r"""Terms that a glossary defines, longest first.

    Examples
    --------
    >>> terms("# G\n\n```{glossary}\npure\n  What is.\n\npure oracle\n  More.\n```\n")
    ['pure oracle', 'pure']
    """
    inside = glossary.split("```{glossary}\n", 1)[-1].split("\n```", 1)[0]
    lines = [line for line in inside.splitlines() if line and not line.startswith((" ", ":"))]
    return sorted((line.strip() for line in lines), key=len, reverse=True)


def pattern(names: list[str]) -> re.Pattern[str]:
    """What uses one of the terms: capitalized or not, in the singular or the plural."""
    forms = [re.escape(name).replace(r"\ ", r"\s+") for name in names]
    return re.compile(rf"(?<![\w-])(?P<term>{'|'.join(forms)})(?:s|es)?(?![\w-])", re.I)


def link_first_uses(app: Sphinx, doctree: nodes.document) -> None:
    """Link the first use of each term on the pages of chapters."""
    root, page = Path(app.srcdir), app.env.docname
    glossary = root / "book" / "glossary.md"
    if not chapters.of_page(page, root) or not glossary.exists():
        return
    app.env.note_dependency(str(glossary))
    left = {name.lower(): name for name in terms(glossary.read_text(encoding="utf-8"))}
    for text in list(doctree.findall(nodes.Text)):
        if left and _is_open(text):
            pieces = _linked(text, left, page)
            if len(pieces) > 1:
                text.parent.replace(text, pieces)


def _is_open(text: nodes.Text) -> bool:
    """Whether a text is plain prose of the chapter."""
    node, prose = text.parent, False
    while node is not None:
        if isinstance(node, CLOSED) or BOXES & set(node.get("classes", ())):
            return False
        prose = prose or isinstance(node, nodes.paragraph)
        node = node.parent
    return prose


def _linked(text: nodes.Text, left: dict[str, str], page: str) -> list[nodes.Node]:
    """The text in pieces, terms that were not used before as links; they leave `left`."""
    pieces, start, words = [], 0, str(text)
    while left and (match := pattern([*left.values()]).search(words, start)):
        term = left.pop(" ".join(match["term"].lower().split()))
        pieces.append(nodes.Text(words[start : match.start()]))
        kind = {"refdomain": "std", "reftype": "term", "refexplicit": True, "refwarn": True}
        inner = nodes.inline("", match[0], classes=["std-term"])
        pieces.append(pending_xref("", inner, reftarget=term, refdoc=page, **kind))
        start = match.end()
    return [*pieces, nodes.Text(words[start:])]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook."""
    app.connect("doctree-read", link_first_uses)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
