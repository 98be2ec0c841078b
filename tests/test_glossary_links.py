"""First uses of the glossary's terms are found in prose, and only there."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx.addnodes import pending_xref

import glossary_links
from tools import chapters


@pytest.fixture
def app(tmp_path: Path) -> SimpleNamespace:
    (tmp_path / "book").mkdir()
    glossary = "```{glossary}\npure\n  One.\n\npure oracle\n  Two.\n\nOUE\n  Three.\n```\n"
    (tmp_path / "book" / "glossary.md").write_text(glossary)
    page = chapters.source("00-introduction").read_text()
    (tmp_path / "book" / "00-page.md").write_text(page)
    env = SimpleNamespace(docname="book/00-page", note_dependency=lambda path: None)
    return SimpleNamespace(srcdir=tmp_path, env=env)


def page_of(*parts: nodes.Node) -> nodes.document:
    document = nodes.document(None, None)
    document += parts
    return document


def linked(document: nodes.document) -> list[tuple[str, str]]:
    return [(ref["reftarget"], ref.astext()) for ref in document.findall(pending_xref)]


def test_the_first_use_links_and_no_other(app: SimpleNamespace) -> None:
    text = "Pure oracles are pure, and purely\nOUE is pure; OUE again."
    page = page_of(nodes.title("", "OUE"), nodes.paragraph("", text))
    glossary_links.link_first_uses(app, page)
    assert linked(page) == [("pure oracle", "Pure oracles"), ("pure", "pure"), ("OUE", "OUE")]
    assert page.astext().endswith(text), "no word is lost"


def test_code_links_boxes_and_other_pages_stay_as_they_are(app: SimpleNamespace) -> None:
    inside = nodes.paragraph("", "", nodes.literal("", "pure"), nodes.reference("", "OUE"))
    box = nodes.container("", nodes.paragraph("", "OUE is pure"), classes=["claim-box"])
    page = page_of(inside, box)
    glossary_links.link_first_uses(app, page)
    assert linked(page) == []
    for app.env.docname in ("book/notation", "book/cards/00-page"):
        page = page_of(nodes.paragraph("", "pure"))
        glossary_links.link_first_uses(app, page)
        assert linked(page) == []


def test_every_term_of_the_book_is_found(root: Path) -> None:
    text = (root / "book" / "glossary.md").read_text(encoding="utf-8")
    names = glossary_links.terms(text)
    assert len(names) == len(set(names)) > 50
    assert {"channel", "confidence interval"} <= set(names)
