# SPDX-License-Identifier: MIT
"""`bootlab worker`: starts a dask worker, which makes the boots and kernels that other commands ask for."""

from __future__ import annotations

import os
from typing import Annotated

from bootlab.cli.options import Argument, Option
from bootlab.cli.session import JsonOption, print_json, say


def worker(
    scheduler: Annotated[
        str,
        Argument(
            metavar="ADDRESS",
            help="The scheduler: tcp://HOST:8786, or file:PATH of the file that "
            "`dask scheduler --scheduler-file PATH` writes.",
            show_default=False,
        ),
    ],
    *,
    boots: Annotated[
        int | None,
        Option(
            least=1,
            most=1024,
            help="Boots, and builds of kernels, at a time. Default: one for each core that this process may use.",
        ),
    ] = None,
    wait: Annotated[
        int,
        Option(least=1, most=86400, help="Seconds to wait for the scheduler before it gives up."),
    ] = 300,
    as_json: JsonOption = False,
) -> None:
    """Make the boots and kernels that commands with `--scheduler ADDRESS` ask for. Ctrl-C or SIGTERM ends it.

    Start one on each machine, with the same bootlab and the same QEMU. It ends with its scheduler. If it dies, another
    worker gets its jobs.

    Example: bootlab worker tcp://HOST:8786 --boots 4
    """
    from bootlab.api.workers import worker_command  # noqa: PLC0415 - `--help` must not wait for it

    words = worker_command(scheduler, boots=boots, wait_s=wait)
    if as_json:
        # The worker takes the place of this process, and keeps its number.
        print_json({"scheduler": scheduler, "boots": boots, "process": os.getpid(), "command": words})
    else:
        say(f"a worker of {scheduler}; Ctrl-C ends it")
    # In the place of this process: signals reach the worker, and nothing of it outlives it.
    os.execv(words[0], words)  # noqa: S606 - no shell reads the words
