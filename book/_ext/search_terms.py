"""Sphinx extension: the search keeps the terms of pages that a build has no reason to write again.

Sphinx keeps the words of such pages and forgets the terms that they define, so that a second build
had none left, and the search of the site no definition to show first.
"""

from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def pages_with_terms(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Name the pages that define terms, to be written in every build."""
    return sorted(name for name, entries in env.get_domain("index").entries.items() if entries)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook."""
    app.connect("env-updated", pages_with_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
