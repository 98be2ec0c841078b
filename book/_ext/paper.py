"""Sphinx extension: the pages on paper, where raw HTML and SVG are not understood.

What other extensions write as HTML (claims, tables, explorables) becomes the same text, table or
link of the document (`paper_html`); drawings become PDF by `rsvg-convert`. Nothing here touches the
site.
"""

import re
import subprocess
from typing import Any, ClassVar

import paper_html
from docutils import nodes
from sphinx.addnodes import start_of_file
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.transforms.post_transforms.images import ImageConverter

RAISED = re.compile("([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)")
LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789−")


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
        for node in list(self.document.findall(nodes.reference)):
            name = node.get("refuri", "").partition("#")[2]
            if name in known:
                # Blanks at the beginning of a link are lost.
                before = "\\ " * node.astext().startswith(" ")
                start = rf"{before}\hyperref[exercise:{name}]{{\ignorespaces "
                ends = [nodes.raw("", mark, format="latex") for mark in (start, "}")]
                node.parent.replace(node, [ends[0], *node.children, ends[1]])


class HtmlOnPaper(SphinxPostTransform):
    """Put text in the place of raw HTML."""

    default_priority = 350
    formats = ("latex",)

    def run(self, **kwargs: Any) -> None:
        """Replace every block; a tag within a line only loses its markup."""
        for node in list(self.document.findall(nodes.raw)):
            if node["format"] == "html" and not isinstance(node.parent, nodes.TextElement):
                text = paper_html.read(node.astext(), docname_of(node, self.env.docname))
                node.parent.replace(node, text)
        for node in list(self.document.findall(nodes.Element)):
            kinds = node.get("classes", [])
            if "drawing-links" in kinds:  # to a file and to a place on the screen
                node.parent.parent.remove(node.parent)
            elif "claim-box" in kinds:
                node.parent.replace(node, nodes.block_quote("", *node.children))
            elif "claim-box-title" in kinds:
                node[:] = [nodes.strong("", "", *node.children)]
            elif "claim-verdict" in kinds and isinstance(node, nodes.inline):
                verdict = nodes.emphasis("", "", *node.children)
                node.parent.replace(node, [nodes.Text("("), verdict, nodes.Text(")")])
        for node in list(self.document.findall(nodes.container)):
            for name in node["ids"]:  # Sphinx gives no place on paper to a container
                node.insert(0, paper_html.anchor(name, docname_of(node, self.env.docname)))


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

    conversion_rules: ClassVar = [("image/svg+xml", "application/pdf")]

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
