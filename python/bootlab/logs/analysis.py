"""`analyze`: any log or trace to a typed document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from bootlab import _core
from bootlab.errors import UserError
from bootlab.logs.application import ApplicationProfile
from bootlab.logs.boot import Boot, NotABoot
from bootlab.logs.techniques import technique_for
from bootlab.logs.trace import CallTrace, Chart, DeltaReport, KdReport, UnitReport

Export = Literal["svg", "perfetto", "chrome", "csv", "plot", "speedscope", "folded"]
CallColumns = tuple[list[str], list[int], list[int], list[int], list[int]]
Part = Boot | NotABoot | CallTrace | UnitReport | Chart | KdReport | DeltaReport | ApplicationProfile


class Took(msgspec.Struct, frozen=True, kw_only=True):
    """A range of lines and what it was read as."""

    from_line: int
    to_line: int
    format: str


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that were not used, and why."""

    reason: str
    count: int
    first_line: int | None = None


class InputNotes(msgspec.Struct, frozen=True, kw_only=True):
    """Size, packing and damage of the input."""

    given_bytes: int
    read_bytes: int
    packing: str | None = None
    problems: list[str] = []


class BootLoop(msgspec.Struct, frozen=True, kw_only=True):
    """Several boots that end the same way."""

    boots: int
    ends_with: str


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The whole JSON document, typed."""

    format: str
    version: int
    name: str
    input: InputNotes
    detected: str
    lines: int
    parts: list[Part]
    took: list[Took] = []
    skipped: list[Skipped] = []
    boot_loop: BootLoop | None = None


class Analysis:
    """What one input told. `document` is typed, `json` is the same as text."""

    def __init__(self, core: _core.Analysis) -> None:
        """Take over an analysis of the native core."""
        self._core = core
        self._text = core.json()
        self.document: Document = msgspec.json.decode(self._text, type=Document)

    def __repr__(self) -> str:
        """Name, detected format and number of boots."""
        return f"<Analysis of {self.name!r}: {self.document.detected}, {len(self.boots)} boots>"

    @property
    def json(self) -> str:
        """Return the document as the core writes it, and with each cost the technique that addresses it."""
        if not (any(boot.costs for boot in self.boots) or any(report.costs for report in self.units)):
            return self._text
        document = msgspec.json.decode(self._text)
        for part in document["parts"]:
            for cost in part.get("costs", ()):
                cost.setdefault("technique", technique_for(cost.get("kind", "")))
        return msgspec.json.encode(document).decode()

    @property
    def name(self) -> str:
        """Return the name of the input."""
        return self.document.name

    @property
    def boots(self) -> list[Boot]:
        """Return the boots in file order."""
        return [part for part in self.document.parts if isinstance(part, Boot)]

    @property
    def traces(self) -> list[CallTrace]:
        """Return the function, event and sample traces."""
        return [part for part in self.document.parts if isinstance(part, CallTrace)]

    @property
    def units(self) -> list[UnitReport]:
        """Return the unit times of systemd."""
        return [part for part in self.document.parts if isinstance(part, UnitReport)]

    def boot(self, number: int) -> Boot:
        """Return one boot, counted from 1."""
        for boot in self.boots:
            if boot.number == number:
                return boot
        count = len(self.boots)
        raise UserError(f"{self.name}: there is no boot {number}, there are {count}", hint="bootlab analyze FILE")

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
                name, source, stamps_ns, emulated=emulated, application=application, goal=goal, baud=baud
            )
        elif isinstance(source, bytes):
            core = _core.Analysis.from_bytes(name, source, **options)  # type: ignore[arg-type]
        else:
            core = _core.Analysis.from_path(source, **options)  # type: ignore[arg-type]
    except _core.CoreError as error:
        raise _user_error(str(error)) from None
    return Analysis(core)


def _user_error(said: str) -> UserError:
    """Split the core's `what happened. What to try` into message and hint."""
    found = re.match(r"(.*)(?:\. (?=[A-Z])|\. )(.*)", said, re.DOTALL)
    return UserError(found[1], hint=found[2]) if found else UserError(said)
