# SPDX-License-Identifier: MIT
"""Marks from outside: edges of a GPIO or an LED, laid beside the console's marks by an edge that both show."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from bootlab.boards.capture_file import Edge, Edges, read_edges
from bootlab.boards.command import marked_environment, next_mark
from bootlab.errors import BootlabError, UserError
from bootlab.model.real_board import Capture
from bootlab.model.recording import Mark

_END_S = 10.0
_KINDS = {"rising": True, "falling": False}


class CaptureRun:
    """The capture's command, run beside one boot. Without a capture it does nothing."""

    def __init__(self, capture: Capture | None, folder: Path) -> None:
        """Write into the boot's folder."""
        self._capture = capture
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.said: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        """Start the command; it must capture until it is interrupted, or for long enough."""
        capture = self._capture
        if capture is None or not capture.command:
            return self
        added = {"BOARD_CAPTURE": str(self._folder / capture.file)}
        with (self._folder / "capture.log").open("wb") as log:
            self._process = subprocess.Popen(
                capture.command,
                cwd=self._folder,
                env=marked_environment(next_mark(), added),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Interrupt it and wait for its file."""
        process = self._process
        if process is None:
            return
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=_END_S)
                return
        # Killed: on a busy host its end may take longer, and nobody else waits for it.
        process.wait()

    @property
    def notes(self) -> tuple[str, ...]:
        """Say that there was a capture."""
        if self._capture is None or not self._capture.command:
            return ()
        return (f"marks from outside: the capture {self._capture.file} of this boot",)

    def merged(self, marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
        """Add the capture's marks. What does not work out is said, not raised: the console's marks stay."""
        capture = self._capture
        if capture is None:
            return marks
        try:
            return merge(marks, read_edges(self._folder / capture.file), capture)
        except BootlabError as fault:
            self.said = (f"no marks from outside: {fault.message}",)
            return marks


def merge(marks: tuple[Mark, ...], edges: Edges, capture: Capture) -> tuple[Mark, ...]:
    """Return the marks with those of the capture, on the console's clock.

    The shared edge and its mark are one instant; every other edge keeps its distance from it. So the error of a mark
    from outside is that of the shared mark, plus one sample. Raise UserError where an edge or the mark is missing.
    """
    shared, name = capture.shared
    at = next((mark for mark in marks if mark.name == name), None)
    if at is None:
        raise UserError(f"the shared mark {name!r} was not seen", hint="use another mark; power-on always exists")
    offset_ns = at.ns - _edge(edges, shared).ns
    found = []
    for mark_name, words in capture.marks:
        edge = _edge(edges, words)
        source = f"capture: {words}, by {shared} = {name}; one sample is {edges.step_ns / 1e3:g} us"
        found.append(Mark(mark_name, max(0, edge.ns + offset_ns), source=source))
    names = {mark.name for mark in found}
    kept = [mark for mark in marks if mark.name not in names]
    return tuple(sorted([*kept, *found], key=lambda mark: mark.ns))


def check_edge(words: str) -> tuple[str, bool]:
    """Return the channel and whether the edge rises, out of `CHANNEL:rising`. Raise UserError."""
    channel, _, kind = words.rpartition(":")
    if not channel or kind not in _KINDS:
        raise UserError(f"{words!r} is not an edge", hint="write CHANNEL:rising or CHANNEL:falling, such as D0:rising")
    return channel, _KINDS[kind]


def _edge(edges: Edges, words: str) -> Edge:
    channel, rising = check_edge(words)
    found = edges.first(channel, rising=rising)
    if found is None:
        raise UserError(f"the capture has no {words.rpartition(':')[2]} edge on {channel}", hint="is it wired?")
    return found


def with_goal(marks: tuple[Mark, ...], goal_ns: int | None) -> int | None:
    """Return the goal's time, that of a mark named `goal` from outside where there is one."""
    return next((mark.ns for mark in marks if mark.name == "goal"), goal_ns)
