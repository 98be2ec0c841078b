"""Visits pages of the built site in a browser without a network, and gathers what was seen."""

import functools
import gzip
import http.server
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
AXE_OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "rules": {"region": {"enabled": True}},
    "resultTypes": ["violations"],
}
COLOURS = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
    "resultTypes": ["violations"],
}
# All that can differ at 320 pixels from 390: between them no style of the site changes.
SIZES = {
    "runOnly": {"type": "rule", "values": ["scrollable-region-focusable", "target-size"]},
    "resultTypes": ["violations"],
}
STILL = "*, ::before, ::after { transition: none !important }"  # a colour on its way is no colour
NARROW = 768  # pixels: where nothing may need to be scrolled sideways
NARROWEST, NARROWER = 320, 390
TEXT_TYPES = (".html", ".css", ".js", ".svg", ".json", ".md", ".ipynb", ".txt")

WATCH_SHIFTS = """
window.layoutShifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.layoutShifts.push(entry.value);
  }
}).observe({type: "layout-shift", buffered: true});
"""

SETTLED = """
async () => {
  await document.fonts.ready;
  if (document.querySelector("script[src*=mathjax]")) {
    while (!window.MathJax?.startup?.promise) await new Promise((f) => setTimeout(f, 20));
    await MathJax.startup.promise;
  }
  await new Promise((f) => requestAnimationFrame(() => setTimeout(f, 150)));
}
"""

# A page hears of its new size with the next frame.
RESIZED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"

FACTS = """
() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const text = (node) => node.textContent.replace(/\\s+/g, " ").trim();
  const formulas = all(".math");
  return {
    lang: document.documentElement.lang,
    title: document.title,
    headings: all("h1").map(text),
    descriptions: all("meta[name=description]").map((m) => m.content),
    ids: all("[id]").map((n) => n.id),
    images: all("img").map((n) => ({
      src: n.getAttribute("src"), alt: n.getAttribute("alt"), inContent: !!n.closest("article"),
      width: n.getAttribute("width"), height: n.getAttribute("height"), drawn: n.naturalWidth > 0,
    })),
    formulas: formulas.length,
    undrawn: formulas.filter((n) => !n.querySelector("mjx-container")).map(text),
    wrong: all("mjx-merror").map((n) => n.dataset.mjxError).concat(
      all("mjx-assistive-mml [mathcolor=red]").map(text)),  // a command MathJax does not know
    mathjax: all("script[src*=mathjax]").length,
    stamp: all(".build-stamp").map(text).join(" "),
    links: all("a[href]").map((n) => n.href),
    next: all("a.right-next").map((n) => n.href),
    previous: all("a.left-prev").map((n) => n.href),
    shift: (window.layoutShifts || []).reduce((a, b) => a + b, 0),
  };
}
"""

OVERFLOW = """
() => {
  const faults = [];
  const excess = document.documentElement.scrollWidth - window.innerWidth;
  if (excess > 0) faults.push(`the page is ${excess} px too wide`);
  const hidden = "mjx-assistive-mml, .toggle-hidden";
  for (const node of document.querySelectorAll("main *")) {
    const style = getComputedStyle(node);
    const clips = ["hidden", "clip"].includes(style.overflowX) && style.visibility !== "hidden";
    const cut = node.scrollWidth - node.clientWidth;
    if (clips && cut > 2 && node.clientWidth > 8 && !node.closest(hidden)) {
      faults.push(`${cut} px of <${node.localName} class="${node.className}"> are cut off`);
    }
  }
  return faults;
}
"""


@dataclass
class Visit:
    """What one page did and showed."""

    page: str
    facts: dict[str, Any]
    outside: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    transferred: int = 0
    overflow: dict[int, list[str]] = field(default_factory=dict)
    violations: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder as a public server would: text compressed, on one kept connection."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        body = _compressed(path) if path.suffix in TEXT_TYPES else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        if path.suffix in TEXT_TYPES:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@functools.lru_cache(maxsize=512)
def _compressed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; yields the address of its root."""
    handler = functools.partial(_Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class Browser:
    """One Chromium for all visits; nothing it asks for leaves the machine."""

    def __init__(self, browser: Any, root: str) -> None:
        self._browser = browser
        self.root = root

    def context(self, **options: Any) -> Any:
        """Open a profile of its own: nothing cached, nothing remembered."""
        return self._browser.new_context(**options)

    def _text(self, name: str) -> str:
        with urllib.request.urlopen(self.root + name) as answer:
            return gzip.decompress(answer.read()).decode("utf-8")

    def _note_request(self, visit: Visit, url: str) -> None:
        if not url.startswith((self.root, "file://", "data:", "blob:")):
            visit.outside.append(url)

    @contextmanager
    def page(self, visit: Visit, *, mode: str = "light", width: int = 1280) -> Iterator[Page]:
        """Open an empty page whose requests, failures and messages go into `visit`."""
        size = {"width": width, "height": 900}
        context = self.context(viewport=size, color_scheme=mode)
        page = context.new_page()
        page.add_init_script(WATCH_SHIFTS)
        page.on("request", lambda request: self._note_request(visit, request.url))
        page.on("console", lambda message: _note_message(visit, message))
        page.on("pageerror", lambda error: visit.console.append(f"error: {error}"))
        page.on("response", lambda answer: _note_answer(visit, answer))
        try:
            yield page
        finally:
            context.close()

    def visit(
        self,
        name: str,
        *,
        spoil: Callable[[str], str] | None = None,
        mode: str = "light",
        width: int = 1280,
        widths: tuple[int, ...] = (),
        axe: bool = False,
    ) -> Visit:
        """Open a page, let it settle, and gather what the checks judge.

        `spoil` changes the page's HTML before the browser sees it (negative controls).
        """
        visit = Visit(name, {})
        with self.page(visit, mode=mode, width=width) as page:
            if spoil is not None:
                body = spoil(self._text(name))
                page.route(self.root + name, functools.partial(_answer, body))
            meter = page.context.new_cdp_session(page)
            meter.send("Network.enable")
            meter.on("Network.loadingFinished", lambda event: _add(visit, event))
            page.goto(self.root + name if "://" not in name else name)
            page.evaluate(SETTLED)
            visit.facts = page.evaluate(FACTS)
            for pixels in widths:
                page.set_viewport_size({"width": pixels, "height": 900})
                page.evaluate(RESIZED)
                if pixels < NARROW:
                    visit.overflow[pixels] = page.evaluate(OVERFLOW)
                if axe:
                    _look(page, visit, pixels)
        return visit


def _look(page: Page, visit: Visit, width: int) -> None:
    """Run axe in both modes, in the dark on colours alone; where it is narrowest on sizes alone."""
    if width == NARROWEST:
        visit.violations[f"{width} px"] = run_axe(page, SIZES)
        return
    page.add_style_tag(content=STILL)
    visit.violations[f"light, {width} px"] = run_axe(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    visit.violations[f"dark, {width} px"] = run_axe(page, COLOURS)
    page.emulate_media(color_scheme="light")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")


def _note_message(visit: Visit, message: Any) -> None:
    if message.type in ("error", "warning"):
        visit.console.append(f"{message.type}: {message.text}")


def _note_answer(visit: Visit, answer: Any) -> None:
    if answer.status >= 400:
        visit.failed.append(f"{answer.status} {answer.url}")


def _add(visit: Visit, event: dict[str, Any]) -> None:
    visit.transferred += int(event["encodedDataLength"])


def _answer(body: str, route: Any) -> None:
    route.fulfill(status=200, content_type="text/html; charset=utf-8", body=body)


def run_axe(
    page: Page, options: dict[str, Any] = AXE_OPTIONS, part: str = ":root"
) -> list[dict[str, Any]]:
    """Run axe-core on the page, or a part of it, as it stands; returns its violations."""
    if not page.evaluate("window.axe !== undefined"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    run = "([part, options]) => axe.run(part, options)"
    return page.evaluate(run, [part, options])["violations"]


@contextmanager
def opened(folder: Path, executable: str) -> Iterator[Browser]:
    """Serve a built site and open a browser that can reach nothing else."""
    arguments = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-quic",
        "--disable-sync",
        "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]
    nowhere = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}  # every other address
    with served(folder) as root, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=executable, args=arguments, proxy=nowhere)
        try:
            yield Browser(browser, root)
        finally:
            browser.close()
