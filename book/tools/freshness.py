"""Whether the stored run of a chapter is what the present sources would compute."""

import hashlib
import json
import platform
from importlib import metadata
from pathlib import Path

from tools import chapters, claims
from tools.chapters import ROOT

TOOL = Path(__file__).resolve().parent
ENTRY = {"key", "digest", "profile", "seconds", "peak_mb", "cells", "run"}


def inputs(root: Path = ROOT) -> dict[str, Path]:
    """Every file but the chapters themselves on which the result of a run depends, by name.

    The names say nothing of the folder that holds it all: a renamed clone is as fresh as before.
    """
    package = [p for p in (root / "ldp").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    tool = [TOOL.parent / "run.py", *TOOL.glob("*.py")]
    named = {path.relative_to(root).as_posix(): path for path in sorted(package)}
    named |= {path.relative_to(TOOL.parent).as_posix(): path for path in sorted(tool)}
    return named | {"requirements.txt": root / "requirements.txt"}


def common_digest(root: Path = ROOT) -> str:
    """Hash of all that the chapters share: package, data, lock, run tool, Python version."""
    digest = hashlib.sha256(".".join(platform.python_version_tuple()[:2]).encode())
    for name, path in inputs(root).items():
        digest.update(f"{name}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes() if path.exists() else b"").digest())
    return digest.hexdigest()


def key(name: str, profile: str, common: str, root: Path = ROOT) -> str:
    """Freshness key of one chapter: contents only, so a touched or moved file changes nothing."""
    path = chapters.source(name, root)
    text = path.read_bytes() if path.exists() else b""
    shown = [t.read_bytes() for t in chapters.tables(root) if t.name.encode() in text]
    return hashlib.sha256(b"\0".join([profile.encode(), common.encode(), text, *shown])).hexdigest()


def digest(name: str, root: Path = ROOT) -> str:
    """Hash of the two files that a run stored; empty if one is missing."""
    paths = [chapters.executed(name, root), chapters.claims_path(name, root)]
    if not all(path.exists() for path in paths):
        return ""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()


def is_intact(name: str, index: dict, root: Path = ROOT) -> bool:
    """Whether a chapter has a successful run and what it stored is as it was."""
    return name in index["chapters"] and index["chapters"][name]["digest"] == digest(name, root)


def moved(run: dict) -> str:
    """First version that is another one now than in this run, as a sentence; empty if none is."""
    then = {"Python": run["python"]} | run["distributions"]
    for name, version in then.items():
        now = platform.python_version() if name == "Python" else installed(name)
        if now != version:
            return f"{name} was {version} in its run and is {now or 'not installed'} now"
    return ""


def installed(name: str) -> str:
    """Version of a distribution, whatever the lock file says; empty if it is not there."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def load_index(root: Path = ROOT) -> dict:
    """What has been run: the profile of the last run and one entry per chapter that passed."""
    path = root / "_build" / "executed" / "index.json"
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        if index.pop("seal") != _seal(index):
            raise ValueError("the index is not as it was written")
        entries = {n: e for n, e in index["chapters"].items() if e.keys() >= ENTRY}
        return {"profile": index["profile"], "chapters": entries}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {"profile": None, "chapters": {}}  # missing or damaged: all is run again


def save_index(index: dict, root: Path = ROOT) -> None:
    """Write the index in one step, so that a killed run cannot leave half of it."""
    path = root / "_build" / "executed" / "index.json"
    chapters.write_text(path, json.dumps(index | {"seal": _seal(index)}, indent=1) + "\n")


def _seal(index: dict) -> str:
    """Hash by which any damaged byte of the index is noticed, whatever it stands for."""
    return hashlib.sha256(json.dumps(index, sort_keys=True).encode()).hexdigest()


def stale(root: Path = ROOT) -> dict[str, str]:
    """Chapters whose stored run is not what the present sources compute, with the reason."""
    index = load_index(root)
    common = common_digest(root)
    intact = [name for name in chapters.names(root) if is_intact(name, index, root)]
    records = [record for name in intact for record in claims.load(name, root)]
    faults = claims.faults(intact, claims.declared(root), records)
    reasons = {}
    for name in chapters.names(root):
        entry = index["chapters"].get(name)
        if entry is None or not chapters.executed(name, root).exists():
            reasons[name] = "it has no successful run"
        elif name not in intact:
            reasons[name] = "what its run stored is damaged or was changed"
        elif entry["profile"] != index["profile"]:
            reasons[name] = (
                f"it was run in profile {entry['profile']}, another one in {index['profile']}"
            )
        elif entry["key"] != key(name, entry["profile"], common, root):
            reasons[name] = "its sources changed since its run"
        elif reason := moved(entry["run"]):
            reasons[name] = reason
        elif name in faults:
            reasons[name] = faults[name]
    return reasons
