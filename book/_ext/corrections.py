"""Sphinx extension: what was corrected in a chapter since it was first published, at its foot.

The changelog is the one record. Under *Numbers changed* every sentence names claims, and belongs to
the chapters that check them now: numbers of chapters change, claims keep their names.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

import claims
from tools import chapters, ledger
from tools import claims as files

HEADING = "### Numbers changed"
SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")
# S004-65, 66 (corrected), F17 to F19 and F21
NAMED = re.compile(
    r"\b([A-Z]\w*?\d*)-(F?\d+(?:(?: \([a-z ]+\))?(?:,(?: and)?| and| to) (?:\1-)?F?\d+\b)*)"
)
NUMBER = re.compile(r"(F?)(\d+)(?: \([a-z ]+\))?( to (?:\w+-)?F?(\d+))?")


def sentences(changelog: str) -> list[str]:
    """Sentences on numbers that changed, the newest version first."""
    found = []
    for part in changelog.split(HEADING)[1:]:
        part = re.split(r"^##+ ", part, maxsplit=1, flags=re.MULTILINE)[0]
        for entry in re.split(r"^\* ", part, flags=re.MULTILINE)[1:]:
            found += SENTENCE.split(" ".join(entry.split()))
    return found


def named(sentence: str) -> set[str]:
    """Names of the claims that a sentence is about, ranges filled in.

    Examples
    --------
    >>> sorted(named("New: S004-65, 66 (corrected) and F17 to F19."))
    ['S004-65', 'S004-66', 'S004-F17', 'S004-F18', 'S004-F19']
    """
    names = set()
    for source, listed in NAMED.findall(sentence):
        for mark, first, _, last in NUMBER.findall(listed.replace(f"{source}-", "")):
            width = len(first)
            for number in range(int(first), int(last or first) + 1):
                names.add(f"{source}-{mark}{number:0{width}d}")
    return names


def by_chapter(changelog: str, declared: list[ledger.Claim]) -> dict[str, list[str]]:
    """Sentences of each chapter."""
    home = {claim["id"]: claim["chapter"] for claim in declared if claim.get("chapter")}
    found: dict[str, list[str]] = {}
    for sentence in sentences(changelog):
        for chapter in sorted({home[name] for name in named(sentence) if name in home}):
            found.setdefault(chapter, []).append(sentence)
    return found


def add_corrections(app: Sphinx, doctree: nodes.document) -> None:
    """End a chapter by what was corrected in it."""
    root = Path(app.srcdir)
    name = chapters.of_page(app.env.docname, root)
    if not name:
        return
    path = root / "CHANGELOG.md"
    app.env.note_dependency(str(path))
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    told = by_chapter(text, ledger.sound(files.declared(root))).get(name, [])
    section = nodes.section(ids=["corrections"], names=["corrections"])
    section += nodes.title("", "Corrections")
    if not told:
        section += nodes.paragraph("", "No number of this chapter has been corrected so far.")
    else:
        items = [nodes.list_item("", paragraph(t, app.env.docname)) for t in told]
        section += nodes.bullet_list("", *items)
    top = next(iter(doctree.findall(nodes.section)), doctree)
    top += section


def paragraph(sentence: str, docname: str) -> nodes.paragraph:
    """A sentence whose claims are links where they are written in full."""
    made = nodes.paragraph()
    for index, piece in enumerate(re.split(r"(\b[A-Z]\w*\d-F?\d+\b|`[^`]+`)", sentence)):
        if piece.startswith("`"):
            made += nodes.literal("", piece.strip("`"))
        elif index % 2:
            # No warning: a claim may have been withdrawn.
            made += claims.link(f"claim-{piece}", piece, docname, warn=False)
        elif piece:
            made += nodes.Text(piece)
    return made


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook, before the lists of sections are made."""
    app.connect("doctree-read", add_corrections, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
