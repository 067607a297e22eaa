# SPDX-License-Identifier: MIT
"""`analyze`: any log or trace to a typed document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from bootlab import _core
from bootlab.errors import UserError
from bootlab.logs.boot import LogBoot
from bootlab.logs.document import Document
from bootlab.logs.reports import UnitReport
from bootlab.logs.told import Told, ToldPart
from bootlab.logs.trace import CallTrace
from bootlab.logs.user import UserLine

Export = Literal["svg", "perfetto", "chrome", "csv", "plot", "speedscope", "folded"]
CallColumns = tuple[list[str], list[int], list[int], list[int], list[int]]


def seconds(ns: int) -> str:
    """Spell a time for a sentence: `24.0 s`, `340 ms`."""
    return _core.seconds(ns)


def stage_of(event: str) -> str:
    """Name the stage that begins with an event, as pages colour it."""
    return _core.stage_of(event)


class Analysis:
    """What one input told. `document` is typed, `json` is the same as text."""

    def __init__(self, core: _core.Analysis) -> None:
        """Take over an analysis of the native core."""
        self._core = core
        self._text = core.json()
        self.document: Document = msgspec.json.decode(self._text, type=Document)
        self._told: Told | None = None

    def __repr__(self) -> str:
        """Name, detected format and number of boots."""
        return f"<Analysis of {self.name!r}: {self.document.detected}, {len(self.boots)} boots>"

    @property
    def json(self) -> str:
        """Return the document as the core writes it."""
        return self._text

    def told(self, part: object) -> ToldPart:
        """Return what is said of one of the document's parts."""
        if self._told is None:
            self._told = msgspec.json.decode(self._core.told(), type=Told)
        parts = zip(self.document.parts, self._told.parts, strict=True)
        return next(told for known, told in parts if known is part)

    @property
    def name(self) -> str:
        """Return the name of the input."""
        return self.document.name

    @property
    def boots(self) -> list[LogBoot]:
        """Return the boots in file order."""
        return [part for part in self.document.parts if isinstance(part, LogBoot)]

    @property
    def traces(self) -> list[CallTrace]:
        """Return the function, event and sample traces."""
        return [part for part in self.document.parts if isinstance(part, CallTrace)]

    @property
    def units(self) -> list[UnitReport]:
        """Return the unit times of systemd."""
        return [part for part in self.document.parts if isinstance(part, UnitReport)]

    def boot(self, number: int) -> LogBoot:
        """Return one boot, counted from 1."""
        for boot in self.boots:
            if boot.number == number:
                return boot
        count = len(self.boots)
        raise UserError(f"{self.name}: there is no boot {number}, there are {count}", hint="bootlab analyze FILE")

    def main(self, number: int | None = None) -> LogBoot:
        """Return the boot that is meant where none is named: the last of those that came furthest.

        With a number, that one. Raise UserError where no boot shows a kernel.
        """
        if number is not None:
            return self.boot(number)
        shown = [boot for boot in self.boots if boot.reached_kernel]
        if not shown:
            raise UserError(
                f"{self.name}: this log has no kernel messages of a boot",
                hint=f"give a serial capture or dmesg output from the kernel's first line; bootlab analyze {self.name}",
            )
        return max(shown, key=lambda boot: (boot.guest is None, boot.reached_user, boot.number))

    def user_lines(self, number: int) -> tuple[UserLine, ...]:
        """Return what programs printed in one boot, counted from 1. Needs `analyze(..., keep_lines=True)`."""
        return msgspec.json.decode(self._core.user_lines(number), type=tuple[UserLine, ...])

    @property
    def core(self) -> _core.Analysis:
        """Return the native object, for comparisons."""
        return self._core

    def call_trees(self) -> list[CallColumns]:
        """Return the merged call tree of each of `traces`: names, and of each path its parent, name, count and weight.

        Needs `analyze(..., export=True)`; without it the list is empty.
        """
        return self._core.call_trees()

    def export(self, kind: Export, *, boot: int | None = None) -> bytes:
        """Return the timeline (of one boot, counted from 1) or the call tree in another tool's format.

        Traces need `analyze(..., export=True)`, which keeps their spans and trees.
        """
        data = self._core.export(kind, boot=boot)
        if data is None:
            what = "no timeline or call tree" if boot is None else f"no boot {boot} with a timeline"
            raise UserError(f"{self.name}: there is {what} to write as {kind}", hint=f"bootlab analyze {self.name}")
        return data


def analyze(
    source: str | Path | bytes,
    *,
    name: str = "log",
    application: str | None = None,
    goal: str | None = None,
    baud: int | None = None,
    keep_lines: bool = False,
    export: bool = False,
    stamps_ns: Sequence[int] | None = None,
    emulated: bool = False,
) -> Analysis:
    """Read a boot log or a trace: a path (`-` is standard input), or bytes with a `name`.

    `application` and `goal` are texts that the console shows when the application starts and when the system is
    usable; `baud` is the console's speed where the log does not say it. `stamps_ns`: when each line of the bytes came,
    on the clock of an emulator (`emulated`) or of the host, in ns; lines behind the last stamp have none.
    """
    options = {"application": application, "goal": goal, "baud": baud, "keep_lines": keep_lines, "export": export}
    try:
        if isinstance(source, bytes) and stamps_ns is not None:
            core = _core.Analysis.from_stamped(
                name,
                source,
                stamps_ns,
                emulated=emulated,
                application=application,
                goal=goal,
                baud=baud,
                keep_lines=keep_lines,
            )
        elif isinstance(source, bytes):
            core = _core.Analysis.from_bytes(name, source, **options)  # type: ignore[arg-type]
        else:
            core = _core.Analysis.from_path(source, **options)  # type: ignore[arg-type]
    except _core.CoreError as error:
        raise UserError(str(error), hint=error.hint) from None
    return Analysis(core)
