# SPDX-License-Identifier: MIT
"""A board within reach: a console to read and a switch."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from bootlab.boards.guarding import Guard
from bootlab.boards.power import CommandPower, Power
from bootlab.errors import UserError
from bootlab.model.real_board import Board


class Connection(Protocol):
    """The board while it is ours: inside the `with` block nobody else has it."""

    @property
    def device(self) -> str:
        """The console: a tty's or a named pipe's path, `unix://PATH`, `tcp://HOST:PORT` or `telnet://HOST:PORT`."""

    @property
    def baud(self) -> int | None:
        """The console's rate; None where a server knows it."""

    @property
    def with_power(self) -> bool:
        """Whether the console is there only while the board is switched on."""

    @property
    def power(self) -> Power:
        """The switch."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a recording should say of the way to this board."""

    def take(self, guard: Guard) -> None:
        """Take the board, and tell the guard how to give it back. Raise TargetError where that fails."""

    def __enter__(self) -> Self:
        """Return it; what was taken is given back at the end of the block."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give it back."""


class SerialConnection:
    """A console on this machine or behind a socket, and commands that switch."""

    def __init__(self, board: Board) -> None:
        """Take a board that has `serial`. Raise UserError without `power`."""
        if board.serial is None or board.power is None:
            raise UserError(
                f"{board.name}: [serial] needs [power] too",
                hint='add [power] with on = "COMMAND" and off = "COMMAND"',
            )
        self._serial = board.serial
        self.power: Power = CommandPower(board.power, {"BOARD_NAME": board.name})

    def take(self, guard: Guard) -> None:
        """Take nothing: the tty is opened by the reader."""

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing was taken."""

    @property
    def device(self) -> str:
        """The device that the file names."""
        return self._serial.device

    @property
    def baud(self) -> int | None:
        """The rate that the file names; None for a socket."""
        return None if "://" in self._serial.device else self._serial.baud

    @property
    def with_power(self) -> bool:
        """Whether `power.on` makes the device, as the file says."""
        return self._serial.with_power

    @property
    def notes(self) -> tuple[str, ...]:
        """Say how long a USB adapter keeps bytes back, where that is more than a millisecond."""
        name = Path(self._serial.device).resolve().name if self.baud is not None else ""
        timer = Path("/sys/bus/usb-serial/devices", name, "latency_timer")
        try:
            kept_ms = int(timer.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return ()
        if kept_ms <= 1:
            return ()
        return (f"the USB adapter may keep bytes back for {kept_ms} ms: echo 1 | sudo tee {timer}",)
