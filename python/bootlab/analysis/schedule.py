# SPDX-License-Identifier: MIT
"""How far two systems boot alike: up to the first difference of schedule, and what was saved by then.

A large user space runs many programs at once. A change that saves two hundred milliseconds of decompression moves all
of them against the timer's ticks and against each other, the order of what they do changes, and the goal moves by more
than was saved, in either direction. Up to that place, though, the boots do the same things in the same order, and
what one of them comes earlier by there is the change's own saving.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from bootlab.analysis.events import GOAL, common_order, events_by_name, events_of
from bootlab.analysis.separation import separation
from bootlab.analysis.smallest import EXACT_NS
from bootlab.analysis.stages import comparable_stages
from bootlab.model.recording import Recording
from bootlab.model.verdict import StageVerdict, Steady

SPREAD_NS = 3_000_000
"""Dithers move an event by less than this for as long as the schedule is the same: by less than a tick of 250 Hz."""
_SAME_INSNS = 10_000


def steady_part(base: Sequence[Recording], variant: Sequence[Recording]) -> Steady | None:
    """Return the last event up to which all boots agree, and what the variant saved by then.

    Agree: the events that all of them have come in one order, and the boots of one side, which differ in dithers
    only, reach each of them at nearly the same time. `base[i]` and `variant[i]` lie under the same dither; with one
    boot a side only the order tells. None where the boots carry no stamps, or agree in nothing but power-on.
    """
    sides = [[events_by_name(r) for r in boots] for boots in (base, variant)]
    if not all(sides) or not all(boot for side in sides for boot in side):
        return None
    order = common_order([events_of(r) for r in (*base, *variant)])
    last, reason = "", ""
    for name in order[1:]:
        if any(_range([boot[name].ns for boot in side]) > SPREAD_NS for side in sides):
            reason = "dithers"
            break
        last = name
    if not last:
        return None
    old, new = ([boot[last] for boot in side] for side in sides)
    base_ns, variant_ns = (tuple(e.ns for e in side) for side in (old, new))
    base_insns, variant_insns = (tuple(e.insns for e in side) for side in (old, new))
    following = order[order.index(last) + 1] if reason else ""
    return Steady(
        event=old[0].text,
        until="goal" if last == GOAL else ("dithers" if reason else "order"),
        following=sides[0][0][following].text if following else "",
        base_ns=base_ns,
        variant_ns=variant_ns,
        base_insns=base_insns,
        variant_insns=variant_insns,
        verdict=separation(base_ns, variant_ns, least=EXACT_NS),
        insns_verdict=separation(base_insns, variant_insns, least=_SAME_INSNS),
    )


def stage_verdicts(base: Sequence[Recording], variant: Sequence[Recording]) -> tuple[StageVerdict, ...]:
    """Judge each stage that every boot has by its lengths in all boots of both sides."""
    if not base or not variant:
        return ()
    lengths_of = comparable_stages((*base, *variant))
    old, new = lengths_of[: len(base)], lengths_of[len(base) :]
    found = []
    for name in lengths_of[0]:
        if any(name not in lengths for lengths in (*old, *new)):
            continue
        base_ns, variant_ns = (tuple(lengths[name] for lengths in side) for side in (old, new))
        found.append(
            StageVerdict(
                stage=name,
                verdict=separation(base_ns, variant_ns, least=EXACT_NS),
                saved_ns=_median(base_ns) - _median(variant_ns),
                base_ns=base_ns,
                variant_ns=variant_ns,
            )
        )
    return tuple(found)


def _range(values: Sequence[int]) -> int:
    return max(values) - min(values)


def _median(values: Sequence[int]) -> int:
    return round(statistics.median(values))
