"""Build the pages with every warning an error, and leave nothing that could hide one next time.

This is `jupyter-book build . -W -n --keep-going --quiet` without the traceback that the command
prints when a page has a warning.
"""

import argparse
import hashlib
import re
import shutil
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parent
# The package of this folder comes first: its pages are those of the files that were hashed.
sys.path[:0] = [str(BOOK.parent), str(BOOK)]

import plain_notebooks
import printed

import archives
from tools import chapters, sphinx
from tools.lock import alone

# What the theme's styles and scripts name for its developers and for browsers of the last decade.
FONT = r',url\([^)]*\.ttf\) format\("truetype"\)'
MAP = r"/[*/]# sourceMappingURL=[^\s*]*(?:\s*\*/)?"
UNREAD = re.compile(f"{FONT}|{MAP}")


def main(arguments: list[str] | None = None) -> int:
    """Build the site; return the exit status."""
    parser = argparse.ArgumentParser(description="Build the HTML of the book.")
    parser.add_argument("--all", action="store_true", help="read every page again")
    parser.add_argument("--root", type=Path, default=chapters.ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    with alone(root / "_build"):
        return build(root, read_all=options.all)


def build(root: Path, *, read_all: bool) -> int:
    """Do the work of `main`, while no chapter runs."""
    site, doctrees = root / "_build" / "html", root / "_build" / ".doctrees"
    # To Sphinx what a killed build left half-written looks new, and pages that a failed one has
    # read are not read again, so that their warnings would be missing next time.
    unfinished = root / "_build" / "html-unfinished"
    if read_all or unfinished.exists():
        shutil.rmtree(doctrees, ignore_errors=True)
    if not doctrees.exists():
        shutil.rmtree(site, ignore_errors=True)  # Sphinx never removes the page of a lost chapter
    # Pages link a style that is there already by another address than one that is still to come.
    for style in (site / "_static").glob("mystnb.*.css"):
        style.unlink()
    unfinished.touch()
    if not sphinx.build(root, site, {"nitpicky": True}):
        print("\nFAILED the HTML build: the warnings above are errors")
        return 1
    shed(site)
    archives.write(root, site)
    plain_notebooks.write(root, site)
    printed.lend(root, site)
    write_sums(site)
    unfinished.unlink()
    print(f"\nThe book is built. Open {site / 'index.html'}")
    return 0


def shed(site: Path) -> None:
    """Remove what the theme brings and no page asks for: maps, translations, scripts, fonts.

    A file of `_static` stays if a page names it, or a style or a script that stays.
    """
    static = site / "_static"
    for path in [*static.rglob("*.css"), *static.glob("scripts/*.js")]:
        chapters.write_text(path, UNREAD.sub("", path.read_text(encoding="utf-8")))
    idle = {path for path in static.rglob("*") if path.is_file()}
    asking = [path for path in site.rglob("*.html") if path not in idle]
    while asking:
        text = "\n".join(path.read_text(encoding="utf-8") for path in asking)
        named = {path for path in idle if path.name in text}
        idle -= named
        asking = [path for path in named if path.suffix in (".css", ".js")]
    for path in idle:
        path.unlink()
    for folder in sorted(static.rglob("*/"), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def write_sums(site: Path) -> None:
    """Write the hash of every file beside the pages, as `sha256sum --check` reads it."""
    sums = site / "SHA256SUMS"
    names = sorted(p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file())
    lines = [
        f"{hashlib.sha256((site / name).read_bytes()).hexdigest()}  {name}\n"
        for name in names
        if name != sums.name
    ]
    sums.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
