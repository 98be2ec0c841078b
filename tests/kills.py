"""Kill `make book` at random moments in a scratch clone, and count how many next ones succeed.

    python tests/kills.py [--kills 20] [--seed 1] [--pieces install run html]

Before each kill one piece is made to have work again: the install, two chapters, or the pages. The
kill comes at a random moment of the time that this piece took when nothing disturbed it. Seed and
moments are printed; the status is 1 if a next `make book` failed.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = ("00-introduction", "01-randomized-response")
BOOK = ["make", "book", f"PYTHON={Path(sys.executable).resolve()}"]
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}


def forget_install(clone: Path) -> None:
    """Have the environment made from nothing."""
    (clone / ".venv" / "installed").unlink(missing_ok=True)


def forget_run(clone: Path) -> None:
    """Have two chapters run again."""
    for name in CHAPTERS:
        (clone / "_build" / "executed" / f"{name}.ipynb").unlink(missing_ok=True)


def forget_html(clone: Path) -> None:
    """Have all pages read and written again."""
    shutil.rmtree(clone / "_build" / ".doctrees", ignore_errors=True)


PIECES: dict[str, Callable[[Path], None]] = {
    "install": forget_install,
    "run": forget_run,
    "html": forget_html,
}


def main() -> int:
    """Kill, try again, print, count; return the exit status."""
    options = parse()
    clone = ROOT / "_build" / "kills"
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    print(f"{options.kills} kills, seed {options.seed}; first a whole make book", flush=True)
    if not succeeds(clone):
        return 2
    lengths = {piece: undisturbed(piece, clone) for piece in options.pieces}
    rng, good = np.random.default_rng(options.seed), 0
    for number in range(1, options.kills + 1):
        piece = str(rng.choice(options.pieces))
        moment = rng.uniform(0, lengths[piece])
        PIECES[piece](clone)
        struck = kill_after(moment, clone)
        good += (succeeded := succeeds(clone))
        state = "the next succeeded" if succeeded else "THE NEXT FAILED"
        when = f"after {moment:.2f} s" if struck else f"too late, at {moment:.2f} s"
        print(f"  [{number}/{options.kills}] {piece}, {when}: {state}", flush=True)
    print(f"{good} of {options.kills} next runs succeeded")
    return 0 if good == options.kills else 1


def parse() -> argparse.Namespace:
    """Command line of the tool."""
    parser = argparse.ArgumentParser(description="Kill make book at random moments.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pieces", nargs="+", choices=PIECES, default=list(PIECES))
    return parser.parse_args()


def undisturbed(piece: str, clone: Path) -> float:
    """Seconds that a piece takes when nothing disturbs it."""
    PIECES[piece](clone)
    started = time.perf_counter()
    if not succeeds(clone):
        raise SystemExit(f"make book failed before any kill, at the piece {piece}")
    seconds = time.perf_counter() - started
    print(f"  {piece} takes {seconds:.1f} s", flush=True)
    return seconds


def succeeds(clone: Path) -> bool:
    """Whether `make book` ends well and leaves the pages; print what it said if not."""
    done = subprocess.run(
        BOOK, cwd=clone, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    good = done.returncode == 0 and (clone / "_build" / "html" / "SHA256SUMS").exists()
    if not good:
        print(done.stdout[-3000:] + done.stderr[-3000:])
    return good


def kill_after(seconds: float, clone: Path) -> bool:
    """Start `make book` and kill it with all its children; return whether it still ran."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(BOOK, cwd=clone, env=ENVIRONMENT, start_new_session=True, **quiet)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
