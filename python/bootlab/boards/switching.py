# SPDX-License-Identifier: MIT
"""The switch as a boot uses it: off is tried again, heard to be off, and remembered where it could not be done."""

from __future__ import annotations

import re
import time
from pathlib import Path

from bootlab.boards import left_on
from bootlab.boards.guard import LATE_S
from bootlab.boards.power import Power, PowerFailed, Switched
from bootlab.boards.reader import CONSOLE_FILE, bytes_before

_PAUSES_S = (0.5, 1.0, 2.0)
_SETTLE_S = 0.5
_READABLE = re.compile(rb"[\x20-\x7e]{16,160}")


class Switch:
    """Switches one board whose console is read into a folder."""

    def __init__(self, board: str, power: Power, folder: Path | None = None) -> None:
        """Use a switch; what the board says after `off` is looked for in the folder's console, where one is read."""
        self._board = board
        self._power = power
        self._folder = folder
        self._uncertain = False

    def on(self) -> Switched:
        """Switch on. Raise PowerFailed: the board may be on then, or come on later."""
        self._uncertain = True
        switched = self._power.on()
        self._uncertain = False
        return switched

    def off(self) -> None:
        """Switch off, however often it takes, and wait until the board is without power. Raise PowerFailed."""
        try:
            self._off()
            if self._uncertain:
                time.sleep(LATE_S)
                self._off()
                self._uncertain = False
        except PowerFailed as fault:
            left_on.remember(self._board, fault.message)
            raise
        left_on.remember(self._board, "")

    def _off(self) -> None:
        for pause_s in (*_PAUSES_S, None):
            try:
                self._power.off()
                self._heard_off()
            except PowerFailed:
                if pause_s is None:
                    raise
                time.sleep(pause_s)
            else:
                return

    def _heard_off(self) -> None:
        """Wait while the board is without power. Raise PowerFailed when it goes on printing lines."""
        off_s = self._power.off_s
        settled_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) + round(_SETTLE_S * 1e9)
        time.sleep(off_s)
        if self._folder is None or off_s < 2 * _SETTLE_S:
            return
        try:
            with (self._folder / CONSOLE_FILE).open("rb") as file:
                file.seek(bytes_before(self._folder, settled_ns))
                line = _READABLE.search(file.read(1 << 16))
        except OSError:
            return
        if line is not None:
            raise PowerFailed(
                f"power.off returned 0, but the board goes on printing: {line[0].decode('ascii').strip()!r}",
                hint="does power.off switch this board, and not another one?",
            )
