# SPDX-License-Identifier: MIT
"""Where a dask scheduler is: an address, or the file that it wrote into a folder that all machines share.

`dask scheduler --scheduler-file PATH` writes the file when it listens, and removes it when it ends.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault, UserError

FORMS = "tcp://HOST:8786, or file:PATH of the file that `dask scheduler --scheduler-file PATH` writes"
_HOST_AND_PORT = re.compile(r"[^/\s]+:\d+")
_LOOK_EVERY_S = 0.2


class _SchedulerFile(msgspec.Struct, frozen=True):
    """What we need of a scheduler's file (JSON)."""

    address: str


_READ = msgspec.json.Decoder(_SchedulerFile)


def scheduler_file(scheduler: str) -> Path | None:
    """Return the path that `file:PATH` names; None for an address. Raise UserError for what is neither."""
    kind, _, path = scheduler.partition(":")
    if kind == "file":
        if not path.removeprefix("//"):
            raise UserError("--scheduler file: names no file", hint=FORMS)
        return Path(path.removeprefix("//"))
    if "://" not in scheduler and not _HOST_AND_PORT.fullmatch(scheduler):
        raise UserError(f"{scheduler[:200]!r} is not the address of a scheduler", hint=FORMS)
    return None


def address_of(scheduler: str, wait_s: float) -> str:
    """Return the address that connects to a scheduler. Waits at most `wait_s` seconds for its file.

    Raise UserError for what names no scheduler, EnvironmentFault where the file does not come, or is something else.
    """
    path = scheduler_file(scheduler)
    if path is None:
        return scheduler
    until = time.monotonic() + wait_s
    while True:
        try:
            return _READ.decode(path.read_bytes()).address
        except OSError as fault:
            what = f"there is no file of a scheduler at {path} ({fault.strerror})"
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            # A scheduler writes it in place: it may be seen half written.
            what = f"{path} is not the file of a scheduler: {fault}"
        if time.monotonic() > until:
            raise EnvironmentFault(what, hint=f"start one: dask scheduler --port 0 --scheduler-file {path}")
        time.sleep(_LOOK_EVERY_S)
