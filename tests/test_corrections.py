"""What the changelog says of numbers reaches the foot of the chapter that checks them."""

import corrections
import pytest
from corrections import named
from docutils import nodes

from tools import chapters, claims

LOG = """\
## Unreleased
### Added
* S000-01 is nothing of this.
### Numbers changed
* S000-01 is corrected:
  it was too small. S000-02, F03 and 05 to 07 have another margin. New: S000-01 and F03.
* No verdict moved.
## 0.1
### Numbers changed
* S000-01 and F03 are compared with one table.
"""
FIRST, THIRD = {"id": "S000-01", "chapter": "01-one"}, {"id": "S000-F03", "chapter": "02-two"}


def test_a_sentence_belongs_to_the_chapters_of_its_claims() -> None:
    last = "S000-01 and F03 are compared with one table."
    assert corrections.by_chapter(LOG, [FIRST, THIRD]) == {
        "01-one": [("S000-01 is corrected: it was too small.", [FIRST]), (last, [FIRST])],
        "02-two": [("S000-02, F03 and 05 to 07 have another margin.", [THIRD]), (last, [THIRD])],
    }


def test_a_claim_says_itself_with_its_formulas() -> None:
    claim = {"id": "S000-01", "statement": "The sum is $n + 1$, not $n$."}
    made = corrections.statement(claim, "book/01-one")
    assert made.astext() == "S000-01: The sum is n + 1, not n."
    assert [m.astext() for m in made.findall(nodes.math)] == ["n + 1", "n"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("S003-43 and S004-05", {"S003-43", "S004-05"}),
        (
            "S004-65, 66 (corrected), F17 to F19",
            {f"S004-{n}" for n in ["65", "66", "F17", "F18", "F19"]},
        ),
        ("S000-F11 to S000-F13.", {"S000-F11", "S000-F12", "S000-F13"}),
        ("S004-72 for six values; S004-82, at 32 bins", {"S004-72", "S004-82"}),
        ("AdOBEst-LDP at a budget of 7", set()),
    ],
)
def test_claims_are_read_as_they_are_written(text: str, names: set[str]) -> None:
    assert named(text) == names


def test_most_of_what_this_book_corrected_finds_its_chapter() -> None:
    text = (chapters.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    told = corrections.sentences(text)
    known = {claim["id"] for claim in claims.declared()}
    lost = [s for s in told if named(s) and not named(s) & known and "Withdrawn" not in s]
    assert len(told) > 20
    assert lost == []
    assert {"01-randomized-response", "12-does-it-pay"} <= {
        *corrections.by_chapter(text, claims.declared())
    }
