"""The code that stands on the pages runs as it stands and prints what the page says it prints."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

# Code, and what it prints if that stands right behind it.
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.M | re.S)
HERE = Path(__file__).resolve().parents[1]
WRITTEN = [HERE / "index.md", *sorted((HERE / "book").glob("[a-z]*.md"))]
PAGES = [page for page in WRITTEN if BLOCK.search(page.read_text(encoding="utf-8"))]


def faults(page: str) -> list[str]:
    """Run a page's code from top to bottom; what is printed must be what is shown."""
    names: dict[str, Any] = {"__name__": "page"}
    found = []
    for code, text in BLOCK.findall(page):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "page", "exec"), names)
        if printed.getvalue() != text:
            found.append(f"printed\n{printed.getvalue()}and not\n{text}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_of_a_page_runs_and_prints_what_it_says(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert faults(text) == []
    lines = [line for code, _ in BLOCK.findall(text) for line in code.splitlines()]
    assert max(map(len, lines)) <= 100


def test_a_wrong_output_is_found() -> None:
    page = "```python\nx = 1\nprint(x)\n```\n\n```text\n1\n```\n\n```python\nprint(x + 1)\n```\n"
    assert faults(page) == ["printed\n2\nand not\n"]
    assert faults(page.replace("\n1\n", "\n3\n")) != faults(page)
