"""The one reader of claims: those that are declared, and the records of those that were checked.

The run tool, the Sphinx extensions and the tests use it; `tools.ledger` judges what it reads.
"""

import json
from pathlib import Path

import nbformat
import yaml

from companion import CLAIM_MIME, VALUES_MIME
from tools import chapters, runs
from tools.ledger import source_fault

# Safe, and four times as fast where it is there; every reference to a claim reads the ledger.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def path(root: Path = chapters.ROOT) -> Path:
    """Where the claims are declared."""
    return root / "book" / "claims.yml"


def sources(root: Path = chapters.ROOT) -> list[dict]:
    """Every sound source of `book/sources.yml`, in the order of the report."""
    return [each for each in entries(root / "book" / "sources.yml") if not source_fault(each)]


def declared(root: Path = chapters.ROOT) -> list[dict]:
    """Every claim of `book/claims.yml`, in its order, with its source, None if it has none."""
    names = {source["name"]: source["name"] for source in sources(root)}
    return [
        claim | {"source": names.get(str(claim.get("id")).partition("-")[0])}
        for claim in entries(path(root))
    ]


def entries(path: Path) -> list[dict]:
    """What a file declares; nothing if it is missing."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return yaml.load(text, Loader=LOADER) or []


def collect(notebook: nbformat.NotebookNode, name: str, profile: str) -> list[dict]:
    """Records left by `companion.claim` in an executed notebook, with where they stand."""
    records = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            record = output.get("data", {}).get(CLAIM_MIME)
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
    """Write the records of one chapter."""
    text = json.dumps(records, indent=1, ensure_ascii=False) + "\n"
    chapters.write_text(chapters.claims_path(name, root), text)


def load(root: Path = chapters.ROOT) -> list[dict]:
    """Records of all chapters that this tool has run and whose results are as it stored them."""
    paths = [chapters.claims_path(name, root) for name in runs.intact(runs.load(root), root)]
    return [record for path in paths for record in json.loads(path.read_text(encoding="utf-8"))]


def remembered(name: str, root: Path = chapters.ROOT) -> dict:
    """Numbers that a chapter has kept with `companion.remember`, by name."""
    if name not in runs.intact(runs.load(root), root):
        return {}
    notebook = nbformat.read(chapters.executed(name, root), as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kept = [output.get("data", {}).get(VALUES_MIME, {}) for output in outputs]
    return {key: value for each in kept for key, value in each.get("values", {}).items()}
