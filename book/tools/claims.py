"""The claims that are declared, those that chapters verified, and whether they are the same.

The one reader of both: the run tool, the Sphinx extensions and the tests use it. It knows nothing
of `ldp`, which may be broken when it is needed.
"""

import json
from collections import Counter
from pathlib import Path

import nbformat
import yaml

from tools import chapters


def collect(notebook: nbformat.NotebookNode, name: str, profile: str) -> list[dict]:
    """Records left by `ldp.companion.claim` in an executed notebook, with where they stand."""
    records = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            record = output.get("data", {}).get(chapters.CLAIM_MIME)
            if record is None:
                continue
            mark = cell.metadata["ldp"]
            place = {
                "cell": mark["index"],
                "code_cell": mark["code_cell"],
                "line": mark["line"] + 1,
            }
            seconds = cell.metadata.get("papermill", {}).get("duration")
            run = {"chapter": name, "profile": profile, "seconds": round(seconds or 0.0, 3)}
            records.append(dict(record) | place | run)
    return records


def store(name: str, records: list[dict], root: Path = chapters.ROOT) -> None:
    """Write the records of one chapter for the report page."""
    text = json.dumps(records, indent=1, ensure_ascii=False) + "\n"
    chapters.write_text(chapters.claims_path(name, root), text)


def load(name: str, root: Path = chapters.ROOT) -> list[dict]:
    """Records of one chapter; none if it has not been run."""
    path = chapters.claims_path(name, root)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def load_all(root: Path = chapters.ROOT) -> list[dict]:
    """Every record that the chapters left, chapter by chapter."""
    names = sorted(p.stem for p in (root / "_build" / "claims").glob("*.json"))
    return [record for name in names for record in load(name, root)]


def path(root: Path = chapters.ROOT) -> Path:
    """Where the claims are declared."""
    return root / "book" / "claims.yml"


def declared(root: Path = chapters.ROOT) -> list[dict]:
    """Every claim of `book/claims.yml`, in its order."""
    if not path(root).exists():
        return []
    return yaml.safe_load(path(root).read_text(encoding="utf-8")) or []


def faults(names: list[str], ledger: list[dict], records: list[dict]) -> dict[str, str]:
    """For each of the chapters one sentence on claims undeclared, misplaced or missing there.

    A chapter without a fault is left out.
    """
    chapter_of = {claim["id"]: claim.get("chapter") for claim in ledger}
    found = {}
    for name in names:
        times = Counter(record["id"] for record in records if record["chapter"] == name)
        here = {i for i, chapter in chapter_of.items() if chapter == name}
        parts = {
            "not declared in book/claims.yml": times.keys() - chapter_of.keys(),
            "declared for another chapter": (times.keys() - here) & chapter_of.keys(),
            "declared for this chapter but not checked": here - times.keys(),
            "checked more than once": {i for i, n in times.items() if n > 1},
        }
        told = [f"claims {what}: {', '.join(sorted(ids))}" for what, ids in parts.items() if ids]
        if told:
            found[name] = "; ".join(told)
    return found
