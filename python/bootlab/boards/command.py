# SPDX-License-Identifier: MIT
"""Runs the user's commands for a board, and ends all of what they started when they do not end themselves."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import signal
import subprocess
import tempfile
from pathlib import Path

from bootlab.boards import guard
from bootlab.errors import TargetError
from bootlab.model.real_board import Command

_SAID_CHARS = 300
_SAID_BYTES = 1 << 20
_NUMBERS = itertools.count(1)
OWN_MARK = f"{os.getpid()}-{secrets.token_hex(8)}"
"""What everything that this bootlab starts for boards carries in its environment, so that all of it can be found."""


class CommandFailed(TargetError):
    """A command of the board file failed."""


def next_mark() -> str:
    """Return a mark for one more command."""
    return f"{OWN_MARK}.{next(_NUMBERS)}"


def marked_environment(mark: str, added: dict[str, str] | None = None) -> dict[str, str]:
    """Return bootlab's environment with what a command is to find in it, and its mark."""
    return {**os.environ, **(added or {}), guard.MARK: mark}


def run(
    command: Command, *, timeout_s: float, environment: dict[str, str] | None = None, folder: Path | None = None
) -> str:
    """Run a command of the user's and return what it printed. Raise CommandFailed with its last words.

    Of a command that fails or does not end in time nothing lives on, in whatever session it runs.
    """
    shown = command[2] if command[:2] == ("sh", "-c") else " ".join(command)
    mark = next_mark()
    # A file, not a pipe: a program that goes on in the background may hold it as long as it likes.
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=marked_environment(mark, environment),
                cwd=folder,
                start_new_session=True,
            )
        except OSError as fault:
            raise CommandFailed(f"`{shown}` cannot be run: {fault.strerror}", hint="is it installed?") from fault
        try:
            code = process.wait(timeout=timeout_s)
        except subprocess.TimeoutExpired as fault:
            lives = _end(process, mark)
            raise CommandFailed(
                f"`{shown}` did not end within {timeout_s:g} s{lives}", hint="run it by hand"
            ) from fault
        except BaseException:
            _end(process, mark)
            raise
        said = _printed(output.fileno())
    if code:
        lives = _end(process, mark)
        words = said.strip()[-_SAID_CHARS:] or "without a word"
        raise CommandFailed(f"`{shown}` ended with {code}: {words}{lives}", hint="run it by hand; it must return 0")
    return said


def _printed(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, _SAID_BYTES, max(0, size - _SAID_BYTES)).decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes], mark: str) -> str:
    """End a command with everything that it started. Return what to say of processes that cannot be ended."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    left = guard.end_marked(mark)
    with contextlib.suppress(subprocess.TimeoutExpired):
        # One of another user's (sudo) cannot be killed, and may never end.
        process.wait(timeout=1.0)
    if process.poll() is None:
        left.append(process.pid)
    return f"; its processes {', '.join(map(str, left))} cannot be ended" if left else ""
