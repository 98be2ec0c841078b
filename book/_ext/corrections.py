"""Sphinx extension: what was corrected in a chapter since it was first published, at its foot.

The changelog is the one record. Under *Numbers changed* every sentence names claims, and belongs to
the chapters that check them now: numbers of chapters change, claims keep names. No reader knows
the names, so each sentence is followed by what its claims say. What is only new corrects nothing.
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
ONLY_NEW = re.compile("(New|Decided):")
SENTENCE = re.compile(r"(?<=\.) (?=[A-Z])")
# S004-65, 66 (corrected), F17 to F19 and F21
NAMED = re.compile(
    r"\b([A-Z]\w*?\d*)-(F?\d+(?:(?: \([a-z ]+\))?(?:,(?: and)?| and| to) (?:\1-)?F?\d+\b)*)"
)
NUMBER = re.compile(r"(F?)(\d+)(?: \([a-z ]+\))?( to (?:\w+-)?F?(\d+))?")

Correction = tuple[str, list[ledger.Claim]]


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


def by_chapter(changelog: str, declared: list[ledger.Claim]) -> dict[str, list[Correction]]:
    """Sentences on each chapter, each with those of its claims that the chapter checks."""
    found: dict[str, list[Correction]] = {}
    for sentence in sentences(changelog):
        names = set() if ONLY_NEW.match(sentence) else named(sentence)
        about = [claim for claim in declared if claim["id"] in names and claim.get("chapter")]
        for chapter in sorted({claim["chapter"] for claim in about}):
            here = [claim for claim in about if claim["chapter"] == chapter]
            found.setdefault(chapter, []).append((sentence, here))
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
        items = [item(*correction, app.env.docname) for correction in told]
        section += nodes.paragraph("", "Each sentence is followed by what its claims here say.")
        section += nodes.bullet_list("", *items)
    top = next(iter(doctree.findall(nodes.section)), doctree)
    top += section


def item(sentence: str, about: list[ledger.Claim], docname: str) -> nodes.list_item:
    """A sentence, and below it the statements of its claims."""
    said = [nodes.list_item("", statement(claim, docname)) for claim in about]
    return nodes.list_item("", paragraph(sentence, docname), nodes.bullet_list("", *said))


def statement(claim: ledger.Claim, docname: str) -> nodes.paragraph:
    """What a claim says after its name; its only markup is mathematics."""
    made = nodes.paragraph("", "", claims.link(f"claim-{claim['id']}", claim["id"], docname))
    for index, piece in enumerate(f": {claim['statement']}".split("$")):
        made += nodes.math("", piece) if index % 2 else nodes.Text(piece)
    return made


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
