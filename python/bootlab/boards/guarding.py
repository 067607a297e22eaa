# SPDX-License-Identifier: MIT
"""bootlab's side of the guard: the process that switches a board off when bootlab is killed."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from bootlab.boards.command import OWN_MARK
from bootlab.errors import EnvironmentFault
from bootlab.model.real_board import Command

_END_S = 5.0


class Guard:
    """Watches over one board while the block lasts. Leaving the block is bootlab's word that all is done."""

    def __init__(self, name: str, lock: int | None = None) -> None:
        """Guard the board of this name; `lock`: a descriptor of its lock, which is held as long as the guard works."""
        self._lock = lock
        self._plan: dict[str, Any] = {"board": name, "mark": OWN_MARK}
        self._then: dict[str, Command] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start it, and wait until it hears no signals any more. Raise EnvironmentFault where that fails."""
        program = str(Path(__file__).with_name("guard.py"))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(self._lock,) if self._lock is not None else (),
            )
        except OSError as fault:
            raise EnvironmentFault(
                f"the board's guard cannot be started: {fault.strerror}", hint="ulimit -u"
            ) from fault
        if self._process.stdout is not None:
            self._process.stdout.readline()
        self._tell()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Send it away."""
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.write(b"quit\n")
            process.stdin.close()
        process.stdout.close()
        try:
            process.wait(timeout=_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def switch_off(self, command: Command, environment: dict[str, str]) -> None:
        """Have the board switched off by this command if bootlab is killed from now on."""
        self._plan |= {"off": command, "environment": environment}
        self._tell()

    def give_back(self, name: str, command: Command) -> None:
        """Have a command run afterwards, the last one named first; an empty one: not any more."""
        if command:
            self._then = {name: command} | {kept: words for kept, words in self._then.items() if kept != name}
        else:
            self._then.pop(name, None)
        self._tell()

    def also_set(self, environment: dict[str, str]) -> None:
        """Add what the commands are to find in their environment."""
        self._plan["environment"] = {**self._plan.get("environment", {}), **environment}
        self._tell()

    def _tell(self) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        plan = self._plan | {"then": list(self._then.values())}
        # A guard that is gone cannot be told; bootlab still switches off itself.
        with contextlib.suppress(OSError):
            process.stdin.write(msgspec.json.encode(plan) + b"\n")
            process.stdin.flush()
