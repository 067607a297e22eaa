# SPDX-License-Identifier: MIT
"""What goes wrong on a board's console and in no emulator: unreadable bytes, restarts, a loader that waits."""

from __future__ import annotations

import re
from pathlib import Path

from bootlab import _core
from bootlab.launch.ending import Ending
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.recording import Outcome
from bootlab.model.system import SystemDescription
from bootlab.recordings.console import text_of

_WINDOW_BYTES = 512
_LEAST_BYTES = 48
_BAD_SHARE = 0.25
"""Text in any language has next to no control characters; noise has a quarter of them and as many broken letters."""
_READABLE = re.compile(rb"[\x20-\x7e]{16}")
_GOOD = frozenset({*range(0x20, 0x7F), 0x07, 0x08, 0x09, 0x0A, 0x0D, 0x1B})
_BANNER = re.compile(r"\bLinux version \d")
_STARTS = (
    ("the boot ROM", re.compile(r"^(?:RomBOOT|BootROM|ROM: |DDR V?\d|BL1: |NOTICE:  BL1: )")),
    ("the first loader", re.compile(r"\bU-Boot (?:SPL|TPL) \d|^NOTICE:  BL2: |^NOTICE:  BL31: v")),
    ("the boot loader", re.compile(r"^\W*(?:U-Boot \d|barebox \d|coreboot-|SeaBIOS \(version|GRUB loading)")),
    ("the kernel", _BANNER),
)
_PROMPT = re.compile(r"^(?:=> ?|barebox@.{1,60}:/\S* ?|(?:U-Boot|grub|RedBoot)> ?|[A-Za-z][\w@.-]{0,30}[>#] ?)$")
_WAITS = re.compile(r"(?:[Hh]it|[Pp]ress) any key to stop\b|Autobooting? in \d")


def unreadable(data: bytes) -> float:
    """Return the share of bytes that are no text: control characters, and bytes of no UTF-8 letter. 0 of nothing."""
    if not data:
        return 0.0
    letters = data.decode("utf-8", "replace")
    bad = sum(1 for c in letters if c == "\ufffd" or (ord(c) < 0x80 and ord(c) not in _GOOD) or 0x80 <= ord(c) < 0xA0)
    return bad / len(letters)


class BoardWatch(ConsoleWatch):
    """Follows a board's console, from the byte on at which power came."""

    def __init__(self, path: Path | None, system: SystemDescription, *, kernels: int = 1) -> None:
        """Look at `path`. `kernels`: how often a kernel starts in a good boot."""
        super().__init__(path, system)
        self._kernels = kernels
        self._recent = b""
        self._seen: dict[str, int] = {}
        self._last_line_at = -1
        self._closed_text = ""
        self.readable_until = ""
        self.restart = ""
        self.in_kernel = False
        self.open_text = ""

    def skip(self, size_bytes: int) -> None:
        """Leave out what came before the boot."""
        self.size_bytes = size_bytes
        self._open_at = size_bytes

    def feed(self, new: bytes) -> None:
        """Take the bytes that follow those seen so far."""
        self._recent = (self._recent + new)[-_WINDOW_BYTES:]
        super().feed(new)

    @property
    def garbled(self) -> bool:
        """Tell whether the last bytes are no text."""
        return len(self._recent) >= _LEAST_BYTES and unreadable(self._recent) > _BAD_SHARE

    @property
    def garbled_from_the_start(self) -> bool:
        """Tell whether not one readable line has come, and enough bytes to say so."""
        return self.garbled and len(self._recent) == _WINDOW_BYTES and not self.readable_until

    @property
    def at_prompt(self) -> bool:
        """Tell whether the last line is a loader's prompt or its countdown, and no kernel has spoken."""
        last = self.open_text or self.last_text
        return not self.in_kernel and bool(_PROMPT.match(last) or (not self.open_text and _WAITS.search(last)))

    def _line(self, at: int, end: int, *, closed: bool) -> None:
        super()._line(at, end, closed=closed)
        raw = self._open.head
        self.open_text = "" if closed else self.last_text
        if not closed or at == self._last_line_at:
            return
        self._last_line_at = at
        text = text_of(raw)
        before, self._closed_text = self._closed_text, text or self._closed_text
        if _READABLE.search(raw) and unreadable(raw) <= _BAD_SHARE:
            self.readable_until = text
        if _core.kernel_part(text) is not None or _BANNER.search(text):
            self.in_kernel = True
        for what, shape in _STARTS:
            if self.restart or not shape.search(text):
                continue
            self._seen[what] = self._seen.get(what, 0) + 1
            if self._seen[what] > (self._kernels if what == "the kernel" else 1):
                self.restart = f"{what} started again; the line before was {before.strip()[:200]!r}"


def board_ending(watch: BoardWatch, *, quiet_s: float, prompt_s: float, baud: int | None) -> Ending | None:
    """Return the ending that only a board's console has, or None."""
    if watch.goal is not None:
        return None
    if watch.restart and not watch.panic:
        return Ending(Outcome.REBOOTED, f"the board restarted before the goal: {watch.restart}")
    if watch.garbled_from_the_start or (watch.garbled and quiet_s > prompt_s):
        at = f" at {baud} baud" if baud is not None else ""
        after = f", after the readable line {watch.readable_until.strip()[:120]!r}" if watch.readable_until else ""
        return Ending(Outcome.GARBAGE, f"the console is not readable{at}{after}")
    if watch.at_prompt and quiet_s > prompt_s:
        return Ending(
            Outcome.STOPPED, f"the boot stopped in the boot loader: {(watch.open_text or watch.last_text).strip()!r}"
        )
    return None
