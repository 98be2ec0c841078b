"""What a chapter was computed with, as its own kernel says it at the end.

The run tool has this file executed behind the last cell: what is listed are the distributions that
the chapter has really imported, not those that are installed now or that a file locks.
"""

import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

MIME = "application/vnd.ldp.run+json"
SOURCE = Path(__file__).resolve()
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def facts() -> dict[str, Any]:
    """Date, machine, versions and threads of this process."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "system": platform.platform(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "ldp": getattr(sys.modules.get("ldp"), "__version__", ""),
        "blas": {
            name: blas(sys.modules[name]) for name in ("numpy", "scipy") if name in sys.modules
        },
        "simd": simd(),
        "threads": {name: os.environ.get(name, "not set") for name in THREADS},
        "distributions": imported(),
    }


def imported() -> dict[str, str]:
    """Version of every distribution that one of the imported modules belongs to.

    Not of the package itself: its files are hashed, and the version it was installed with may be
    an older one.
    """
    owners = metadata.packages_distributions()
    tops = {name.partition(".")[0] for name in sys.modules} - {"ldp"}
    names = {owner for top in tops for owner in owners.get(top, [])}
    return {name: metadata.version(name) for name in sorted(names, key=str.lower)}


def processor() -> str:
    """Name of the processor, as far as the system tells it."""
    try:
        if sys.platform == "darwin":
            command = ["sysctl", "-n", "machdep.cpu.brand_string"]
            return subprocess.run(
                command, capture_output=True, text=True, check=True
            ).stdout.strip()
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except (OSError, subprocess.SubprocessError):
        told = ""
    named = re.search(r"^model name\s*:\s*(.+)$", told, re.M)
    return named[1] if named else platform.processor() or platform.machine()


def blas(module: Any) -> str:
    """Linear algebra that numpy or scipy was built with."""
    built = module.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{built.get('name')} {built.get('version')}"


def simd() -> list[str]:
    """Extensions of the processor's instructions that numpy has found: they move last digits."""
    numpy = sys.modules.get("numpy")
    found = numpy.show_config(mode="dicts").get("SIMD Extensions", {}) if numpy else {}
    return [*found.get("baseline", []), *found.get("found", [])]


if __name__ == "__kernel__":
    from IPython.display import publish_display_data

    publish_display_data({MIME: facts(), "text/plain": "what this chapter was computed with"})
