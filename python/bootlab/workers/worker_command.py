# SPDX-License-Identifier: MIT
"""The command that starts a dask worker for boots and builds."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from bootlab.errors import EnvironmentFault
from bootlab.workers.scheduler_address import address_of


def worker_command(scheduler: str, *, boots: int | None, wait_s: int) -> list[str]:
    """Return the command of a worker that makes `boots` boots at a time (None: one for each core that it may use).

    Waits at most `wait_s` seconds for the scheduler's file; the worker waits as long for the scheduler itself. Raise
    UserError for what names no scheduler, EnvironmentFault without the file, or without dask.
    """
    if find_spec("distributed") is None:
        raise EnvironmentFault(
            "a worker needs dask.distributed, which is not installed", hint="pip install 'bootlab[dask]'"
        )
    address = address_of(scheduler, wait_s)
    return [
        *(sys.executable, "-m", "distributed.cli.dask_worker", address),
        *(("--nthreads", str(boots)) if boots is not None else ()),
        # Who started it sees its end. A nanny would start a worker again whose scheduler is gone.
        "--no-nanny",
        # The machines that it boots are processes of their own, which dask does not count: its limit, a share of the
        # memory for each thread, would only stop the worker's own Python.
        *("--memory-limit", "0"),
        # Pages that nobody looks at.
        "--no-dashboard",
        *("--death-timeout", str(wait_s)),
    ]
