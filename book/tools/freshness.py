"""Whether the stored run of a chapter is what the present sources would compute."""

import hashlib
import platform
from importlib import metadata
from pathlib import Path

from tools import chapters, claims, ledger, runs
from tools.chapters import ROOT


def inputs(root: Path = ROOT) -> dict[str, Path]:
    """Every file but the chapter and the tool on which the result of a run depends, by name.

    All of the package, for whoever imports a part of it imports nearly all, and the rules by which
    claims are judged. The names say nothing
    of the folder that holds it: a renamed clone is as fresh as before.
    """
    rooms = (root / "ldp", root / "book" / "companion")
    files = [path for room in rooms for path in room.rglob("*") if path.is_file()]
    package = [path for path in files if "__pycache__" not in path.parts]
    named = {path.relative_to(root).as_posix(): path for path in sorted(package)}
    return named | {"requirements.txt": root / "requirements.txt"}


def common_digest(root: Path = ROOT) -> str:
    """Hash of all that the chapters share: package, data, lock, Python version."""
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
    shown += [s.read_bytes() for s in chapters.scripts(text.decode(errors="replace"), root)]
    return hashlib.sha256(b"\0".join([profile.encode(), common.encode(), text, *shown])).hexdigest()


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


def stale(root: Path = ROOT) -> dict[str, str]:
    """Chapters whose stored run is not what the present sources compute, with the reason."""
    index = runs.load(root)
    common, intact = common_digest(root), runs.intact(index, root)
    faults = ledger.faults(intact, claims.declared(root), claims.load(root))
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
