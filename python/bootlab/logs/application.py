"""What an application did, by its system calls: what strace's log becomes. Times in nanoseconds."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.recording import Loading

WaitFor = Literal["sleep", "events", "child", "lock", "signal", "work"]


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """Where the log was cut because the goal came."""

    line: int
    pid: int
    at_ns: int | None = None


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """One process or thread. `in_calls_ns`: in calls that work; `waited_ns`: in those that wait."""

    pid: int
    program: str
    calls: int
    in_calls_ns: int
    waited_ns: int
    parent: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    ended: str = ""

    @property
    def own_ns(self) -> int | None:
        """Outside of calls, from its first line to its last: computing, or waiting for a processor."""
        if self.start_ns is None or self.end_ns is None:
            return None
        return max(0, self.end_ns - self.start_ns - self.in_calls_ns - self.waited_ns)


class CallSum(msgspec.Struct, frozen=True, kw_only=True):
    """All calls of one name."""

    call: str
    count: int
    errors: int
    total_ns: int
    max_ns: int


class FileUse(msgspec.Struct, frozen=True, kw_only=True):
    """One path and what was done with it."""

    path: str
    opens: int
    read_bytes: int
    written_bytes: int
    mapped_bytes: int
    took_ns: int
    first_line: int


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """Searches in one folder that found nothing; `libraries` of them were for shared libraries.

    A trace has no names: there `folder` and `example` are empty.
    """

    folder: str
    count: int
    libraries: int
    took_ns: int
    example: str
    first_line: int


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """A wait of a millisecond and more, or work of ten. `estimated`: the time to the process's next line."""

    wait_for: WaitFor
    call: str
    pid: int
    took_ns: int
    timed_out: bool
    estimated: bool
    line: int
    path: str = ""
    at_ns: int | None = None
    asked_ns: int | None = None


class Sleep(msgspec.Struct, frozen=True, kw_only=True):
    """Sleeps of one process and one length."""

    pid: int
    count: int
    total_ns: int
    first_line: int
    asked_ns: int | None = None


class Polled(msgspec.Struct, frozen=True, kw_only=True):
    """A path that was asked for in vain and again after waits; `took_ns`: from the first time to success."""

    path: str
    pid: int
    tries: int
    error: str
    came: bool
    first_line: int
    last_line: int
    at_ns: int | None = None
    took_ns: int | None = None


class Noted(msgspec.Struct, frozen=True, kw_only=True):
    """A program started, a file system mounted, an address connected to."""

    what: str
    pid: int
    line: int
    at_ns: int | None = None
    took_ns: int | None = None
    error: str = ""


class Libraries(msgspec.Struct, frozen=True, kw_only=True):
    """Shared libraries: opened, looked for where they are not, and the time in all these calls."""

    opened: int = 0
    missed: int = 0
    took_ns: int = 0


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """Page faults of one process: only a trace knows them."""

    pid: int
    count: int
    total_ns: int


class FileRead(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the tree that was read up to the goal, as the agent of a diagnostic boot saw it."""

    path: str
    size_bytes: int


class ApplicationProfile(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="application"):
    """Everything that the log tells. `timed`: it says how long calls took.

    `faults`: page faults, which only a trace knows. `read`, `loading`: of the diagnostic boot of a system: the files of
    the tree that were read, and what the dynamic loader counted.
    """

    source: str
    timed: bool
    calls_total: int
    processes: list[Process]
    calls: list[CallSum]
    files: list[FileUse]
    files_total: int
    missing: list[Missing]
    missing_total: int
    waits: list[Wait]
    waits_total: int
    sleeps: list[Sleep]
    polled: list[Polled]
    execs: list[Noted]
    mounts: list[Noted]
    sockets: list[Noted]
    libraries: Libraries
    left_out: int
    length_ns: int | None = None
    goal: Goal | None = None
    faults: list[Faults] = []
    read: list[FileRead] = []
    loading: list[Loading] = []

    @property
    def main(self) -> int | None:
        """The process that reached the goal; else the first of the log."""
        if self.goal is not None:
            return self.goal.pid
        return self.processes[0].pid if self.processes else None
