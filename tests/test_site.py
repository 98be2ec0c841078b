"""The built site in a real browser: every page, without a network, in both modes, three widths."""

import inspect
import json
import re
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import site_checks as checks
from playwright.sync_api import Locator
from site_browser import NARROWER, NARROWEST, SETTLED, Browser, Visit

import archives
import course
import ldp
from tools import chapters

pytestmark = pytest.mark.site

WIDTHS = (1280, NARROWER, NARROWEST)
FRONT = "index.html"
CHAPTER = "book/01-randomized-response.html"  # has formulas, figures and exercises
PLAIN = "book/cite.html"  # has none of them, so it is quick to spoil


def page_names() -> list[str]:
    """Every page of the built site; none before it is built."""
    site = chapters.ROOT / "_build" / "html"
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    return [name for name in names if not name.startswith(("_static/", "_sources/"))]


@pytest.mark.parametrize("name", page_names())
def test_a_page_is_sound(browser: Browser, site_dir: Path, name: str) -> None:
    """Two visits: a desktop in both modes at three widths, and a dark telephone, from the file."""
    desk = browser.visit(name, widths=WIDTHS, axe=True)
    hand = browser.visit((site_dir / name).as_uri(), mode="dark", width=390)
    shared = (checks.network_faults, checks.console_faults, checks.formula_faults)
    assert [fault for visit in (desk, hand) for check in shared for fault in check(visit)] == []
    assert [fault for check in checks.OF_A_PAGE for fault in check(desk)] == []
    assert checks.shift_faults(hand) == []


@pytest.fixture(scope="module")
def written(site_dir: Path) -> dict[str, checks.Written]:
    """What every page says in its file."""
    return {name: checks.read_page(site_dir / name, name) for name in page_names()}


def test_no_style_changes_between_the_two_narrowest_widths(site_dir: Path) -> None:
    """At the narrowest width axe looks for what depends on sizes alone, and may."""
    styles = [p.read_text(encoding="utf-8") for p in (site_dir / "_static").rglob("*.css")]
    found = [
        size
        for text in styles
        for size in re.findall(r"(?:min|max)-width:\s*([\d.]+)(rem|px)\)", text)
    ]
    breaks = {float(size) * (16 if unit == "rem" else 1) for size, unit in found}
    assert {768.0, 480.0} <= breaks
    assert not [at for at in breaks if NARROWEST - 1 < at < NARROWER + 1]


def test_no_page_is_missing(written: dict[str, checks.Written]) -> None:
    assert {CHAPTER, PLAIN, FRONT, "search.html"} <= {*written}


def test_no_two_pages_share_title_or_description(written: dict[str, checks.Written]) -> None:
    for fact in ("title", "description"):
        seen = [getattr(page, fact) for page in written.values()]
        assert sorted(seen) == sorted(set(seen)), f"two pages share one of their {fact}s"


def test_links_inside_the_site_lead_somewhere(written: dict[str, checks.Written]) -> None:
    lost = {f"{name}: {link}" for name, page in written.items() for link in page.pages - {*written}}
    assert lost == set()


def test_the_site_holds_what_it_refers_to_and_little_else(site_dir: Path, root: Path) -> None:
    assert checks.lost_files(site_dir) == []
    formulas = checks.weight(root / "book" / "_static" / "mathjax")
    assert checks.theme_weight(site_dir) < formulas


def test_a_missing_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="https://b.c"></a><a href="a.html#d"></a>')
    (tmp_path / "a.css").write_text("p {background: url(data:x)} q {src: url('e.woff')}")
    assert checks.lost_files(tmp_path) == ["a.css asks for e.woff"]


def test_the_front_page_shows_its_idea_and_its_doors_at_once(browser: Browser) -> None:
    """Read, use and check can be seen without scrolling, and lead to three pages of the site."""
    visit = Visit("root", {})
    with browser.page(visit) as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(browser.root)
        page.evaluate(SETTLED)
        doors = page.locator(".doors a")
        assert [door.split()[0] for door in doors.all_inner_texts()] == ["Read", "Use", "Check"]
        bottoms = [box["y"] + box["height"] for box in map(box_of, doors.all())]
        assert max(bottoms) < 800
        idea = page.locator("article figure, article img").first
        assert box_of(idea)["y"] + 0.5 * box_of(idea)["height"] < 800
        for door in doors.all():
            with urllib.request.urlopen(browser.root + door.get_attribute("href")) as answer:
                assert answer.status == 200


def box_of(place: Locator) -> dict[str, float]:
    """Where an element is on the page."""
    return place.bounding_box()


def test_the_front_page_leads_to_every_chapter_and_says_what_each_needs(
    browser: Browser, written: dict[str, checks.Written]
) -> None:
    listed = course.chapters()
    assert {f"book/{chapter.name}.html" for chapter in listed} <= written[FRONT].pages
    with browser.page(Visit(FRONT, {})) as page:
        page.goto(browser.root)
        rows = page.locator(".chapter-map > li").all()
        assert len(rows) == len(listed)
        known = {chapter.name: chapter for chapter in listed}
        needs = course.direct_needs(known)
        for row, chapter in zip(rows, listed, strict=True):
            hrefs = [a.get_attribute("href") for a in row.locator("a").all()]
            assert hrefs == [f"book/{name}.html" for name in (chapter.name, *needs[chapter.name])]


def test_the_site_carries_package_sources_and_data_and_links_them(
    written: dict[str, checks.Written], site_dir: Path
) -> None:
    for kind, name in archives.names().items():
        assert (site_dir / name).is_file()
        assert name in written[PLAIN].links, kind
    assert archives.names()["wheel"] in written[FRONT].links


def test_next_leads_through_the_whole_book_and_previous_back(
    written: dict[str, checks.Written],
) -> None:
    name, seen = FRONT, []
    while name:
        seen.append(name)
        after = written[name].next
        assert not after or written[after].previous == name
        name = after
    assert sorted(seen) == sorted(set(written) - {"search.html"})


def test_chapters_offer_their_notebooks_and_source(
    written: dict[str, checks.Written], site_dir: Path, root: Path
) -> None:
    offering = {n for n, p in written.items() if any(link.endswith(".ipynb") for link in p.links)}
    assert offering == {f"book/{name}.html" for name in chapters.names(root)}
    for name in chapters.names(root):
        links = written[f"book/{name}.html"].links
        kinds = [f"notebooks/{name}{kind}.ipynb" for kind in ("", "-plain", "-exercises")]
        assert [link for link in links if link.endswith(".ipynb")] == kinds
        assert all((site_dir / link).is_file() for link in kinds)
        cells = json.loads((site_dir / kinds[0]).read_text(encoding="utf-8"))["cells"]
        assert any(cell.get("outputs") for cell in cells), f"{name} was not executed"
        (source,) = (link for link in links if link.endswith(f"/{name}.md"))
        assert (site_dir / source).read_bytes() == chapters.source(name, root).read_bytes()


def test_the_reference_pages_have_every_public_name_in_a_table_and_below(site_dir: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in (site_dir / "book").glob("api-*.html")]
    names = [name for name in ldp.__all__ if not inspect.ismodule(getattr(ldp, name))]
    assert [n for n in names if not any(f'id="ldp.{n}"' in page for page in pages)] == []
    for page in pages:
        (table,) = re.findall(r'<table class="[^"]*api-names.*?</table>', page, re.S)
        rows = re.findall(r'href="#([\w.]+)".*?</td>\s*<td><p>(.+?)</p></td>', table, re.S)
        below = re.findall(r'<dl class="py (?:class|function|data)">\s*<dt[^>]*id="([\w.]+)"', page)
        assert [name for name, _ in rows] == below
        assert all(text.endswith(".") for _, text in rows), rows


@pytest.mark.parametrize("key", ["/", "Control+k"])
def test_search_by_keyboard_finds_a_chapter(browser: Browser, key: str) -> None:
    visit = Visit("search", {})
    with browser.page(visit) as page:
        page.goto(browser.root + CHAPTER)
        page.keyboard.press(key)
        page.keyboard.type("randomized response")
        page.keyboard.press("Enter")
        page.wait_for_selector("#search-results li a")
        found = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
        page.wait_for_load_state("networkidle")
    assert any(CHAPTER in link for link in found)
    assert checks.network_faults(visit) + checks.console_faults(visit) == []


DEFINED = {
    "budget": "term-privacy-budget",
    "confidence interval": "term-confidence-interval",
    "OUE": "term-OUE",
    "epsilon": "term-epsilon-LDP",
    "ε": "term-epsilon-LDP",
}


@pytest.mark.parametrize("query", DEFINED)
def test_search_finds_the_definition_first_and_shows_no_tex(browser: Browser, query: str) -> None:
    visit = Visit("search", {})
    with browser.page(visit) as page:
        page.goto(browser.root + "search.html?q=" + quote(query))
        page.wait_for_selector("#search-results li p.context")
        page.wait_for_load_state("networkidle")
        found = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
        shown = page.locator("#search-results").inner_text()
    assert any(link.endswith(f"#{DEFINED[query]}") for link in found[:3]), found[:3]
    assert re.findall(r"\\[a-zA-Z(\[]+", shown) == []
    assert checks.network_faults(visit) + checks.console_faults(visit) == []


def test_search_works_from_the_files(browser: Browser, site_dir: Path) -> None:
    visit = Visit("search", {})
    with browser.page(visit) as page:
        page.goto((site_dir / "search.html").as_uri() + "?q=randomized")
        page.wait_for_selector("#search-results li a")
        page.wait_for_timeout(300)
    assert checks.network_faults(visit) + checks.console_faults(visit) == []


def test_the_colour_button_changes_the_mode_and_it_stays(browser: Browser) -> None:
    with browser.page(Visit("mode", {})) as page:
        page.goto(browser.root + CHAPTER)
        ground = "getComputedStyle(document.body).backgroundColor"
        before = page.evaluate(ground)
        page.locator(".theme-switch-button:visible").first.click()
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert page.evaluate(ground) != before
        page.reload()
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_the_first_tab_stop_skips_to_the_content(browser: Browser) -> None:
    with browser.page(Visit("skip", {})) as page:
        page.goto(browser.root + CHAPTER)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('href')") == "#main-content"


def test_paper_shows_the_text_and_open_solutions_but_no_sidebar(browser: Browser) -> None:
    with browser.page(Visit("paper", {})) as page:
        page.goto(browser.root + CHAPTER)
        page.emulate_media(media="print")
        for hidden in ("#pst-primary-sidebar", ".bd-header-article", ".prev-next-footer"):
            assert not page.locator(hidden).first.is_visible()
        assert page.locator("article h1").is_visible()
        assert page.locator(".build-stamp").is_visible()
        solution = page.locator(".solution.dropdown p:not(.admonition-title)").first
        assert solution.is_visible()
        assert solution.bounding_box()["height"] > 10
        folded = page.locator("details.hide").first
        folded.evaluate("part => { part.open = true; }")
        # What fades in would be printed before it is seen.
        fades = "part => getComputedStyle(part).animationName"
        assert folded.locator("summary ~ *").first.evaluate(fades) == "none"


def test_without_scripts_the_text_is_complete(browser: Browser) -> None:
    context = browser.context(java_script_enabled=False)
    page = context.new_page()
    page.goto(browser.root + CHAPTER)
    assert page.locator("span.math").first.is_visible()
    assert page.locator(".solution.dropdown p:not(.admonition-title)").first.is_visible()
    context.close()


def test_what_is_too_wide_for_a_telephone_scrolls_and_shows_it(browser: Browser) -> None:
    with browser.page(Visit("telephone", {}), mode="dark", width=390) as page:
        page.goto(browser.root + PLAIN)
        page.evaluate(SETTLED)
        wide = f"<pre id=wide>{'wide ' * 99}</pre>"
        page.evaluate("html => document.querySelector('article').insertAdjacentHTML"
                      "('afterbegin', html)", wide)  # fmt: skip
        page.evaluate("dispatchEvent(new Event('resize'))")
        box = page.locator("#wide")
        assert box.get_attribute("tabindex") == "0"
        assert "goes-on" in box.get_attribute("class")
        box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
        page.wait_for_function("!document.querySelector('#wide').matches('.goes-on')")


def test_an_entry_of_the_bibliography_reads_like_its_citations(site_dir: Path) -> None:
    folder = site_dir / "book"
    entry = r'id="(id\d+)" role="listitem">\s*<span class="label">.*?</span>(.*?)<span'
    labels = dict(re.findall(entry, (folder / "bibliography.html").read_text(encoding="utf-8")))
    citation = (
        r'<a class="reference internal" href="[./\w]*bibliography.html#(id\d+)"[^>]*>(.*?)</a>'
    )
    found = [c for page in site_dir.rglob("*.html") for c in re.findall(citation, page.read_text())]
    cited = [(name, re.sub(r"<[^>]*>", "", text)) for name, text in found]
    assert {name for name, _ in cited} == set(labels)
    assert [labels[name] for name, text in cited if not labels[name].endswith(text)] == []


# --------------------------------------------------------------------- the checks can fail


def put(markup: str) -> Callable[[str], str]:
    """Spoil a page by a piece of HTML at the beginning of its article."""
    return lambda html: html.replace('<article class="bd-article">', f"<article>{markup}", 1)


def lose(pattern: str) -> Callable[[str], str]:
    """Spoil a page by losing what the pattern matches."""

    def spoil(html: str) -> str:
        spoilt = re.sub(pattern, "", html, flags=re.DOTALL)
        assert spoilt != html
        return spoilt

    return spoil


PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
SPOILT = {
    "foreign image": (
        put('<img src="https://example.org/x.png" alt="x" width="1" height="1">'),
        checks.network_faults,
        "https://example.org/x.png",
    ),
    "missing script": (put('<script src="gone.js"></script>'), checks.network_faults, "404"),
    "console warning": (put("<script>console.warn('oh')</script>"), checks.console_faults, "oh"),
    "script error": (put("<script>nothing()</script>"), checks.console_faults, "nothing"),
    "unknown command": (
        put(r'<span class="math">\(\nosuchcommand{x}\)</span>'),
        checks.formula_faults,
        "nosuchcommand",
    ),
    "formula not drawn": (
        put('<span class="math">x squared</span>'),
        checks.formula_faults,
        "not drawn: x squared",
    ),
    "second h1": (put("<h1>Another</h1>"), checks.head_faults, "2 h1"),
    "no description": (
        lose(r'<meta[^>]*name="description"[^>]*>'),
        checks.head_faults,
        "descriptions of lengths []",
    ),
    "no language": (lose(' lang="en"'), checks.head_faults, "lang is ''"),
    "id twice": (put('<p id="twice">1</p><p id="twice">2</p>'), checks.head_faults, "'twice'"),
    "no alt text": (
        put(f'<img src="{PIXEL}" width="1" height="1">'),
        checks.image_faults,
        "no alt text",
    ),
    "no size": (put(f'<img src="{PIXEL}" alt="A dot.">'), checks.image_faults, "width and height"),
    "shared alt text": (
        put(2 * f'<img src="{PIXEL}" alt="A dot." width="1" height="1">'),
        checks.image_faults,
        "'A dot.' stands twice",
    ),
    "too wide": (put('<div style="width: 500px">wide</div>'), checks.overflow_faults, "too wide"),
    "cut off": (
        put('<div style="overflow: hidden"><div style="width: 500px">wide</div></div>'),
        checks.overflow_faults,
        "cut off",
    ),
    "pale text": (
        put('<p style="color: #aaa; background: #fff">pale</p>'),
        checks.axe_faults,
        "color-contrast",
    ),
    "nameless button": (put("<button></button>"), checks.axe_faults, "button-name"),
    "small targets": (
        put(4 * '<button style="width: 9px; height: 9px; padding: 0" aria-label="x"></button>'),
        checks.axe_faults,
        "target-size",
    ),
    "outside every landmark": (
        lambda html: html.replace("</body>", "<p>lost</p></body>", 1),
        checks.axe_faults,
        "region",
    ),
    "a heavy page": (
        put(f"<!--{'x' * checks.MAX_TRANSFER}-->"),
        checks.weight_faults,
        "first load",
    ),
    "late block": (
        put(
            "<script>addEventListener('load', () => setTimeout(() => document.querySelector("
            "'article').insertAdjacentHTML('afterbegin', '<div style=\"height: 400px\"></div>'),"
            " 50))</script>"
        ),
        checks.shift_faults,
        "layout shift",
    ),
    "no commit": (lose("Built from commit.*?profile"), checks.stamp_faults, "commit"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_page_is_found(browser: Browser, name: str) -> None:
    spoil, check, message = SPOILT[name]
    page = CHAPTER if check in (checks.formula_faults, checks.weight_faults) else PLAIN
    axe = check is checks.axe_faults
    visit = browser.visit(page, spoil=spoil, widths=WIDTHS, axe=axe)
    found = check(visit)
    assert found
    assert message in " ".join(found)
