"""Sphinx extension: the directive `explore`, a box in which a script lets the reader try something.

What stands inside the directive is shown where no script runs: in print, in a notebook, in a
browser without scripts. There the pictures stand above it as they are before anybody
touches them. Scripts and styles go to the pages that have a box, and to no other.
"""

import html
import json
from typing import Any, ClassVar

from _quickjs import JSException
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from companion.explorables import SCRIPTS, engine

logger = logging.getLogger(__name__)
# What a box shows before anybody touches it: its panels as SVG, its sentence and its table.
FIRST = """
(name, data) => {
  const spec = explore.specs[name];
  const state = Object.fromEntries(spec.controls.filter((c) => c.key).map((c) => [c.key, c.value]));
  const drawn = spec.draw(state, {...explore.tools, data, formulas: spec.formulas});
  const pictures = (drawn.panels || []).map((panel, number) => panel.markup(number));
  return [pictures, drawn.says, drawn.html || ""];
}
"""


class explorable(nodes.container):
    """The box of one explorable, around what is shown without its script."""


class Explore(SphinxDirective):
    """`explore NAME`, with a title and the room, in pixels, that it takes wide and narrow."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict] = {
        "title": directives.unchanged_required,
        "room": directives.positive_int_list,
    }

    def run(self) -> list[nodes.Node]:
        """Make the box; what is missing is a warning, and so an error of the build."""
        name = self.arguments[0]
        room = self.options.get("room", [])
        lacks = [
            what
            for what, missing in {
                f"a script {name}.js": not (SCRIPTS / f"{name}.js").exists(),
                "a title": "title" not in self.options,
                "its room, two numbers": len(room) != 2,
                "a content for readers without scripts": not self.content,
            }.items()
            if missing
        ]
        if lacks:
            where = self.get_location()
            logger.warning("explorable %s lacks %s", name, ", ".join(lacks), location=where)
            return []
        box = explorable(name=name, title=self.options["title"], room=room)
        self.set_source_info(box)
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


def open_box(self: Any, node: explorable) -> None:
    """Begin the figure; its room is kept from the first moment."""
    name, (wide, narrow) = node["name"], node["room"]
    self.body.append(
        f'<figure class="explore" id="explore-{name}" data-explore="{name}" '
        f'aria-labelledby="explore-{name}-title" '
        f'style="--room: {wide}px; --narrow-room: {narrow}px">\n'
        f'<p class="explore-title" id="explore-{name}-title">Try it: '
        f'{self.encode(node["title"])}</p>\n<div class="explore-static">\n'
        f"{first_pictures(name, handed(self.document, name))}"
    )


def first_pictures(name: str, data: str = "null") -> str:
    """Draw an explorable without a browser, with the numbers that the run handed to it as JSON."""
    try:
        drawn = engine(name).eval(f"JSON.stringify(({FIRST})({json.dumps(name)}, {data}))")
    except JSException:
        if data == "null":  # its chapter has no run, of which `verified` warns
            return ""
        raise
    pictures, says, table = json.loads(drawn)
    told = html.escape(says)
    markup = "".join(pictures).replace("<title></title>", f"<title>{told}</title>")
    return f'<div class="explore-panels">{markup}</div>\n<p>{told}</p>\n{table}\n'


def handed(document: nodes.document, name: str) -> str:
    """Numbers of the run that `hand_over` put on this page, as JSON."""
    start = f'data-explore-data="{name}">'
    for raw in document.findall(nodes.raw):
        if start in raw.astext():
            return raw.astext().split(start)[1].split("</script>")[0]
    return "null"


def close_box(self: Any, node: explorable) -> None:
    """End the figure."""
    self.body.append("</div>\n</figure>\n")


def pass_by(self: Any, node: explorable) -> None:
    """On paper there is the content alone."""


def add_scripts(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Load the style, the core and one script for each box of this page."""
    names = [box["name"] for box in doctree.findall(explorable)] if doctree else []
    if names:
        app.add_css_file("explore/explore.css")
    for name in ["core", *dict.fromkeys(names)] if names else []:
        app.add_js_file(f"explore/{name}.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, its node and the hook."""
    paper = (pass_by, pass_by)
    app.add_node(explorable, html=(open_box, close_box), latex=paper, text=paper, man=paper)
    app.add_directive("explore", Explore)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
