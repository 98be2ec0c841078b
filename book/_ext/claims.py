"""Sphinx extension: the reproduction report, `claims.json`, and the roles `{claim}` and `{value}`.

Directives, used by `report.md`: `claims-run` (profile, versions, commit), `claims-counts`
(verdicts by source), `claims-chapters` (which chapter checks what), `claims-sources` (a section for
each source) and in it `claims-list` (its claims, each with a permanent anchor). The role
``{claim}`S004-41` `` links to a claim, ``{claim}`this <S004-41>` `` with words of its own;
``{value}`S003-11.observed[0]:.3g` `` is a number that the run recorded, ``{value}`gain:.0%` `` one
that the chapter has kept with `remember`.
"""

import json
import re
from pathlib import Path
from typing import Any

import claims_html
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

import execution
from tools import chapters, ledger, runs, values
from tools import claims as files

logger = logging.getLogger(__name__)

REPORT = "book/report"
TITLED = re.compile(r"(?:(.+?)\s*<)?([^<>]+)>?", re.S)  # `name`, or `words <name>`
SECTIONS = "```{claims-sources}\n```\n"


def load(env: BuildEnvironment) -> list[ledger.Claim]:
    """Declared claims with their checks, read anew: both files are small."""
    root = Path(env.srcdir)
    return ledger.merged(files.declared(root), files.load(root))


def depend_on_checks(env: BuildEnvironment) -> None:
    """Have the page that is read now read again when the ledger or any check changes."""
    env.note_dependency(str(files.path(Path(env.srcdir))))
    for path in sorted((Path(env.srcdir) / "_build" / "claims").glob("*.json")):
        env.note_dependency(str(path))


def run_facts(env: BuildEnvironment, claims: list[ledger.Claim]) -> dict[str, Any]:
    """Profiles, commit of the pages, and what the runs stored of versions and machine."""
    profiles = sorted({c["check"]["profile"] for c in claims if c["check"]})
    entries = runs.load(Path(env.srcdir))["chapters"]
    return {
        "profile": ", ".join(profiles),
        "commit": env.config.html_context.get("build", {}).get("commit", ""),
        "versions": execution.versions(entries),
        "runs": execution.machine(entries),
    }


def link(name: str, text: str, docname: str) -> pending_xref:
    """Link to an anchor that `register_anchors` announces."""
    reference = pending_xref(
        "",
        nodes.inline("", text),
        refdomain="std",
        reftype="ref",
        reftarget=name,
        refdoc=docname,
        refexplicit=True,
        refwarn=True,
    )
    return reference


class ClaimRole(SphinxRole):
    """Link to a claim, with its verdict or, for ``words <name>``, with these words."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Look the claim up and link to it."""
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(files.path(root)))
        verdicts = {
            claim["id"]: ledger.shown(claim) for claim in ledger.sound(files.declared(root))
        }
        words, name = TITLED.fullmatch(self.text).groups()
        if name not in verdicts:
            logger.warning("no claim %s in claims.yml", name, location=self.get_location())
            return [nodes.literal("", self.text)], []
        text = words or f"{name} ({verdicts[name]})"
        return [link(f"claim-{name}", text, self.env.docname)], []


class ValueRole(SphinxRole):
    """A number of the run in the text."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Look the number up; a missing one is a warning, and so an error of the build."""
        depend_on_checks(self.env)
        try:
            return [nodes.Text(self.number())], []
        except (LookupError, TypeError, ValueError):
            where = self.get_location()
            logger.warning("no value %s in the checks of the chapters", self.text, location=where)
            return [nodes.literal("", self.text)], []

    def number(self) -> str:
        """The number of a claim, ``S003-11.observed``, or one that this chapter remembers."""
        root, page = Path(self.env.srcdir), self.env.temp_data
        if "-" in self.text.split(":")[0]:
            if "records" not in page:
                page["records"] = {record["id"]: record for record in files.load(root)}
            return values.look_up(self.text, page["records"])
        if "remembered" not in page:
            page["remembered"] = files.remembered(Path(self.env.docname).name, root)
        return values.look_up_remembered(self.text, page["remembered"])


class ClaimsDirective(SphinxDirective):
    """What the directives share: they depend on the ledger and on every chapter's checks."""

    def claims(self) -> list[ledger.Claim]:
        """Load the claims and have the page read again when they change."""
        depend_on_checks(self.env)
        return load(self.env)


class ClaimsFacts(ClaimsDirective):
    """A piece of HTML made of all claims."""

    def run(self) -> list[nodes.Node]:
        """Write the piece that the name of the directive asks for."""
        claims = self.claims()
        if self.name == "claims-run":
            text = claims_html.run_facts(run_facts(self.env, claims))
        elif self.name == "claims-counts":
            titles = {s["name"]: s["title"] for s in files.sources(Path(self.env.srcdir))}
            text = claims_html.counts_table(claims, titles)
        else:
            text = claims_html.chapter_index(claims)
        return [nodes.raw("", text, format="html")]


class ClaimsList(ClaimsDirective):
    """Every claim of the source named in the argument."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write one card for each claim."""
        claims = self.claims()
        facts = run_facts(self.env, claims)
        return [self.card(c, facts) for c in claims if c["source"] == self.arguments[0]]

    def card(self, claim: ledger.Claim, facts: dict[str, Any]) -> nodes.container:
        """One claim: head, statement, facts, and a BibTeX entry."""
        anchor = f"claim-{claim['id']}"
        card = nodes.container(ids=[anchor], classes=["claim", f"claim-{claim['verdict']}"])
        card += nodes.raw("", claims_html.head(claim), format="html")
        card += self.paragraph(claim["statement"])
        rows = nodes.definition_list()
        for term, content in self.rows(claim):
            rows += nodes.definition_list_item(
                "", nodes.term("", term), nodes.definition("", content)
            )
        card += rows
        card += nodes.raw("", claims_html.bibtex_block(claim, facts), format="html")
        return card

    def rows(self, claim: ledger.Claim) -> list[tuple[str, nodes.paragraph]]:
        """Terms and texts of a card, without what a claim does not have."""
        rows = [("Where", self.paragraph(claim["place"]))]
        rows += [(name, nodes.paragraph("", text)) for name, text in claims_html.numbers(claim)]
        for term, field in (("Why this margin", "margin"), ("On its power", "notices")):
            if claim.get(field):
                rows.append((term, self.paragraph(claim[field])))
        rows.append(("How", self.paragraph(claim["how"])))
        if claim.get("reason"):
            rows.append(("Reason", self.paragraph(claim["reason"])))
        if record := claim["check"]:
            text = f"{record['chapter']}, code cell {record['code_cell']}"
            checked = link(f"check-{claim['id']}", text, self.env.docname)
            rows.append(("Checked in", nodes.paragraph("", "", checked)))
        return rows

    def paragraph(self, text: str) -> nodes.paragraph:
        """Parse a line of Markdown, for its formulas."""
        children, messages = self.state.inline_text(text, self.lineno)
        return nodes.paragraph("", "", *children, *messages)


def write_sections(app: Sphinx, docname: str, content: list[str]) -> None:
    """Give each source its section, where the report asks for them."""
    if docname == REPORT:
        root = Path(app.srcdir)
        app.env.note_dependency(str(root / "book" / "sources.yml"))
        content[0] = content[0].replace(SECTIONS, claims_html.sections(files.sources(root)))


def register_anchors(app: Sphinx, env: BuildEnvironment) -> None:
    """Tell the standard domain where every claim and its badge stand, whatever was read."""
    anchors = env.get_domain("std").anonlabels
    for claim in load(env):
        anchors[f"claim-{claim['id']}"] = (REPORT, f"claim-{claim['id']}")
        if claim["check"]:
            chapter = f"book/{claim['chapter']}"
            anchors[f"check-{claim['id']}"] = (chapter, f"check-{claim['id']}")


def check_consistency(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn, and so fail a strict build, of claims outside the chapters and of lacking errata.

    `verified` warns of those in the chapters.
    """
    root = Path(env.srcdir)
    claims = files.declared(root)
    errata = root / "book" / "errata.md"
    text = errata.read_text(encoding="utf-8") if errata.exists() else ""
    faults = ledger.source_faults(files.entries(root / "book" / "sources.yml"))
    names = chapters.names(root)
    faults += ledger.schema_faults([c for c in claims if c.get("chapter") not in names])
    faults += [f"claim {i} is missing from the errata" for i in ledger.unlisted(claims, text)]
    for fault in faults:
        logger.warning(fault, location=str(files.path(root)))


def write_json(app: Sphinx, exception: Exception | None) -> None:
    """Put the whole ledger beside the pages as `claims.json`."""
    if exception or app.builder.format != "html":
        return
    claims = load(app.env)
    content = run_facts(app.env, claims) | {
        "counts": {source: dict(number) for source, number in ledger.counts(claims).items()},
        "claims": [claims_html.public(claim) for claim in claims],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    (Path(app.outdir) / "claims.json").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the role, the directives and the checks."""
    app.add_role("claim", ClaimRole())
    app.add_role("value", ValueRole())
    for name in ("claims-run", "claims-counts", "claims-chapters"):
        app.add_directive(name, ClaimsFacts)
    app.add_directive("claims-list", ClaimsList)
    app.add_css_file("claims.css")
    app.connect("source-read", write_sections)
    app.connect("env-updated", register_anchors)
    app.connect("env-check-consistency", check_consistency)
    app.connect("build-finished", write_json)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
