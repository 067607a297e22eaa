# SPDX-License-Identifier: MIT
"""Stretches with interrupts or preemption off, out of ftrace text from a board.

Two kinds: the latency tracers' one longest stretch (`irqsoff`, `preemptoff`, `preemptirqsoff`;
Documentation/trace/ftrace.rst), and the events `preemptirq:*` (include/trace/events/preemptirq.h), paired on each
processor. With both off at once, as preemptirqsoff takes it, others are held off: that goes to the last table.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

HEAD_BYTES = 1 << 20
LINE_MAX_BYTES = 1 << 16
KEPT = 128
"""The longest of each kind."""

_TRACER = re.compile(rb"^# tracer: (irqsoff|preemptoff|preemptirqsoff)\b", re.MULTILINE)
_LATENCY = re.compile(rb"^# latency: (\d{1,12}) us, #\d", re.MULTILINE)
_TASK = re.compile(rb"^#\s+\| task: (\S.{0,60}?)-(\d+) \(", re.MULTILINE)
_STARTED = re.compile(rb"^#\s+=> started at: (\S{1,200})", re.MULTILINE)
_ENDED = re.compile(rb"^#\s+=> ended at:\s+(\S{1,200})", re.MULTILINE)
_EVENT = re.compile(
    rb"^\s*(\S.{0,60}?)-(\d+)\s+(?:\(\s*\S+\)\s+)?\[(\d{1,5})\]\s+(?:\S+\s+)?(\d{1,9})\.(\d{6,9}): "
    rb"(irq|preempt)_(disable|enable): caller=(\S{1,200}?)(?:\+0x\S*)?(?: parent=(\S{1,200}?)(?:\+0x\S*)?)?\s*$"
)
_WHICH = {b"irqsoff": 0, b"irq": 0, b"preemptoff": 1, b"preempt": 1, b"preemptirqsoff": 2}


class Stretch(msgspec.Struct, frozen=True, order=True):
    """One stretch: its length and start, the task, where it began and ended (outermost caller first)."""

    length_ns: int
    start_ns: int
    task: str
    began: tuple[str, ...]
    ended: tuple[str, ...]


Stretches = tuple[list[Stretch], list[Stretch], list[Stretch]]
"""Interrupts off, preemption off, either (as `preemptirqsoff` has it); the longest first."""


def stretches(source: Path | str | bytes) -> Stretches | None:
    """Return what ftrace text says of stretches; None when it says nothing of them. Raise OSError."""
    if isinstance(source, bytes):
        return _of_lines(source[:HEAD_BYTES], source.splitlines())
    path = Path(source)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        file.seek(0)
        return _of_lines(head, _lines(iter(lambda: file.readline(LINE_MAX_BYTES), b"")))


def _lines(raw: Iterator[bytes]) -> Iterator[bytes]:
    # Only lines that can be events: the rest of a long trace costs no regular expression.
    return (line.rstrip(b"\r\n") for line in raw if b"able: caller=" in line)


def _of_lines(head: bytes, lines: Iterable[bytes]) -> Stretches | None:
    if (tracer := _TRACER.search(head)) and (found := _longest(head)):
        kinds: Stretches = ([], [], [])
        kinds[_WHICH[tracer[1]]].append(found)
        return kinds
    if b"able: caller=" not in head:
        return None
    return _pair(lines)


def _longest(head: bytes) -> Stretch | None:
    latency, started, ended = (pattern.search(head) for pattern in (_LATENCY, _STARTED, _ENDED))
    if latency is None or started is None or ended is None:
        return None
    task = _TASK.search(head)
    name = f"{_text(task[1])}-{_text(task[2])}" if task else "unknown task"
    return Stretch(int(latency[1]) * 1000, 0, name, (_text(started[1]),), (_text(ended[1]),))


def _pair(lines: Iterable[bytes]) -> Stretches:
    open_since: dict[tuple[bytes, bytes], tuple[int, tuple[str, ...]]] = {}
    kept: Stretches = ([], [], [])
    for line in lines:
        found = _EVENT.match(line)
        if found is None:
            continue
        task, pid, cpu, seconds, fraction, kind, what, caller, parent = found.groups()
        at_ns = int(seconds) * 1_000_000_000 + int(fraction.ljust(9, b"0"))
        chain = tuple(_text(name) for name in (parent, caller) if name)
        if what == b"disable":
            # The outermost counts: the kernel traces only that, but a lost event must not shorten a stretch.
            open_since.setdefault((kind, cpu), (at_ns, chain))
            continue
        start = open_since.pop((kind, cpu), None)
        if start is None or at_ns < start[0]:
            continue
        stretch = Stretch(at_ns - start[0], start[0], f"{_text(task)}-{_text(pid)}", start[1], chain)
        heap = kept[_WHICH[kind]]
        if len(heap) < KEPT:
            heapq.heappush(heap, stretch)
        else:
            heapq.heappushpop(heap, stretch)
    for heap in kept:
        heap.sort(reverse=True)
    return kept


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")
