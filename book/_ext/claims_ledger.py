"""The ledger of claims: what is declared, what the chapters checked, what does not fit.

Plain data in, plain data out; the Sphinx extension `claims` and the tests share it.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from ldp.companion import agrees

SOURCES = {
    "S000": "Slides: adaptive randomized response (AdOBEst-LDP)",
    "S001": "Lecture notes: the local model",
    "S002": "Poster: private sampling with public data",
    "S003": "Paper: improving frequency estimation",
    "S004": "Slides: local differential privacy, part 1",
}
VERDICTS = ("reproduced", "corrected", "refuted", "open")
FIELDS = ("id", "source", "place", "statement", "published", "how", "chapter", "verdict")

Claim = dict[str, Any]


def declared(path: Path) -> list[Claim]:
    """Every claim of `claims.yml`, in its order."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def checked(folder: Path) -> list[Claim]:
    """Every record the chapters left, chapter by chapter."""
    paths = sorted(folder.glob("*.json"))
    return [record for p in paths for record in json.loads(p.read_text(encoding="utf-8"))]


def merged(claims: list[Claim], records: list[Claim]) -> list[Claim]:
    """Claims, each with the record of its check (or None) under `check`."""
    found = {record["id"]: record for record in records}
    return [claim | {"check": found.get(claim["id"])} for claim in claims]


def counts(claims: list[Claim]) -> dict[str, Counter[str]]:
    """How many claims of each source have each verdict."""
    return {s: Counter(c["verdict"] for c in claims if c["source"] == s) for s in SOURCES}


def schema_faults(claims: list[Claim]) -> list[str]:
    """One sentence for each claim that is not declared as the rules ask."""
    faults = [f"claim {i} is declared twice" for i, n in ids(claims).items() if n > 1]
    for claim in claims:
        if missing := [f for f in FIELDS if f not in claim]:
            faults.append(f"claim {claim.get('id')} has no {', '.join(missing)}")
        elif fault := _schema_fault(claim):
            faults.append(f"claim {claim['id']} {fault}")
    return faults


def ids(claims: Iterable[Claim]) -> Counter[str]:
    """How often each id occurs."""
    return Counter(claim["id"] for claim in claims)


def _schema_fault(claim: Claim) -> str:
    """What is wrong with one complete claim; empty if nothing is."""
    if claim["source"] not in SOURCES:
        return f"names an unknown source {claim['source']}"
    if not re.fullmatch(rf"{claim['source']}-(F?\d{{2,3}})", claim["id"]):
        return f"must begin with its source {claim['source']} and end in a number"
    if extra := set(claim) - set(FIELDS) - {"reason"}:
        return f"has unknown fields {', '.join(sorted(extra))}"
    if claim["verdict"] not in VERDICTS:
        return f"has an unknown verdict {claim['verdict']}"
    if (claim["verdict"] == "open") != (claim["chapter"] is None):
        return "must be open exactly while no chapter checks it"
    if claim["verdict"] != "reproduced" and not claim.get("reason"):
        return f"is {claim['verdict']} without a reason"
    if empty := [f for f in ("place", "statement", "how") if not str(claim[f]).strip()]:
        return f"has an empty {', '.join(empty)}"
    return ""


def check_faults(claims: list[Claim], records: list[Claim]) -> list[str]:
    """One sentence for each disagreement between the ledger and the checks.

    Only chapters that have been run are judged; that all of them have is for the run tool.
    """
    ran = {record["chapter"] for record in records}
    chapter_of = {claim["id"]: claim["chapter"] for claim in claims}
    faults = [f"claim {i} is checked {n} times" for i, n in ids(records).items() if n > 1]
    for record in records:
        if chapter_of.get(record["id"]) != record["chapter"]:
            faults.append(f"claim {record['id']} is not declared for {record['chapter']}")
    for claim in merged(claims, records):
        if claim["check"] is None and claim["chapter"] in ran:
            faults.append(f"claim {claim['id']} is declared for {claim['chapter']}, not checked")
        elif claim["check"] and (fault := published_fault(claim)):
            faults.append(f"claim {claim['id']} {fault}")
    return faults


def published_fault(claim: Claim) -> str:
    """What is wrong between the published value, the verdict and the check; empty if nothing.

    A reproduced value must agree with what the check expected; a corrected or refuted one must
    not, or the verdict would rest on nothing.
    """
    if claim["published"] is None:
        return ""
    record = claim["check"]
    tolerance = {key: record[key] for key in ("standard_error", "z", "rtol", "relation")}
    try:
        same = agrees(*_aligned(claim["published"], record["expected"]), **tolerance)
    except (TypeError, ValueError) as error:
        return f"cannot be compared with its published value: {error}"
    if claim["verdict"] == "reproduced" and not same:
        return "is reproduced, but its check expects something else than the published value"
    if claim["verdict"] != "reproduced" and same:
        return f"is {claim['verdict']}, but its published value is within the tolerance"
    return ""


def _aligned(published: Any, expected: Any) -> tuple[Any, Any]:
    """Repeat a single published value for every entry of the check.

    Of a long array the record keeps the extremes only: a value that agrees with both agrees with
    all that lies between.
    """
    if isinstance(published, list):
        return published, expected
    if isinstance(expected, dict) and "min" in expected:
        expected = [expected["min"], expected["max"]]
    return ([published] * len(expected) if isinstance(expected, list) else published), expected


def unlisted(claims: list[Claim], errata: str) -> list[str]:
    """Ids of corrected and refuted claims that the text of the errata does not link to."""
    wrong = [c["id"] for c in claims if c["verdict"] in ("corrected", "refuted")]
    return [i for i in wrong if f"{{claim}}`{i}`" not in errata]
