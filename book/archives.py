"""What a reader takes away, beside the pages: the package, the sources and the data of one commit.

    dist/ldp_companion-VERSION-py3-none-any.whl    the package, as pip installs it
    dist/ldp_companion-VERSION.tar.gz              every file these pages are made from
    dist/ldp_companion-VERSION-data.zip            the tables of the package and of the long studies

Equal files give equal bytes: names are sorted, times are one constant, and nobody owns anything.
"""

import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from tools.chapters import ROOT

EPOCH = "315532800"  # the first day of 1980, before which a zip file cannot say a time
# Outside git, what a folder of sources may hold that is not a source.
LEFT_OUT = {"_build", "__pycache__", ".git", ".venv", ".kernel", ".hypothesis", ".benchmarks"}
DATA = ("ldp/datasets/*.csv", "ldp/datasets/*.gz", "studies/*.csv", "studies/*.json")


def version(root: Path = ROOT) -> str:
    """Version of the package, read without importing it."""
    text = (root / "ldp" / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"', text, re.M).group(1)


def names(root: Path = ROOT) -> dict[str, str]:
    """Where in the site each archive is."""
    stem = f"dist/ldp_companion-{version(root)}"
    return {
        "wheel": f"{stem}-py3-none-any.whl",
        "source": f"{stem}.tar.gz",
        "data": f"{stem}-data.zip",
    }


def sources(root: Path) -> list[str]:
    """Files of the project: those git knows or would add; without git, all but what tools leave."""
    listed = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    above = {"GIT_CEILING_DIRECTORIES": str(root.resolve().parent)}
    try:
        done = subprocess.run(listed, env=os.environ | above, capture_output=True, check=True)
        found = done.stdout.decode().strip("\0").split("\0")
    except (OSError, subprocess.SubprocessError):
        every = [path.relative_to(root) for path in root.rglob("*")]
        found = [path.as_posix() for path in every if not any(map(is_left_out, path.parts))]
    return sorted({name for name in found if (root / name).is_file()})


def is_left_out(part: str) -> bool:
    """Whether a tool made the file or folder of this name."""
    return part in LEFT_OUT or part.endswith(("_cache", ".egg-info"))


def write(root: Path, site: Path) -> None:
    """Write the three archives into the site."""
    paths = {kind: site / name for kind, name in names(root).items()}
    folder = paths["wheel"].parent
    shutil.rmtree(folder, ignore_errors=True)  # the names say the version
    folder.mkdir()
    write_wheel(root, folder)
    write_source(root, paths["source"])
    write_data(root, paths["data"])


def write_wheel(root: Path, folder: Path) -> None:
    """Build the wheel; the backend runs by itself, for it takes its time from the environment."""
    command = [sys.executable, "-m", "flit_core.wheel", str(root), "--outdir", str(folder)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    for wheel in folder.glob("*.whl"):
        wheel.chmod(0o644)


def write_source(root: Path, path: Path) -> None:
    """Pack the sources into one folder of the archive's own name."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sources(root):
            archive.add(root / name, f"{path.name.removesuffix('.tar.gz')}/{name}", filter=nobodys)
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))


def nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same entry without an owner, a time, or rights beyond whether it can be run."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = int(EPOCH)
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry


def write_data(root: Path, path: Path) -> None:
    """Pack the tables of the package and of the studies."""
    write_zip(sorted(table for form in DATA for table in root.glob(form)), root, path)


def write_zip(files: list[Path], folder: Path, path: Path) -> None:
    """Pack files by their names in a folder."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix())  # of 1980
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
