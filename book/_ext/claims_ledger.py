"""The ledger of claims: how a claim must be declared, and when its verdict fits its check.

Plain data in, plain data out; the Sphinx extension `claims` and the tests share it. `tools.claims`
reads the files and says which claims are undeclared, misplaced or unchecked.
"""

import re
from collections import Counter
from typing import Any

from claims_values import fill

from ldp.companion import CLAIM_ID, agrees

SOURCES = {
    "S000": "Slides: adaptive randomized response (AdOBEst-LDP)",
    "S001": "Lecture notes: the local model",
    "S002": "Poster: private sampling with public data",
    "S003": "Paper: improving frequency estimation",
    "S004": "Slides: local differential privacy, part 1",
}
VERDICTS = ("reproduced", "corrected", "refuted", "open")
# How a verdict is shown and counted: a rebuilt equation is never said to be the source's own.
REBUILT = "reconstruction verified"
SUBSTITUTE = "reproduced on substitute data"
SHOWN = ("reproduced", REBUILT, SUBSTITUTE, "corrected", "refuted", "open")
FIELDS = ("id", "source", "place", "statement", "published", "how", "basis", "chapter", "verdict")
CHOICES = {"verdict": VERDICTS, "basis": ("printed", "reconstructed"), "data": ("substitute",)}
WORDS = ("reason", "margin", "notices")  # sentences that some claims need
TEXTS = ("how", *WORDS)  # where numbers of the run are filled in
POWER = 0.02  # a check that misses larger faults than this says why
ROUNDING = 1e-9  # a larger relative tolerance says why

Claim = dict[str, Any]


def merged(claims: list[Claim], records: list[Claim]) -> list[Claim]:
    """Claims, each with the record of its check (or None) under `check`, numbers filled in."""
    found = {record["id"]: record for record in records}
    return [
        claim
        | {"check": found.get(claim["id"])}
        | {f: fill(claim[f], claim["id"], found)[0] for f in TEXTS if claim.get(f)}
        for claim in claims
    ]


def shown(claim: Claim) -> str:
    """Verdict in words, with what it rests on."""
    if claim["verdict"] == "reproduced" and claim.get("basis") == "reconstructed":
        return REBUILT
    if claim["verdict"] == "reproduced" and claim.get("data") == "substitute":
        return SUBSTITUTE
    return claim["verdict"]


def counts(claims: list[Claim]) -> dict[str, Counter[str]]:
    """How many claims of each source have each verdict, as it is shown."""
    return {s: Counter(shown(c) for c in claims if c["source"] == s) for s in SOURCES}


def schema_faults(claims: list[Claim]) -> list[str]:
    """One sentence for each claim that is not declared as the rules ask."""
    times = Counter(claim["id"] for claim in claims)
    faults = [f"claim {i} is declared twice" for i, n in times.items() if n > 1]
    for claim in claims:
        if missing := [f for f in FIELDS if f not in claim]:
            faults.append(f"claim {claim.get('id')} has no {', '.join(missing)}")
        elif fault := _schema_fault(claim):
            faults.append(f"claim {claim['id']} {fault}")
    return faults


def _schema_fault(claim: Claim) -> str:
    """What is wrong with one complete claim; empty if nothing is."""
    if claim["source"] not in SOURCES:
        return f"names an unknown source {claim['source']}"
    if not (re.fullmatch(CLAIM_ID, claim["id"]) and claim["id"].startswith(claim["source"])):
        return f"must begin with its source {claim['source']} and end in a number"
    if extra := set(claim) - set(FIELDS) - set(WORDS) - {"data"}:
        return f"has unknown fields {', '.join(sorted(extra))}"
    for field, allowed in CHOICES.items():
        if field in claim and claim[field] not in allowed:
            return f"has an unknown {field} {claim[field]}"
    if (claim["verdict"] == "open") != (claim["chapter"] is None):
        return "must be open exactly while no chapter checks it"
    if claim["verdict"] != "reproduced" and not claim.get("reason"):
        return f"is {claim['verdict']} without a reason"
    if empty := [f for f in ("place", "statement", "how") if not str(claim[f]).strip()]:
        return f"has an empty {', '.join(empty)}"
    return ""


def check_faults(claims: list[Claim], records: list[Claim]) -> list[str]:
    """One sentence for each claim whose verdict or text its check does not carry."""
    found = {record["id"]: record for record in records}
    faults = []
    for claim in claims:
        if record := found.get(claim["id"]):
            wrong = [published_fault(claim, record), margin_fault(claim, record)]
            wrong += [power_fault(claim, record)]
            faults += [f"claim {claim['id']} {fault}" for fault in wrong if fault]
            for field in (f for f in TEXTS if claim.get(f)):
                absent = fill(claim[field], claim["id"], found)[1]
                faults += [
                    f"claim {claim['id']} names {a} in {field}: no such value" for a in absent
                ]
    return faults


def published_fault(claim: Claim, record: Claim) -> str:
    """What is wrong between the published value, the verdict and the check; empty if nothing.

    A reproduced value must agree with what the check expected; a corrected or refuted one must
    not, or the verdict would rest on nothing.
    """
    if claim["published"] is None:
        return ""
    rule = {key: record[key] for key in ("standard_error", "rtol", "margin", "relation")}
    try:
        same = agrees(*_aligned(claim["published"], record["expected"]), **rule)
    except (TypeError, ValueError) as error:
        return f"cannot be compared with its published value: {error}"
    if claim["verdict"] == "reproduced" and not same:
        return "is reproduced, but its check expects something else than the published value"
    if claim["verdict"] != "reproduced" and same:
        return f"is {claim['verdict']}, but its published value is within the tolerance"
    return ""


def margin_fault(claim: Claim, record: Claim) -> str:
    """Whether a tolerance beyond rounding and noise has its reason, and no other has one."""
    exact = record["standard_error"] is None
    wide = record["margin"] is not None or (exact and record["rtol"] > ROUNDING)
    if wide and not claim.get("margin"):
        return f'has no margin: say why its tolerance is "{record["tolerance"]}"'
    if claim.get("margin") and not wide:
        return f'has a margin, but its tolerance is "{record["tolerance"]}"'
    return ""


def power_fault(claim: Claim, record: Claim) -> str:
    """Whether the check notices faults of two per cent, or the claim says what it notices."""
    weak = record["notices"] is None or record["notices"] > POWER
    if weak and not claim.get("notices"):
        smallest = "none that it can state"
        if record["notices"] is not None:
            smallest = f"of {record['notices']:.2g} at the least"
        return f"has no notices: say why its check notices relative faults {smallest}"
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
