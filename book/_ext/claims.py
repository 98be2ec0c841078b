"""Sphinx extension: what pages say of claims: the roles `{claim}` and `{value}`, and `claims.json`.

The role ``{claim}`S004-41` `` links to a claim, ``{claim}`this <S004-41>` `` with words of its own;
``{value}`S003-11.observed[0]:.3g` `` is a number that the run recorded, ``{value}`gain:.0%` `` one
that the chapter has kept with `remember`. The directives of the report are in `claims_pages`.
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
from sphinx.util.docutils import SphinxRole

import execution
from tools import chapters, ledger, runs, values
from tools import claims as files

logger = logging.getLogger(__name__)

REPORT = "book/report"
TITLED = re.compile(r"(?:(.+?)\s*<)?([^<>]+)>?", re.S)  # `name`, or `words <name>`
CARDS = "book/cards"  # a page of cards for each chapter


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


def link(name: str, text: str, docname: str, *, warn: bool = True) -> pending_xref:
    """Link to an anchor that `register_anchors` announces."""
    return pending_xref(
        "",
        nodes.inline("", text),
        refdomain="std",
        reftype="ref",
        reftarget=name,
        refdoc=docname,
        refexplicit=True,
        refwarn=warn,
    )


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
        """The number in the checks of all chapters, and in what this one remembers; read once."""
        root, page = Path(self.env.srcdir), self.env.temp_data
        if "numbers" not in page:
            records = {record["id"]: record for record in files.load(root)}
            page["numbers"] = records, files.remembered(Path(self.env.docname).name, root)
        return values.in_text(self.text, *page["numbers"])


def card_page(env: BuildEnvironment, claim: ledger.Claim) -> str:
    """The page of a claim's card; the report itself where there is no such page."""
    page = f"{CARDS}/{claim['chapter']}"
    return page if page in env.found_docs else REPORT


def register_anchors(app: Sphinx, env: BuildEnvironment) -> None:
    """Tell the standard domain where every claim and its badge stand, whatever was read."""
    anchors = env.get_domain("std").anonlabels
    for claim in load(env):
        anchors[f"claim-{claim['id']}"] = (card_page(env, claim), f"claim-{claim['id']}")
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
    if (root / CARDS).exists():
        used = {c["chapter"] for c in claims if c.get("chapter") in names}
        faults += [f"{CARDS} has no page {n}" for n in used if f"{CARDS}/{n}" not in env.found_docs]
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
    """Register the roles and the checks."""
    app.add_role("claim", ClaimRole())
    app.add_role("value", ValueRole())
    app.setup_extension("claims_pages")
    app.add_css_file("claims.css")
    app.connect("env-updated", register_anchors)
    app.connect("env-check-consistency", check_consistency)
    app.connect("build-finished", write_json)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
