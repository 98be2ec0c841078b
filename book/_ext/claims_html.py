"""Pieces of HTML and text of the reproduction report."""

import html
import re
from collections import Counter
from typing import Any

from tables import facts_list, table

from tools import ledger

Claim = ledger.Claim


def head(claim: Claim) -> str:
    """First line of a card: the id, which links to itself, and the verdict in words."""
    return (
        f'<p class="claim-head"><a href="#claim-{claim["id"]}">{claim["id"]}</a> '
        f'<span class="claim-verdict">{ledger.shown(claim)}</span></p>'
    )


BASIS = {
    "printed": "as the source prints it",
    "reconstructed": "an equation that the text at hand has lost, rebuilt by us",
}


def numbers(claim: Claim) -> list[tuple[str, str]]:
    """The values that were compared, and the smallest fault that would have shown."""
    rows = []
    if claim["published"] is not None:
        rows.append(("Published", show(claim["published"])))
    if record := claim["check"]:
        rows.append(("Observed", show(record["observed"])))
        expected = ledger.SIGNS[record["relation"]] + show(record["expected"])
        rows.append(("Expected", f"{expected} ({record['tolerance']})"))
        rows.append(("Notices", notices(record)))
    return rows


def rules(claim: Claim) -> list[tuple[str, str]]:
    """What the verdict rests on, and the rule of its tolerance."""
    rows = [("Basis", BASIS[claim["basis"]])]
    if claim.get("data"):
        rows.append(("Data", "a stand-in for the source's, which are not at hand"))
    if record := claim["check"]:
        rows.append(("Tolerance", f"{record['tolerance']} ({why(record)})"))
        if record["standard_error"] is not None:
            rows.append(("Standard error", show(record["standard_error"])))
    return rows


def kinds(claim: Claim) -> list[str]:
    """Classes by which the report filters a claim."""
    return [
        f"claim-{claim['verdict']}",
        f"is-{slug(ledger.shown(claim))}",
        f"of-{slug(claim['source'])}",
        f"in-{slug(claim['chapter'] or 'none')}",
    ]


def slug(text: str) -> str:
    """A word for a class."""
    return re.sub("[^a-z0-9]+", "-", text.lower())


def filters(claims: list[Claim]) -> str:
    """Choices by verdict, source and chapter, shown where a script can hide what was not chosen."""
    verdicts = [v for v in ledger.SHOWN if any(ledger.shown(c) == v for c in claims)]
    choices = {
        ("is", "Verdict"): verdicts,
        ("of", "Source"): list(dict.fromkeys(c["source"] for c in claims)),
        ("in", "Chapter"): sorted({c["chapter"] for c in claims if c["chapter"]}),
    }
    fields = ""
    for (kind, label), options in choices.items():
        inner = "".join(f'<option value="{slug(o)}">{html.escape(o)}</option>' for o in options)
        fields += (
            f'<label>{label} <select name="{kind}"><option value="">all</option>{inner}</select>'
            "</label>"
        )
    return (
        f'<form class="claim-filters" hidden>{fields}<button type="reset">Show all</button>'
        '<p role="status"></p></form><script src="../_static/report.js" defer></script>'
    )


def fold(name: str) -> str:
    """Beginning of what a card shows at a click."""
    return f"<details><summary>How {name} was compared, and how to cite it</summary>"


def fold_of_lines(count: int) -> tuple[str, str]:
    """Beginning and end of the lines of a source."""
    words = "1 claim" if count == 1 else f"{count} claims"
    return f'<details class="claim-fold" open><summary>{words}</summary>', "</details>"


def why(record: Claim) -> str:
    """Reason of a tolerance, by the rules that all claims share."""
    if record["margin"] is not None:
        return "equal and better mean this, fixed beforehand for all comparisons"
    if record["standard_error"] is not None:
        return "a true statement fails in one run of 1.7 million"
    if record["tolerance"] == "exact":
        return "nothing is rounded"
    return "rounding" if record["rtol"] <= ledger.ROUNDING else "see the margin"


def notices(record: Claim) -> str:
    """Smallest relative fault that the check would refuse, in words."""
    fault = record["notices"]
    if fault is None:
        return "no relative fault can be stated"
    if fault == 0:
        return "any change"
    size = f"{fault:.1%}" if fault >= 1e-3 else f"{fault:.0e}"
    one_side = record["relation"] != "==" and record["margin"] is None
    chance = ", with probability 95 %" if record["standard_error"] is not None else ""
    return f"relative faults of {size}{chance}" + (", on one side" if one_side else "")


def show(value: Any) -> str:
    """Write a recorded value for reading; the full digits are in `claims.json`."""
    if isinstance(value, list):
        return "(" + ", ".join(show(item) for item in value) + ")"
    if isinstance(value, dict):
        shape = " by ".join(map(str, value["shape"]))
        return f"array of {shape} values{_extent(value)}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _extent(summary: dict[str, Any]) -> str:
    """Range of a long array, as far as its record has one."""
    if "min" not in summary:
        return ""
    low, high = show(summary["min"]), show(summary["max"])
    return f", all {low}" if low == high else f" between {low} and {high}"


def bibtex(claim: Claim, facts: dict[str, Any]) -> str:
    """BibTeX entry that cites one claim of this book at one version."""
    version = facts["versions"].get("ldp-companion")
    notes = [f"version {version}"] if version else []
    notes += [f"commit {facts['commit']}"] if facts["commit"] else []
    return (
        f"@misc{{ldp-companion-{claim['id']},\n"
        "  author       = {{the ldp-companion contributors}},\n"
        f"  title        = {{Claim {{{claim['id']}}} ({ledger.shown(claim)})}},\n"
        f"  howpublished = {{ldp-companion, reproduction report, claim-{claim['id']}}},\n"
        f"  note         = {{{', '.join(notes)}}},\n"
        "}"
    )


def bibtex_block(claim: Claim, facts: dict[str, Any]) -> str:
    """BibTeX entry; the class `highlight` gives it the theme's copy button."""
    return f'<div class="highlight"><pre>{html.escape(bibtex(claim, facts))}\n</pre></div>'


def run_facts(facts: dict[str, Any]) -> str:
    """Definition list of profile, commit, versions and machine."""
    rows = {"Profile": facts["profile"] or "nothing has been run", "Commit": facts["commit"]}
    return facts_list(rows | facts["versions"] | facts["runs"])


def counts_table(claims: list[Claim]) -> str:
    """Table of verdicts by source, without those that no claim has."""
    by_source = ledger.counts(claims)
    total = sum(by_source.values(), Counter())
    given = [verdict for verdict in ledger.SHOWN if total[verdict]]
    by_source |= {"all sources": total}
    rows = [[name, *(str(c[v]) for v in given), str(c.total())] for name, c in by_source.items()]
    return table("Verdicts by source", ("source", *given, "all"), rows[:-1], last=rows[-1])


def sections(sources: list[dict[str, str]]) -> str:
    """Markdown of the sections of the report, one for each source."""
    return "\n".join(
        f"## {source['name']}: {source['title']}\n\n{source['text']}\n\n"
        f"```{{claims-list}} {source['name']}\n```\n"
        for source in sources
    )


def public(claim: Claim) -> dict[str, Any]:
    """One claim for `claims.json`: without the duration of its cell, which no rebuild repeats."""
    record = claim["check"]
    if record:
        record = {key: value for key, value in record.items() if key not in ("id", "seconds")}
    return claim | {"check": record, "anchor": f"book/report.html#claim-{claim['id']}"}
