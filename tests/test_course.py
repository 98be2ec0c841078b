"""What chapters say of themselves is read as it is written, and no chapter needs a later one."""

import re
from pathlib import Path

from course_pages import weeks

import course
from course_graph import depths, drawing
from tools import chapters

HEAD = """\
---
myst: {}
---
# Nets: what holds?

**You need** the coin of {doc}`00-coin`, and $x$ of [the next](01-next.md) or {prf:ref}`def-coin`.

**You will be able to**

* cast a net
  over $x$;
* mend it.

**Reading takes 25 minutes.**

```{code-cell} ipython3
profile = "fast"
```
See {doc}`07-later`.

```{exercise} A hole (medium)
:label: ex-hole
```
````{exercise} A knot
:label: ex-knot
````
"""


def test_a_head_is_read() -> None:
    chapter = course.read("02-nets", HEAD)
    assert (chapter.title, chapter.short) == ("Nets: what holds?", "Nets")
    assert chapter.needs == ("00-coin", "01-next")
    assert chapter.objectives == ("cast a net over $x$", "mend it")
    assert chapter.minutes == 25
    assert chapter.exercises == (
        course.Exercise("A hole", "medium", "ex-hole"),
        course.Exercise("A knot", "", "ex-knot"),
    )


def test_every_chapter_is_in_the_contents_and_says_what_it_teaches() -> None:
    found = course.chapters()
    assert [chapter.name for chapter in found] == chapters.names()
    for chapter in found:
        assert len(chapter.objectives) >= 3, chapter.name
        assert chapter.needs or chapter.name.startswith("00"), chapter.name


def test_no_chapter_needs_a_later_one() -> None:
    for chapter in course.chapters():
        assert all(need < chapter.name for need in chapter.needs), chapter.name


def chapter(name: str, *needs: str) -> course.Chapter:
    return course.Chapter(name, f"Title of {name}", 5, needs, (), ())


def test_what_is_implied_is_not_said_twice() -> None:
    known = {
        "00-a": chapter("00-a"),
        "01-b": chapter("01-b", "00-a"),
        "02-c": chapter("02-c", "00-a", "01-b"),
    }
    assert course.ancestors("02-c", known) == {"00-a", "01-b"}
    assert course.direct_needs(known) == {"00-a": [], "01-b": ["00-a"], "02-c": ["01-b"]}
    assert depths(known) == {"00-a": 0, "01-b": 1, "02-c": 2}
    assert drawing(known).count("<path") == 2


def test_the_drawing_has_every_chapter_within_the_width_of_a_telephone() -> None:
    known = {chapter.name: chapter for chapter in course.chapters()}
    svg = drawing(known)
    assert [name for name in known if f'href="{name}.html"' not in svg] == []
    assert all(19 <= float(x) <= 352 - 19 for x in re.findall(r'cx="(\d+)"', svg))
    places = re.findall(r'cx="(\d+)" cy="(\d+)"', svg)
    assert len(set(places)) == len(known)


def test_no_week_of_a_course_needs_a_later_one(root: Path) -> None:
    known = {chapter.name: chapter for chapter in course.chapters()}
    page = (root / "book" / "teaching.md").read_text(encoding="utf-8")
    courses = re.findall(r"^```\{syllabus\}\n(.*?)^```", page, re.M | re.S)
    lengths = []
    for text in courses:
        listed = weeks(text.splitlines(), known)
        lengths.append(len(listed))
        order = [name for week in listed for name in week]
        for name in order:
            needs = set(known[name].needs) & set(order)
            assert needs <= set(order[: order.index(name)]), name
    assert lengths == [4, 8, 14]
    assert {*order} == {*known}, "the longest course has the whole book"
