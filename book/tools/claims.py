"""The claims a chapter verified, and whether they are the ones it was meant to verify."""

import json
from pathlib import Path

import nbformat
import yaml

from tools import chapters

OBSERVED_VERDICTS = ("reproduced", "corrected", "refuted")


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


def declared(root: Path = chapters.ROOT) -> dict[str, dict]:
    """Every claim of `book/claims.yml` by its id."""
    path = root / "book" / "claims.yml"
    listed = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else []
    return {claim["id"]: claim for claim in listed or []}


def fault(name: str, records: list[dict], ledger: dict[str, dict]) -> str:
    """One sentence naming the claims that are undeclared, elsewhere or missing; empty if none."""
    observed = {record["id"] for record in records}
    here = {i for i, claim in ledger.items() if claim.get("chapter") == name}
    expected = {i for i in here if ledger[i].get("verdict") in OBSERVED_VERDICTS}
    elsewhere = {i for i in observed - here if i in ledger}
    parts = [
        ("not declared in book/claims.yml", observed - set(ledger)),
        ("declared for another chapter", elsewhere),
        ("declared for this chapter but not checked", expected - observed),
    ]
    return "; ".join(f"claims {what}: {', '.join(sorted(ids))}" for what, ids in parts if ids)
