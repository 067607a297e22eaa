# SPDX-License-Identifier: MIT
"""What a booted kernel costs at run time: stat, fork, pipe, context switch, by a program in place of init."""

from __future__ import annotations

import re

import msgspec

from bootlab.builders.guest_program import build
from bootlab.data import source_folder
from bootlab.model.change import PutFile
from bootlab.model.recording import Recording
from bootlab.model.system import Check, Goal, SystemDescription
from bootlab.model.tree import Entry

PROGRAM = "/bootlab-bench"
NAMES = ("stat", "fork", "pipe", "context")
"""lmbench's definitions; they stand in `guest/bench/bench.c`."""

_LINE = re.compile(r"^@BENCH (stat|fork|pipe|context) (-?\d{1,15}) (\d{1,9})\s*$")


def benchmarked(system: SystemDescription) -> SystemDescription | None:
    """Return the system with the benchmark as its first process; None without a root tree to carry it."""
    if system.tree is None:
        return None
    arch = system.machine.arch
    if system.target == "replay":
        program = "replay"
    else:
        folder = source_folder("bench", "bench.c")
        program = str(
            build("bench", [folder / "bench.c"], arch, ("-Os", "-static", "-s"), needed_for="to build the benchmark")
        )
    carried = PutFile(PROGRAM, Entry(kind="file", mode=0o755, source=program)).apply(system)
    return msgspec.structs.replace(
        carried.with_init(PROGRAM),
        goal=Goal(console=r"^@BENCH end", name="benchmark"),
        check=Check(),
        marks=(),
    )


def times_ns(recording: Recording) -> dict[str, int]:
    """Return nanoseconds for one of each; what the console does not carry is left out."""
    found = {}
    for line in recording.lines:
        if match := _LINE.match(line.text[:200]):
            found[match[1]] = int(match[2])
    return found
