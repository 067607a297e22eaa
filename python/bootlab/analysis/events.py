# SPDX-License-Identifier: MIT
"""The events of a boot that another boot of nearly the same system has too: console lines and marks with their stamps.

An event's name is its text without what differs from boot to boot (the kernel's stamp, numbers), counted where it
comes more than once. Both its times come from the same instruction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from bootlab import _core
from bootlab.model.recording import Recording

GOAL = "goal"
_NUMBER = re.compile(r"\b(?:0x)?[0-9a-f]*\d[0-9a-f]*\b")
_SHOWN = 120
# The goal is an event of its own; its mark, where there is one, is the same instant.
_NOT_EVENTS = frozenset({"power-on", "firmware", GOAL})


class Event(msgspec.Struct, frozen=True):
    """One instant: virtual nanoseconds, instructions before it, and how long the machine had stood still by then.

    `text` is what is shown of it; `name` is equal in every boot that has it.
    """

    name: str
    text: str
    ns: int
    insns: int
    idle_ns: int


def events_of(recording: Recording) -> tuple[Event, ...]:
    """Return power-on, the stamped lines, the marks and the goal, in the order of time; computed once a recording.

    Empty where the virtual clock was not stamped with instructions (free mode, no plugin): idle time is what the clock
    went on by without any, so it needs both.
    """
    return recording.once("events", lambda: _found_events(recording))


def events_by_name(recording: Recording) -> Mapping[str, Event]:
    """Return the same by their names."""
    return recording.once("events by name", lambda: {event.name: event for event in events_of(recording)})


def _found_events(recording: Recording) -> tuple[Event, ...]:
    meta = recording.meta
    if meta.shift is None or meta.goal_clock != "virtual" or meta.goal_ns is None or meta.goal_insns is None:
        return ()
    # At equal times in the order they were found: marks first, so that a mark on a line stands before it.
    found: list[tuple[int, int, str, str]] = [(0, 0, "power-on", "power-on")]
    found += [(m.ns, m.insns, m.name, m.name) for m in recording.marks if m.insns and m.name not in _NOT_EVENTS]
    for line in recording.lines:
        if line.first_ns is not None and line.insns is not None and (shape := _shape(line.text)):
            found.append((line.first_ns, line.insns, shape, line.text.strip()[:_SHOWN]))
    found = sorted((f for f in found if f[0] <= meta.goal_ns), key=lambda f: f[0])
    found.append((meta.goal_ns, meta.goal_insns, GOAL, GOAL))
    seen: Counter[str] = Counter()
    events: list[Event] = []
    for ns, insns, name, text in found:
        seen[name] += 1
        number = f" #{seen[name]}" if seen[name] > 1 else ""
        events.append(Event(f"{name}{number}", text, ns, insns, ns - (insns << meta.shift)))
    return tuple(events)


def common_order(boots: Sequence[tuple[Event, ...]]) -> tuple[str, ...]:
    """Return the names of the events that every boot has, up to the first place where their order differs.

    What one boot has alone (a change adds or removes lines) is no difference of the order.
    """
    shared = set.intersection(*({e.name for e in events} for events in boots)) if boots else set()
    orders = [[e.name for e in events if e.name in shared] for events in boots]
    agreed: list[str] = []
    for names in zip(*orders, strict=True):
        if len(set(names)) > 1:
            break
        agreed.append(names[0])
    return tuple(agreed)


def _shape(text: str) -> str:
    return _NUMBER.sub("#", _core.kernel_message(text)).strip()[:_SHOWN]
