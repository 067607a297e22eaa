"""Reads what bootlab-processes wrote: how many instructions each task executed, by the kernel's name of it."""

from __future__ import annotations

import struct
from pathlib import Path

import msgspec

from bootlab.errors import UserError

PROCESSES_FILE = "processes.bin"
BEFORE_TASKS = "firmware and kernel start"
"""What runs before the kernel first switches to another task: it has no name before."""
_RECORD = struct.Struct("<4Q16s")
_SWITCHED, _NAMED, _FORKED = range(3)
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
    try:
        raw = (folder / PROCESSES_FILE).read_bytes()
    except OSError as fault:
        raise UserError(
            f"{folder} has no record of its processes: {fault.strerror or fault}",
            hint="boot the system once more with bootlab.experiments.processes",
        ) from fault
    return counted(raw, end_insns=end_insns)


def counted(raw: bytes, *, end_insns: int) -> tuple[ProcessCost, ...]:
    """Add up records; a last one that was not written whole is left out."""
    names: dict[int, str] = {}
    costs: dict[str, ProcessCost] = {}
    seen: dict[str, set[int]] = {}
    current, since, since_ns = 0, 0, 0

    def add(until: int) -> None:
        name = names.get(current, BEFORE_TASKS if current == 0 else _UNNAMED)
        seen.setdefault(name, set()).add(current)
        known = costs.get(name) or ProcessCost(name=name, tasks=0, insns=0, first_ns=since_ns)
        costs[name] = msgspec.structs.replace(
            known, tasks=len(seen[name]), insns=known.insns + min(until, end_insns) - since
        )

    for insns, ns, task, kind, label in _RECORD.iter_unpack(raw[: len(raw) // _RECORD.size * _RECORD.size]):
        if insns > end_insns:
            break
        if kind == _SWITCHED:
            add(insns)
            current, since, since_ns = task, insns, ns
        elif kind == _NAMED:
            if task == current:
                add(insns)
                since, since_ns = insns, ns
            names[task] = label.split(b"\0")[0].decode("utf-8", "replace")
        elif kind == _FORKED and current in names:
            names[task] = names[current]
        elif kind == _FORKED:
            names.pop(task, None)
    add(end_insns)
    return tuple(sorted((c for c in costs.values() if c.insns), key=lambda c: (-c.insns, c.name)))
