# SPDX-License-Identifier: MIT
"""What firmware and boot loader say.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class TableMark(msgspec.Struct, frozen=True, kw_only=True):
    """An instant of a table."""

    line: int
    """Physical line."""
    name: str
    """Name as printed; empty when the table has none."""
    ns: int
    """ns since the table's own origin."""


class LoaderProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A program that said its name."""

    line: int
    """Physical line."""
    name: str
    """Its usual name."""
    text: str
    """The banner."""


class LoaderRead(msgspec.Struct, frozen=True, kw_only=True):
    """`4103240 bytes read in 276 ms (14.2 MiB/s)`."""

    bytes: int
    """Size."""
    line: int
    """Physical line."""
    ns: int
    """Time."""


class BootState(msgspec.Struct, frozen=True, kw_only=True):
    """One line `BS: ... times (exec / console): 14 / 2072 ms`."""

    console_ns: int
    """Time of printing."""
    exec_ns: int | None = None
    """Time of work, in old versions with that of printing; absent where coreboot says that it does not know."""
    line: int
    """Physical line."""
    name: str
    """`BS_DEV_RESOURCES run`, `romstage`."""


FirmwareStep = Literal["autoboot", "starting-kernel", "decompressing", "booting-kernel", "efi-stub"]
"""A step of the hand-over to the kernel."""


class StepLine(msgspec.Struct, frozen=True, kw_only=True):
    """Where a step was printed."""

    line: int
    """Physical line."""
    step: FirmwareStep
    """Which step."""
    text: str
    """The line."""


class Accumulated(msgspec.Struct, frozen=True, kw_only=True):
    """A sum of durations of a table: no instant."""

    line: int
    """Physical line."""
    name: str
    """Name as printed."""
    total_ns: int
    """Total duration in ns."""


TableSource = Literal["bootstage", "cbmem", "slim-bootloader", "boot-time-parser", "qualcomm-sbl"]
"""Whose table it is."""


class TimeTable(msgspec.Struct, frozen=True, kw_only=True):
    """One table."""

    accumulated: list[Accumulated] = []
    """Durations that belong to no instant."""
    from_line: int
    """First physical line with a mark."""
    marks: list[TableMark] = []
    """In the order printed."""
    notes: list[str] = []
    """What the table says about itself that limits its worth."""
    source: TableSource
    """Who printed it."""
    to_line: int
    """Last physical line of it."""


class FirmwareFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What firmware and boot loaders state."""

    autoboot_seconds: int | None = None
    """Seconds that the boot loader counted down, `Hit any key to stop autoboot: 3`."""
    own_times: list[TableMark] = []
    """Times that single lines state by the firmware's own clock (depthcharge: `at timestamp: 16045970`)."""
    programs: list[LoaderProgram] = []
    """Programs by their banners."""
    reads: list[LoaderRead] = []
    """Files that the boot loader says how long it read."""
    states: list[BootState] = []
    """coreboot's boot states."""
    steps: list[StepLine] = []
    """Steps towards the kernel."""
    tables: list[TimeTable] = []
    """Time tables; they may also be printed later, from Linux."""
