# SPDX-License-Identifier: MIT
"""A stack as it stands: its changes, its boots, what is known of it, and what excludes what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce

from bootlab.experiments.closer_look import CloserLook
from bootlab.experiments.dithering import DitheredBoots
from bootlab.experiments.stacked import effect_of_all
from bootlab.model.change import Change, PutFile
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence, Technique


class Standing:
    """A stack that was booted, with what is known of it."""

    def __init__(self, changes: tuple[Change, ...], boots: DitheredBoots, evidence: Evidence) -> None:
        self.changes = changes
        self.boots = boots
        self.evidence = evidence


def effects(
    look: CloserLook,
    changes: tuple[Change, ...],
    techniques: Mapping[str, Technique],
    before: tuple[Standing, str],
    after: tuple[Standing, str],
) -> tuple[Effect, tuple[tuple[str, str], ...]]:
    """Return the proof of all changes together, and ids of those without one, with the reason.

    `before` and `after`: the stacks without and with them, with their labels. `look` makes boots of both where only
    those can show it.
    """

    def effect_of(change: Change) -> Effect:
        technique = techniques[change.technique]
        effect = technique.proves(change, before[0].evidence, after[0].evidence)
        if effect.shown or not any(look.wanted(technique, side.evidence) for side, _ in (before, after)):
            return effect
        for side, name in (before, after):
            side.evidence = look.at(side.evidence, name)
        return technique.proves(change, before[0].evidence, after[0].evidence)

    return effect_of_all([(one.id, effect_of(one)) for one in changes])


def conflict_in(change: Change, stack: tuple[Change, ...], techniques: Mapping[str, Technique]) -> str:
    """Say why a change cannot stand beside others, or ""."""
    technique = techniques[change.technique]
    for other in stack:
        if other.technique == change.technique:
            if technique.exclusive or other.id == change.id:
                return f"{other.id} is in the stack already"
        elif other.technique in technique.conflicts or change.technique in techniques[other.technique].conflicts:
            return f"it excludes {other.id}, which is in the stack"
    return ""


def hidden_in(
    change: Change, stack: tuple[Change, ...], besides: tuple[Change, ...], techniques: Mapping[str, Technique]
) -> str:
    """Say why nothing of a change would show beside others, or "".

    Another one takes away what it works on; or one of `besides`, which was made for the same system as it, puts another
    file into the same place.
    """
    for other in (*stack, *besides):
        if other.technique in techniques[change.technique].hidden_by:
            return f"nothing of it shows beside {other.id}"
    own = {op.path for op in change.ops if isinstance(op, PutFile)}
    for other in besides:
        if own & {op.path for op in other.ops if isinstance(op, PutFile)}:
            return f"it writes the same file as {other.id}, and is made anew for what stands afterwards"
    return ""


def on_top(
    stack: tuple[Change, ...],
    groups: Iterable[tuple[Change, ...]],
    put: Callable[[tuple[Change, ...], Change], tuple[Change, ...]],
    techniques: Mapping[str, Technique],
    *,
    kept: bool,
) -> Iterator[tuple[Change, ...]]:
    """Yield what each group makes of a stack, where `put` adds a change; `kept`: of the stack with those before it."""
    for group in groups:
        if kept and any(conflict_in(one, stack, techniques) for one in group):
            continue
        there = reduce(put, group, stack)
        yield there
        stack = there if kept else stack
