"""The code that stands on the pages runs as it stands and prints what the page says it prints."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)
HOWTO = ("choose", "plan", "table", "interval")
PAGES = [Path("index.md"), *(Path("book") / f"howto-{name}.md" for name in HOWTO)]


def shown(page: str) -> list[tuple[str, str | None]]:
    """Each piece of code with the text that stands behind it as its output."""
    blocks = BLOCK.findall(page)
    pairs = zip(blocks, [*blocks[1:], ("", "")], strict=True)
    return [
        (text, after if next_kind == "text" else None)
        for (kind, text), (next_kind, after) in pairs
        if kind == "python"
    ]


def faults(page: str) -> list[str]:
    """Run a page's code from top to bottom; what is printed must be what is shown."""
    names: dict[str, Any] = {"__name__": "page"}
    found = []
    for code, text in shown(page):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "page", "exec"), names)
        if printed.getvalue() != (text or ""):
            found.append(f"printed\n{printed.getvalue()}and not\n{text}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_of_a_page_runs_and_prints_what_it_says(page: Path, root: Path) -> None:
    text = (root / page).read_text(encoding="utf-8")
    assert shown(text)
    assert faults(text) == []
    lines = [line for code, _ in shown(text) for line in code.splitlines()]
    assert max(map(len, lines)) <= 100


def test_a_wrong_output_is_found() -> None:
    page = "```python\nx = 1\nprint(x)\n```\n\n```text\n1\n```\n\n```python\nprint(x + 1)\n```\n"
    assert faults(page) == ["printed\n2\nand not\nNone"]
    assert faults(page.replace("\n1\n", "\n3\n")) != faults(page)
