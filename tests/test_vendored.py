"""Files and actions of other projects are the ones that were taken from them."""

import hashlib
import re
from pathlib import Path

FOLDERS = ("book/_static/mathjax", "tests/vendor")
OWN = {"tests/vendor/README.md", "tests/vendor/SHA256SUMS"}


def test_every_file_of_others_has_its_recorded_hash(root: Path) -> None:
    lines = (root / "tests" / "vendor" / "SHA256SUMS").read_text().splitlines()
    recorded = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()]
    found = {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    assert {name: digest for name, digest in found.items() if name not in OWN} == recorded


def test_every_action_of_the_workflows_is_pinned_by_commit_and_names_its_version(
    root: Path,
) -> None:
    flows = [path.read_text() for path in (root / ".github" / "workflows").glob("*.yml")]
    used = [line for text in flows for line in re.findall(r"uses: (.*)", text)]
    pinned = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")
    assert used
    assert [line for line in used if not pinned.fullmatch(line)] == []
    assert len({line.split("@")[0] for line in used}) == len(set(used)), "one version of each"
