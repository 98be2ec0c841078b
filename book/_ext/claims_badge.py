"""The box at the end of a section: what was checked there, and by how much it holds."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from claims import link
from tools import claims, ledger
from tools.values import written

FEW = 4  # as many numbers are told one by one
# Before the source's statement, and before the numbers of a check that is not of that statement.
LEADS = {
    "corrected": ("the source says, and it needs a correction: ", "Checked as corrected. "),
    "refuted": ("the source says: ", "Checked to the contrary. "),
}
SECTION = re.compile(r"## |`{3,}\{solution-end\}")
FENCE = re.compile(r"(`{3,}|~{3,}|:{3,})(.*)")


def box(names: list[str]) -> str:
    """The directive that shows the claims of these names."""
    return f"```{{checked}} {' '.join(names)}\n```"


def section_ends(markdown: str) -> Iterator[int]:
    """Lines at which a section or a solution ends: its headings, outside every block."""
    inside = ""
    for number, line in enumerate(markdown.splitlines()):
        if not inside and SECTION.match(line):
            yield number
        fence = FENCE.match(line)
        if fence and not inside:
            inside = fence[1]
        elif fence and inside and fence[1].startswith(inside) and not fence[2].strip():
            inside = ""


def _all(root: Path) -> dict[str, ledger.Claim]:
    """Claims that have been checked, by name."""
    everything = ledger.merged(claims.declared(root), claims.load(root))
    return {claim["id"]: claim for claim in everything if claim["check"]}


class Checked(SphinxDirective):
    """Claims that the cells of a section have checked."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Write one box for all of them."""
        found = self._claims()
        known = [found[name] for name in self.arguments[0].split() if name in found]
        if not known:
            return []
        shown = nodes.container(classes=["claim-box"])
        shown += nodes.paragraph("", "Checked here", classes=["claim-box-title"])
        shown += [self.badge(claim, claim["check"]) for claim in known]
        return [shown]

    def _claims(self) -> dict[str, ledger.Claim]:
        """All of them, read once for a page."""
        if "checked" not in self.env.temp_data:
            self.env.temp_data["checked"] = _all(Path(self.env.srcdir))
        return self.env.temp_data["checked"]

    def badge(self, claim: ledger.Claim, record: dict[str, Any]) -> nodes.container:
        """One claim: verdict and statement, and what decided it."""
        lead, checked = LEADS.get(claim["verdict"], ("", ""))
        name = f"check-{claim['id']}"
        kinds = ["claim-badge", f"claim-{claim['verdict']}"]
        badge = nodes.container(ids=[name], classes=kinds)
        head = nodes.paragraph()
        head += nodes.inline("", ledger.shown(claim), classes=["claim-verdict"])
        head += nodes.Text(" ")
        if lead:
            head += [nodes.emphasis("", lead.strip()), nodes.Text(" ")]
        text, messages = self.state.inline_text(claim["statement"], self.lineno)
        head += [*text, *messages]
        badge += head
        numbers = nodes.paragraph("", f"{checked}{compared(record)} ", classes=["claim-text"])
        # No warning: a book without a report has no card.
        card, page = f"claim-{claim['id']}", self.env.docname
        numbers += link(card, f"Claim {claim['id']}", page, warn=False)
        badge += numbers
        return badge


def compared(record: dict[str, Any]) -> str:
    """Sentence on what was found, what it must be, and how far they may differ."""
    observed, expected = record["observed"], record["expected"]
    numbers = [n for n in entries(observed) if isinstance(n, float | int | str)]
    if any(isinstance(n, bool) for n in numbers):
        return "It holds in this run."
    if record["size"] > FEW:
        return _many(record)
    ours, theirs = ", ".join(map(number, numbers)), ", ".join(map(number, entries(expected)))
    if record["relation"] == "==" and ours == theirs:
        return f"Found {ours}, as it must be{_room(record)}."
    sign = "" if record["relation"] == "==" else f"{ledger.SIGNS[record['relation']].strip()} "
    return f"Found {ours}; it must be {sign}{theirs}{_room(record)}."


def _many(record: dict[str, Any]) -> str:
    """The same of many numbers: how many, the worst of them, and what is allowed."""
    many, worst, relation = f"{record['size']:,} numbers", record["farthest"], record["relation"]
    if worst is None:
        return f"All {many} are what they must be, exactly."
    if relation != "==":
        end = "largest" if relation in ("<", "<=") else "smallest"
        limit = f"{ledger.SIGNS[relation]}{_limit(record):.3g}{_noise(record)}"
        return f"{many} over their bounds: the {end} ratio is {worst:.3g}, and it must be {limit}."
    if record["margin"] is not None:
        return (
            f"{many}: the largest difference is {worst:.1%}; {record['margin']:.0%} is allowed, "
            "with five standard errors to spare."
        )
    if record["standard_error"] is not None:
        return f"{many}: the farthest is {worst:.1f} standard errors away; five are allowed."
    if record["tolerance"] == "exact" or worst == 0:
        return f"All {many} are what they must be, exactly."
    if record["rtol"] <= ledger.ROUNDING:
        return f"{many}: they are what they must be, to rounding."
    return f"{many}: the largest difference is {worst:.2%}; {record['rtol']:.2g} is allowed."


def _limit(record: dict[str, Any]) -> float:
    """What the ratio of an observed number to its bound may be."""
    factor = 1 + (record["margin"] or 0.0)
    return factor if record["relation"] in ("<=", ">") else 1 / factor


def _noise(record: dict[str, Any]) -> str:
    """Whether the noise of an inequality counts for the claim or against it."""
    if record["standard_error"] is None:
        return ""
    if record["margin"] is not None:
        return ", with five standard errors to spare"
    strict = record["relation"] in ("<", ">")
    return f", {'by more than' if strict else 'up to'} five standard errors"


def _room(record: dict[str, Any]) -> str:
    """How far the two may differ, in words."""
    error, strict = record["standard_error"], record["relation"] in ("<", ">")
    if record["margin"] is not None:
        side = "by more than" if strict else "up to"
        return f", {side} {record['margin']:.0%}, with five standard errors to spare"
    if error is not None:
        largest = max((e for e in entries(error) if isinstance(e, float | int)), default=0.0)
        size = number(float(f"{5 * largest:.2g}")) + " or less" * isinstance(error, list)
        return f", {'by more than' if strict else 'up to'} five standard errors ({size})"
    if record["tolerance"] == "exact":
        return "" if strict else ", exactly"
    return (
        ", to rounding"
        if record["rtol"] <= ledger.ROUNDING
        else f", up to {record['rtol']:.2g} of it"
    )


def entries(value: Any) -> Iterator[Any]:
    """Numbers of a nested list, one after another; of a summary, its ends."""
    if isinstance(value, dict):
        yield from (value[end] for end in ("min", "max") if end in value)
    elif isinstance(value, list):
        for item in value:
            yield from entries(item)
    else:
        yield value


def number(value: Any) -> str:
    """A number for reading; the report has more digits and `claims.json` all."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in ("inf", "-inf"):
        return value.replace("inf", "∞").replace("-", "−")
    if isinstance(value, int):
        return (
            f"{value:,}".replace("-", "−") if abs(value) >= 10_000 else str(value).replace("-", "−")
        )
    return written(f"{value:.4g}") if isinstance(value, float) else str(value)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("checked", Checked)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
