"""HTML that other extensions write, as nodes of a document: text, tables and links on paper."""

import re
from html.parser import HTMLParser
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes

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
