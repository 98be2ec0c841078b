"""What every chapter says of itself: what it needs and teaches, its minutes and its exercises.

The map of the front page, the teaching page and the syllabi are made of this, so that they say what
the chapters say.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from tools.chapters import ROOT

DIFFICULTIES = ("easy", "medium", "research")
CHAPTER = re.compile(r"\d\d-[a-z-]+")
LINK = re.compile(r"\{doc\}`(?:[^`<]*<)?([\w/-]+)>?`|\]\((?:\.\./)?([\w/-]+)\.md[)#]")
NEED = re.compile(r"^\*\*You need\*\*(.*?)(?:\n\n|\Z)", re.M | re.S)
ABLE = re.compile(r"^\*\*You will be able to\*\*\n+((?:[*-] .*\n(?:  .*\n)*)+)", re.M)
MINUTES = re.compile(r"^\*\*Reading takes (\d+) minutes", re.M)
EXERCISE = re.compile(r"^`{3,}\{exercise\} ?(.*)\n:label: (\S+)", re.M)


@dataclass(frozen=True)
class Exercise:
    """An exercise by its name, how hard it is said to be, and its label."""

    name: str
    difficulty: str
    label: str


@dataclass(frozen=True)
class Chapter:
    """The head of a chapter, read."""

    name: str
    title: str
    minutes: int | None
    needs: tuple[str, ...]
    objectives: tuple[str, ...]
    exercises: tuple[Exercise, ...]

    @property
    def short(self) -> str:
        """The title up to its colon: enough to name the chapter."""
        return re.split(r"[:?,]", self.title)[0]


def read(name: str, text: str) -> Chapter:
    """Read the head and the exercises of a chapter."""
    title = re.search(r"^# (.+)", text, re.M)[1]
    head = text.split("```{code-cell}", 1)[0]
    needs = NEED.search(head)
    found = [a or b for a, b in LINK.findall(needs[1])] if needs else []
    named = [found_name.rsplit("/", 1)[-1] for found_name in found]
    able, minutes = ABLE.search(head), MINUTES.search(head)
    return Chapter(
        name=name,
        title=title,
        minutes=int(minutes[1]) if minutes else None,
        needs=tuple(dict.fromkeys(n for n in named if CHAPTER.fullmatch(n) and n != name)),
        objectives=tuple(items(able[1])) if able else (),
        exercises=tuple(exercise(*found) for found in EXERCISE.findall(text)),
    )


def items(listed: str) -> list[str]:
    """Texts of a list in Markdown, each in one line."""
    return [" ".join(t.split()).rstrip(".;,") for t in re.split(r"^[*-] ", listed, flags=re.M)[1:]]


def exercise(heading: str, label: str) -> Exercise:
    """Split the difficulty, in brackets, off the name."""
    graded = re.fullmatch(rf"(.*?)\s*\(({'|'.join(DIFFICULTIES)})\)", heading)
    return Exercise(graded[1] if graded else heading, graded[2] if graded else "", label)


def parts(root: Path = ROOT) -> dict[str, list[Chapter]]:
    """Chapters of each part of the book, in reading order; parts without chapters are left out."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    named = {
        part["caption"]: [Path(entry["file"]).name for entry in part["chapters"]]
        for part in toc["parts"]
    }
    return {
        caption: [read(n, (root / "book" / f"{n}.md").read_text(encoding="utf-8")) for n in names]
        for caption, names in named.items()
        if all(CHAPTER.fullmatch(name) for name in names)
    }


def chapters(root: Path = ROOT) -> list[Chapter]:
    """All chapters in reading order."""
    return [chapter for listed in parts(root).values() for chapter in listed]


def ancestors(name: str, known: dict[str, Chapter]) -> set[str]:
    """All that a chapter needs, directly or by what it needs."""
    direct = set(known[name].needs) & set(known)
    return direct | {above for need in direct for above in ancestors(need, known)}


def direct_needs(known: dict[str, Chapter]) -> dict[str, list[str]]:
    """What each chapter needs that nothing else it needs brings along."""
    reduced = {}
    for name, chapter in known.items():
        needs = [need for need in chapter.needs if need in known]
        implied = {a for need in needs for a in ancestors(need, known)}
        reduced[name] = [need for need in needs if need not in implied]
    return reduced
