"""Run one chapter through papermill in a clean kernel; say which cell failed and why."""

import logging
import os
import re
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
import papermill
from papermill.inspection import _infer_parameters
from traitlets.config import Config

from tools import chapters, claims, outputs

CELL_TIMEOUT = {"fast": 120, "full": 900}
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@dataclass
class Result:
    """Outcome of one chapter: `message` is empty when it passed."""

    name: str
    seconds: float = 0.0
    peak_mb: int = 0
    cells: int = 0
    where: str = ""
    message: str = ""


def kernel_environment(root: Path) -> dict[str, str]:
    """Environment of the kernels: nothing of the reader's own configuration, one thread each."""
    private = root / "_build" / ".kernel"
    return dict.fromkeys(ONE_THREAD, "1") | {
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": str(private / "matplotlib"),
        "IPYTHONDIR": str(private / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def run_chapter(name: str, profile: str, root: Path, timeout: float | None = None) -> Result:
    """Run a chapter and store it if it passed; never raises, so one failure hides no other."""
    os.environ.update(kernel_environment(root))
    for variable in ("PYTHONSTARTUP", "PYTHONWARNINGS"):
        os.environ.pop(variable, None)
    logging.getLogger("papermill").setLevel(logging.ERROR)
    started = time.perf_counter()
    partial = root / "_build" / "failed" / f"{name}.ipynb"
    partial.unlink(missing_ok=True)
    result = Result(name)
    try:
        notebook = _execute(name, profile, root, partial, timeout)
        result.cells = sum(cell.cell_type == "code" for cell in notebook.cells) - 1
        fault = outputs.first_fault(notebook, root)
        if fault:
            result.where, result.message = fault
    except Exception as error:
        result.where, result.message = _explain(error, partial)
    if not result.message:
        claims.store(name, claims.collect(notebook, name, profile), root)
        outputs.strip(notebook, profile)
        chapters.write_text(chapters.executed(name, root), nbformat.writes(notebook) + "\n")
        partial.unlink(missing_ok=True)
    result.seconds = round(time.perf_counter() - started, 1)
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    result.peak_mb = round(children / (2**20 if sys.platform == "darwin" else 2**10))
    return result


def _execute(
    name: str, profile: str, root: Path, partial: Path, timeout: float | None
) -> nbformat.NotebookNode:
    notebook = chapters.read(chapters.source(name, root).read_text(encoding="utf-8"))
    for cell in notebook.cells:
        cell.metadata.setdefault("tags", [])  # papermill reads them without asking
    parameters = {"profile": profile}
    known = {p.name for p in _infer_parameters(notebook, name="python3", language="python")}
    if unknown := set(parameters) - known:
        raise ValueError(f"the parameters cell does not define {', '.join(sorted(unknown))}")
    notebook.metadata["papermill"] = {}
    partial.parent.mkdir(parents=True, exist_ok=True)
    # Kernels that talk over TCP race for ports when two start together; sockets in files do not,
    # if each kernel has a folder of its own: by default their names are equal in one folder.
    with tempfile.TemporaryDirectory(prefix="ldp-") as folder:
        os.environ["JUPYTER_RUNTIME_DIR"] = folder
        sockets = {"transport": "ipc", "ip": f"{folder}/kernel"}
        papermill.execute_notebook(
            notebook,
            str(partial),
            parameters,
            kernel_name="python3",
            progress_bar=False,
            cwd=str(root / "book"),
            execution_timeout=timeout or CELL_TIMEOUT[profile],
            config=Config({"KernelManager": sockets}),
        )
    return nbformat.read(partial, as_version=4)


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
