"""Figures of the chapters: panels that wrap, in the colours of the page, with their data.

What a cell drew is taken from the run and shown behind the cell by the directive `drawing`: one
caption, one image for each figure of the cell, and links to the numbers (CSV) and to the cell. On
the pages a vector figure is part of the page, so that its colours follow light and dark.
"""

import colorsys
import html
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any, ClassVar

import nbformat
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.images import get_image_size

from companion import CSV_MIME
from tools import chapters

KINDS = {"image/svg+xml": "svg", "image/png": "png"}
# The style's colours on the dark ground of the pages; any other colour changes its lightness.
DARK = {
    "#0072b2": "#5aa9e6",
    "#d55e00": "#f28c4a",
    "#009e73": "#3fc79b",
    "#cc79a7": "#e39ac4",
    "#e69f00": "#f0b93a",
    "#56b4e9": "#a5defa",
    "#000000": "#e8e8e4",
}
PIXELS = 2  # of a picture to one of the page, as the style draws them
# Letters are thinner than lines: in the light those of pale colours are darker.
TEXT = {
    "#d55e00": "#a84a00",
    "#009e73": "#00734f",
    "#cc79a7": "#9c4277",
    "#e69f00": "#8a5f00",
    "#56b4e9": "#1a6ea3",
}
IMAGE = re.compile(r'<img\b[^>]*\bclass="[^"]*\bdrawing\b[^>]*>')
ATTRIBUTE = re.compile(r'\b(alt|src)="([^"]*)"')
LEFT_OUT = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|\s*<!--.*?-->", re.S)
REFERENCE = re.compile(r'(?:href="|url\()#([^")]+)')
LETTERS = re.compile(r"<text\b[^>]*>|<g\b[^>]*>(?=\s*<text\b)")
COLOR = re.compile(r"(?<=[:\s])#[0-9a-fA-F]{6}\b")
FONTS = re.compile(r"(font: [^;\"]*?px)[^;\"]*")


def pull(cell: nbformat.NotebookNode, name: str, root: Path) -> str:
    """Take the figures out of an executed cell; the directive that shows them, or nothing."""
    options = cell.metadata.get("mystnb", {})
    if "figure" not in options:
        return ""
    figure, drawn = options["figure"], [o for o in cell.outputs if KINDS.keys() & o.get("data", {})]
    folder = chapters.drawings(root) / name
    files, tables = [], []
    for index, output in enumerate(drawn):
        stem = figure["name"] + (f"-{index + 1}" if len(drawn) > 1 else "")
        (kind,) = KINDS.keys() & output.data
        files.append(_write(folder / f"{stem}.{KINDS[kind]}", output.data[kind]))
        if CSV_MIME in output.data:
            tables.append(_write(folder / f"{stem}.csv", output.data[CSV_MIME]))
    cell.outputs = [output for output in cell.outputs if output not in drawn]
    cell.metadata["mystnb"] = {k: v for k, v in options.items() if k not in ("figure", "image")}
    places = [f"/{path.relative_to(root).as_posix()}" for path in (*files, *tables)]
    alt = json.dumps(" ".join(options["image"]["alt"].split()), ensure_ascii=False)
    head = f"::::::{{drawing}} {' '.join(places)}\n:name: {figure['name']}\n:alt: {alt}\n"
    return f"{head}\n{figure['caption']}\n::::::"


def _write(path: Path, content: str) -> Path:
    if path.suffix == ".png":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b64decode(content))
    else:
        chapters.write_text(path, content)
    return path


class Drawing(SphinxDirective):
    """The figures of one cell, under one caption."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "name": directives.unchanged,
        "alt": directives.unchanged,
    }
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write figure, panels, caption and links."""
        places = self.arguments[0].split()
        images = [place for place in places if not place.endswith(".csv")]
        figure = nodes.figure(classes=["drawing"])
        panels = nodes.container(classes=["panels", "one-panel" if len(images) == 1 else "more"])
        for index, place in enumerate(images):
            which = f" Panel {index + 1} of {len(images)}." if len(images) > 1 else ""
            alt = self.options["alt"] + which
            panels += nodes.image(uri=place, alt=alt, classes=["drawing"], candidates={"*": place})
        figure += panels
        text, messages = self.state.inline_text(" ".join(self.content), self.lineno)
        figure += nodes.caption("", "", *text)
        figure += self.links([place for place in places if place.endswith(".csv")])
        self.set_source_info(figure)
        self.add_name(figure)
        return [figure, *messages]

    def links(self, tables: list[str]) -> nodes.legend:
        """Links to the numbers that the panels show and to the cell above."""
        line = nodes.paragraph(classes=["drawing-links"])
        for index, place in enumerate(tables):
            text = f"Data {index + 1}" if len(tables) > 1 else "Data"
            line += addnodes.download_reference(
                "", "", nodes.inline("", text), reftarget=place, refdoc=self.env.docname
            )
        target = f"source-{nodes.make_id(self.options['name'])}"
        line += nodes.reference("", "Code", refid=target, internal=True)
        return nodes.legend("", line)


def name_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Let the link of a figure lead to the cell that drew it, which stands before the figure."""
    for figure in doctree.findall(nodes.figure):
        if "drawing" not in figure["classes"]:
            continue
        before = figure.parent[figure.parent.index(figure) - 1]
        if isinstance(before, nodes.container):
            before["ids"].append(f"source-{figure['ids'][0]}")


def inline(app: Sphinx, body: str) -> str:
    """Body of a page with its vector figures in it, instead of links to files."""
    sources = {name: source for source, name in app.builder.images.items()}

    def drawn(match: re.Match[str]) -> str:
        given = dict(ATTRIBUTE.findall(match[0]))
        source = sources.get(Path(given["src"]).name)
        if source is None:
            return match[0]
        if source.endswith(".png"):
            width, height = (side // PIXELS for side in get_image_size(Path(app.srcdir, source)))
            size = f'<img loading="lazy" width="{width}" height="{height}"'
            return match[0].replace("<img", size, 1)
        markup = Path(app.srcdir, source).read_text(encoding="utf-8")
        return in_page(markup, html.unescape(given["alt"]), Path(source).stem)

    return IMAGE.sub(drawn, body)


def in_page(markup: str, alt: str, prefix: str) -> str:
    """An SVG file as a part of a page: names of its own, the page's font, two sets of colours."""
    markup = LEFT_OUT.sub("", markup)
    needed = set(REFERENCE.findall(markup))
    markup = re.sub(
        r' id="([^"]*)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in needed else "", markup
    )
    markup = REFERENCE.sub(lambda m: m[0].replace("#", f"#{prefix}-", 1), markup)
    markup = FONTS.sub(r"\1 var(--pst-font-family-base)", markup)
    markup = LETTERS.sub(lambda m: COLOR.sub(lambda c: _pair(c[0], TEXT), m[0]), markup)
    markup = COLOR.sub(lambda m: _pair(m[0], {}), markup)
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', markup)
    assert box, prefix
    width, height = (round(4 / 3 * float(side)) for side in box.groups())
    label = html.escape(alt, quote=True)
    head = (
        f'<svg class="drawing" role="img" aria-label="{label}" width="{width}" height="{height}"'
        f' viewBox="{box[0][9:]} xmlns="http://www.w3.org/2000/svg"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return re.sub(r"<svg\b[^>]*>", lambda _: head, markup, count=1).strip()


def _pair(color: str, light: dict[str, str]) -> str:
    """A colour in both modes, as a style's value; what was paired before stays."""
    return f"light-dark({light.get(color.lower(), color)},{dark(color)})"


def dark(color: str) -> str:
    """A colour on the dark ground: one that the style knows, or the other end of its lightness.

    Examples
    --------
    >>> dark("#0072B2"), dark("#ffffff"), dark("#d9d9d6")
    ('#5aa9e6', '#1f1f1f', '#40403b')
    """
    if (known := DARK.get(color.lower())) is not None:
        return known
    red, green, blue = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    hue, light, strength = colorsys.rgb_to_hls(red, green, blue)
    parts = colorsys.hls_to_rgb(hue, 0.91 - 0.79 * light, strength)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("drawing", Drawing)
    app.connect("doctree-read", name_cells)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
