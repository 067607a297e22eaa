# SPDX-License-Identifier: MIT
"""What an application did, by its system calls: what strace's log becomes.

Typed views of the core's JSON. Times are nanoseconds of the clock beside them.
Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.logs.beyond import Faults, ReadFile
from bootlab.logs.readings import OfApplicationProfile, OfProcess
from bootlab.model.recording import Loading


class CallSum(msgspec.Struct, frozen=True, kw_only=True):
    """All calls of one name."""

    call: str
    """Its name."""
    count: int
    """How often."""
    errors: int
    """How often it failed."""
    max_ns: int
    """The longest."""
    total_ns: int
    """Together."""


class Noted(msgspec.Struct, frozen=True, kw_only=True):
    """A single thing that was done."""

    at_ns: int | None = None
    """When."""
    error: str = ""
    """Name of the error, if it failed."""
    line: int
    """Where it stands."""
    pid: int
    """Who."""
    took_ns: int | None = None
    """How long it took."""
    what: str
    """What, in words of the log."""


class FileUse(msgspec.Struct, frozen=True, kw_only=True):
    """One path and what was done with it."""

    first_line: int
    """Where it was opened first."""
    mapped_bytes: int
    """Bytes mapped; how many of them were touched is not known."""
    opens: int
    """Times it was opened."""
    path: str
    """As the process named it."""
    read_bytes: int
    """Bytes that reads returned."""
    took_ns: int
    """In calls with it."""
    written_bytes: int
    """Bytes that writes took."""


class LogGoal(msgspec.Struct, frozen=True, kw_only=True):
    """Where the log was cut because the goal came."""

    at_ns: int | None = None
    """When."""
    line: int
    """Line of the file."""
    pid: int
    """Who printed it."""


class Libraries(msgspec.Struct, frozen=True, kw_only=True):
    """Shared libraries: names that hold `.so`."""

    missed: int
    """Looked for where they are not."""
    opened: int
    """Opened."""
    took_ns: int
    """In all these calls, with reading and mapping."""


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """Searches in one folder that found nothing."""

    count: int
    """How many."""
    example: str
    """One of them."""
    first_line: int
    """Where the first stands."""
    folder: str
    """The folder."""
    libraries: int
    """How many of them were for shared libraries."""
    took_ns: int
    """In those calls."""


class Polled(msgspec.Struct, frozen=True, kw_only=True):
    """A path that was not there (or not ready) at first, and was asked for again after a wait."""

    at_ns: int | None = None
    """The first time."""
    came: bool
    """It came."""
    error: str
    """The error: `ENOENT`."""
    first_line: int
    """Where the first try stands."""
    last_line: int
    """Where the last stands, or success."""
    path: str
    """The path."""
    pid: int
    """Who asked."""
    took_ns: int | None = None
    """From the first time to success, or to the last try."""
    tries: int
    """How often it was asked for in vain."""


class Process(OfProcess, msgspec.Struct, frozen=True, kw_only=True):
    """One process or thread."""

    calls: int
    """Calls it made."""
    end_ns: int | None = None
    """Its last line."""
    ended: str = ""
    """How it ended, as strace says it: `exited with 0`."""
    in_calls_ns: int
    """In calls that work: everything but waits."""
    parent: int | None = None
    """Who made it, where that was seen."""
    pid: int
    """Its number; 0 where strace printed none."""
    program: str
    """The program it runs, as it was started; empty when that was not seen."""
    start_ns: int | None = None
    """Its first line."""
    waited_ns: int
    """In calls that wait: sleeps, events, children, locks, signals."""


class Sleep(msgspec.Struct, frozen=True, kw_only=True):
    """Sleeps of one process and one length."""

    asked_ns: int | None = None
    """The length that was asked for."""
    count: int
    """How often."""
    first_line: int
    """Where the first stands."""
    pid: int
    """Who."""
    total_ns: int
    """Together, as they took."""


WaitFor = Literal["sleep", "events", "child", "lock", "signal", "work"]
"""What a process waits for."""


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """A call that took a millisecond and more, and waits; or ten, and works."""

    asked_ns: int | None = None
    """The time that was asked for, for sleeps and timeouts."""
    at_ns: int | None = None
    """When it began."""
    call: str
    """The call."""
    estimated: bool
    """The log does not say how long it took: it is the time to the process's next line."""
    line: int
    """Where it stands."""
    path: str = ""
    """The path it is about, where there is one."""
    pid: int
    """Who."""
    timed_out: bool
    """Nothing came: the time given ran out."""
    took_ns: int
    """How long."""
    wait_for: WaitFor
    """What for."""


class ApplicationProfile(
    OfApplicationProfile, msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="application"
):
    """The system calls of one or several processes, summed up. Times in nanoseconds from the first line's."""

    calls: list[CallSum] = []
    """The calls that took most first."""
    calls_total: int
    """Calls, failed ones included."""
    execs: list[Noted] = []
    """Programs started, in their order."""
    files: list[FileUse] = []
    """The files that took most time, then most bytes, first."""
    files_total: int
    """How many there are."""
    goal: LogGoal | None = None
    """The line and text that were taken for the goal, where one was asked for and found."""
    left_out: int
    """Rows that found no room in one of the tables."""
    length_ns: int | None = None
    """First line to last (or to the goal); `None` without stamps."""
    libraries: Libraries
    """Shared libraries."""
    missing: list[Missing] = []
    """Searches that found nothing, by folder, most first."""
    missing_total: int
    """How many such searches there were."""
    mounts: list[Noted] = []
    """File systems mounted and unmounted."""
    polled: list[Polled] = []
    """Files that were asked for again and again, with waits between."""
    processes: list[Process] = []
    """In the order in which they began."""
    sleeps: list[Sleep] = []
    """Sleeps of one length, the largest sum first."""
    sockets: list[Noted] = []
    """Connections and addresses."""
    source: str
    """Which program wrote the log: `strace`, `perf-trace`."""
    timed: bool
    """The lines say how long calls took (`-T`).

    Without, only waits are known, as the time to the process's next line.
    """
    waits: list[Wait] = []
    """The longest first."""
    waits_total: int
    """How many waits of a millisecond and more there were."""
    faults: list[Faults] = []
    """Page faults of processes, which only a trace knows."""
    read: list[ReadFile] = []
    """Files of the tree that were read up to the goal, of a diagnostic boot."""
    loading: list[Loading] = []
    """What the dynamic loader counted in that boot."""
