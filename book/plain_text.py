"""Markdown that any notebook shows: roles and directives of the site as words.

A `Renderer` knows what the roles point to: titles of pages and sections, names of propositions and
figures, authors and years, numbers of the runs.
"""

import re
from pathlib import Path

from pybtex.database import parse_file
from pybtex.richtext import Text

from tools import claims, ledger, values

ROLE = re.compile(r"\{([a-z:]+)\}`([^`]+)`")
TITLED = re.compile(r"(.*?)\s*<([^<>]+)>", re.DOTALL)
FENCE = re.compile(r"^(\s*)(`{3,}|:{3,})\{([\w:.-]+)\}[ ]*(.*)$")
OPTION = re.compile(r"^\s*:([\w-]+):[ ]*(.*)$")
LABEL = re.compile(r"^\(([\w-]+)\)=\n+#+ +(.*)$", re.MULTILINE)
NAMED = re.compile(
    r"^\s*[`:]{3,}\{(?:prf:)?(\w+)\}[ ]*(.*)\n(?:\s*:\w+:.*\n)*?\s*:label: *([\w-]+)", re.MULTILINE
)
MARKDOWN_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)\s]*\)")
WORDS = {"prf:ref": "the proposition", "numref": "the figure", "eq": "the equation above"}


class Renderer:
    """Everything the text of one book refers to."""

    def __init__(self, root: Path) -> None:
        self.root, self.chapter = root, ""
        self.remembered: dict[str, dict[str, object]] = {}
        self.names: dict[str, str] = {}
        for page in [root / "index.md", *sorted((root / "book").glob("*.md"))]:
            if page.exists():
                self.note(page.stem, page.read_text(encoding="utf-8"))
        self.records = {record["id"]: record for record in claims.load(root)}
        declared = ledger.sound(claims.declared(root))
        self.verdicts = {claim["id"]: ledger.shown(claim) for claim in declared}
        self.authors = authors(root / "book" / "references.bib")

    def note(self, page: str, text: str) -> None:
        """Remember the names that a page gives to its parts."""
        if title := re.search(r"^# +(.*)$", text, re.MULTILINE):
            self.names[page] = title[1]
        self.names |= {label: f"“{title}”" for label, title in LABEL.findall(text)}
        for kind, title, label in NAMED.findall(text):
            self.names[label] = f"{kind.capitalize()} “{title}”" if title else f"the {kind}"

    def text(self, source: str, chapter: str) -> str:
        """Markdown of a chapter without a role or a directive, and without labels and comments."""
        if chapter not in self.remembered:
            self.remembered[chapter] = claims.remembered(chapter, self.root)
        self.chapter = chapter
        source = re.sub(r"^\([\w-]+\)=\n", "", source, flags=re.MULTILINE)
        source = re.sub(r"^%.*\n?", "", source, flags=re.MULTILINE)
        source = self.directives(source.splitlines())
        source = ROLE.sub(self.role, source)
        return MARKDOWN_LINK.sub(r"\1", source).strip("\n")

    def role(self, match: re.Match[str]) -> str:
        """One role in words."""
        kind, content = match.groups()
        titled = TITLED.fullmatch(content)
        if kind.startswith("cite"):
            return self.citation(content, in_brackets=kind == "cite:p")
        if kind == "value":
            return self.number(content)
        if kind == "tree":
            return f"`{content}`"
        if kind == "claim" and not titled:
            return f"{content} ({self.verdicts.get(content, 'claim')})"
        if kind.startswith("py:") or kind == "class":
            return f"`{titled[1] if titled else content.lstrip('~')}`"
        if titled and "%" not in titled[1] and "{" not in titled[1]:
            return titled[1]
        target = titled[2] if titled else content
        name = self.names.get(Path(target).name) or self.names.get(target)
        if kind in WORDS:
            return name or WORDS[kind]
        return name or content

    def citation(self, keys: str, *, in_brackets: bool) -> str:
        """Authors and years."""
        found = [self.authors.get(key.strip(), (key.strip(), "")) for key in keys.split(",")]
        if in_brackets:
            return "(" + "; ".join(", ".join(filter(None, pair)) for pair in found) + ")"
        return " and ".join(f"{who} ({year})" if year else who for who, year in found)

    def number(self, name: str) -> str:
        """A number of the run."""
        try:
            return values.in_text(name, self.records, self.remembered[self.chapter])
        except (LookupError, TypeError, ValueError):
            return "…"

    def directives(self, lines: list[str]) -> str:
        """Lines with every directive in words, from the outermost inwards."""
        made, at = [], 0
        while at < len(lines):
            opened = FENCE.match(lines[at])
            if not opened:
                made.append(lines[at])
                at += 1
                continue
            close = re.compile(rf"^\s*{re.escape(opened[2][0])}{{{len(opened[2])},}}\s*$")
            end = next((i for i in range(at + 1, len(lines)) if close.match(lines[i])), len(lines))
            made.append(self.directive(opened[3], opened[4].strip(), lines[at + 1 : end]))
            at = end + 1
        return "\n".join(made)

    def directive(self, kind: str, title: str, body: list[str]) -> str:
        """One directive in words."""
        options = {}
        while body and (option := OPTION.match(body[0])):
            options[option[1]] = option[2]
            body = body[1:]
        if kind == "math":
            return "\n".join(["$$", *filter(str.strip, [title, *body]), "$$"])
        text = self.directives(body).strip("\n")
        if kind.endswith("proof"):
            return f"*Proof.* {text}"
        if kind == "figure":
            return f"*Figure. {text}*" if text else ""
        if kind.startswith("explore"):
            return f"**{options.get('title', title)}** (an explorable of the site). {text}"
        if kind == "solution":
            return folded("Solution", text)
        name = kind.rpartition(":")[2].capitalize()
        head = title if kind == "admonition" else ". ".join(filter(None, [name, title]))
        if "dropdown" in options.get("class", ""):
            return folded(head, text)
        quoted = "\n".join(f"> {line}".rstrip() for line in f"**{head}**\n\n{text}".splitlines())
        return f"{quoted}\n"


def folded(head: str, text: str) -> str:
    """A part that opens at a click, where a notebook can do that."""
    return f"<details><summary>{head}</summary>\n\n{text}\n\n</details>\n"


def authors(path: Path) -> dict[str, tuple[str, str]]:
    """Authors and year of every entry of a bibliography."""
    if not path.exists():
        return {}
    entries = parse_file(str(path)).entries
    return {key: (people(entry), entry.fields.get("year", "")) for key, entry in entries.items()}


def people(entry: object) -> str:
    """Last names as a citation gives them."""
    last = [" ".join([*p.prelast_names, *p.last_names]) for p in entry.persons["author"]]
    plain = [str(Text.from_latex(name)) for name in last]
    return " and ".join(plain) if len(plain) <= 2 else f"{plain[0]} et al."
