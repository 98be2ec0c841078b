"""Chapters side by side, each in a fresh process: its environment, memory and death are its own."""

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tools.execute import Result, kernel_environment, run_chapter


def warm_up(root: Path) -> None:
    """Build matplotlib's font cache first: it announces itself on stderr, which fails a cell."""
    command = [sys.executable, "-c", "import matplotlib.font_manager"]
    environment = os.environ | kernel_environment(root)
    subprocess.run(command, env=environment, check=True, capture_output=True)


def side_by_side(tasks: list[tuple], jobs: int) -> Iterator[tuple[tuple, Result]]:
    """Run tasks, each the arguments of `run_chapter`, and yield each with its result as they end.

    Threads wait for one process each: a pool of processes can lose count of its workers.
    """
    pool = ThreadPoolExecutor(jobs)
    try:
        futures = {pool.submit(in_its_own_process, *task): task for task in tasks}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:  # also after an interrupt: the pool would wait for every chapter
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.terminate()


def in_its_own_process(name: str, *given: Any) -> Result:
    """Run a chapter in a fresh process: its environment, peak memory and death are its own."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, name, *given), daemon=True)
    process.start()
    sender.close()  # the process has the other copy: its end is then the end of the wait
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        fault = f"its process ended with status {process.exitcode}"
        return Result(name, where="outside the cells", message=fault)
    finally:
        process.join()


def _answer(sender: Connection, *given: Any) -> None:
    exit_with_parent()
    sender.send(run_chapter(*given))


def exit_with_parent() -> None:
    """End this worker when the run that started it is gone; its kernel then ends by itself."""

    def wait() -> None:
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
