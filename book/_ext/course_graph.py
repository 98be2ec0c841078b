"""A drawing of which chapter needs which: a row for each step, numbers that are links."""

import html

import course

STEP, ROW, RADIUS, WIDTH = 62, 74, 19, 352


def drawing(known: dict[str, course.Chapter]) -> str:
    """SVG at most as wide as a telephone; the colours are those of the page."""
    depth = depths(known)
    rows = [[n for n in known if depth[n] == level] for level in range(max(depth.values()) + 1)]
    place = {
        name: ((WIDTH - STEP * (len(row) - 1)) / 2 + STEP * number, ROW * level + RADIUS + 6)
        for level, row in enumerate(rows)
        for number, name in enumerate(row)
    }
    lines = [
        edge(*place[need], *place[name])
        for name, needs in course.direct_needs(known).items()
        for need in needs
    ]
    circles = [circle(known[name], *place[name]) for name in known]
    height = ROW * (len(rows) - 1) + 2 * RADIUS + 12
    return (
        f'<svg class="chapter-graph" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="group" aria-label="Which chapter needs which; the list above '
        f'says the same in words">{"".join(lines + circles)}</svg>'
    )


def depths(known: dict[str, course.Chapter]) -> dict[str, int]:
    """How many steps of needs lead to each chapter."""
    found: dict[str, int] = {}
    for name in known:  # in reading order, so that what a chapter needs is known
        needs = [found[need] for need in known[name].needs if need in found]
        found[name] = max(needs, default=-1) + 1
    return found


def edge(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line down from a chapter to one that needs it, curved so that it passes between others."""
    start, stop = y1 + RADIUS, y2 - RADIUS
    bend = (stop - start) / 2
    return (
        f'<path d="M{x1:.0f} {start:.0f}C{x1:.0f} {start + bend:.0f} {x2:.0f} {stop - bend:.0f} '
        f'{x2:.0f} {stop:.0f}"/>'
    )


def circle(chapter: course.Chapter, x: float, y: float) -> str:
    """A chapter's number, which leads to it."""
    number, title = int(chapter.name[:2]), html.escape(chapter.title)
    return (
        f'<a href="{chapter.name}.html" aria-label="{number} {title}"><title>{title}</title>'
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{RADIUS}"/>'
        f'<text x="{x:.0f}" y="{y + 5:.0f}">{number}</text></a>'
    )
