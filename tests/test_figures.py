"""Every figure of the book in a browser: whole, legible and without collisions, at three widths."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from site_browser import SETTLED, Browser, Visit

import drawings
from companion.figures import COLORS
from tools import chapters

WIDTHS = (390, 768, 1280)
SMALLEST = 9.0  # CSS pixels of a letter as displayed
CONTRAST = 4.5  # of text to its ground, WCAG 2.2 AA
OVERLAP = 1.5  # pixels in both directions: letters that touch are still read
LOOK = """() => [...document.querySelectorAll("svg.drawing")].map((svg) => {
  const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
  const page = getComputedStyle(document.body).backgroundColor;
  const areas = [...svg.querySelectorAll("path, rect, use")].map((area) =>
    ({ area, at: area.getBoundingClientRect(), fill: getComputedStyle(area).fill,
       shown: getComputedStyle(area).fillOpacity * getComputedStyle(area).opacity > 0.5 })).filter(
    (one) => one.fill !== "none" && one.shown && one.at.width > 4 && one.at.height > 4);
  const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
  return {
    name: svg.closest("figure")?.id ?? "", label: svg.getAttribute("aria-label") ?? "",
    left: box.left, right: box.right, width: box.width,
    texts: texts.map((text) => {
      // A formula is a text of many parts, whose own box also counts the blanks between them.
      const spans = [...text.querySelectorAll("tspan")].filter((part) => part.textContent.trim());
      const parts = spans.length ? spans : [text];
      const boxes = parts.map((part) => part.getBoundingClientRect());
      const left = Math.min(...boxes.map((b) => b.left));
      const top = Math.min(...boxes.map((b) => b.top));
      const right = Math.max(...boxes.map((b) => b.right));
      const bottom = Math.max(...boxes.map((b) => b.bottom));
      const sizes = parts.map((part) => scale * parseFloat(getComputedStyle(part).fontSize));
      const x = (left + right) / 2, y = (top + bottom) / 2;
      const below = areas.filter(({ area, at }) => at.left < x && x < at.right && at.top < y &&
        y < at.bottom && area.compareDocumentPosition(text) & 4);
      const ground = below.length ? below[below.length - 1].fill : page;
      return { text: text.textContent.replace(/\\s+/g, ""), left, right, top, bottom,
               size: Math.max(...sizes),
               inside: left >= box.left - 1 && right <= box.right + 1 && top >= box.top - 1
                       && bottom <= box.bottom + 1,
               fill: getComputedStyle(text).fill, ground };
    }),
  };
})"""
AT_REST = "document.getAnimations().forEach((one) => one.playState === 'running' && one.finish())"
ADD = "html => document.querySelector('article').insertAdjacentHTML('beforeend', html)"
Seen = dict[int | str, list[dict[str, Any]]]


def visit(browser: Browser, name: str, markup: str = "") -> Seen:
    """What the figures of a chapter are at each width, and in the dark."""
    with browser.page(Visit("figures", {})) as page:
        page.goto(f"{browser.root}book/{name}.html")
        page.evaluate(SETTLED)
        page.evaluate(ADD, markup)
        seen: Seen = {}
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(SETTLED)  # the sidebar moves in and out
            page.evaluate(AT_REST)
            seen[width] = page.evaluate(LOOK)
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
        seen["dark"] = page.evaluate(LOOK)
    return seen


def faults(seen: Seen) -> list[str]:
    """Sentences on what is cut, too small, on top of something else, or too pale."""
    found = []
    for where, figures in seen.items():
        for figure in figures:
            name = f"{where}: {figure['name']}"
            if isinstance(where, int):
                found += [f"{name} {fault}" for fault in _place_faults(figure, where)]
            found += [f"{name} {fault}" for fault in _pale(figure["texts"])]
    return found


def _place_faults(figure: dict[str, Any], width: int) -> Iterator[str]:
    if figure["left"] < -1 or figure["right"] > width + 1 or figure["width"] < 150:
        yield f"goes from {figure['left']:.0f} to {figure['right']:.0f}"
    texts = figure["texts"]
    for one in texts:
        if one["size"] < SMALLEST:
            yield f"has {one['text']!r} at {one['size']:.1f} px"
        if not one["inside"]:
            yield f"cuts {one['text']!r}"
    for index, one in enumerate(texts):
        for other in texts[:index]:
            wide = min(one["right"], other["right"]) - max(one["left"], other["left"])
            high = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
            if wide > OVERLAP and high > OVERLAP + 0.15 * (one["bottom"] - one["top"]):
                yield f"has {one['text']!r} on {other['text']!r}"


def _pale(texts: list[dict[str, Any]]) -> Iterator[str]:
    for one in texts:
        ratio = contrast(one["fill"], one["ground"])
        if ratio < CONTRAST:
            yield f"has {one['text']!r} with a contrast of {ratio:.1f}"


def contrast(one: str, other: str) -> float:
    """Contrast of two colours as browsers write them, `rgb(0, 0, 0)`, by the rule of WCAG 2."""
    low, high = sorted(luminance(color) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    parts = [float(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.site
@pytest.mark.parametrize("name", chapters.names())
def test_every_figure_is_there_whole_legible_and_named(
    browser: Browser, name: str, site_dir: Path
) -> None:
    seen = visit(browser, name)
    assert faults(seen) == []
    assert all(figure["label"] for figure in seen[390])
    page = (site_dir / "book" / f"{name}.html").read_text(encoding="utf-8")
    promised = re.findall("    name: (fig-.+)", chapters.source(name).read_text(encoding="utf-8"))
    assert promised == re.findall('<figure class="drawing[^>]* id="(.+?)"', page)


SPOILT = {
    "goes from": ("-40px", '<text x="9" y="20">a</text>'),
    "at 5.0 px": ("0", '<text x="9" y="20" style="font-size: 5px">a</text>'),
    "cuts": ("0", '<text x="290" y="20">a long label</text>'),
    "on 'one'": ("0", '<text x="9" y="20">one</text><text x="12" y="22">two</text>'),
    "contrast of": ("0", '<text x="9" y="20" style="fill: #ccc">pale</text>'),
}


@pytest.mark.site
@pytest.mark.parametrize("message", SPOILT)
def test_a_spoilt_figure_is_found(browser: Browser, message: str) -> None:
    left, inside = SPOILT[message]
    svg = (
        f'<figure id="spoilt"><svg class="drawing" aria-label="x" viewBox="0 0 300 60" width="300"'
        f' height="60" style="margin-left: {left}; font-size: 12px; position: absolute; left: 0">'
        f"{inside}</svg></figure>"
    )
    found = [f for f in faults(visit(browser, "00-introduction", svg)) if "spoilt" in f]
    assert any(message in fault for fault in found), found


def test_a_figure_in_a_page_has_names_colours_and_a_label_of_its_own() -> None:
    file = (
        '<?xml version="1.0"?><svg width="90pt" height="60pt" viewBox="0 0 90 60" version="1.1">'
        '<metadata>made by</metadata><defs><path id="m1" style="stroke: #0072b2"/></defs>'
        '<g id="axes_1"><use xlink:href="#m1" style="fill: #d9d9d6"/></g>'
        "<text style=\"font: 9px 'DejaVu Sans', sans-serif; fill: #e69f00\">a</text></svg>"
    )
    page = drawings.in_page(file, 'a "b"', "fig-a")
    assert page.startswith(
        '<svg class="drawing" role="img" aria-label="a &quot;b&quot;" width="120"'
    )
    assert 'height="80" viewBox="0 0 90 60"' in page
    assert 'id="fig-a-m1"' in page
    assert 'href="#fig-a-m1"' in page
    assert "axes_1" not in page
    assert "made by" not in page
    assert "light-dark(#0072b2,#5aa9e6)" in page
    assert "font: 9px var(--pst-font-family-base); fill: light-dark(#8a5f00,#f0b93a)" in page
    assert contrast("rgb(138, 95, 0)", "rgb(255, 255, 255)") > CONTRAST


def test_every_colour_of_the_style_is_read_as_text_in_both_modes(root: Path) -> None:
    def rgb(color: str) -> str:
        digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
        return f"rgb({', '.join(str(int(digits[k : k + 2], 16)) for k in (0, 2, 4))})"

    assert {color.lower() for color in COLORS} == {*drawings.DARK}
    style = (root / "book" / "_static" / "companion.css").read_text(encoding="utf-8")
    grounds = re.findall(r'theme="(?:light|dark)"\] \{\s+--pst-color-background: (#\w+)', style)
    light, dark = map(rgb, grounds)
    for color in drawings.DARK:
        assert contrast(rgb(drawings.TEXT.get(color, color)), light) >= CONTRAST
        assert contrast(rgb(drawings.dark(color)), dark) >= CONTRAST
