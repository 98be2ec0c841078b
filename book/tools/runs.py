"""What has been run: an entry for each chapter that passed, and whether what it stored is whole."""

import hashlib
import json
from pathlib import Path

from tools import chapters
from tools.chapters import ROOT

FOLDER = Path(__file__).resolve().parent
SOURCES = [FOLDER.parent / "run.py", *FOLDER.glob("*.py"), *FOLDER.parent.glob("companion/*.py")]
# Of the tool that this process runs: what another one stored has another form, and is no run.
TOOL = hashlib.sha256(b"\0".join(path.read_bytes() for path in sorted(SOURCES))).hexdigest()


def path(root: Path = ROOT) -> Path:
    """Where the index is kept."""
    return root / "_build" / "executed" / "index.json"


def load(root: Path = ROOT) -> dict:
    """The profile of the last run and the entries; none where the file is missing or damaged."""
    try:
        index = json.loads(path(root).read_text(encoding="utf-8"))
        if index.pop("seal") != _seal(index):
            raise ValueError("the index is not as this tool wrote it")
        return index
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {"profile": None, "chapters": {}}


def save(index: dict, root: Path = ROOT) -> None:
    """Write the index in one step, so that a killed run cannot leave half of it."""
    chapters.write_text(path(root), json.dumps(index | {"seal": _seal(index)}, indent=1) + "\n")


def _seal(index: dict) -> str:
    """Hash by which any damaged byte of the index, and any change of the tool, is noticed."""
    return hashlib.sha256((TOOL + json.dumps(index, sort_keys=True)).encode()).hexdigest()


def digest(name: str, root: Path = ROOT) -> str:
    """Hash of the two files that a run stored; empty if one is missing."""
    paths = [chapters.executed(name, root), chapters.claims_path(name, root)]
    if not all(path.exists() for path in paths):
        return ""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()


def intact(index: dict, root: Path = ROOT) -> list[str]:
    """Chapters of the index whose stored run is as it was, in reading order."""
    entries = index["chapters"].items()
    return sorted(name for name, entry in entries if entry["digest"] == digest(name, root))
