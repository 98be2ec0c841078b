"""Which commit the sources are, and its identifiers in the archive of all public software.

A Software Heritage identifier of a commit or a folder is the name that git gives to it. So it can
be told without asking the archive; whether the archive holds it is another question.
"""

import os
import subprocess
from pathlib import Path


def commit(root: Path) -> str:
    """Abbreviated commit of the sources, marked if they differ from it; `unknown` outside git."""
    name = _git(root, "rev-parse", "--short=12", "HEAD")
    return f"{name}-dirty" if name and is_dirty(root) else name or "unknown"


def is_dirty(root: Path) -> bool:
    """Whether a file differs from the commit, or is not in it and not ignored."""
    return bool(_git(root, "status", "--porcelain"))


def identifiers(root: Path) -> dict[str, str]:
    """Identifiers of the commit (`rev`) and of its folder of files (`dir`); empty outside git."""
    names = _git(root, "rev-parse", "HEAD", "HEAD^{tree}").split()
    kinds = ("rev", "dir")
    return {k: f"swh:1:{k}:{n}" for k, n in zip(kinds, names, strict=True)} if names else {}


def _git(root: Path, *arguments: str) -> str:
    """What git says about this very folder; nothing if it is not the top of a repository."""
    above = {"GIT_CEILING_DIRECTORIES": str(root.resolve().parent)}
    command = ["git", "-C", str(root), *arguments]
    options = {"capture_output": True, "text": True, "check": True, "timeout": 60}
    try:
        done = subprocess.run(command, env=os.environ | above, **options)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
