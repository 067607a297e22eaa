# SPDX-License-Identifier: MIT
"""Reads what bootlab-cost wrote: sums since power-on, each time that so many instructions more were executed."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bootlab.errors import MeasurementError
from bootlab.model.costing import CostedStage, Seen
from bootlab.model.costs import Between
from bootlab.model.timeline import Stage

COST_FILE = "cost.bin"
# qemu-plugin/cost-file.h and cost-insn.h: their order.
CLASSES = (
    *("alu", "move", "shifted", "mul", "div", "memory", "branch", "simd"),
    *("fp", "fdiv", "crypto", "atomic", "string", "system", "port"),
)
EVENTS = (
    *("accesses", "l1d misses", "l1i misses", "l2 misses", "l3 misses", "prefetched", "dtlb misses", "itlb misses"),
    *("walks", "branches", "mispredictions", "exceptions", "device accesses"),
)
TICKS_PER_CYCLE = 60
RECORD_EVERY = 1 << 18
"""Instructions between two records, where the plugin is not told otherwise."""
_MAGIC = 0x31747363626C7462
_RECORD = struct.Struct(f"<{1 + 2 + 2 + len(CLASSES) + len(EVENTS)}Q")
_ANOTHER = "the plugin's file is of another version, or damaged; boot again with --fresh"


class CostSums(NamedTuple):
    """One record: everything since power-on. `counts`: classes, then events."""

    insns: int
    ns: int
    ticks: tuple[float, float]
    counts: tuple[float, ...]


def load(path: Path) -> tuple[CostSums, ...]:
    """Return the records of a file; a last one that was not written whole is left out. Raise MeasurementError."""
    try:
        raw = path.read_bytes()
    except OSError as fault:
        raise MeasurementError(f"{path} cannot be read: {fault.strerror or fault}", hint=_ANOTHER) from fault
    whole = len(raw) - len(raw) % _RECORD.size
    rows = tuple(_RECORD.iter_unpack(raw[:whole]))
    if not rows or any(row[0] != _MAGIC for row in rows):
        raise MeasurementError(f"{path} is no record of costs", hint=_ANOTHER)
    return tuple(CostSums(row[1], row[2], (row[3], row[4]), tuple(row[5:])) for row in rows)


def up_to(records: Sequence[CostSums], insns: int, ns: int) -> tuple[CostSums, ...]:
    """Return the records of a boot with one at its goal: what came after the last one went on as before it.

    Raise MeasurementError where they do not reach the goal, or are of more than one boot.
    """
    if any(b.insns < a.insns or b.ns < a.ns for a, b in pairwise(records)):
        raise MeasurementError("the costing boot's records are of more than one boot", hint=_ANOTHER)
    last = records[-1]
    if last.ns >= ns:
        return tuple(records)
    missing = insns - last.insns
    # The plugin writes when a block begins, so that a record is late by a block.
    if missing > RECORD_EVERY * 1.01 or missing < 0:
        raise MeasurementError(
            f"the costing boot's records end after {last.insns:,} of {insns:,} instructions",
            hint="is the file system full? boot again with --fresh",
        )
    before = records[-2] if len(records) > 1 else CostSums(0, 0, (0, 0), (0,) * len(last.counts))
    if last.insns == before.insns:
        raise MeasurementError(
            f"the boot ends after {insns:,} instructions: too few to model a processor",
            hint=f"it takes {RECORD_EVERY:,} at least",
        )
    share = missing / (last.insns - before.insns)
    goal = CostSums(
        insns=insns,
        ns=ns,
        ticks=(
            last.ticks[0] + share * (last.ticks[0] - before.ticks[0]),
            last.ticks[1] + share * (last.ticks[1] - before.ticks[1]),
        ),
        counts=tuple(b + share * (b - a) for a, b in zip(before.counts, last.counts, strict=True)),
    )
    return (*records, goal)


def costed(records: Sequence[CostSums], stage: Stage, ghz: Between, insn_ns: int, seen: Seen) -> CostedStage:
    """Return what the modelled processor takes between two instants. `insn_ns`: an instruction on the exact clock.

    `seen`: how far the model was off elsewhere.
    Between two records everything is taken to grow evenly.
    """
    before, after = _at(records, stage.start_ns), _at(records, stage.start_ns + stage.duration_ns)
    insns = max(0, after.insns - before.insns)
    low, high = (max(0.0, after.ticks[end] - before.ticks[end]) / TICKS_PER_CYCLE for end in (0, 1))
    ends = (low / ghz.high, high / ghz.low)
    modelled = Between(min(ends), max(ends))
    counts = [round(max(0.0, b - a)) for a, b in zip(before.counts, after.counts, strict=True)]
    return CostedStage(
        name=stage.name,
        exact_ns=stage.duration_ns,
        instructions=insns,
        waited_ns=max(0, stage.duration_ns - insns * insn_ns),
        modelled_ns=modelled,
        computed_ns=seen.widened(modelled),
        classes={name: count for name, count in zip(CLASSES, counts, strict=False) if count},
        events={name: count for name, count in zip(EVENTS, counts[len(CLASSES) :], strict=True) if count},
    )


def _at(records: Sequence[CostSums], ns: int) -> CostSums:
    place = bisect_left(records, ns, key=lambda record: record.ns)
    if place == len(records):
        return records[-1]
    b = records[place]
    # At power-on everything is 0, and the first record stands at its first block.
    a = records[place - 1] if place else CostSums(0, 0, (0, 0), (0,) * len(b.counts))
    share = (ns - a.ns) / (b.ns - a.ns) if b.ns > a.ns else 1.0

    def between(low: float, high: float) -> float:
        return low + (high - low) * share

    return CostSums(
        insns=round(between(a.insns, b.insns)),
        ns=ns,
        ticks=(between(a.ticks[0], b.ticks[0]), between(a.ticks[1], b.ticks[1])),
        counts=tuple(between(x, y) for x, y in zip(a.counts, b.counts, strict=True)),
    )
