# SPDX-License-Identifier: MIT
"""A virtual board in a process of its own, for tests, benchmarks and trying things out without hardware."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from bootlab.boards.virtual import switch
from bootlab.boards.virtual.program import Wiring
from bootlab.errors import EnvironmentFault
from bootlab.model.real_board import Board, BoardLimits, Installation, PowerSwitch, SerialPort

_START_S = 120.0
_QUICK_LIMITS = BoardLimits(total_s=60.0, stall_s=2.0, prompt_s=0.8)


class RunningBoard:
    """A virtual board while the block lasts. Its files lie in one folder: `tty`, `power`, `truth.jsonl`, `cmdline`."""

    def __init__(self, folder: Path, **wiring: Any) -> None:
        """Wire a board in a folder; the other fields are those of `Wiring`."""
        self.folder = folder
        self.wiring = Wiring(
            tty=folder / "tty",
            control=folder / "power",
            truth=folder / "truth.jsonl",
            cmdline=folder / "cmdline",
            **wiring,
        )
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start it and wait for its switch. Raise EnvironmentFault where it does not start."""
        self.folder.mkdir(parents=True, exist_ok=True)
        described = self.folder / "wiring.json"
        described.write_bytes(msgspec.json.encode(self.wiring, enc_hook=str))
        with (self.folder / "board.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bootlab.boards.virtual", str(described)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until = time.monotonic() + _START_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                said = (self.folder / "board.log").read_text(encoding="utf-8", errors="replace").strip()[-300:]
                self.__exit__(None, None, None)
                raise EnvironmentFault(f"the virtual board did not start: {said}", hint=f"ls -l {self.folder}")
            time.sleep(0.01)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Switch it off for good."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            self.ask("quit")
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _answers(self) -> bool:
        # Its socket has a name a moment before it listens.
        with contextlib.suppress(OSError):
            return self.ask("status").startswith("ok")
        return False

    def ask(self, words: str) -> str:
        """Ask the switch: `on`, `off`, `status`, `fault NAME`."""
        return switch.ask(str(self.wiring.control), words)

    @property
    def device(self) -> str:
        """What a reader opens: the link to the pseudo-terminal, or `tcp://HOST:PORT`."""
        tty = self.wiring.tty
        return str(tty) if self.wiring.port is None else tty.read_text(encoding="ascii")

    @property
    def switch_words(self) -> tuple[str, ...]:
        """The program that switches it, without `on` or `off`."""
        return (sys.executable, "-I", "-S", switch.__file__, str(self.wiring.control))

    def board(self, **fields: Any) -> Board:
        """Return the description that reaches it, with limits that suit a board that boots in seconds."""
        given: dict[str, Any] = {
            "serial": SerialPort(device=self.device, baud=self.wiring.baud),
            "power": PowerSwitch(on=(*self.switch_words, "on"), off=(*self.switch_words, "off"), off_s=0.02),
            "install": Installation(
                parts=(("cmdline", ("sh", "-c", f'printf %s "$BOARD_CMDLINE" > {self.folder}/cmdline')),),
            ),
            "limits": _QUICK_LIMITS,
        }
        return Board(name="virtual", **(given | fields))

    def truth(self) -> Iterator[dict[str, Any]]:
        """Yield what the board wrote into its diary, in order."""
        with self.wiring.truth.open(encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    yield json.loads(line)
