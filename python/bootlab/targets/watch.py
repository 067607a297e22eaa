"""Reads the console as it grows and knows when a boot is over."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.model.system import System
from bootlab.targets.console import LINE_MAX_BYTES, text_of

_PANIC = "Kernel panic - not syncing"
_PANIC_END = "---[ end Kernel panic"
_CHUNK_BYTES = 1 << 20


class GoalSeen(msgspec.Struct, frozen=True):
    """Where the goal's text ended and where its line ended (the same while the line is open)."""

    match_end_bytes: int
    line_end_bytes: int


class ConsoleWatch:
    """Follows one console file. Bounded: it keeps the open line only, the file keeps the rest."""

    def __init__(self, path: Path | None, system: System) -> None:
        """Compile the system's patterns; they were checked when the file was read. `path`: what `poll` reads."""
        self._path = path
        self._goal = re.compile(system.goal.console)
        self._checks = [re.compile(p) for p in system.check.console]
        self.size_bytes = 0
        self.goal: GoalSeen | None = None
        self.goal_line_open = False
        self.check_groups: list[tuple[str, ...] | None] = [None] * len(self._checks)
        self.check_end_bytes = 0
        self.panic = ""
        self.panic_complete = False
        self._panic_at = -1
        self.last_text = ""
        self.exec_failure = ""
        self.pending_initcall = ""
        self._open_line = b""
        self._open_bytes = 0
        self._open_at = 0

    @property
    def checks_done(self) -> bool:
        """Tell whether every check pattern was found."""
        return all(g is not None for g in self.check_groups)

    def poll(self) -> bool:
        """Read what is new. Return whether anything was."""
        if self._path is None:
            return False
        try:
            with self._path.open("rb") as file:
                file.seek(self.size_bytes)
                new = file.read(_CHUNK_BYTES)
        except OSError:
            return False
        if new:
            self.feed(new)
        return bool(new)

    def feed(self, new: bytes) -> None:
        """Take the bytes that follow those seen so far."""
        self.size_bytes += len(new)
        *whole, rest = new.split(b"\n")
        for raw in whole:
            self._grow(raw)
            self._line(self._open_line, self._open_at, self._open_at + self._open_bytes + 1, closed=True)
            self._open_at += self._open_bytes + 1
            self._open_line, self._open_bytes = b"", 0
        if rest:
            self._grow(rest)
            self._line(self._open_line, self._open_at, self._open_at + self._open_bytes, closed=False)

    def _grow(self, more: bytes) -> None:
        # Only the beginning of a line is looked at, so only that is kept: a line may be as long as the console.
        self._open_bytes += len(more)
        self._open_line += more[: max(0, LINE_MAX_BYTES - len(self._open_line))]

    def _line(self, raw: bytes, at: int, end: int, *, closed: bool) -> None:
        text = text_of(raw)
        if text:
            self.last_text = text
        if _PANIC in text and (not self.panic or self._panic_at == at):
            self.panic, self._panic_at = text[text.index(_PANIC) :], at
        if self.panic and _PANIC_END in text:
            self.panic_complete = True
        self._initcall(text)
        if "Failed to execute" in text or "couldn't execute" in text:
            self.exec_failure += text + "\n"
        self._look_for_goal(text, raw, at, end, closed=closed)
        for index, pattern in enumerate(self._checks):
            # Groups are compared with the base's, so only a closed line is final.
            if closed and self.check_groups[index] is None and (match := pattern.search(text)):
                self.check_groups[index] = tuple(g or "" for g in match.groups()) or (match.group(0),)
                self.check_end_bytes = max(self.check_end_bytes, end)

    def _initcall(self, text: str) -> None:
        call = _core.kernel_call(text)
        if call is not None and call[0] == "start":
            self.pending_initcall = call[1]
        elif call is not None and call[:2] == ("end", self.pending_initcall):
            self.pending_initcall = ""

    def _look_for_goal(self, text: str, raw: bytes, at: int, end: int, *, closed: bool) -> None:
        if self.goal is not None and not self.goal_line_open:
            return
        # As long as its line grows the goal is looked for anew: where the reads cut the line must not matter.
        match = self._goal.search(text)
        self.goal = GoalSeen(at + _raw_offset(raw, text, match.end()), end) if match else None
        self.goal_line_open = match is not None and not closed


def _raw_offset(raw: bytes, text: str, chars: int) -> int:
    """Return how many raw bytes hold the first characters of the cleaned text."""
    whole = text[:chars].encode("utf-8", "replace")
    if raw.startswith(whole):
        return len(whole)
    tail = text[:chars][-24:].encode("utf-8", "replace")
    found = raw.find(tail)
    return found + len(tail) if found >= 0 else len(raw)
