# SPDX-License-Identifier: MIT
"""Gives a board another system by the user's commands, and takes it back after a failed boot."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.boards.command import CommandFailed, run
from bootlab.boards.guarding import Guard
from bootlab.model.real_board import PARTS, Board, Part


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What a system gives to a board: part to file, or to the text of the command line."""

    files: dict[Part, str] = {}
    cmdline: str | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """What there is to deliver."""
        named = set(self.files) | ({"cmdline"} if self.cmdline is not None else set())
        return tuple(part for part in PARTS if part in named)

    def environment(self, folder: Path) -> dict[str, str]:
        """Return what the user's commands find in their environment."""
        values = {f"BOARD_{part.upper()}": path for part, path in self.files.items()}
        if self.cmdline is not None:
            values["BOARD_CMDLINE"] = self.cmdline
        return values | {"BOARD_FOLDER": str(folder)}


class Installer:
    """One board's delivery."""

    def __init__(self, board: Board, delivery: Delivery, folder: Path) -> None:
        """Deliver to `board`; `folder` is that of the boot."""
        self._how = board.install
        self._environment = delivery.environment(folder) | {"BOARD_NAME": board.name}
        self._parts = delivery.parts
        self.said: list[str] = []

    def guarded(self, guard: Guard) -> None:
        """Have what is installed rolled back if bootlab is killed from now on."""
        if self._parts:
            guard.also_set(self._environment)
            guard.give_back("roll_back", self._how.roll_back)

    def install(self) -> None:
        """Run the command of every part that there is, then `once`. Raise CommandFailed."""
        for part in self._parts:
            self._run(part, self._how.command(part))
        if self._parts:
            self._run("once", self._how.once)

    def finish(self, *, ok: bool) -> str:
        """Confirm after a good boot, roll back after a failed one. Return what went wrong with that, or ""."""
        if not self._parts:
            return ""
        name, command = ("confirm", self._how.confirm) if ok else ("roll_back", self._how.roll_back)
        try:
            self._run(name, command)
        except CommandFailed as fault:
            return fault.message
        return ""

    def _run(self, name: str, command: tuple[str, ...]) -> None:
        if command:
            run(command, timeout_s=self._how.timeout_s, environment=self._environment)
            self.said.append(name)
