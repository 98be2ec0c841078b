"""Sphinx extension: the role `take`, a link to an archive that the site carries.

``{take}`wheel` `` is the file by its name; ``{take}`a wheel <wheel>` `` is a link with a text.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

import plain_notebooks
import printed
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

import archives


class Take(SphinxRole):
    """A link to one of the archives, the notebooks or the PDF, wherever the page is."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the link; where there is no site, the name of the file alone."""
        titled = re.fullmatch(r"(.*\S)\s*<(\w+)>", self.text, re.S)
        kind = titled[2] if titled else self.text
        root = Path(self.env.srcdir)
        known = archives.names(root) | {"notebooks": plain_notebooks.archive(root)}
        known["pdf"] = printed.place()
        if kind not in known:
            message = f"there is no archive {kind!r}; there are: {', '.join(known)}"
            return [], [self.inliner.reporter.error(message, line=self.lineno)]
        address = posixpath.relpath(known[kind], posixpath.dirname(self.env.docname) or ".")
        name = posixpath.basename(known[kind])
        text = nodes.Text(titled[1]) if titled else nodes.literal(name, name)
        if kind == "pdf":
            self.env.note_reread()  # it may be set after these pages were built, or be outdated
            if not printed.current(root):
                return [text, nodes.Text(" (not set for these pages)")], []
        if self.env.app.builder.format != "html":
            return [text], []
        return [nodes.reference("", "", text, refuri=address, internal=True)], []


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the role."""
    app.add_role("take", Take())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
