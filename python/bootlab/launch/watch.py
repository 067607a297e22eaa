# SPDX-License-Identifier: MIT
"""Reads the console as it grows and knows when a boot is over."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.launch.open_line import SEARCHED_MAX_BYTES, OpenLine
from bootlab.model.system import SystemDescription

_PANIC = "Kernel panic - not syncing"
_PANIC_END = "---[ end Kernel panic"
_CHUNK_BYTES = 1 << 20


class GoalSeen(msgspec.Struct, frozen=True):
    """How many bytes there were with the one that completed the goal's text, and at the end of its line so far."""

    match_end_bytes: int
    line_end_bytes: int


class ConsoleWatch:
    """Follows one console file. Bounded: it keeps the open line only, the file keeps the rest."""

    def __init__(self, path: Path | None, system: SystemDescription) -> None:
        """Compile the system's patterns; they were checked when the file was read. `path`: what `poll` reads."""
        self._path = path
        self._patterns = [re.compile(p) for p in (system.goal.console, *system.check.console)]
        self.size_bytes = 0
        self.goal: GoalSeen | None = None
        self.goal_line_open = False
        self.check_groups: list[tuple[str, ...] | None] = [None] * len(system.check.console)
        self.check_end_bytes = 0
        self.panic = ""
        self.panic_complete = False
        self._panic_at = -1
        self.last_text = ""
        self.exec_failure = ""
        self.pending_initcall = ""
        self._open = OpenLine(self._patterns)
        self._open_at = 0
        self._cut_lines = 0

    @property
    def checks_done(self) -> bool:
        """Tell whether every check pattern was found."""
        return all(g is not None for g in self.check_groups)

    def poll(self) -> bool:
        """Read what is new. Return whether anything was."""
        if self._path is None:
            return False
        try:
            # Most looks find nothing new, and to ask for the size is a tenth of the work of opening.
            if os.stat(self._path).st_size <= self.size_bytes:  # noqa: PTH116 - a thousand times a boot
                return False
            with self._path.open("rb") as file:
                file.seek(self.size_bytes)
                new = file.read(_CHUNK_BYTES)
        except OSError:
            return False
        if new:
            self.feed(new)
        return bool(new)

    @property
    def notes(self) -> tuple[str, ...]:
        """What of the console was not looked at."""
        cut = self._cut_lines + self._open.is_cut
        lines = "one line of the console is" if cut == 1 else f"{cut} lines of the console are"
        limit = f"{SEARCHED_MAX_BYTES >> 20} MiB"
        return (f"{lines} longer than {limit}: a goal or a check behind that is not seen",) if cut else ()

    def feed(self, new: bytes) -> None:
        """Take the bytes that follow those seen so far."""
        self.size_bytes += len(new)
        *whole, rest = new.split(b"\n")
        for raw in whole:
            self._open.grow(raw)
            self._line(self._open_at, self._open_at + self._open.size_bytes + 1, closed=True)
            self._open_at += self._open.size_bytes + 1
            self._cut_lines += self._open.is_cut
            self._open = OpenLine(self._patterns)
        if rest:
            self._open.grow(rest)
            self._line(self._open_at, self._open_at + self._open.size_bytes, closed=False)

    def _line(self, at: int, end: int, *, closed: bool) -> None:
        for start, _, text in self._open.texts:
            self._text(text, at + start)
        self._look_for_goal(at, end, closed=closed)
        for index, groups in enumerate(self.check_groups):
            # Groups are compared with the base's, so only a closed line is final.
            if closed and groups is None and (found := self._open.find(index + 1)) is not None:
                self.check_groups[index] = found.groups
                self.check_end_bytes = max(self.check_end_bytes, end)

    def _text(self, text: str, at: int) -> None:
        if text:
            self.last_text = text
        if _PANIC in text and (not self.panic or self._panic_at == at):
            self.panic, self._panic_at = text[text.index(_PANIC) :], at
        if self.panic and _PANIC_END in text:
            self.panic_complete = True
        self._initcall(text)
        if "Failed to execute" in text or "couldn't execute" in text:
            self.exec_failure += text + "\n"

    def _initcall(self, text: str) -> None:
        call = _core.kernel_call(text)
        if call is not None and call[0] == "start":
            self.pending_initcall = call[1]
        elif call is not None and call[:2] == ("end", self.pending_initcall):
            self.pending_initcall = ""

    def _look_for_goal(self, at: int, end: int, *, closed: bool) -> None:
        if self.goal is not None and not self.goal_line_open:
            return
        # As long as its line grows the goal is looked for anew: where the reads cut the line must not matter.
        found = self._open.find(0)
        self.goal = GoalSeen(at + found.end_bytes, end) if found is not None else None
        self.goal_line_open = found is not None and not closed
