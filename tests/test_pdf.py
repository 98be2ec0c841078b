"""The PDF of the whole book, read back by poppler, and the HTML that goes onto its paper."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import paper_html
import printed
import pytest
from docutils import nodes

from tools import chapters, claims


@pytest.fixture(scope="module")
def book(root: Path) -> Path:
    """The PDF, which must be that of the present pages."""
    if not printed.current(root):
        pytest.fail("there is no PDF of the present pages: run make pdf")
    return printed.path(root)


@pytest.fixture(scope="module")
def text(book: Path) -> str:
    command = ["pdftotext", "-layout", str(book), "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def outline(book: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Titles of the outline, as a viewer lists them."""
    file = tmp_path_factory.mktemp("pdf") / "book.xml"
    subprocess.run(["pdftohtml", "-xml", "-i", "-q", str(book), str(file)], check=True)
    part = file.read_text(encoding="utf-8", errors="replace").partition("<outline>")[2]
    return [re.sub(r"\s+", " ", t) for t in re.findall(r"<item page=\"\d+\">(.*?)</item>", part)]


@pytest.mark.pdf
def test_every_claim_is_on_paper_with_its_verdict(text: str, root: Path) -> None:
    assert [claim["id"] for claim in claims.declared(root) if claim["id"] not in text] == []


@pytest.mark.pdf
def test_no_reference_is_lost(text: str) -> None:
    assert re.findall(r".*\?\?.*", text) == []


@pytest.mark.pdf
def test_no_glyph_is_missing(text: str) -> None:
    assert re.findall(".*[\ufffd\u25a1].*", text) == []


@pytest.mark.pdf
def test_every_font_is_embedded(book: Path) -> None:
    command = ["pdffonts", str(book)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) > 6
    assert [line for line in lines[2:] if line.split()[-5] != "yes"] == []


@pytest.mark.pdf
def test_the_outline_has_every_chapter(outline: list[str], root: Path) -> None:
    for name in chapters.names(root):
        head = re.search("^# (.*)$", chapters.source(name, root).read_text("utf-8"), re.MULTILINE)
        assert any(head[1] in title for title in outline), head[1]


@pytest.mark.pdf
def test_chapters_have_the_numbers_of_the_site(text: str, root: Path) -> None:
    for name in chapters.names(root)[1:]:  # the introduction has none
        assert re.search(rf"(?m)^\s*CHAPTER +{int(name[:2])}$", text), name


@pytest.mark.pdf
def test_solutions_and_figures_are_there(text: str, root: Path) -> None:
    for name in chapters.names(root):
        written = chapters.source(name, root).read_text("utf-8")
        assert written.count("{solution") > 0
    assert len(re.findall("Solution to Exercise", text)) >= 2 * len(chapters.names(root))
    assert len(re.findall(r"(?m)^\s*Fig\. ", text)) >= len(chapters.names(root))


def text_of(markup: str) -> str:
    return "\n".join(node.astext() for node in paper_html.read(markup, "book/page"))


def test_a_badge_becomes_a_paragraph_with_a_formula_and_a_link() -> None:
    (quote,) = paper_html.read(
        '<div class="claim-badge"><p><a href="report.html#claim-S1">S1</a> '
        '<span class="claim-verdict">refuted</span> at '
        '<span class="math">\\(x^2\\)</span></p></div>',
        "book/page",
    )
    assert isinstance(quote, nodes.block_quote)
    assert quote.astext() == "S1 (refuted)  at x^2"
    assert next(quote.findall(nodes.reference))["refuri"] == "%book/report#claim-S1"
    assert next(quote.findall(nodes.math)).astext() == "x^2"


def test_a_table_keeps_its_cells_and_its_head() -> None:
    nodes_of = paper_html.read(
        "<div><table><caption>Of two</caption><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><th>1</th><td>2</td></tr><tr><td>3</td></tr></tbody></table></div>",
        "book/page",
    )
    caption, table = nodes_of
    assert caption.astext() == "Of two"
    rows = [[cell.astext() for cell in row] for row in table.findall(nodes.row)]
    assert rows == [["a", "b"], ["1", "2"], ["3", ""]]
    assert len(list(table.findall(nodes.thead))) == 1


def test_what_cannot_be_pressed_is_left_out_and_its_sentence_stays() -> None:
    markup = (
        "<figure><svg><text>12</text></svg><label>epsilon<input></label><button>Draw</button>"
        "<p role=status>At epsilon 1 the odds are 2.7 to 1.</p></figure>"
    )
    assert text_of(markup) == "At epsilon 1 the odds are 2.7 to 1."


def test_links_lead_to_pages_of_the_document_and_nowhere_else() -> None:
    assert paper_html.address("../index.html#top", "book/page") == "%index#top"
    assert paper_html.address("#here", "book/page") == "%book/page#here"
    assert paper_html.address("../claims.json", "book/page") == ""
    assert paper_html.address("https://example.org", "book/page") == "https://example.org"


@pytest.fixture
def project(good_book: Path) -> Callable[[], Path]:
    """A small book; called, it has a PDF of its present pages."""
    (good_book / "index.md").write_text("# Index\n")
    made = good_book / "made.pdf"
    made.write_bytes(b"%PDF")

    def keep() -> Path:
        printed.keep(made, good_book)
        return good_book

    return keep


def test_a_pdf_of_other_pages_is_not_offered(project: Callable[[], Path]) -> None:
    root = project()
    assert printed.current(root)
    page = root / "book" / "00-good.md"
    page.write_text(page.read_text() + "\nMore.\n")
    assert not printed.current(root)
    assert printed.current(project())
    shutil.rmtree(root / "_build" / "executed")
    assert not printed.current(root)
