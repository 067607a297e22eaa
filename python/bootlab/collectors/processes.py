# SPDX-License-Identifier: MIT
"""Reads what bootlab-processes wrote: how many instructions each task executed, by the kernel's name of it."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from bootlab.analysis.own_time import Turn
from bootlab.errors import UserError
from bootlab.model.timeline import ProgramStart

PROCESSES_FILE = "processes.bin"
BEFORE_TASKS = "firmware and kernel start"
"""What runs before the kernel first switches to another task: it has no name before."""
_RECORD = struct.Struct("<4Q16s")
_ADDRESS_BITS = 64
_SWITCHED, _NAMED, _FORKED, _EXECUTED = range(4)
_UNNAMED = "swapper/0"  # init/init_task.c, sched_init(): what the first task hands on until another name is set


class ProcessCost(msgspec.Struct, frozen=True, kw_only=True):
    """All tasks of one name: how many there were and what they executed. `first_ns`: when one of them first ran.

    A program that a process starts keeps its task and gets a name of its own; what ran before that is its parent's.
    Interrupts are what they interrupted.
    """

    name: str
    tasks: int
    insns: int
    first_ns: int


def load(folder: Path, *, end_insns: int) -> tuple[ProcessCost, ...]:
    """Read a recording's file up to its goal; the most instructions first. Raise UserError when there is none."""
    return counted(_raw(folder), end_insns=end_insns)


def _raw(folder: Path) -> bytes:
    try:
        return (folder / PROCESSES_FILE).read_bytes()
    except OSError as fault:
        raise UserError(
            f"{folder} has no record of its processes: {fault.strerror or fault}",
            hint="boot the system once more with bootlab.experiments.processes",
        ) from fault


def load_turns(folder: Path, *, end_insns: int, end_ns: int) -> tuple[Turn, ...]:
    """Read a recording's file as turns on the processor up to its goal, in their order; raises as `load`."""
    rows = tuple(_stretches(_raw(folder), end_insns=end_insns, end_ns=end_ns))
    return tuple(Turn(name=r.name, task=r.task, start_ns=r.start_ns, end_ns=r.end_ns) for r in rows if r.insns)


def counted(raw: bytes, *, end_insns: int) -> tuple[ProcessCost, ...]:
    """Add up records; a last one that was not written whole is left out."""
    costs: dict[str, ProcessCost] = {}
    seen: dict[str, set[int]] = {}
    for row in _stretches(raw, end_insns=end_insns, end_ns=0):
        seen.setdefault(row.name, set()).add(row.task)
        known = costs.get(row.name) or ProcessCost(name=row.name, tasks=0, insns=0, first_ns=row.start_ns)
        costs[row.name] = msgspec.structs.replace(known, tasks=len(seen[row.name]), insns=known.insns + row.insns)
    return tuple(sorted((c for c in costs.values() if c.insns), key=lambda c: (-c.insns, c.name)))


def load_started(folder: Path, *, end_insns: int) -> tuple[ProgramStart, ...]:
    """Read a recording's file as the programs that were started up to its goal, in their order; raises as `load`."""
    return started(_raw(folder), end_insns=end_insns)


def started(raw: bytes, *, end_insns: int) -> tuple[ProgramStart, ...]:
    """Return each `execve` that succeeded; a last record that was not written whole is left out."""
    return tuple(
        ProgramStart(name=label.split(b"\0")[0].decode("utf-8", "replace"), task=task, ns=ns, insns=insns)
        for insns, ns, task, kind, label in _RECORD.iter_unpack(raw[: len(raw) // _RECORD.size * _RECORD.size])
        if kind == _EXECUTED and insns <= end_insns
    )


class _Stretch(NamedTuple):
    """One task under one name without a break."""

    name: str
    task: int
    insns: int
    start_ns: int
    end_ns: int


def _stretches(raw: bytes, *, end_insns: int, end_ns: int) -> Iterator[_Stretch]:
    names: dict[int, str] = {}
    # The kernel uses a task's memory again once the task has ended: how often it did.
    again: Counter[int] = Counter()
    current, since, since_ns = 0, 0, 0

    def stretch(until: int, until_ns: int) -> _Stretch:
        name = names.get(current, BEFORE_TASKS if current == 0 else _UNNAMED)
        task = current + (again[current] << _ADDRESS_BITS)
        return _Stretch(name, task, min(until, end_insns) - since, since_ns, until_ns)

    for insns, ns, task, kind, label in _RECORD.iter_unpack(raw[: len(raw) // _RECORD.size * _RECORD.size]):
        if insns > end_insns:
            break
        if kind == _SWITCHED:
            yield stretch(insns, ns)
            current, since, since_ns = task, insns, ns
        elif kind in {_NAMED, _EXECUTED}:
            if task == current:
                yield stretch(insns, ns)
                since, since_ns = insns, ns
            names[task] = label.split(b"\0")[0].decode("utf-8", "replace")
        elif kind == _FORKED:
            again[task] += 1
            names.pop(task, None)
            if current in names:
                names[task] = names[current]
    yield stretch(end_insns, end_ns)
