"""Explorables: small, equal to the package, usable by keyboard, citable, whole without scripts."""

import re
from pathlib import Path

import pytest
import site_checks as checks
from playwright.sync_api import Page
from site_browser import Browser, Visit, run_axe

from companion import hand_over, javascript
from tools import chapters

LIMIT = 15_000  # bytes of a script
SCRIPTS = chapters.ROOT / "book" / "_static" / "explore"
PAGES = [chapters.ROOT / "index.md", *sorted((chapters.ROOT / "book").glob("*.md"))]
WHERE = {
    name: str(page.relative_to(chapters.ROOT).with_suffix(".html"))
    for page in PAGES
    for name in re.findall(r"^`{3,}\{explore\} (\S+)", page.read_text(encoding="utf-8"), flags=re.M)
}
EVERY = pytest.mark.parametrize("name", sorted(WHERE))


# ------------------------------------------------------------------------ without a browser


def test_every_script_is_small_on_a_page_and_compared_by_a_chapter() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    for script in SCRIPTS.glob("*.js"):
        assert script.stat().st_size <= LIMIT, f"{script.name} has more than {LIMIT} bytes"
        if script.stem != "core":
            assert script.stem in WHERE, f"no page has {script.name}"
            compared = [
                text for text in texts if re.search(rf'javascript\(\s*"{script.stem}"', text)
            ]
            assert compared, f"no chapter compares {script.name} with the package"


def words(seed: int, number: int) -> list[int]:
    """SplitMix32 by whole numbers, the twin of the generator of the core."""
    found = []
    for _ in range(number):
        seed = (seed + 0x9E3779B9) % 2**32
        z = seed ^ (seed >> 16)
        z = z * 0x21F0AAAD % 2**32
        z = (z ^ (z >> 15)) * 0x735A2D97 % 2**32
        found.append(z ^ (z >> 15))
    return found


def test_the_generator_is_splitmix32_and_fair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "core.js").write_text((SCRIPTS / "core.js").read_text(encoding="utf-8"))
    (tmp_path / "words.js").write_text(
        "explore('words', {formulas: {draw: (seed, k) => { const rng = explore.generator(seed);"
        " return Array.from({length: k}, rng.word); }}, controls: []});"
    )
    monkeypatch.setattr("companion.explorables.SCRIPTS", tmp_path)
    drawn = javascript("words", "draw", [[seed, 1000] for seed in (1, 2, 4294967295)])
    assert drawn.tolist() == [words(seed, 1000) for seed in (1, 2, 4294967295)]
    # Mean of 3,000 uniform numbers: five standard errors, a false alarm in 1.7 million runs.
    assert abs(drawn.mean() / 2**32 - 0.5) < 5 * (1 / 12 / drawn.size) ** 0.5


@pytest.mark.parametrize(
    ("body", "message"),
    [("1 / 0", "must return finite numbers"), ("NaN", "must return finite numbers")],
)
def test_a_formula_without_a_number_is_refused(
    body: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "core.js").write_text((SCRIPTS / "core.js").read_text(encoding="utf-8"))
    (tmp_path / "bad.js").write_text(f"explore('bad', {{formulas: {{f: () => {body}}}}});")
    monkeypatch.setattr("companion.explorables.SCRIPTS", tmp_path)
    with pytest.raises(ValueError, match=message):
        javascript("bad", "f", [[]])


def test_a_chapter_is_stale_when_a_script_that_it_compares_changes() -> None:
    named = chapters.scripts('javascript("budget-odds", "cap", points)')
    assert [path.name for path in named] == ["core.js", "budget-odds.js"]
    assert chapters.scripts("budget-odds") == []


def test_outside_a_notebook_the_numbers_are_only_announced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hand_over("budget-odds", [1 / 3])
    assert capsys.readouterr().out == "[numbers of this run for the explorable budget-odds]\n"


# --------------------------------------------------------------------------------- in a browser

STATE = """
(name) => {
  const box = document.querySelector(`figure[data-explore="${name}"]`);
  const input = box.querySelector("input[type=range]");
  return {
    shown: input.labels[0].querySelector("output").textContent,
    valuetext: input.getAttribute("aria-valuetext"),
    says: box.querySelector("[role=status]").textContent,
    titles: [...box.querySelectorAll("svg > title")].map((t) => t.textContent),
    hash: location.hash,
    height: box.offsetHeight,
    room: parseFloat(getComputedStyle(box).minHeight),
  };
}
"""


# Boxes have no formulas, and drawing those of the chapter takes longer than all else.
NO_FORMULAS = "window.MathJax = {startup: {promise: Promise.resolve()}};"


def box(name: str) -> str:
    return f'figure[data-explore="{name}"]'


@pytest.mark.site
@EVERY
def test_a_box_obeys_the_keyboard_keeps_its_state_and_breaks_no_rule(
    browser: Browser, site_dir: Path, name: str
) -> None:
    visit = Visit(name, {})
    with browser.page(visit, mode="dark", width=390) as page:
        page.emulate_media(reduced_motion="reduce")
        page.route("**/mathjax/*.js", lambda route: route.fulfill(body=NO_FORMULAS))
        page.goto(browser.root + WHERE[name])
        first = page.evaluate(STATE, name)
        assert first["height"] <= first["room"], "say more :room: in the directive"
        page.locator(f"{box(name)} input[type=range]").first.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "([name, says]) => location.hash && document.querySelector("
            "`figure[data-explore='${name}'] [role=status]`).textContent !== says",
            arg=[name, first["says"]],
        )
        moved = page.evaluate(STATE, name)
        assert moved["shown"] != first["shown"]
        assert moved["valuetext"] == moved["shown"]
        assert moved["hash"].startswith(f"#explore-{name}:")
        assert all(moved["says"] in title for title in moved["titles"])
        page.locator(f"{box(name)} .explore-reset").click()
        page.wait_for_function("location.hash === ''")
        assert page.evaluate(STATE, name)["says"] == first["says"]
        use_every_control(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        drawn = page.locator(f"{box(name)} .explore-panels").inner_html()
        assert not re.search("NaN|undefined|Infinity", drawn)
        assert [fault["id"] for fault in run_axe(page, part=box(name))] == []

        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="light")
        assert [fault["id"] for fault in run_axe(page, part=box(name))] == []
        page.goto((site_dir / WHERE[name]).as_uri() + moved["hash"])
        again = page.evaluate(STATE, name)
        assert (again["shown"], again["says"]) == (moved["shown"], moved["says"])
        assert again["height"] <= again["room"], "say more :room: in the directive"
    assert checks.network_faults(visit) + checks.console_faults(visit) == []


def use_every_control(page: Page, name: str) -> None:
    for control in page.locator(f"{box(name)} :is(input, select)").all():
        control.focus()
        page.keyboard.press("ArrowDown" if control.evaluate("c => !!c.options") else "PageUp")
    for button in page.locator(f"{box(name)} button:not(.explore-reset)").all():
        button.click()
    page.wait_for_timeout(300)  # the sentence comes a quarter of a second after the last change


@pytest.mark.site
@EVERY
def test_without_scripts_its_content_and_its_first_pictures_are_there(
    browser: Browser, name: str
) -> None:
    context = browser.context(java_script_enabled=False)
    page = context.new_page()
    page.goto(browser.root + WHERE[name])
    kept = page.locator(f"{box(name)} .explore-static")
    assert kept.is_visible()
    assert len(kept.inner_text()) > 40
    assert all(svg.bounding_box()["width"] > 250 for svg in kept.locator("svg").all())
    assert kept.locator("svg").count()
    context.close()


@pytest.mark.site
def test_scripts_come_to_pages_with_a_box_only(site_dir: Path) -> None:
    loading = {
        str(page.relative_to(site_dir))
        for page in site_dir.rglob("*.html")
        if "explore/core.js" in page.read_text(encoding="utf-8")
    }
    assert loading == set(WHERE.values())
