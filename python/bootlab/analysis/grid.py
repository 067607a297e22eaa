# SPDX-License-Identifier: MIT
"""A wait that holds the goal: something that waits for the clock, not for work, decides when the goal comes.

An application that waits for the second to turn, polls each 100 ms or follows a clock that ticks puts its goal on a
grid. Work that is saved before the wait is eaten by it, until a boot crosses to another point of the grid: then a few
microseconds move the goal by the whole period. Neither says anything about a change, so what comes before the wait is
judged instead. Boots under several dithers show it in three ways:

* *jumps*: boots of one side, which differ in nothing that matters, stand still in one wait for times that differ by
  far more than the moment at which the wait begins, and without the wait their goals lie closer together;
* *absorbs*: the two sides come to the wait at different times and leave it at the same time;
* *turns*: one side comes to the wait later and leaves it earlier, both sides stand still in it, and the wait's length
  is no constant of a side either.

Where the sides differ behind the wait by more than its length differs anywhere, the goal is not the wait's.

A wait that is only shorter (*shorter*) holds nothing: many changes are made for that. It is named all the same, for
what it gave is waiting and no work.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from bootlab.analysis.events import Event, common_order, events_by_name, events_of
from bootlab.analysis.separation import separation
from bootlab.analysis.smallest import EXACT_NS
from bootlab.model.recording import Recording
from bootlab.model.verdict import Hold, HoldKind, Verdict

LEAST_JUMP_NS = 8_000_000
"""Waits that differ by less are the ticks of the kernel's own clock (4 ms at 250 Hz, rounded up once more)."""
_FOLLOWS = 0.2
"""A wait is held from elsewhere when its end moves by less than this share of what its start moved by."""
_COARSE = 20
"""A period is named when every jump is a multiple of it within this part of it."""
_STILL_NS = 1_000_000


def holding_wait(base: Sequence[Recording], variant: Sequence[Recording]) -> Hold | None:
    """Return the first wait that holds the goal, with what comes before it judged; None where no wait does.

    The boots of one side lie under different dithers, the two sides under the same ones (`base[i]` beside
    `variant[i]`); `variant` may be empty, which asks about the base alone. Where several processors run at once, none:
    the instructions are those of all of them, so that nobody knows when all stood still.
    """
    if any(boot.meta.processors.parallel for boot in (*base, *variant)):
        return None
    sides = [[events_by_name(r) for r in boots] for boots in (base, variant)]
    boots = [boot for side in sides for boot in side]
    if not boots or not all(boots):
        return None
    order = common_order([events_of(r) for r in (*base, *variant)])
    goals = [[r.meta.goal_ns for r in side] for side in (base, variant)]
    shorter: tuple[int, Hold] | None = None
    for after, before in itertools.pairwise(order):
        waits = [[_Wait.between(boot[after], boot[before]) for boot in side] for side in sides]
        if not any(w.idle_ns for side in waits for w in side) or (kind := _kind(waits, goals)) is None:
            continue
        if kind != "shorter" and _decided_behind(waits, goals):
            continue
        found = _hold(waits, (boots[0][after].text, boots[0][before].text), kind)
        if kind != "shorter":
            return found
        # The greatest of those that hold nothing.
        if shorter is None or abs(_idle_saved(waits)) > shorter[0]:
            shorter = (abs(_idle_saved(waits)), found)
    return shorter[1] if shorter else None


def start_of(hold: Hold, boots: Sequence[Recording]) -> str | None:
    """Return the name of the event at which a wait begins, as all the boots have it; None where they do not."""
    events = events_by_name(boots[0]) if boots else {}
    order = [name for name in common_order([events_of(r) for r in boots]) if name in events]
    for after, before in itertools.pairwise(order):
        if (events[after].text, events[before].text) == (hold.after, hold.before):
            return after
    return next((name for name in order if events[name].text == hold.after), None)


def ended_at(boots: Sequence[Recording], event: str) -> tuple[Recording, ...]:
    """Return the boots as if an event were their goal: those that reached it and lack the event have no time."""
    # Once a boot: what is computed of the one that ended there is kept with it.
    return tuple(boot.once(("ended at", event), partial(_ended_at, boot, event)) for boot in boots)


def _ended_at(boot: Recording, event: str) -> Recording:
    at = events_by_name(boot).get(event)
    ns, insns = (at.ns, at.insns) if at is not None else (None, None)
    return msgspec.structs.replace(boot, meta=msgspec.structs.replace(boot.meta, goal_ns=ns, goal_insns=insns))


class _Wait(NamedTuple):
    start_ns: int
    end_ns: int
    idle_ns: int

    @classmethod
    def between(cls, one: Event, other: Event) -> _Wait:
        return cls(one.ns, other.ns, other.idle_ns - one.idle_ns)


def _kind(sides: list[list[_Wait]], goals: list[list[int | None]]) -> HoldKind | None:
    for waits, ends in zip(sides, goals, strict=True):
        length = _range([w.idle_ns for w in waits]) if waits else 0
        if length >= LEAST_JUMP_NS and length > 2 * _range([w.start_ns for w in waits]) and _reaches(waits, ends):
            return "jumps"
    if not all(sides):
        return None
    came, left, shorter = (
        _median([w[part] for w in sides[0]]) - _median([w[part] for w in sides[1]]) for part in range(3)
    )
    # What the variant came earlier by, it stood still longer.
    if abs(came) >= LEAST_JUMP_NS and abs(left) <= _FOLLOWS * abs(came) and abs(shorter + came) <= _FOLLOWS * abs(came):
        return "absorbs"
    if abs(shorter) < LEAST_JUMP_NS:
        return None
    still = all(_median([w.idle_ns for w in waits]) >= _STILL_NS for waits in sides)
    opposite = came * left < 0 and abs(came) > EXACT_NS
    return "turns" if opposite and still and _varies(sides) else "shorter"


def _reaches(waits: list[_Wait], goals: list[int | None]) -> bool:
    """Tell whether a wait's jumps reach the goals: without the wait these lie within half of their range.

    Programs that sleep for some milliseconds here and there, as those of an initrd that wait for devices, make a wait
    of some length too. What comes behind such a wait scatters as much, and the goal follows the work.
    """
    known = [(wait, goal) for wait, goal in zip(waits, goals, strict=True) if goal is not None]
    if len(known) < len(waits):
        return True
    return 2 * _range([goal - wait.idle_ns for wait, goal in known]) <= _range([goal for _, goal in known])


def _decided_behind(sides: list[list[_Wait]], goals: list[list[int | None]]) -> bool:
    """Tell whether the two sides differ behind the wait by more than the wait's length differs anywhere.

    Then the goal is not the wait's: a disk's link that comes up some milliseconds sooner or later says nothing about
    a minute that user space waits for firmware.
    """
    behind = [
        [goal - wait.end_ns for wait, goal in zip(waits, ends, strict=True) if goal is not None]
        for waits, ends in zip(sides, goals, strict=True)
    ]
    if not all(behind):
        return False
    lengths = [wait.idle_ns for waits in sides for wait in waits]
    return abs(_median(behind[0]) - _median(behind[1])) > max(_range(lengths), LEAST_JUMP_NS)


def _varies(sides: list[list[_Wait]]) -> bool:
    """Tell whether the wait's length moves with its start; one boot a side cannot show that it does not."""
    if min(len(waits) for waits in sides) < 2:
        return True
    return any(
        _range([w.idle_ns for w in waits]) > _FOLLOWS * _range([w.start_ns for w in waits]) > 0 for waits in sides
    )


def _idle_saved(sides: list[list[_Wait]]) -> int:
    base, variant = ([w.idle_ns for w in waits] for waits in sides)
    return _median(base) - _median(variant)


def _hold(sides: list[list[_Wait]], text: tuple[str, str], kind: HoldKind) -> Hold:
    idle = [w.idle_ns for waits in sides for w in waits]
    starts = [[w.start_ns for w in waits] for waits in sides]
    base, variant = starts
    return Hold(
        after=text[0],
        before=text[1],
        kind=kind,
        idle_ns=(min(idle), max(idle)),
        period_ns=period_ns([w.end_ns for waits in sides for w in waits]) if kind == "jumps" else None,
        idle_saved_ns=_idle_saved(sides) if variant else 0,
        base_ns=tuple(base),
        variant_ns=tuple(variant),
        verdict=separation(base, variant, least=EXACT_NS) if variant else Verdict.UNKNOWN,
    )


def period_ns(ends: Sequence[int], *, jitter_ns: int = LEAST_JUMP_NS // 2) -> int | None:
    """Return the period of a grid that times lie on within a jitter; None where they lie on none.

    The largest that fits: times a second apart also lie on every part of a second.
    """
    centres = [_median(cluster) for cluster in clusters(ends, jitter_ns)]
    if len(centres) < 2:
        return None
    steps = [b - a for a, b in itertools.pairwise(centres)]
    period = _greatest_divisor(steps, jitter_ns)
    if period is None or period < 2 * jitter_ns:
        return None
    # A length that a person would have chosen, where it lies within the jitter.
    unit = 10 ** max(0, math.floor(math.log10(period)))
    nice = round(period / unit) * unit
    return nice if abs(nice - period) * _COARSE <= period else period


def clusters(values: Sequence[int], gap: int) -> list[list[int]]:
    """Return the values in heaps: neighbours of one heap are no further apart than `gap`."""
    heaps: list[list[int]] = []
    for value in sorted(values):
        if heaps and value - heaps[-1][-1] <= gap:
            heaps[-1].append(value)
        else:
            heaps.append([value])
    return heaps


def _greatest_divisor(steps: Sequence[int], jitter: int) -> int | None:
    smallest = min(steps)
    for parts in range(1, 9):
        period = smallest / parts
        if period <= 2 * jitter:
            return None
        # The smallest step is off by the jitter too, and a multiple of it by as many times.
        if all(abs(s - round(s / period) * period) <= min(jitter * (1 + s / smallest), period / 4) for s in steps):
            return round(period)
    return None


def _range(values: Sequence[int]) -> int:
    return max(values) - min(values)


def _median(values: Sequence[int]) -> int:
    return round(statistics.median(values))
