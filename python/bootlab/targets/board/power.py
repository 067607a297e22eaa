"""Switching a board on and off."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Protocol

import msgspec

from bootlab.errors import TargetError
from bootlab.model.real_board import Command, PowerSwitch

_SAID_CHARS = 300
_OFF_TRIES = 3
_OFF_PAUSE_S = 0.5


class PowerFailed(TargetError):
    """The board could not be switched."""


class CommandFailed(TargetError):
    """A command of the board file failed."""


class Switched(msgspec.Struct, frozen=True):
    """When power came: between these two instants of CLOCK_MONOTONIC_RAW, nanoseconds."""

    from_ns: int
    to_ns: int


class Power(Protocol):
    """Something that switches a board."""

    @property
    def guard(self) -> Command:
        """The command that switches the board off when bootlab cannot any more."""

    def on(self) -> Switched:
        """Switch on. Raise PowerFailed."""

    def off(self) -> None:
        """Switch off, however often it takes. Raise PowerFailed."""


class CommandPower:
    """Power by the user's commands."""

    def __init__(self, switch: PowerSwitch, environment: dict[str, str] | None = None) -> None:
        """Use these commands; `environment` is added to bootlab's own."""
        self._switch = switch
        self._environment = environment or {}

    @property
    def guard(self) -> Command:
        """Return the command for off."""
        return self._switch.off

    def on(self) -> Switched:
        """Run the command for on."""
        from_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        try:
            run(self._switch.on, timeout_s=self._switch.timeout_s, environment=self._environment)
        except CommandFailed as fault:
            raise PowerFailed(f"the board cannot be switched on: {fault.message}", hint=fault.hint) from fault
        return Switched(from_ns, time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW))

    def off(self) -> None:
        """Run the command for off, again if it fails, and wait until the board is without power."""
        if not self._switch.off:
            return
        for attempt in range(1, _OFF_TRIES + 1):
            try:
                run(self._switch.off, timeout_s=self._switch.timeout_s, environment=self._environment)
                break
            except CommandFailed as fault:
                if attempt == _OFF_TRIES:
                    raise PowerFailed(f"the board cannot be switched off: {fault.message}", hint=fault.hint) from fault
                time.sleep(_OFF_PAUSE_S)
        time.sleep(self._switch.off_s)


def run(
    command: Command, *, timeout_s: float, environment: dict[str, str] | None = None, folder: Path | None = None
) -> str:
    """Run a command of the user's and return what it printed. Raise CommandFailed with its last words."""
    shown = command[2] if command[:2] == ("sh", "-c") else " ".join(command)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            cwd=folder,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as fault:
        raise CommandFailed(f"`{shown}` did not end within {timeout_s:g} s", hint="run it by hand") from fault
    except OSError as fault:
        raise CommandFailed(f"`{shown}` cannot be run: {fault.strerror}", hint="is it installed?") from fault
    said = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        words = said.strip()[-_SAID_CHARS:] or "without a word"
        raise CommandFailed(f"`{shown}` ended with {done.returncode}: {words}", hint="run it by hand; it must return 0")
    return said
