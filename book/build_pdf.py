"""Make a PDF of the whole book from the chapters that have run: Sphinx writes TeX, XeLaTeX sets it.

It needs programs that no package index of Python has; `.ci/pdf-packages.txt` names them as Debian
and Ubuntu do.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parent
sys.path[:0] = [str(BOOK.parent), str(BOOK)]

import printed

from tools import chapters, revision, sphinx
from tools.lock import alone

DATE = "1767225600"  # for all: equal sources and equal runs give equal bytes
COMMANDS = ("xelatex", "rsvg-convert")
FAULTS = re.compile(r"^(?:! .*|.*undefined on input line.*|Missing character.*)$", re.MULTILINE)
FONTS = r"""
\setmainfont{texgyrepagella}[Extension=.otf, UprightFont=*-regular, BoldFont=*-bold,
  ItalicFont=*-italic, BoldItalicFont=*-bolditalic]
\setsansfont{texgyreheros}[Extension=.otf, UprightFont=*-regular, BoldFont=*-bold,
  ItalicFont=*-italic, BoldItalicFont=*-bolditalic]
\setmonofont{DejaVuSansMono}[Extension=.ttf, UprightFont=*, BoldFont=*-Bold, ItalicFont=*-Oblique,
  BoldItalicFont=*-BoldOblique, Scale=0.82]
"""
# The class of Jupyter Book would define the first two.
PREAMBLE = r"""
\newenvironment{sphinxVerbatimInput}{}{}
\newenvironment{sphinxVerbatimOutput}{}{}
\setcounter{tocdepth}{1}
\emergencystretch=3em
"""
OPTIONS = {
    "project": "ldp-companion",
    "jblatex_load_imgconverter": False,
    "latex_domain_indices": False,
    "latex_show_urls": "no",
    "latex_elements": {
        "papersize": "a4paper",
        "pointsize": "10pt",
        "extraclassoptions": "openany,oneside",
        "fncychap": r"\usepackage[Sonny]{fncychap}",
        "fontpkg": FONTS,
        "preamble": PREAMBLE,
        "makeindex": "",
        "printindex": "",
    },
    # Drawings before tables before text; the site's own order is not touched.
    "nb_mime_priority_overrides": [["latex", "image/svg+xml", 5], ["latex", "text/html", 35]],
}


def main(arguments: list[str] | None = None) -> int:
    """Build the PDF; return the exit status."""
    parser = argparse.ArgumentParser(description="Make a PDF of the book.")
    parser.add_argument("--root", type=Path, default=chapters.ROOT, help=argparse.SUPPRESS)
    root = parser.parse_args(arguments).root.resolve()
    if missing := [name for name in COMMANDS if not shutil.which(name)]:
        print(f"{' and '.join(missing)} not found: xargs apt-get install < .ci/pdf-packages.txt")
        return 1
    with alone(root / "_build"):
        return build(root)


def build(root: Path) -> int:
    """Do the work of `main`, while no chapter runs."""
    folder = root / "_build" / "latex"
    shutil.rmtree(folder, ignore_errors=True)
    os.environ.update(SOURCE_DATE_EPOCH=DATE, FORCE_SOURCE_DATE="1")
    settings = OPTIONS | {"today": f"Commit {revision.commit(root) or 'unknown'}"}
    doctrees = root / "_build" / ".doctrees-pdf"
    if not sphinx.build(root, folder, settings, builder="latex", doctreedir=doctrees):
        print("\nFAILED the PDF: the warnings above are errors")
        return 1
    (source,) = folder.glob("*.tex")
    command = ["xelatex", "-interaction=nonstopmode", "-halt-on-error", source.name]
    whole_lines = os.environ | {"max_print_line": "1000"}  # of the log, which is read below
    for _ in range(3):  # contents, then references to the pages that the contents have moved
        subprocess.run(command, cwd=folder, env=whole_lines, stdout=subprocess.DEVNULL, check=False)
    log = source.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    if faults := FAULTS.findall(log):
        print("\n".join(faults[:20]), f"\nFAILED the PDF: {len(faults)} faults in {source.name}")
        return 1
    printed.keep(source.with_suffix(".pdf"), root)
    print(f"\nThe book is set. Open {printed.path(root)}; `make html` adds it to the pages.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
