"""The reproduction report in a browser: filters, permanent addresses, pages not too long."""

from pathlib import Path

import pytest
from site_browser import Browser, Visit

from tools import claims

pytestmark = pytest.mark.site

REPORT = "book/report.html"
LONGEST = 10_000  # pixels of the report, and of a page of cards on a desktop
SHOWN = "document.querySelectorAll('.claim-lines > .claim:not([hidden])').length"
HEIGHT = "document.querySelector('article').scrollHeight"
OPEN = "details.claim-fold[open]"


def test_filters_show_what_was_chosen_and_say_how_much(browser: Browser, root: Path) -> None:
    declared = claims.declared(root)
    wrong = [c for c in declared if c["verdict"] == "corrected"]
    of_source = [c for c in wrong if c["source"] == "S004"]
    assert 0 < len(of_source) < len(wrong) < len(declared)
    with browser.page(Visit("filters", {})) as page:
        page.goto(browser.root + REPORT)
        status = page.locator(".claim-filters [role=status]")
        assert page.evaluate(SHOWN) == len(declared)
        assert page.locator(OPEN).count() == 0  # the lines of each source are folded at first
        for name, value, left in (("is", "corrected", wrong), ("of", "s004", of_source)):
            page.locator(f".claim-filters [name={name}]").focus()
            page.keyboard.type(value)  # by keyboard alone
            assert page.evaluate(SHOWN) == len(left)
            assert status.inner_text() == f"{len(left)} of {len(declared)} claims are shown."
        assert page.locator(f"{OPEN}:visible").count() == 1
        page.reload()  # the address keeps what was chosen
        assert page.evaluate(SHOWN) == len(of_source)
        page.get_by_role("button", name="Show all").click()
        page.wait_for_function(f"{SHOWN} === {len(declared)}")
        assert "#" not in page.url


def test_a_permanent_address_leads_to_the_card(
    browser: Browser, root: Path, site_dir: Path
) -> None:
    claim = next(c for c in claims.declared(root) if c["chapter"])
    anchor = f"#claim-{claim['id']}"
    for start in (browser.root, site_dir.as_uri() + "/"):
        with browser.page(Visit("card", {})) as page:
            page.goto(start + REPORT + anchor)
            page.wait_for_url(f"**/book/cards/{claim['chapter']}.html{anchor}")
            assert page.locator(anchor).is_visible()


def test_without_scripts_every_claim_is_shown_and_no_filter(browser: Browser) -> None:
    context = browser.context(java_script_enabled=False)
    page = context.new_page()
    page.goto(browser.root + REPORT)
    assert page.locator(".claim-lines > .claim").last.is_visible()
    assert not page.locator(".claim-filters").is_visible()
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_report_is_not_too_long(browser: Browser, width: int) -> None:
    with browser.page(Visit("report", {}), width=width) as page:
        page.goto(browser.root + REPORT)
        assert page.evaluate(HEIGHT) <= LONGEST


def test_no_page_of_cards_is_too_long(browser: Browser, site_dir: Path) -> None:
    pages = [f"book/cards/{p.name}" for p in site_dir.glob("book/cards/*.html")]
    assert len(pages) > 2
    long = {}
    for name in pages:
        with browser.page(Visit(name, {})) as page:
            page.goto(browser.root + name)
            height = page.evaluate(HEIGHT)
            long |= {name: height} if height > LONGEST else {}
    assert long == {}
