"""Sphinx extension: the directives of the reproduction report.

On the report itself: `claims-run` (profile, versions, commit), `claims-counts` (verdicts by
source), `claims-filters`, `claims-sources` (a section for each source) and in it `claims-list` (a
line for each claim, at its permanent anchor). On a page for each chapter: `claims-of` (a card for
each claim that the chapter checks).
"""

from pathlib import Path
from typing import Any

import claims_html
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import claims
from tools import claims as files
from tools import ledger

SECTIONS = "```{claims-sources}\n```\n"


class ClaimsDirective(SphinxDirective):
    """What the directives share: they depend on the ledger and on every chapter's checks."""

    def claims(self) -> list[ledger.Claim]:
        """Load the claims and have the page read again when they change."""
        claims.depend_on_checks(self.env)
        return claims.load(self.env)

    def paragraph(self, text: str) -> nodes.paragraph:
        """Parse a line of Markdown, for its formulas."""
        children, messages = self.state.inline_text(text, self.lineno)
        return nodes.paragraph("", "", *children, *messages)


class ClaimsFacts(ClaimsDirective):
    """A piece of HTML made of all claims."""

    def run(self) -> list[nodes.Node]:
        """Write the piece that the name of the directive asks for."""
        given = self.claims()
        if self.name == "claims-run":
            text = claims_html.run_facts(claims.run_facts(self.env, given))
        elif self.name == "claims-counts":
            text = claims_html.counts_table(given)
        else:
            text = claims_html.filters(given)
        return [nodes.raw("", text, format="html")]


class ClaimsList(ClaimsDirective):
    """A line for every claim of the source named in the argument."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the lines, each at the anchor of its claim."""
        lines = nodes.bullet_list(classes=["claim-lines"])
        lines += [self.line(c) for c in self.claims() if c["source"] == self.arguments[0]]
        if not len(lines):
            return []
        # Open as it is written: without scripts all lines are seen, and `report.js` folds them.
        before, after = claims_html.fold_of_lines(len(lines))
        return [nodes.raw("", before, format="html"), lines, nodes.raw("", after, format="html")]

    def line(self, claim: ledger.Claim) -> nodes.list_item:
        """One claim: its name, which leads to its card, its verdict, and what it says."""
        name = f"claim-{claim['id']}"
        item = nodes.list_item(ids=[name], classes=["claim", *claims_html.kinds(claim)])
        content = self.paragraph(claim["statement"])
        verdict = nodes.inline("", ledger.shown(claim), classes=["claim-verdict"])
        card = claims.link(name, claim["id"], self.env.docname)
        content[:0] = [card, nodes.Text(" "), verdict, nodes.Text(" ")]
        item += content
        return item


class ClaimsOf(ClaimsDirective):
    """A card for every claim of the chapter named in the argument."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the cards; nothing where the chapter checks no claim."""
        given = self.claims()
        facts = claims.run_facts(self.env, given)
        return [self.card(c, facts) for c in given if c["chapter"] == self.arguments[0]]

    def card(self, claim: ledger.Claim, facts: dict[str, Any]) -> nodes.container:
        """One claim: what it says, where, what was compared; folded, how, and how to cite it."""
        card = nodes.container(ids=[f"claim-{claim['id']}"], classes=["claim"])
        card["classes"].append(f"claim-{claim['verdict']}")
        card += nodes.raw("", claims_html.head(claim), format="html")
        card += self.paragraph(claim["statement"])
        card += self.definitions(self.rows(claim))
        card += nodes.raw("", claims_html.fold(claim["id"]), format="html")
        card += self.definitions(self.more(claim))
        card += nodes.raw("", claims_html.bibtex_block(claim, facts) + "</details>", format="html")
        return card

    def definitions(self, rows: list[tuple[str, nodes.paragraph]]) -> nodes.definition_list:
        """Terms and texts."""
        made = nodes.definition_list()
        for term, text in rows:
            made += nodes.definition_list_item("", nodes.term("", term), nodes.definition("", text))
        return made

    def rows(self, claim: ledger.Claim) -> list[tuple[str, nodes.paragraph]]:
        """What a reader sees at once, without what a claim does not have."""
        rows = [("In the source", self.paragraph(claim["place"]))]
        if claim.get("reason"):
            rows.append(("Reason", self.paragraph(claim["reason"])))
        rows += [(name, nodes.paragraph("", text)) for name, text in claims_html.numbers(claim)]
        if record := claim["check"]:
            text = f"{record['chapter']}, code cell {record['code_cell']}"
            checked = claims.link(f"check-{claim['id']}", text, self.env.docname)
            rows.append(("Checked in", nodes.paragraph("", "", checked)))
        return rows

    def more(self, claim: ledger.Claim) -> list[tuple[str, nodes.paragraph]]:
        """What a reader who doubts it wants to know."""
        rows = [("How", self.paragraph(claim["how"]))]
        rows += [(name, nodes.paragraph("", text)) for name, text in claims_html.rules(claim)]
        for term, field in (("Why this margin", "margin"), ("On its power", "notices")):
            if claim.get(field):
                rows.append((term, self.paragraph(claim[field])))
        return rows


def write_sections(app: Sphinx, docname: str, content: list[str]) -> None:
    """Give each source its section, where the report asks for them."""
    if docname == claims.REPORT:
        root = Path(app.srcdir)
        app.env.note_dependency(str(root / "book" / "sources.yml"))
        content[0] = content[0].replace(SECTIONS, claims_html.sections(files.sources(root)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    for name in ("claims-run", "claims-counts", "claims-filters"):
        app.add_directive(name, ClaimsFacts)
    app.add_directive("claims-list", ClaimsList)
    app.add_directive("claims-of", ClaimsOf)
    app.connect("source-read", write_sections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
