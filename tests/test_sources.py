"""A source is data: a claim of any paper is checked, shown and told apart from a faulty one."""

import json
from pathlib import Path

import pytest
from small_book import CONFIG, GOOD, declaration, tool, write_project

from tools import chapters, ledger, runs

REPORT = """\
# Report

```{claims-run}
```

```{claims-counts}
```

```{claims-sources}
```

```{bibliography}
```
"""
ENTRY = "@misc{%s, author = {Warner, Stanley}, title = {Coins, %s}, year = {1965}}\n"
CLAIM = '\nclaim("Warner65-02", observed=0.5, expected=0.5)'


@pytest.fixture
def sourced_book(tmp_path: Path) -> Path:
    """A book with a claim of its own source, one of a paper, and a report."""
    project = write_project(tmp_path / "book", {"00-good": GOOD + CLAIM, "report": ""})
    book = project / "book"
    claims = declaration("S000-01", "00-good") + declaration("Warner65-02", "00-good")
    (book / "claims.yml").write_text(claims)
    (book / "report.md").write_text(REPORT)
    (book / "references.bib").write_text(
        "".join(ENTRY % (k, k) for k in ("ours2026", "warner1965"))
    )
    extensions = "{verified: book/_ext, claims: book/_ext, execution: book/_ext}"
    config = CONFIG.replace("{verified: book/_ext}", extensions)
    (project / "_config.yml").write_text(config + "bibtex_bibfiles: [book/references.bib]\n")
    return project


def test_a_claim_of_any_source_reaches_the_report_and_an_older_run_does_not(
    sourced_book: Path,
) -> None:
    done = tool("run.py", sourced_book)
    assert done.returncode == 0, done.stdout
    done = tool("build_html.py", sourced_book)
    assert done.returncode == 0, done.stderr
    site = sourced_book / "_build" / "html"
    page = (site / "book" / "report.html").read_text()
    for part in ('id="warner65-coins"', 'id="claim-Warner65-02"', ">Warner65: Coins<"):
        assert part in page
    sources = {
        c["id"]: c["source"] for c in json.loads((site / "claims.json").read_text())["claims"]
    }
    assert sources == {"S000-01": "S000", "Warner65-02": "Warner65"}

    index, path = (
        json.loads(runs.path(sourced_book).read_text()),
        chapters.claims_path("00-good", sourced_book),
    )
    records = [{"id": record["id"]} for record in json.loads(path.read_text())]
    path.write_text(json.dumps(records))  # as a tool stored them that knew no tolerances
    index["chapters"]["00-good"]["digest"] = runs.digest("00-good", sourced_book)
    runs.path(sourced_book).write_text(json.dumps(index))
    done = tool("build_html.py", sourced_book)
    assert done.returncode == 1
    assert "chapter 00-good: it has no successful run; run `make run`" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_claim_of_no_source_fails_its_chapter(sourced_book: Path) -> None:
    path = sourced_book / "book" / "sources.yml"
    path.write_text(path.read_text().replace("Warner65", "Warner"))
    done = tool("run.py", sourced_book)
    assert done.returncode == 1
    assert "claim Warner65-02 must be called after a source of book/sources.yml" in done.stdout


SOURCE = {"name": "S000", "key": "a2020", "title": "T", "text": "See {cite:p}`a2020`."}


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([SOURCE | {"more": "x"}], "must have the texts name, key, title, text and no others"),
        ([SOURCE | {"name": None}], "source None must have the texts"),
        ([SOURCE | {"name": "S-0"}], "must have a name of letters and digits"),
        ([SOURCE | {"key": "b2021"}], "must cite its key b2021 in its text"),
        ([SOURCE, SOURCE], "source S000 is declared more than once"),
    ],
)
def test_a_faulty_source_is_told(sources: list[dict], message: str) -> None:
    assert ledger.source_faults([SOURCE]) == []
    (fault,) = ledger.source_faults(sources)
    assert message in fault
