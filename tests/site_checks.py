"""Checks of the built site: functions from a visit to a list of faults, one sentence each.

The same functions judge the book's pages and the spoilt pages of the negative controls.
"""

import posixpath
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from site_browser import Visit

MAX_TRANSFER = 800 * 1024  # bytes on the wire, first visit
MAX_SHIFT = 0.1  # the usual bound of a good cumulative layout shift


def network_faults(visit: Visit) -> list[str]:
    """Requests that would have left the machine, and local ones that failed."""
    return [f"asks for {url}" for url in visit.outside] + [f"answer {it}" for it in visit.failed]


def console_faults(visit: Visit) -> list[str]:
    """Errors and warnings of the console."""
    return list(visit.console)


def formula_faults(visit: Visit) -> list[str]:
    """Formulas that were not drawn, or drawn as an error; MathJax where there is no formula."""
    facts = visit.facts
    faults = [f"formula not drawn: {tex[:60]}" for tex in facts["undrawn"]]
    faults += [f"formula in error: {message[:80]}" for message in facts["wrong"]]
    if facts["mathjax"] and not facts["formulas"]:
        faults.append("loads MathJax without a formula")
    return faults


def head_faults(visit: Visit) -> list[str]:
    """Language, title, one description of a sensible length, one h1, no id twice."""
    facts = visit.facts
    faults = [] if facts["lang"] == "en" else [f"lang is {facts['lang']!r}"]
    if not facts["title"].strip():
        faults.append("has no title")
    lengths = [len(text.strip()) for text in facts["descriptions"]]
    if len(lengths) != 1 or not 20 <= lengths[0] <= 320:
        faults.append(f"descriptions of lengths {lengths} where one of 20 to 320 is due")
    if len(facts["headings"]) != 1:
        faults.append(f"{len(facts['headings'])} h1: {facts['headings']}")
    twice = sorted(name for name, count in Counter(facts["ids"]).items() if count > 1)
    return faults + [f"id {name!r} stands twice" for name in twice]


def image_faults(visit: Visit) -> list[str]:
    """Images without own alternative text (figures), size attributes, or pixels."""
    faults, texts = [], []
    for image in visit.facts["images"]:
        name = image["src"]
        if image["alt"] is None or (image["inContent"] and not image["alt"].strip()):
            faults.append(f"{name} has no alt text")
        elif image["inContent"]:
            texts.append(image["alt"].strip())
            if image["alt"].strip().endswith((".png", ".svg", ".jpg")):
                faults.append(f"{name} has a file name as alt text")
        if not (image["width"] and image["height"]):
            faults.append(f"{name} has no width and height")
        if not image["drawn"]:
            faults.append(f"{name} shows nothing")
    faults += [f"alt text {t!r} stands twice" for t, count in Counter(texts).items() if count > 1]
    return faults


def overflow_faults(visit: Visit) -> list[str]:
    """Content wider than a narrow page, or cut off by a box that does not scroll."""
    return [f"{width} px: {fault}" for width, faults in visit.overflow.items() for fault in faults]


def axe_faults(visit: Visit) -> list[str]:
    """Accessibility violations, each with the first element at fault."""
    return [
        f"{where}: {rule['id']} ({len(rule['nodes'])}): {rule['nodes'][0]['html'][:160]}"
        f" {rule['nodes'][0].get('failureSummary', '')[:240]!r}"
        for where, violations in visit.violations.items()
        for rule in violations
    ]


def weight_faults(visit: Visit) -> list[str]:
    """First load above the limit."""
    over = visit.transferred > MAX_TRANSFER
    return [f"first load {visit.transferred / 1024:.0f} KiB"] if over else []


def shift_faults(visit: Visit) -> list[str]:
    """Cumulative layout shift above the limit."""
    shift = visit.facts["shift"]
    return [f"layout shift {shift:.3f}"] if shift > MAX_SHIFT else []


def stamp_faults(visit: Visit) -> list[str]:
    """The footer names no commit or no profile."""
    stamp = visit.facts["stamp"]
    wanted = ("Built from commit", "profile")
    return [f"stamp {stamp!r} lacks {word!r}" for word in wanted if word not in stamp]


# Judged once for a page, where it is first seen.
OF_A_PAGE = (
    head_faults,
    image_faults,
    overflow_faults,
    axe_faults,
    weight_faults,
    shift_faults,
    stamp_faults,
)


@dataclass
class Written:
    """What the file of a page says, links as paths of the site."""

    title: str
    description: str
    links: list[str]
    pages: set[str]
    next: str
    previous: str


def read_page(path: Path, name: str) -> Written:
    """Read the file of a page."""
    text = path.read_text(encoding="utf-8")
    head = re.search(r"<title>(.*?)</title>", text, re.S)
    about = re.search(r'<meta[^>]*name="description"[^>]*content="([^"]*)"', text) or re.search(
        r'<meta[^>]*content="([^"]*)"[^>]*name="description"', text
    )
    given = [inside(link, name) for link in re.findall(r'<a\b[^>]*?\shref="([^"]*)"', text)]
    links = list(dict.fromkeys(link for link in given if link))
    near = {}
    for side in ("right-next", "left-prev"):
        tag = re.search(rf'<a\b[^>]*class="{side}"[^>]*>', text)
        href = re.search(r'href="([^"]*)"', tag[0]) if tag else None
        near[side] = inside(href[1], name) if href else ""
    pages = {link for link in links if link.endswith(".html")}
    title = head[1].strip() if head else ""
    return Written(
        title, about[1] if about else "", links, pages, near["right-next"], near["left-prev"]
    )


def inside(link: str, name: str) -> str:
    """Path in the site of what a link of a page leads to; empty if it leads out of the site."""
    if re.match(r"[a-z]+:|//", link):
        return ""
    path = unquote(link.split("#")[0].split("?")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name


def lost_files(site: Path) -> list[str]:
    """What pages and styles refer to, by attributes or `url(...)`, and the site does not hold."""
    found = set()
    for kind, form in (("html", r'(?:href|src)="([^"#?]+)'), ("css", r"""url\(["']?([^)"'#?]+)""")):
        for page in site.rglob(f"*.{kind}"):
            for name in set(re.findall(form, page.read_text(encoding="utf-8"))):
                if not re.match(r"[a-z]+:|//", name) and not (page.parent / unquote(name)).exists():
                    found.add(f"{page.name} asks for {name}")
    return sorted(found)


def theme_weight(site: Path) -> int:
    """Bytes of the static files that are not MathJax."""
    return weight(site / "_static") - weight(site / "_static" / "mathjax")


def weight(folder: Path) -> int:
    """Bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
