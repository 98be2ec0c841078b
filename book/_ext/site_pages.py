"""Page-level hooks of the built site: description, image sizes, downloads, dropped scripts.

Everything here repairs or completes what the theme writes; a page that lacks what a reader needs
(a description, an alternative text) is a warning, and the build treats warnings as errors.
"""

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.images import get_image_size

import drawings
from site_math import reserve
from tools import chapters

logger = logging.getLogger(__name__)

# thebe would fetch a kernel from the network; the theme draws its icons with a 1.5 MB script,
# ours are in companion.css.
UNWANTED_ASSETS = ("sphinx-thebe", "thebe_selector", "THEBE_JS_URL")
ICON_SCRIPT = re.compile(r"\s*<script[^>]*scripts/fontawesome\.js[^>]*></script>")
SHARED_ID = re.compile(r'(<section[^>]*) id="(?:proof|exercise|solution)-content">')
CITATION_ID = re.compile(r'(<span class="bibtex-citation") id="[^"]*">')
PROOF = re.compile(r'<div class="(proof[^"]*)" id="proof">(\s*<p>)Proof\.')
FORMULA = re.compile(r'class="[^"]*\b(?:math|tex2jax_process|mathjax_process)\b')
IMAGE_TAG = re.compile(r"<img\b[^>]*>")
DOWNLOAD, CODE, SOURCE, PAPER = "fas fa-download", "fas fa-code", "fas fa-file", "fas fa-file-pdf"
DESCRIPTION_LENGTH = 160
GENERATED_PAGES = {
    "search": "Search the whole book: its chapters, its notation and the reference of its package.",
    "genindex": "Alphabetical index of the terms and functions of the book.",
}


def without_icon_script(markup: str) -> str:
    """Remove the theme's icon script from a piece of the page's head."""
    return ICON_SCRIPT.sub("", markup)


def drop_unwanted_assets(pagename: str, context: dict[str, Any]) -> None:
    """Leave what this page does not need out of its lists of scripts and styles."""
    unwanted = [*UNWANTED_ASSETS, *([] if pagename == "search" else ["search.js"])]
    if not FORMULA.search(context.get("body", "")):
        unwanted.append("mathjax")
    for kind in ("script_files", "css_files"):
        kept = [asset for asset in context[kind] if not _is_named(asset, unwanted)]
        context[kind][:] = kept


def _is_named(asset: Any, names: list[str]) -> bool:
    attributes = getattr(asset, "attributes", None) or {}
    text = f"{getattr(asset, 'filename', asset)} {attributes.get('body', '')}"
    return any(name in text for name in names)


def first_paragraph(doctree: nodes.document) -> str:
    """Return the plain text of the page's first paragraph, cut at a word, without formulas."""
    for paragraph in doctree.findall(nodes.paragraph):
        if not isinstance(paragraph.parent, nodes.section):
            continue  # a claim badge, a table cell, an admonition
        if any(paragraph.findall(nodes.math)):
            continue  # TeX reads badly in a list of search results
        text = " ".join(paragraph.astext().split())
        if len(text) > DESCRIPTION_LENGTH:
            text = text[: DESCRIPTION_LENGTH - 1].rsplit(" ", 1)[0] + "…"
        if text:
            return text
    return ""


def add_description(pagename: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Give the page a meta description; warn where there is nothing to make one of."""
    if 'name="description"' in context.get("metatags", ""):
        return
    text = GENERATED_PAGES.get(pagename) if doctree is None else first_paragraph(doctree)
    if not text:
        logger.warning("page %s has no description: add myst.html_meta.description", pagename)
        return
    tag = f'<meta name="description" content="{html.escape(text, quote=True)}" />'
    context["metatags"] = context.get("metatags", "") + tag


def drop_shared_ids(context: dict[str, Any]) -> None:
    """Remove the ids that every proof, exercise and solution of a page shares with the others."""
    if context.get("body"):
        # The button of a folded cell: its name is its text, which this would hide.
        body = context["body"].replace('<summary aria-label="Toggle hidden content">', "<summary>")
        body = PROOF.sub(_begin_proof, body)
        context["body"] = SHARED_ID.sub(r"\1>", body)


def _begin_proof(match: re.Match[str]) -> str:
    """Begin a proof; a folded one with a title, without which it could not be opened."""
    kind, start = match.groups()
    folded = "dropdown" in kind
    title = '<p class="admonition-title">Proof</p>' if folded else ""
    return f'<div class="{kind} companion-proof">{title}{start}' + "<em>Proof.</em>" * (not folded)


def repair_bibliography(context: dict[str, Any]) -> None:
    """Make bibliography entries items of their list; the role they come with is deprecated.

    A citation loses its id: no link needs it, and docstrings count theirs from 1 again.
    """
    if context.get("body"):
        body = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')
        context["body"] = CITATION_ID.sub(r"\1>", body)


def add_image_sizes(app: Sphinx, pagename: str, context: dict[str, Any]) -> None:
    """Write width and height on every image, so that the page does not move as they load."""
    sources = {name: source for source, name in app.builder.images.items()}

    def sized(match: re.Match[str]) -> str:
        tag = match.group(0)
        if re.search(r"\swidth=", tag) and re.search(r"\sheight=", tag):
            return tag
        source = re.search(r'\ssrc="([^"]*)"', tag)
        size = _image_size(app, source.group(1), sources) if source else None
        if size is None:
            logger.warning("page %s: no size can be read for %s", pagename, tag)
            return tag
        return re.sub(r"<img\b", f'<img width="{size[0]}" height="{size[1]}"', tag, count=1)

    if context.get("body"):
        context["body"] = IMAGE_TAG.sub(sized, context["body"])


def _image_size(app: Sphinx, url: str, sources: dict[str, str]) -> tuple[int, int] | None:
    source = sources.get(Path(url).name)
    if source is None:
        return None
    path = Path(app.srcdir, source)  # an absolute source stays as it is
    if path.suffix == ".svg":
        return _svg_size(path.read_text(encoding="utf-8"))
    return get_image_size(path)


def _svg_size(markup: str) -> tuple[int, int] | None:
    """Width and height in CSS pixels: of the drawing if it says points, else of its own units."""
    points = re.search(r'<svg\b[^>]*?\bwidth="([\d.]+)pt"', markup) is not None
    box = re.search(r'viewBox="[-\d.]+[ ,]+[-\d.]+[ ,]+([\d.]+)[ ,]+([\d.]+)"', markup)
    unit = 4 / 3 if points else 1
    return (round(unit * float(box.group(1))), round(unit * float(box.group(2)))) if box else None


def check_alternative_texts(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Warn about an image without its own alternative text."""
    seen: set[str] = set()
    for image in doctree.findall(nodes.image):
        text = image.get("alt", "").strip()
        if not text:
            logger.warning("an image of %s has no alt text", docname, location=image)
        elif text in seen:
            logger.warning("two images of %s share the alt text %r", docname, text, location=image)
        seen.add(text)


def download_buttons(root: Path, pagename: str, context: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the page's download menu: its notebooks, its source, and paper."""
    pathto = context["pathto"]
    if not context.get("sourcename"):
        return []
    source = f"_sources/{context['sourcename']}"
    files = {"Source (.md)": (source, SOURCE)}
    if name := chapters.of_page(pagename, root):
        notebooks = {
            "Notebook with results (.ipynb)": (f"notebooks/{name}.ipynb", CODE),
            "Notebook to run (.ipynb)": (f"notebooks/{name}-plain.ipynb", CODE),
            "Notebook without solutions (.ipynb)": (f"notebooks/{name}-exercises.ipynb", CODE),
        }
        files = notebooks | files
    buttons = [
        {"type": "link", "url": pathto(place, 1), "text": text, "icon": icon}
        for text, (place, icon) in files.items()
    ]
    paper = {"javascript": "window.print()", "text": "Print or PDF", "icon": PAPER}
    buttons.append({"type": "javascript", **paper})
    return [
        {"type": "group", "tooltip": "Download this page", "icon": DOWNLOAD, "buttons": buttons}
    ]


def complete_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Run every page-level hook, before the theme makes its buttons."""
    context["without_icon_script"] = without_icon_script
    context.setdefault("build", {})
    add_description(pagename, context, doctree)
    if context.get("body"):
        context["body"] = drawings.inline(app, context["body"])
    add_image_sizes(app, pagename, context)
    drop_shared_ids(context)
    repair_bibliography(context)
    if context.get("body"):
        context["body"] = reserve(context["body"])


def finish_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Drop assets and set the menu once every other extension has added its own."""
    drop_unwanted_assets(pagename, context)
    context["header_buttons"] = download_buttons(Path(app.srcdir), pagename, context)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hooks."""
    app.connect("doctree-resolved", check_alternative_texts)
    app.connect("html-page-context", complete_page, priority=400)
    app.connect("html-page-context", finish_page, priority=900)
    app.add_js_file("companion.js", loading_method="defer")
    app.add_js_file("search.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
