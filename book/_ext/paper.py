"""Sphinx extension: the pages on paper, where raw HTML and SVG are not understood.

What other extensions write as HTML (claims, tables, explorables) becomes the same text, table or
link of the document; drawings become PDF by `rsvg-convert`. Nothing here touches the site.
"""

import re
import subprocess
from html.parser import HTMLParser
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.addnodes import number_reference, start_of_file
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.transforms.post_transforms.images import ImageConverter

TABLE = ("table", "thead", "tbody", "tfoot", "tr")
CELL = ("th", "td")
BLOCK = ("div", "section", "figure", "details", "dl", "dd", "ul", "ol", "li", *TABLE, *CELL)
TEXT = ("p", "figcaption", "summary", "caption", "dt", "pre")
INLINE = {"em": nodes.emphasis, "i": nodes.emphasis, "strong": nodes.strong, "b": nodes.strong}
INLINE |= {"code": nodes.literal}
# On paper nobody can press, drag or choose; what a control would show, its sentence says.
UNSEEN = ("svg", "script", "style", "button", "select", "label", "template")
VOID = ("input", "img", "br", "hr", "meta", "link", "wbr", "source")
FORMULA = re.compile(r"\\\((.*?)\\\)|\\\[(.*?)\\\]", re.DOTALL)

RAISED = re.compile("([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)")
LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789−")


class Reader(HTMLParser):
    """Reads a piece of HTML into a tree of (tag, attributes, children)."""

    def __init__(self) -> None:
        super().__init__()
        self.root: tuple[str, dict[str, Any], list[Any]] = ("div", {}, [])
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        element = (tag, dict(attrs), [])
        self.open[-1][2].append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        """Close the last element of this name, and what was left open in it."""
        if any(element[0] == tag for element in self.open[1:]):
            while self.open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Add text."""
        self.open[-1][2].append(data)


def read(markup: str, docname: str) -> list[nodes.Node]:
    """Nodes of a piece of HTML that stands on the page `docname`."""
    reader = Reader()
    reader.feed(markup)
    return blocks(reader.root[2], docname)


def blocks(children: list[Any], docname: str) -> list[nodes.Node]:
    """Block nodes of HTML content; bare text between blocks is a paragraph."""
    made: list[nodes.Node] = []
    line: list[Any] = []
    for child in [*children, ("end", {}, [])]:
        tag = child if isinstance(child, str) else child[0]
        if isinstance(child, str) or tag not in (*BLOCK, *TEXT, "end"):
            line.append(child)
            continue
        if any(not isinstance(c, str) or c.strip() for c in line):
            made += paragraph(line, docname)
        line = []
        if tag != "end":
            made += block(child, docname)
    return made


def block(element: tuple[str, dict[str, Any], list[Any]], docname: str) -> list[nodes.Node]:
    """Nodes of one block, after the anchor that links to it need."""
    tag, attributes, children = element
    made = [anchor(attributes["id"], docname)] if "id" in attributes else []
    if tag == "table":
        made += table(element, docname)
    elif tag == "pre":
        made.append(nodes.literal_block("", plain(children), language="none"))
    elif tag == "dt":
        made += [nodes.paragraph("", "", nodes.strong("", "", *inline(children, docname)))]
    elif tag in TEXT:
        made += paragraph(children, docname)
    elif tag in ("ul", "ol"):
        kind = nodes.bullet_list if tag == "ul" else nodes.enumerated_list
        items = [c for c in children if not isinstance(c, str) and c[0] == "li"]
        made.append(kind("", *(nodes.list_item("", *blocks(i[2], docname)) for i in items)))
    elif "claim-badge" in (attributes.get("class") or ""):
        made.append(nodes.block_quote("", *blocks(children, docname)))
    else:
        made += blocks(children, docname)
    return made


def paragraph(children: list[Any], docname: str) -> list[nodes.Node]:
    """A paragraph, unless nothing of it can be seen."""
    content = inline(children, docname)
    made = nodes.paragraph("", "", *content)
    return [made] if made.astext().strip() or any(made.findall(nodes.raw)) else []


def inline(children: list[Any], docname: str) -> list[nodes.Node]:
    """Inline nodes of HTML content."""
    made: list[nodes.Node] = []
    for child in children:
        if isinstance(child, str):
            made += formulas(re.sub(r"\s+", " ", child))
            continue
        tag, attributes, inner = child
        if tag in UNSEEN or tag in VOID or "hidden" in attributes:
            continue
        if "id" in attributes:
            made.append(anchor(attributes["id"], docname))
        content = inline(inner, docname)
        target = address(attributes.get("href", ""), docname) if tag == "a" else ""
        if target:
            made.append(nodes.reference("", "", *content, refuri=target, internal=False))
        elif "claim-verdict" in (attributes.get("class") or ""):
            made += [nodes.Text("("), nodes.emphasis("", "", *content), nodes.Text(") ")]
        elif tag in INLINE:
            made.append(INLINE[tag]("", "", *content))
        else:
            made += content
    return made


def formulas(text: str) -> list[nodes.Node]:
    """Text with its formulas as nodes."""
    made: list[nodes.Node] = []
    for index, piece in enumerate(FORMULA.split(text)):
        if piece:
            made.append(nodes.math(piece, piece) if index % 3 else nodes.Text(piece))
    return made


def plain(children: list[Any]) -> str:
    """Text of HTML content, line by line as it is."""
    return "".join(c if isinstance(c, str) else plain(c[2]) for c in children).strip("\n")


def address(href: str, docname: str) -> str:
    """What a link leads to in the document; empty where paper has no such place."""
    if re.match("https?:", href):
        return href
    page, _, name = href.partition("#")
    if page and not page.endswith(".html"):
        return ""
    parts: list[str] = list(PurePosixPath(docname).parts[:-1])
    for part in PurePosixPath(page.removesuffix(".html")).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return f"%{'/'.join(parts) if page else docname}#{name}" if name else ""


def anchor(name: str, docname: str) -> nodes.raw:
    """A place that `hyperref` can find, by the name that Sphinx would give it."""
    label = rf"\phantomsection\label{{\detokenize{{{docname}:{name}}}}}"
    return nodes.raw("", label, format="latex")


def table(element: tuple[str, dict[str, Any], list[Any]], docname: str) -> list[nodes.Node]:
    """A table; its caption is the paragraph before it."""
    captions = [blocks([c], docname) for c in found(element, ("caption",))]
    rows = [found(row, CELL) for row in found(element, ("tr",))]
    width = max((len(row) for row in rows), default=0)
    if not width:
        return [node for caption in captions for node in caption]
    made = nodes.table(classes=["longtable"] if len(rows) > 20 else [])
    group = nodes.tgroup(cols=width)
    for index in range(width):
        longest = max((len(plain(row[index][2])) for row in rows if index < len(row)), default=1)
        group += nodes.colspec(colwidth=min(max(longest, 4), 40))
    heads = [row for row in rows if all(cell[0] == "th" for cell in row)]
    others = [row for row in rows if row not in heads]
    for part, lines in ((nodes.thead(), heads), (nodes.tbody(), others)):
        for line in lines:
            cells = [nodes.entry("", *blocks(cell[2], docname)) for cell in line]
            part += nodes.row("", *cells, *(nodes.entry() for _ in range(width - len(line))))
        if lines:
            group += part
    made += group
    return [node for caption in captions for node in caption] + [made]


def found(element: tuple[str, dict[str, Any], list[Any]], tags: tuple[str, ...]) -> list[Any]:
    """Elements of these tags inside another, in order, without those inside one of them."""
    inside = []
    for child in element[2]:
        if not isinstance(child, str):
            inside += [child] if child[0] in tags else found(child, tags)
    return inside


class SameNumbers(SphinxPostTransform):
    """Give chapters their numbers on the site, and none to pages that have none there."""

    default_priority = 340
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Set TeX's counters before each page."""
        for page in self.document.findall(start_of_file):
            number = self.env.toc_secnumbers.get(page["docname"], {}).get("")
            depth = rf"\setcounter{{secnumdepth}}{{{3 if number else -1}}}"
            if number:
                depth += rf"\setcounter{{chapter}}{{{number[0] - 1}}}"
            else:
                depth += r"\setcounter{chapter}{0}\setcounter{figure}{0}\setcounter{table}{0}"
            page.insert(0, nodes.raw("", depth, format="latex"))


class ExercisesOfOtherPages(SphinxPostTransform):
    """Lead to an exercise by the name that sphinx-exercise gives it on paper."""

    default_priority = 345
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace references that would ask for a label that nothing sets."""
        known = getattr(self.env, "sphinx_exercise_registry", {})
        for node in list(self.document.findall(number_reference)):
            name = node.get("refuri", "").partition("#")[2]
            if name in known:
                link = rf"\hyperref[exercise:{name}]{{{node.astext()}}}"
                node.replace_self(nodes.raw("", link, format="latex"))


class HtmlOnPaper(SphinxPostTransform):
    """Put text in the place of raw HTML."""

    default_priority = 350
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace every block; a tag within a line only loses its markup."""
        for node in list(self.document.findall(nodes.raw)):
            if node["format"] == "html" and not isinstance(node.parent, nodes.TextElement):
                node.replace_self(read(node.astext(), docname_of(node, self.env.docname)))
        for node in list(self.document.findall(nodes.Element)):
            kinds = node.get("classes", [])
            if "drawing-links" in kinds:  # to a file and to a place on the screen
                node.parent.parent.remove(node.parent)
            elif "claim-box" in kinds:
                node.replace_self(nodes.block_quote("", *node.children))
            elif "claim-box-title" in kinds:
                node[:] = [nodes.strong("", "", *node.children)]
            elif "claim-verdict" in kinds and isinstance(node, nodes.inline):
                verdict = nodes.emphasis("", "", *node.children)
                node.replace_self([nodes.Text("("), verdict, nodes.Text(")")])
        for node in list(self.document.findall(nodes.container)):
            for name in node["ids"]:  # Sphinx gives no place on paper to a container
                node.insert(0, anchor(name, docname_of(node, self.env.docname)))


class RaisedNumbers(SphinxPostTransform):
    """Raise the digits of powers: the letters of the text have none that are small."""

    default_priority = 360  # after HTML has become text
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Split every text that has such digits, but for code."""
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.math):
                pieces = [p for p in RAISED.split(text) if p]
                if len(pieces) > 1 or RAISED.match(text):
                    text.parent.replace(text, [raised(piece) for piece in pieces])


def raised(piece: str) -> nodes.Node:
    """A piece of text as it is, or a power."""
    if RAISED.match(piece):
        return nodes.superscript("", piece.translate(LOWERED))
    return nodes.Text(piece)


def docname_of(node: nodes.Node, default: str) -> str:
    """The page a node comes from: on paper all pages are one document."""
    while node.parent is not None:
        node = node.parent
        if node.get("docname"):
            return node["docname"]
    return default


class DrawingsOnPaper(ImageConverter):
    """SVG to PDF, letters as letters."""

    conversion_rules = [("image/svg+xml", "application/pdf")]  # noqa: RUF012

    def is_available(self) -> bool:
        """Whether the command is there: `make pdf` has looked."""
        return self.app.builder.format == "latex"

    def convert(self, _from: str, _to: str) -> bool:
        """Convert one file."""
        subprocess.run(["rsvg-convert", "--format=pdf", f"--output={_to}", _from], check=True)
        return True


def plain_class(app: Sphinx, config: Any) -> None:
    """Set the book in Sphinx's own class: that of Jupyter Book needs 1.4 GB of fonts."""
    config["latex_theme"] = "manual"
    elements = config["latex_elements"]
    elements["preamble"] = re.sub(r".*ucharclasses.*", "", elements.get("preamble", ""))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transforms."""
    app.connect("config-inited", plain_class, priority=900)  # after Jupyter Book has chosen
    app.add_post_transform(SameNumbers)
    app.add_post_transform(ExercisesOfOtherPages)
    app.add_post_transform(HtmlOnPaper)
    app.add_post_transform(RaisedNumbers)
    app.add_post_transform(DrawingsOnPaper)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
