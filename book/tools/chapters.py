"""Which chapters the book has, how their text becomes cells, and whether a run is still fresh."""

import hashlib
import json
import platform
from pathlib import Path

import nbformat
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path(__file__).resolve().parent
PROFILES = ("fast", "full")
CLAIM_MIME = "application/vnd.ldp.claim+json"


def names(root: Path = ROOT) -> list[str]:
    """Names (`NN-word`) of the executable chapters, in reading order."""
    pages = sorted((root / "book").glob("[0-9][0-9]-*.md"))
    return [p.stem for p in pages if is_myst_markdown_notebook(p.read_text(encoding="utf-8"))]


def source(name: str, root: Path = ROOT) -> Path:
    """Path of the chapter's text."""
    return root / "book" / f"{name}.md"


def executed(name: str, root: Path = ROOT) -> Path:
    """Path of the chapter's executed notebook."""
    return root / "_build" / "executed" / f"{name}.ipynb"


def claims(name: str, root: Path = ROOT) -> Path:
    """Path of the records of the claims that the chapter verified."""
    return root / "_build" / "claims" / f"{name}.json"


def read(text: str) -> nbformat.NotebookNode:
    """Cells of a chapter, by the reader that also makes its page; ids do not change between runs.

    The line of the text where each cell starts is kept in the cell, for messages.
    """
    notebook = read_myst_markdown_notebook(text, add_source_map=True)
    lines = notebook.metadata.pop("source_map")
    code_cells = 0
    for index, (cell, line) in enumerate(zip(notebook.cells, lines, strict=True)):
        cell["id"] = f"cell-{index:03d}"
        code_cells += cell.cell_type == "code"
        cell.metadata["ldp"] = {"index": index, "line": line, "code_cell": code_cells}
    return notebook


def inputs(root: Path = ROOT) -> list[Path]:
    """Every file but the chapters themselves on which the result of a run depends."""
    package = [p for p in (root / "ldp").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    tool = [TOOL.parent / "run.py", *TOOL.glob("*.py")]
    return sorted(package) + sorted(tool) + [root / "requirements.txt"]


def common_digest(root: Path = ROOT) -> str:
    """Hash of all that the chapters share: package, data, lock, run tool, Python version."""
    digest = hashlib.sha256(".".join(platform.python_version_tuple()[:2]).encode())
    for path in inputs(root):
        digest.update(path.name.encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes() if path.exists() else b"").digest())
    return digest.hexdigest()


def key(name: str, profile: str, common: str, root: Path = ROOT) -> str:
    """Freshness key of one chapter: contents only, so a touched or moved file changes nothing."""
    text = source(name, root).read_bytes()
    return hashlib.sha256(b"\0".join([profile.encode(), common.encode(), text])).hexdigest()


def load_index(root: Path = ROOT) -> dict:
    """What has been run: the profile of the last run and one entry per chapter that passed."""
    path = root / "_build" / "executed" / "index.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {"profile": None, "chapters": {}}


def save_index(index: dict, root: Path = ROOT) -> None:
    """Write the index in one step, so that a killed run cannot leave half of it."""
    write_text(root / "_build" / "executed" / "index.json", json.dumps(index, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file atomically, and only when its contents change (Sphinx looks at times)."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def stale(root: Path = ROOT) -> dict[str, str]:
    """Chapters whose stored run is not what the present sources compute, with the reason."""
    index = load_index(root)
    common = common_digest(root)
    reasons = {}
    for name in names(root):
        entry = index["chapters"].get(name)
        if entry is None or not executed(name, root).exists():
            reasons[name] = "it has no successful run"
        elif entry["key"] != key(name, index["profile"], common, root):
            reasons[name] = "its sources changed since its run"
    return reasons
