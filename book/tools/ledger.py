"""The one judge of claims: how one must be declared, and when its check carries its verdict.

Plain data in, sentences out. The run tool, the pages and the tests ask it about what `tools.claims`
has read.
"""

import re
from collections import Counter
from typing import Any

from companion import CLAIM_ID, agrees
from tools.values import fill

VERDICTS = ("reproduced", "corrected", "refuted", "open")
# How a verdict is shown and counted: a rebuilt equation is never said to be the source's own.
REBUILT = "reconstruction verified"
SUBSTITUTE = "reproduced on substitute data"
SHOWN = ("reproduced", REBUILT, SUBSTITUTE, "corrected", "refuted", "open")
FIELDS = ("id", "place", "statement", "published", "how", "basis", "chapter", "verdict")
CHOICES = {"verdict": VERDICTS, "basis": ("printed", "reconstructed"), "data": ("substitute",)}
SOURCE = ("name", "key", "title", "text")
WORDS = ("reason", "margin", "notices")  # sentences that some claims need
TEXTS = ("how", *WORDS)  # where numbers of the run are filled in
SIGNS = {"==": "", "<=": "at most ", ">=": "at least ", "<": "below ", ">": "above "}
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
        for claim in sound(claims)
    ]


def sound(claims: list[Claim]) -> list[Claim]:
    """Claims that are declared as the rules ask: the pages show no others."""
    return [claim for claim in claims if not schema_fault(claim)]


def shown(claim: Claim) -> str:
    """Verdict in words, with what it rests on."""
    if claim["verdict"] == "reproduced" and claim.get("basis") == "reconstructed":
        return REBUILT
    if claim["verdict"] == "reproduced" and claim.get("data") == "substitute":
        return SUBSTITUTE
    return claim["verdict"]


def counts(claims: list[Claim]) -> dict[str, Counter[str]]:
    """How many claims of each source have each verdict, as it is shown."""
    sources = dict.fromkeys(claim["source"] for claim in claims)
    return {s: Counter(shown(c) for c in claims if c["source"] == s) for s in sources}


def faults(names: list[str], claims: list[Claim], records: list[Claim]) -> dict[str, str]:
    """For each of the chapters one sentence on all that is wrong with its claims.

    A chapter without a fault is left out. The records are those of all chapters, as far as they
    have run: the text of one claim may hold numbers of another.
    """
    complete, found = sound(claims), {}
    for name in names:
        told = misplaced(name, [c for c in claims if "id" in c], records)
        told += schema_faults([c for c in claims if c.get("chapter") == name])
        told += check_faults([c for c in complete if c["chapter"] == name], complete, records)
        if told:
            found[name] = "; ".join(told)
    return found


def source_faults(sources: list[dict[str, str]]) -> list[str]:
    """One sentence for each source that is not declared as the rules ask."""
    times = Counter(source.get("name") for source in sources)
    told = [f"{s.get('name')} {fault}" for s in sources if (fault := source_fault(s))]
    told += [f"{name} is declared more than once" for name, number in times.items() if number > 1]
    return [f"source {fault}" for fault in told]


def source_fault(source: dict[str, str]) -> str:
    """What is wrong with one source; empty if nothing is."""
    if source.keys() != set(SOURCE) or not all(isinstance(v, str) for v in source.values()):
        return f"must have the texts {', '.join(SOURCE)} and no others"
    if not re.fullmatch("[A-Za-z][A-Za-z0-9]*", source["name"]):
        return "must have a name of letters and digits"
    cited = f"`{source['key']}`" in source["text"]
    return "" if cited else f"must cite its key {source['key']} in its text"


def misplaced(name: str, claims: list[Claim], records: list[Claim]) -> list[str]:
    """Claims that are undeclared, checked in the wrong place, twice, or not at all."""
    chapter_of = {claim["id"]: claim.get("chapter") for claim in claims}
    declared = Counter(claim["id"] for claim in claims)
    times = Counter(record["id"] for record in records if record["chapter"] == name)
    here = {i for i, chapter in chapter_of.items() if chapter == name}
    parts = {
        "not declared in book/claims.yml": times.keys() - chapter_of.keys(),
        "declared more than once": {i for i in here if declared[i] > 1},
        "declared for another chapter": (times.keys() - here) & chapter_of.keys(),
        "declared for this chapter but not checked": here - times.keys(),
        "checked more than once": {i for i, n in times.items() if n > 1},
    }
    return [f"claims {what}: {', '.join(sorted(ids))}" for what, ids in parts.items() if ids]


def schema_faults(claims: list[Claim]) -> list[str]:
    """One sentence for each claim that is not declared as the rules ask."""
    told = [(claim.get("id"), schema_fault(claim)) for claim in claims]
    return [f"claim {name} {fault}" for name, fault in told if fault]


def schema_fault(claim: Claim) -> str:
    """What is wrong with one declaration; empty if nothing is."""
    if missing := [f for f in FIELDS if f not in claim]:
        return f"has no {', '.join(missing)}"
    if not re.fullmatch(CLAIM_ID, claim["id"]) or claim["source"] is None:
        return "must be called after a source of book/sources.yml, a hyphen and a number"
    if extra := set(claim) - set(FIELDS) - set(WORDS) - {"data", "source"}:
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


def check_faults(claims: list[Claim], declared: list[Claim], records: list[Claim]) -> list[str]:
    """One sentence for each claim whose verdict or text its check does not carry."""
    checks = {record["id"]: record for record in records}
    # Of a chapter that has not run: its numbers are still to come.
    awaited = tuple(f"{c['id']}." for c in declared if c["chapter"] and c["id"] not in checks)
    faults = []
    for claim in claims:
        if record := checks.get(claim["id"]):
            judges = (published_fault, margin_fault, power_fault)
            wrong = [judge(claim, record) for judge in judges]
            for field in (f for f in TEXTS if claim.get(f)):
                absent = fill(claim[field], claim["id"], checks)[1]
                names = [name for name in absent if not name.startswith(awaited)]
                wrong += [f"names {name} in {field}: no such value" for name in names]
            faults += [f"claim {claim['id']} {fault}" for fault in wrong if fault]
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
    wrong = [c["id"] for c in sound(claims) if c["verdict"] in ("corrected", "refuted")]
    return [i for i in wrong if f"{{claim}}`{i}`" not in errata]
