"""`bootlab worker`: does the jobs that other commands offer in a shared folder: boots, and builds of kernels."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from bootlab.cli.session import say


def worker(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder of jobs. It is created if it does not exist.")
    ],
    *,
    once: Annotated[bool, typer.Option("--once", help="End when no job is left, instead of waiting for more.")] = False,
) -> None:
    """Make the boots and kernels that commands with `--scheduler folder:FOLDER` ask for. Ctrl-C or SIGTERM ends it.

    Each does one job at a time: start as many as there are cores, on every machine that shares the folder. A worker
    that is ended gives its job back; one that dies loses only its job.

    Example: bootlab worker /shared/jobs --once
    """
    from bootlab.targets.folder_worker import FolderWorker  # noqa: PLC0415 - `--help` must not wait for it

    at_work = FolderWorker(folder, said=say)
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda _number, _frame: at_work.end()) for number in numbers]
    say(f"worker {at_work.name} on {at_work.jobs.path}")
    # In a thread of its own: a signal's handler must not meet a lock that this thread holds.
    try:
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(at_work.run, once=once).result()
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    say("1 job done" if done == 1 else f"{done} jobs done")
