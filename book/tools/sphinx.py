"""One call of Sphinx for the site and for the PDF: every warning is an error."""

from pathlib import Path
from typing import Any

from jupyter_book.sphinx import build_sphinx


def build(root: Path, target: Path, settings: dict[str, Any], **options: Any) -> bool:
    """Build the book of `root` into `target`; whether nothing was wrong."""
    own = {"external_toc_path": str(root / "_toc.yml"), "latex_individualpages": False}
    status = build_sphinx(
        root,
        target,
        noconfig=True,
        path_config=root / "_config.yml",
        confoverrides=own | settings,
        warningiserror=True,
        keep_going=True,
        quiet=True,
        **options,
    )
    return status == 0
