"""Run one chapter through papermill in a clean kernel; say which cell failed and why."""

import ast
import logging
import os
import re
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import papermill
from traitlets.config import Config

from tools import chapters, claims, environment, outputs

CELL_TIMEOUT = {"fast": 120, "full": 900}
# Runs after the chapter: what its threads still write to stderr arrives here, not after the end.
# Then the kernel says what it is.
LAST_CELL = f"""\
import runpy
import threading

for thread in threading.enumerate():
    if thread is not threading.current_thread() and not thread.daemon:
        thread.join()
_ = runpy.run_path({str(environment.SOURCE)!r}, run_name="__kernel__")
"""


@dataclass
class Result:
    """Outcome of one chapter: `message` is empty when it passed, `notebook` is text."""

    name: str
    seconds: float = 0.0
    peak_mb: int = 0
    cells: int = 0
    where: str = ""
    message: str = ""
    notebook: str = ""
    records: list[dict] = field(default_factory=list)
    run: dict = field(default_factory=dict)


def kernel_environment(root: Path) -> dict[str, str]:
    """Environment of the kernels: nothing of the reader's own configuration, one thread each.

    They import the `ldp` of this folder, whose files are hashed, and not one installed elsewhere.
    """
    private = root / "_build" / ".kernel"
    return dict.fromkeys(environment.THREADS, "1") | {
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(root),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": str(private / "matplotlib"),
        "IPYTHONDIR": str(private / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def run_chapter(
    name: str, profile: str, root: Path, timeout: float | None = None, seed: int | None = None
) -> Result:
    """Run a chapter and return what it left; never raises, so one failure hides no other.

    Nothing is written but in a scratch folder: only the process that decided on the run stores it.
    With a seed other than the chapter's own, all cells run, also after one that fails.
    """
    os.environ.update(kernel_environment(root))
    for variable in ("PYTHONSTARTUP", "PYTHONWARNINGS"):
        os.environ.pop(variable, None)
    logging.getLogger("papermill").setLevel(logging.ERROR)
    started = time.perf_counter()
    scratch = chapters.scratch(root)
    scratch.mkdir(exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=scratch)) / "partial.ipynb"
    result = Result(name)
    try:
        notebook = _execute(name, profile, root, partial, timeout, seed)
        if fault := outputs.first_fault(notebook, root):
            result.where, result.message = fault
        result.run = _facts(notebook.cells.pop())
        result.cells = sum(cell.cell_type == "code" for cell in notebook.cells) - 1
    except Exception as error:
        result.where, result.message = _explain(error, partial)
    if not result.message:
        result.records = claims.collect(notebook, name, profile)
        outputs.strip(notebook, profile)
        result.notebook = nbformat.writes(notebook) + "\n"
    elif partial.exists():
        result.notebook = partial.read_text(encoding="utf-8")
    result.seconds = round(time.perf_counter() - started, 1)
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    result.peak_mb = round(children / (2**20 if sys.platform == "darwin" else 2**10))
    return result


def _execute(
    name: str, profile: str, root: Path, partial: Path, timeout: float | None, seed: int | None
) -> nbformat.NotebookNode:
    notebook = chapters.read(chapters.source(name, root).read_text(encoding="utf-8"))
    for cell in notebook.cells:
        cell.metadata.setdefault("tags", [])  # papermill reads them without asking
    if "profile" not in _parameters(notebook):
        raise ValueError("the parameters cell does not define profile")
    last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
    more = {"tags": [], "ldp": last.metadata["ldp"]}
    notebook.cells.append(nbformat.v4.new_code_cell(LAST_CELL, metadata=more))
    notebook.metadata["papermill"] = {}
    # Kernels that talk over TCP race for ports when two start together; sockets in files do not,
    # if each kernel has a folder of its own: by default their names are equal in one folder.
    os.environ["JUPYTER_RUNTIME_DIR"] = str(partial.parent)
    # The path of a socket has at most 103 characters, so it is the one from the folder `book`,
    # in which kernel and papermill both work.
    folder = root / "book"
    sockets = {
        "transport": "ipc",
        "ip": os.path.relpath(partial.parent / "kernel", folder),
        "connection_file": str(partial.parent / "kernel.json"),
    }
    # It would announce that it ends by itself, or the interrupt that ends it; an error
    # in a cell comes as an output, never through this log.
    client = {"extra_arguments": ["--log-level=CRITICAL"], "allow_errors": seed is not None}
    papermill.execute_notebook(
        notebook,
        str(partial),
        {"profile": profile} | ({} if seed is None else {"seed": seed}),
        kernel_name="python3",
        progress_bar=False,
        cwd=str(folder),
        execution_timeout=timeout or CELL_TIMEOUT[profile],
        config=Config({"KernelManager": sockets, "NotebookClient": client}),
    )
    return nbformat.read(partial, as_version=4)


def _facts(cell: nbformat.NotebookNode) -> dict:
    """What the kernel said of itself in the cell that was added to the chapter."""
    shown = [output.get("data", {}) for output in cell.outputs]
    return next(dict(data[environment.MIME]) for data in shown if environment.MIME in data)


def _parameters(notebook: nbformat.NotebookNode) -> set[str]:
    """Names that the cells tagged `parameters` assign."""
    sources = [cell.source for cell in notebook.cells if "parameters" in cell.metadata["tags"]]
    statements = [statement for source in sources for statement in ast.parse(source).body]
    targets = [t for s in statements if isinstance(s, ast.Assign) for t in s.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _explain(error: Exception, partial: Path) -> tuple[str, str]:
    """Where and why: papermill's notebook knows the cell, whatever the exception was."""
    kind = type(error).__name__
    cell = _last_cell(partial)
    where = outputs.place(cell) if cell is not None else "before the first cell"
    if kind == "PapermillExecutionError":
        return where, f"{error.ename}: {_without_colours(error.evalue)}".strip()
    if kind == "CellTimeoutError":
        return where, "the cell exceeded its time limit"
    if kind == "DeadKernelError":
        return where, "the kernel died"
    return where, f"{kind}: {_without_colours(str(error))}"


def _last_cell(partial: Path) -> nbformat.NotebookNode | None:
    """Cell that papermill started last; it calls even one that never ended completed."""
    if not partial.exists():
        return None
    cells = nbformat.read(partial, as_version=4).cells
    started = [c for c in cells if c.metadata.get("papermill", {}).get("start_time")]
    return next((cell for cell in reversed(started) if "ldp" in cell.metadata), None)


def _without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
