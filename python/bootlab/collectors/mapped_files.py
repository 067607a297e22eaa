# SPDX-License-Identifier: MIT
"""Which programs still ran after the goal, and which files each had mapped: out of a diagnostic boot's report."""

from __future__ import annotations

import re

import msgspec

from bootlab.collectors.agent import AGENT
from bootlab.model.recording import Diagnosis

# The agent's line: a process's number, then a line of its /proc/PID/maps (proc(5)).
_MAPPING = re.compile(r"(\d+) [0-9a-f]+-[0-9a-f]+ (\S{4}) [0-9a-f]+ \S+ \d+ +(/.*)")
_DELETED = " (deleted)"


class MappedProcess(msgspec.Struct, frozen=True):
    """One process: its number, its program, and every other file that it had mapped, by address."""

    pid: int
    program: str
    files: tuple[str, ...]


def processes(diagnosis: Diagnosis | None) -> tuple[MappedProcess, ...] | None:
    """Return the processes of user space, by number; None where the report does not tell them.

    The program is the lowest file mapped, which the kernel's loader puts first on the architectures that bootlab knows.
    """
    text = diagnosis.proc.get("maps", "") if diagnosis is not None else ""
    mapped: dict[int, dict[str, None]] = {}
    for line in text.splitlines():
        if mapping := _MAPPING.fullmatch(line):
            mapped.setdefault(int(mapping[1]), {})[mapping[3].removesuffix(_DELETED)] = None
    made = (MappedProcess(pid, *_split(files)) for pid, files in sorted(mapped.items()))
    return tuple(process for process in made if process.program != AGENT) if mapped else None


def _split(files: dict[str, None]) -> tuple[str, tuple[str, ...]]:
    program, *others = files
    return program, tuple(others)


def lines(found: tuple[MappedProcess, ...] | None) -> tuple[str, ...]:
    """Return lines that patterns can be looked for in: `process PROGRAM`, and `mapped PROGRAM FILE`."""
    out: list[str] = []
    for process in found or ():
        out.append(f"process {process.program}")
        out += [f"mapped {process.program} {file}" for file in process.files]
    return tuple(out)
