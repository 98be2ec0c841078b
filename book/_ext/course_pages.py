"""Sphinx extension: the map of the book and what teachers need, made of the chapters' heads.

Directives: `chapter-map` (each chapter with its minutes and what it needs), `chapter-objectives`,
`chapter-exercises` (by difficulty), `chapter-graph` (a drawing of what needs what) and `syllabus`
(its content: a line for each week, the numbers of its chapters). The role `verdicts` counts claims.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

import course
from course_graph import drawing
from tools import claims as files
from tools import ledger

logger = logging.getLogger(__name__)


class CourseDirective(SphinxDirective):
    """What the directives share: they read all chapters, and again when one of them changes."""

    def parts(self) -> dict[str, list[course.Chapter]]:
        """Chapters of each part."""
        root = Path(self.env.srcdir)
        found = course.parts(root)
        self.env.note_dependency(str(root / "_toc.yml"))
        for chapter in [c for listed in found.values() for c in listed]:
            self.env.note_dependency(str(root / "book" / f"{chapter.name}.md"))
        return found

    def chapters(self) -> dict[str, course.Chapter]:
        """All chapters by name."""
        return {c.name: c for listed in self.parts().values() for c in listed}

    def link(self, kind: str, target: str, text: str) -> pending_xref:
        """Link to a chapter (`doc`) or a label (`ref`)."""
        words, messages = self.state.inline_text(text, self.lineno)
        return pending_xref(
            "",
            nodes.inline("", "", *words, *messages),
            refdomain="std",
            reftype=kind,
            reftarget=target,
            refdoc=self.env.docname,
            refexplicit=True,
            refwarn=True,
        )

    def to(self, chapter: course.Chapter, text: str) -> pending_xref:
        """Link to a chapter."""
        return self.link("doc", f"/book/{chapter.name}", text)

    def listed(self, rows: Iterable[list[nodes.Node]], kind: str = "") -> nodes.bullet_list:
        """A list of paragraphs."""
        made = nodes.bullet_list(classes=[kind] if kind else [])
        made += [nodes.list_item("", nodes.paragraph("", "", *row)) for row in rows]
        return made

    def joined(self, links: list[nodes.Node], word: str) -> list[nodes.Node]:
        """Links with commas between them, after a word; nothing where there are none."""
        made: list[nodes.Node] = []
        for number, one in enumerate(links):
            made += [nodes.Text(", " if number else word), one]
        return made


class ChapterMap(CourseDirective):
    """Every chapter with its minutes and what it needs."""

    def run(self) -> list[nodes.Node]:
        """Write a list for each part."""
        parts = self.parts()
        known = {c.name: c for listed in parts.values() for c in listed}
        needs = course.direct_needs(known)
        made: list[nodes.Node] = []
        for caption, listed in parts.items():
            made.append(nodes.rubric("", caption))
            rows = [self.row(c, [known[n] for n in needs[c.name]]) for c in listed]
            made.append(self.listed(rows, "chapter-map"))
        return made

    def row(self, chapter: course.Chapter, needs: list[course.Chapter]) -> list[nodes.Node]:
        """One chapter."""
        facts = [nodes.Text(f" · {chapter.minutes} minutes")] if chapter.minutes else []
        facts += self.joined([self.to(c, c.short) for c in needs], " · needs ")
        number = str(int(chapter.name[:2]))
        return [
            nodes.inline("", number + " ", classes=["chapter-number"]),
            self.to(chapter, chapter.title),
            *([nodes.inline("", "", *facts, classes=["chapter-facts"])] if facts else []),
        ]


class ChapterObjectives(CourseDirective):
    """What a reader of each chapter will be able to do."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list."""
        made = nodes.definition_list()
        for chapter in self.chapters().values():
            body = nodes.definition("", self.listed(map(self.words, chapter.objectives)))
            term = nodes.term("", "", self.to(chapter, f"{int(chapter.name[:2])} {chapter.short}"))
            made += nodes.definition_list_item("", term, body)
        return [made]

    def words(self, text: str) -> list[nodes.Node]:
        """Text with its formulas and links."""
        children, messages = self.state.inline_text(text, self.lineno)
        return [*children, *messages]


class ChapterExercises(CourseDirective):
    """Every exercise of one difficulty, which is the argument."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write a list with links; an exercise keeps the name of its chapter."""
        rows = [
            [self.link("ref", one.label, one.name), nodes.Text(f" ({chapter.short})")]
            for chapter in self.chapters().values()
            for one in chapter.exercises
            if one.difficulty == self.arguments[0]
        ]
        return [self.listed(rows)]


class ChapterGraph(CourseDirective):
    """What needs what, drawn."""

    def run(self) -> list[nodes.Node]:
        """Write the drawing; the map says the same in words."""
        return [nodes.raw("", drawing(self.chapters()), format="html")]


class Syllabus(CourseDirective):
    """Weeks with their chapters and minutes of reading."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write an item for each week."""
        known = self.chapters()
        made = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".", classes=["syllabus"])
        for names in weeks(self.content, known):
            listed = [known[name] for name in names]
            row = self.joined([self.to(c, c.short) for c in listed], "")
            row.append(nodes.Text(f" ({total(listed)})"))
            made += nodes.list_item("", nodes.paragraph("", "", *row))
        return [made]


def weeks(lines: Iterable[str], known: Iterable[str]) -> list[list[str]]:
    """Names of the chapters of each week, from their numbers; a number without a chapter warns."""
    by_number = {name[:2].lstrip("0") or "0": name for name in known}
    asked = [line.split() for line in lines if line.strip()]
    for number in {number for week in asked for number in week} - set(by_number):
        logger.warning("no chapter has the number %s of a syllabus", number)
    return [[by_number[n] for n in week if n in by_number] for week in asked]


def total(chapters: list[course.Chapter]) -> str:
    """Minutes of several chapters; of those that say them."""
    return f"{sum(chapter.minutes or 0 for chapter in chapters)} minutes of reading"


class Verdicts(SphinxRole):
    """How many claims of the ledger have a verdict; `all` counts every one."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Count them."""
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(files.path(root)))
        shown = [claim["verdict"] for claim in ledger.sound(files.declared(root))]
        count = len(shown) if self.text == "all" else shown.count(self.text)
        return [nodes.Text(f"{count}")], []


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_role("verdicts", Verdicts())
    app.add_css_file("front.css")
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("chapter-objectives", ChapterObjectives)
    app.add_directive("chapter-exercises", ChapterExercises)
    app.add_directive("chapter-graph", ChapterGraph)
    app.add_directive("syllabus", Syllabus)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
