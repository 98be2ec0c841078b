"""Commands that a test starts, waits for and kills, each in a process group of its own."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

LIMIT = 300.0  # seconds; what is waited for takes a few, on a busy machine sixty


def start(command: list[str], **options: Any) -> subprocess.Popen[str]:
    """Start a command as a terminal does: with its children it can be killed as one group."""
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_interrupts,
        **options,
    )


def _hear_interrupts() -> None:
    """Undo what a shell does to commands it starts in the background: they ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until a condition holds; fail if it never does."""
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "the awaited did not happen"
        time.sleep(0.01)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a command and its children by the signal that none of them can hear."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def kill_when(condition: Callable[[], object], command: list[str], **options: Any) -> None:
    """Start a command and kill it as soon as a condition holds, which must be before its end."""
    process = start(command, **options)
    try:
        wait_for(lambda: process.poll() is not None or condition())
        assert process.poll() is None, "\n".join(process.communicate())
    finally:
        kill(process)
