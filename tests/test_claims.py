"""The ledger of claims, the rules it follows, and the report made from it."""

import json
import re
from fractions import Fraction
from pathlib import Path

import claims_badge
import claims_html
import pytest

from companion import agrees
from companion.distance import farthest
from tools import chapters, ledger, values
from tools import claims as files

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def claims() -> list[dict]:
    return files.declared(ROOT)


@pytest.fixture(scope="module")
def records() -> list[dict]:
    found = files.load(ROOT)
    if not found:
        pytest.fail("no chapter has been run: run make run first")
    return found


# --------------------------------------------------------------------------------- the ledger


def test_ledger_follows_its_own_rules(claims: list[dict]) -> None:
    assert ledger.schema_faults(claims) == []


def test_ledger_has_all_112_numbered_claims_and_more(claims: list[dict]) -> None:
    numbers = sorted(int(c["id"][5:]) for c in claims if re.match(r"S00[0-4]-\d", c["id"]))
    assert numbers == list(range(1, 113))
    assert len(claims) >= 155


def test_chapters_named_in_the_ledger_are_those_of_the_book(claims: list[dict]) -> None:
    named = {c["chapter"] for c in claims}
    assert named <= set(chapters.names())
    # The last chapter repeats no check: it links to the claims that it rests on.
    assert set(chapters.names()) - named <= {"21-which-one"}


def test_no_claim_is_left_open(claims: list[dict]) -> None:
    assert [c["id"] for c in claims if c["verdict"] == "open"] == []


def test_errata_link_to_every_wrong_claim_and_to_no_unknown_one(claims: list[dict]) -> None:
    errata = (ROOT / "book" / "errata.md").read_text(encoding="utf-8")
    assert ledger.unlisted(claims, errata) == []
    assert set(re.findall(r"\{claim\}`([^`]+)`", errata)) <= {c["id"] for c in claims}


CHAPTER = "01-randomized-response"
GOOD = {
    "id": "S004-41",
    "source": "S004",
    "place": "a slide",
    "statement": "a statement",
    "published": [0.016, 0.027],
    "how": "a comparison",
    "basis": "printed",
    "chapter": CHAPTER,
    "verdict": "corrected",
    "reason": "a misprint",
}
RECORD = {
    "id": "S004-41",
    "observed": [0.0086, 0.021],
    "expected": [0.0086, 0.021],
    "relation": "==",
    "tolerance": "relative tolerance 1e-12",
    "standard_error": None,
    "rtol": 1e-12,
    "margin": None,
    "notices": 1e-12,
    "values": {"gain": 0.314},
    "chapter": CHAPTER,
    "code_cell": 3,
    "seconds": 0.1,
    "profile": "fast",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": None}, "must be called after a source"),
        ({"id": "S004-x"}, "must be called after a source"),
        ({"verdict": "true"}, "unknown verdict"),
        ({"verdict": "open"}, "must be open exactly while no chapter checks it"),
        ({"chapter": None}, "must be open exactly while no chapter checks it"),
        ({"reason": ""}, "without a reason"),
        ({"statement": " "}, "empty statement"),
        ({"note": "x"}, "unknown fields note"),
        ({"basis": "guessed"}, "unknown basis guessed"),
        ({"data": "none"}, "unknown data none"),
    ],
)
def test_faulty_declaration_is_found(change: dict, message: str) -> None:
    assert ledger.schema_faults([GOOD]) == []
    (fault,) = ledger.schema_faults([GOOD | change])
    assert message in fault


def test_missing_field_and_repeated_id_are_found() -> None:
    short = {key: value for key, value in GOOD.items() if key != "how"}
    assert ledger.schema_faults([short]) == ["claim S004-41 has no how"]
    assert ledger.faults([CHAPTER], [short], [RECORD]) == {CHAPTER: "claim S004-41 has no how"}
    nameless = {key: value for key, value in GOOD.items() if key != "id"}
    (fault,) = ledger.faults([CHAPTER], [nameless], [RECORD]).values()
    assert fault == "claims not declared in book/claims.yml: S004-41; claim None has no id"
    assert ledger.merged([short, nameless], [RECORD]) == []
    twice = ledger.faults([CHAPTER], [GOOD, GOOD], [RECORD])
    assert twice == {CHAPTER: "claims declared more than once: S004-41"}


def test_unverified_undeclared_repeated_and_misplaced_claims_are_found() -> None:
    first, second = CHAPTER, "02-unary-encoding"
    other = GOOD | {"id": "S004-42", "verdict": "reproduced", "published": None}
    assert ledger.faults([first], [GOOD], [RECORD]) == {}
    missing = ledger.faults([first], [GOOD, other], [RECORD])
    assert missing == {first: "claims declared for this chapter but not checked: S004-42"}
    unknown = ledger.faults([first], [GOOD], [RECORD, RECORD | {"id": "S004-99"}])
    assert unknown == {first: "claims not declared in book/claims.yml: S004-99"}
    twice = ledger.faults([first], [GOOD], [RECORD, RECORD])
    assert twice == {first: "claims checked more than once: S004-41"}
    elsewhere = ledger.faults([second], [GOOD], [RECORD | {"chapter": second}])
    assert elsewhere == {second: "claims declared for another chapter: S004-41"}


@pytest.mark.parametrize(
    ("change", "record", "message"),
    [
        ({}, {"expected": [0.016, 0.027]}, "within the tolerance"),
        ({}, {"standard_error": 0.01}, "within the tolerance"),
        ({}, {"expected": [0.0086, 0.021, 0.055]}, "cannot be compared"),
        ({}, {"expected": {"shape": [40]}}, "cannot be compared"),
        ({"published": 0.5}, {"expected": [0.5, 0.5, 0.5]}, "within the tolerance"),
        ({"published": 0.5}, {"expected": {"shape": [40], "min": 0.5, "max": 0.5}}, "within the"),
        ({"verdict": "reproduced"}, {}, "expects something else"),
        ({"verdict": "refuted"}, {"expected": [0.016, 0.027]}, "within the tolerance"),
        ({}, {"rtol": 1e-3}, "has no margin: say why its tolerance is"),
        ({}, {"standard_error": 1e-4, "margin": 0.05}, "has no margin"),
        ({"margin": "wide"}, {}, "has a margin, but its tolerance is"),
        (
            {},
            {"notices": 0.021},
            "has no notices: say why its check notices relative faults of 0.021",
        ),
        ({}, {"notices": None}, "has no notices"),
        ({"how": "off by {values.loss}"}, {}, "names values.loss in how: no such value"),
        ({"reason": "{S004-40.observed}"}, {}, "names S004-40.observed in reason: no such value"),
    ],
)
def test_verdict_and_published_value_must_fit(change: dict, record: dict, message: str) -> None:
    (fault,) = ledger.faults([CHAPTER], [GOOD | change], [RECORD | record]).values()
    assert fault.startswith("claim S004-41 ")
    assert message in fault


def test_one_wrong_published_value_is_compared_with_every_entry() -> None:
    long = RECORD | {"expected": {"shape": [40], "min": 0.1252, "max": 0.1252}}
    for record in (long, RECORD):
        assert ledger.faults([CHAPTER], [GOOD | {"published": 0.046}], [record]) == {}


def test_weak_check_with_a_sentence_on_its_power_and_wide_margin_with_a_reason_pass() -> None:
    told = GOOD | {"notices": "an order of magnitude", "margin": "as read off a figure"}
    weak = RECORD | {"notices": None, "rtol": 1e-3}
    assert ledger.faults([CHAPTER], [told], [weak]) == {}


def test_numbers_of_a_chapter_that_has_not_run_are_awaited() -> None:
    other = GOOD | {"id": "S004-42", "chapter": "02-unary-encoding"}
    waiting = GOOD | {"reason": "{S004-42.observed}"}
    assert ledger.faults([CHAPTER], [waiting, other], [RECORD]) == {}
    without = RECORD | {"id": "S004-42", "chapter": "02-unary-encoding", "observed": [1, 2]}
    (fault,) = ledger.faults([CHAPTER], [waiting, other], [RECORD, without]).values()
    assert "names S004-42.observed in reason: no such value" in fault


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{observed[0]} and $x^{2}$", "0.0086 and $x^{2}$"),
        ("{observed[1]:.1%} more", "2.1% more"),
        ("{values.gain:.0%}, {notices}", "31%, 1 × 10⁻¹²"),
        ("{S004-50.observed.max:.2f}", "9.50"),
        ("{S004-50.expected} {S004-50.values.n}", "0.3333 7"),
        ("{S004-50.values.loss:.1f}", "−1.5"),
    ],
)
def test_numbers_of_the_run_are_filled_in(text: str, filled: str) -> None:
    other = {
        "observed": {"shape": [40], "min": 0.0, "max": 9.5},
        "expected": "1/3",
        "values": {"n": 7, "loss": -1.5},
    }
    records = {"S004-41": RECORD, "S004-50": other}
    assert values.fill(text, "S004-41", records) == (filled, [])
    assert values.fill(text, "S004-42", records) == (text, [])  # not checked yet


@pytest.mark.parametrize(
    "name",
    ["observed", "observed[2]", "observed.max", "values.loss", "values.gain:d", "S009-9.notices"],
)
def test_absent_numbers_are_left_and_told(name: str) -> None:
    text, absent = values.fill(f"off by {{{name}}}", "S004-41", {"S004-41": RECORD})
    assert text == f"off by {{{name}}}"
    assert absent == [name]


def test_role_wants_the_whole_name_of_a_number() -> None:
    assert values.in_text("S004-41.values.gain:.1%", {"S004-41": RECORD}, {}) == "31.4%"
    for name in ("values.gain", "S004-41", "S004-41.seconds", "S004-42.observed"):
        with pytest.raises(LookupError):
            values.in_text(name, {"S004-41": RECORD}, {})


def test_rebuilt_and_substitute_verdicts_are_shown_and_counted_apart() -> None:
    sound = GOOD | {"verdict": "reproduced", "published": None}
    rebuilt, other = sound | {"basis": "reconstructed"}, sound | {"data": "substitute"}
    assert ledger.shown(GOOD | {"basis": "reconstructed"}) == "corrected"
    assert ledger.shown(rebuilt) == "reconstruction verified"
    assert ledger.shown(other) == "reproduced on substitute data"
    table = claims_html.counts_table([sound, rebuilt, rebuilt, other])
    assert re.search(r"all sources.*?</th><td>1</td><td>2</td><td>1</td><td>4</td>", table)
    assert "refuted" not in table  # no claim is


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"notices": None}, "no relative fault can be stated"),
        ({"notices": 0.0}, "any change"),
        ({"notices": 0.0123}, "relative faults of 1.2%"),
        ({"relation": "<="}, "relative faults of 1e-12, on one side"),
        ({"standard_error": 0.1}, "relative faults of 1e-12, with probability 95 %"),
    ],
)
def test_power_is_written_for_reading(change: dict, text: str) -> None:
    assert claims_html.notices(RECORD | change) == text


def test_unlisted_erratum_is_found() -> None:
    assert ledger.unlisted([GOOD], "see S004-41") == ["S004-41"]
    assert ledger.unlisted([GOOD], "see {claim}`S004-41`") == []


# ------------------------------------------------------------------------ the pieces of the report


def test_a_claim_has_the_classes_by_which_the_report_filters() -> None:
    assert claims_html.kinds(GOOD | {"source": "S004", "chapter": "04-which-oracle"}) == [
        "claim-corrected", "is-corrected", "of-s004", "in-04-which-oracle"
    ]  # fmt: skip
    form = claims_html.filters([GOOD | {"source": "S004", "chapter": "04-which-oracle"}])
    for value in ("corrected", "s004", "04-which-oracle"):
        assert f'<option value="{value}">' in form


def test_report_shows_counts_numbers_and_a_citation() -> None:
    (claim_,) = ledger.merged([GOOD], [RECORD])
    assert ledger.counts([GOOD])["S004"]["corrected"] == 1
    table = claims_html.counts_table([GOOD])
    assert re.search(r'<th scope="row">all sources.*?</th><td>1</td><td>1</td>', table)
    assert dict(claims_html.numbers(claim_))["Published"] == "(0.016, 0.027)"
    facts = {"versions": {"ldp-companion": "1.0"}, "commit": "abc1234"}
    entry = claims_html.bibtex(claim_, facts)
    assert entry.startswith("@misc{ldp-companion-S004-41,")
    assert "version 1.0, commit abc1234" in entry
    assert entry.count("{") == entry.count("}")
    assert not {"url", "doi"} & set(re.findall(r"^\s+(\w+)", entry, flags=re.M))
    assert "seconds" not in claims_html.public(claim_)["check"]  # differs from run to run


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.3333333333, "0.333333"),
        ("inf", "inf"),
        (True, "yes"),
        ([1, 2.5], "(1, 2.5)"),
        ({"shape": [2, 3]}, "array of 2 by 3 values"),
        ({"shape": [40], "min": True, "max": True}, "array of 40 values, all yes"),
        ({"shape": [40], "min": 0, "max": 1.0}, "array of 40 values between 0 and 1"),
    ],
)
def test_recorded_values_are_written_for_reading(value: object, text: str) -> None:
    assert claims_html.show(value) == text


# ------------------------------------------------------------------------- the executed chapters


@pytest.mark.chapters
def test_every_declared_claim_is_checked_once_and_nothing_else(
    claims: list[dict], records: list[dict]
) -> None:
    declared = sorted(c["id"] for c in claims if c["chapter"])
    assert sorted(record["id"] for record in records) == declared


@pytest.mark.chapters
def test_verdicts_fit_the_published_values_and_the_checks(
    claims: list[dict], records: list[dict]
) -> None:
    assert ledger.faults(chapters.names(), claims, records) == {}


@pytest.mark.chapters
def test_every_record_still_holds_by_its_own_numbers(records: list[dict]) -> None:
    """A record is evidence only if its numbers, read again, meet its own tolerance."""
    judged = [r for r in records if not isinstance(r["observed"], dict)]
    keys = ("standard_error", "rtol", "margin", "relation")
    wrong = [
        r["id"]
        for r in judged
        if not agrees(read(r["observed"]), read(r["expected"]), **{k: r[k] for k in keys})
    ]
    assert judged
    assert wrong == []


def read(value: object) -> object:
    """Turn infinities and fractions back from the strings that JSON needs."""
    if isinstance(value, list):
        return [read(item) for item in value]
    if isinstance(value, str) and "inf" in value:
        return float(value)
    is_fraction = isinstance(value, str) and re.fullmatch(r"-?\d+(/\d+)?", value)
    return Fraction(value) if is_fraction else value


@pytest.mark.site
def test_site_carries_the_ledger_and_an_anchor_for_every_claim(
    claims: list[dict], site_dir: Path
) -> None:
    content = json.loads((site_dir / "claims.json").read_text(encoding="utf-8"))
    assert [c["id"] for c in content["claims"]] == [c["id"] for c in claims]
    page = (site_dir / "book" / "report.html").read_text(encoding="utf-8")
    assert [c["id"] for c in claims if f'id="claim-{c["id"]}"' not in page] == []
    for name in {c["chapter"] for c in claims if c["chapter"]}:
        cards = (site_dir / "book" / "cards" / f"{name}.html").read_text(encoding="utf-8")
        for claim_ in (c["id"] for c in claims if c["chapter"] == name):
            assert f'href="cards/{name}.html#claim-{claim_}"' in page
            assert f'id="claim-{claim_}"' in cards
            assert f'href="../{name}.html#check-{claim_}"' in cards


# --------------------------------------------------------------------------------- the badges

CHECK = {
    "observed": 1.5, "expected": 1.5, "relation": "==", "tolerance": "relative tolerance 1e-12",
    "standard_error": None, "rtol": 1e-12, "margin": None, "size": 1, "farthest": 0.0,
}  # fmt: skip
MANY = {"observed": {"shape": [4, 9]}, "size": 36}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({}, "Found 1.5, as it must be, to rounding."),
        ({"observed": [True, True], "expected": [True, True]}, "It holds in this run."),
        (
            {"observed": [1.0, 1.1], "expected": [1.0, 1.0], "standard_error": [0.01, 0.04]},
            "Found 1, 1.1; it must be 1, 1, up to five standard errors (0.2 or less).",
        ),
        (
            {"observed": 0.5, "relation": "<", "standard_error": 0.1, "margin": 0.05},
            "Found 0.5; it must be below 1.5, by more than 5%, with five standard errors to spare.",
        ),
        (
            MANY | {"farthest": None, "tolerance": "exact"},
            "All 36 numbers are what they must be, exactly.",
        ),
        (MANY | {"farthest": 1e-15}, "36 numbers: they are what they must be, to rounding."),
        (
            MANY | {"rtol": 0.05, "farthest": 0.02},
            "36 numbers: the largest difference is 2.00%; 0.05 is allowed.",
        ),
        (
            MANY | {"standard_error": 0.1, "farthest": 2.31},
            "36 numbers: the farthest is 2.3 standard errors away; five are allowed.",
        ),
        (
            MANY | {"standard_error": 0.1, "margin": 0.05, "farthest": 0.0123},
            "36 numbers: the largest difference is 1.2%; 5% is allowed, with five standard errors "
            "to spare.",
        ),
        (
            MANY | {"relation": "<=", "farthest": 0.97},
            "36 numbers over their bounds: the largest ratio is 0.97, and it must be at most 1.",
        ),
        (
            MANY | {"relation": ">", "margin": 0.05, "standard_error": 0.1, "farthest": 1.31},
            "36 numbers over their bounds: the smallest ratio is 1.31, and it must be above 1.05, "
            "with five standard errors to spare.",
        ),
        ({"observed": "inf", "expected": "inf"}, "Found ∞, as it must be, to rounding."),
    ],
)
def test_badge_tells_the_numbers_in_plain_words(change: dict, text: str) -> None:
    assert claims_badge.compared(CHECK | change) == text


def test_a_box_stands_where_a_section_or_a_solution_ends() -> None:
    text = (
        "Some text.\n\n```{note}\n## no heading\n```\n\n## Heading\n\n### Part of it\n\n"
        "```{solution-start} ex-a\n:class: dropdown\n```\nWhy.\n\n```{solution-end}\n```\n## Next"
    )
    rows = text.splitlines()
    ends = [rows[number] for number in claims_badge.section_ends(text)]
    assert ends == ["## Heading", "```{solution-end}", "## Next"]


def test_the_farthest_number_is_told_in_the_unit_of_its_tolerance() -> None:
    assert farthest([1, 2], [1, 2]) == 0
    assert farthest([True], [True]) is None
    assert farthest([1.0, 3.0], [2.0, 2.0], relation=">=") == 0.5
    assert farthest([0.1, 1.0], [0.0, 1.0]) == pytest.approx(0.1), "zero has the array's unit"
    assert farthest(1.1, 1.0, standard_error=0.05) == pytest.approx(2.0)
    assert farthest(1.1, 1.0, standard_error=0.05, margin=0.2) == pytest.approx(0.1)
    assert farthest(0.1, 0.0) is None
