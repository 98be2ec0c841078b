"""Where the PDF of the book is kept, and whether it is that of the present pages."""

import hashlib
import shutil
from pathlib import Path

from tools import runs

NAME = "local-differential-privacy-verified.pdf"


def path(root: Path) -> Path:
    """Path of the PDF; beside it is the hash of what it was made of."""
    return root / "_build" / "pdf" / NAME


def made_of(root: Path) -> str:
    """Hash of the text of all pages, of the ledger, and of what the chapters computed."""
    texts = [root / "index.md", root / "_toc.yml", *sorted((root / "book").glob("*.*"))]
    parts = [text.read_bytes() for text in texts if text.suffix in (".md", ".yml", ".bib")]
    stored = runs.load(root)["chapters"]
    parts += [entry["digest"].encode() for _, entry in sorted(stored.items())]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def keep(made: Path, root: Path) -> None:
    """Keep a PDF that was made just now."""
    target = path(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(made, target)
    target.with_suffix(".sha256").write_text(made_of(root), encoding="utf-8")


def lend(root: Path, site: Path) -> None:
    """Put the PDF into the site, if it is that of the present pages."""
    if current(root):
        shutil.copyfile(path(root), site / place())


def place() -> str:
    """Where in the site the PDF is."""
    return f"dist/{NAME}"


def current(root: Path) -> bool:
    """Whether there is a PDF and it has the text and the numbers of the present pages."""
    mark = path(root).with_suffix(".sha256")
    return path(root).exists() and mark.exists() and mark.read_text() == made_of(root)
