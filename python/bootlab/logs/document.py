# SPDX-License-Identifier: MIT
"""Everything that one input told.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.logs.application import ApplicationProfile
from bootlab.logs.boot import LogBoot, NotABoot
from bootlab.logs.reports import Chart, DeltaReport, KdReport, UnitReport
from bootlab.logs.trace import CallTrace, Format


class BootLoop(msgspec.Struct, frozen=True, kw_only=True):
    """Several boots that end the same way."""

    boots: int
    """How many boots end so in a row."""
    ends_with: str
    """The last thing that each of them printed or did."""


Packing = Literal["gzip", "xz", "zstd", "utf-16"]
"""How bytes are packed."""


class InputNotes(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the bytes themselves."""

    given_bytes: int
    """Size as given, in bytes."""
    packing: Packing | None = None
    """How the bytes were packed, if they were."""
    problems: list[str] = []
    """Everything that kept part of the input from being read."""
    read_bytes: int
    """Size after unpacking, in bytes."""


Part = LogBoot | NotABoot | CallTrace | UnitReport | Chart | KdReport | DeltaReport | ApplicationProfile
"""One part of an input."""


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that were not used."""

    count: int
    """How many."""
    first_line: int | None = None
    """The first of them, when they are lines."""
    reason: str
    """Why."""


class Took(msgspec.Struct, frozen=True, kw_only=True):
    """A range of lines and the format it was read as."""

    format: str
    """Names of the wrapping and the content, e.g. `lava-yaml/kernel-log`."""
    from_line: int
    """First physical line."""
    to_line: int
    """Last physical line."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one input told."""

    boot_loop: BootLoop | None = None
    """The machine never comes further than in the boots before: seen over several boots of one input."""
    detected: Format
    """What the bytes were taken for."""
    format: str
    """Always `DOCUMENT_FORMAT`."""
    input: InputNotes
    """Size, packing, damage."""
    lines: int
    """Lines of text, when there are any."""
    name: str
    """The name that the caller gave to the input."""
    parts: list[Part] = []
    """The parts in file order."""
    skipped: list[Skipped] = []
    """What was not used, and why."""
    took: list[Took] = []
    """What each range of lines was taken for."""
    version: int
    """`DOCUMENT_VERSION` of the writer."""
