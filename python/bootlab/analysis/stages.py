# SPDX-License-Identifier: MIT
"""The intervals between the events of one boot."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import msgspec

from bootlab.analysis.loads import loads_of
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.system import SystemDescription
from bootlab.model.timeline import (
    ALL_STAGES,
    ASKED,
    INITRD,
    STAGES,
    USER_SPACE_MARKS,
    Span,
    Stage,
    Timeline,
    kernel_begin_ns,
)
from bootlab.model.verdict import StageDelta

_UNIT_DONE = "  OK  "
"""What every line of systemd's has that tells of a unit which is there (src/shared/output-mode: STATUS_OK)."""

_SERVICE_LINE = re.compile(
    r"^\s*(?:\* \S|\[(?:\.{4}|\s{0,2}(?:ok|OK)\s{0,2})\]|- runit: |s6-rc: |(?:Starting|Running|Setting up) \S)"
    r"|\x1b\[[\d;]*m\* |\binit: \S"
)
"""How lines begin that other inits print of what they start; crates/boottrace reads them."""


def stages_of(recording: Recording, starts: Collection[str] | None = None) -> tuple[Stage, ...]:
    """Return the intervals between the marks that were seen; of these only `starts`, where given.

    An interval whose end was not seen runs on to the next mark that was; one whose start was not seen is left out:
    its time stands in the interval before it. One that has no length, because two marks are one instruction (a kernel
    without set-up code), is left out. Together they cover power-on to goal without a gap. Computed once a recording.
    """
    wanted = None if starts is None else frozenset(starts)
    return recording.once(("stages", wanted), lambda: _found_stages(recording, wanted))


def _found_stages(recording: Recording, starts: Collection[str] | None) -> tuple[Stage, ...]:
    times = _times(recording)
    if "power-on" not in times and ASKED not in times:
        return ()
    end = times.get("goal", recording.meta.goal_ns if recording.meta.goal_clock == "virtual" else None)
    # A program may set marks in another order than the table's (an application started by no script, say).
    seen = sorted(
        (
            (_name(name, start, times if starts is None else starts), times[start])
            for name, start, _ in ALL_STAGES
            if _is_start(start, times, starts)
        ),
        key=lambda s: s[1],
    )
    seen = [s for s in seen if end is None or s[1] <= end]
    stops = [start_ns for _, start_ns in seen[1:]] + ([end] if end is not None else [])
    pairs = zip(seen, stops, strict=False)
    return tuple(Stage(name, start_ns, stop - start_ns) for (name, start_ns), stop in pairs if stop > start_ns)


def _times(recording: Recording) -> dict[str, int]:
    """Return when each mark was; without those of user space that stand before the kernel: something else set them."""
    return recording.once("mark times", lambda: _found_times(recording))


def _found_times(recording: Recording) -> dict[str, int]:
    times = {m.name: m.ns for m in recording.marks}
    early = {name for name in USER_SPACE_MARKS & times.keys() if times[name] < kernel_begin_ns(times, name)}
    return {name: ns for name, ns in times.items() if name not in early}


def _is_start(start: str, times: Mapping[str, int], starts: Collection[str] | None) -> bool:
    return start in times and (starts is None or start in starts)


def _name(name: str, start: str, seen: Collection[str]) -> str:
    return INITRD if start == "user-space" and "switch-root" in seen else name


def comparable_stages(recordings: Sequence[Recording]) -> list[dict[str, int]]:
    """Return each boot's stages by name, cut at the marks alone that every boot has.

    A change may take a mark's line away (start scripts merged into one), or print it where it was not. What lies
    behind such a mark would wander into another stage, as if one were shorter and the other longer. So the stages on
    both sides of it are one here: `user space + RC scripts`.
    """
    seen = [_starts_of(recording) for recording in recordings]
    common = set(seen[0]).intersection(*seen[1:]) if seen else set()
    lost: dict[str, list[str]] = {}
    for starts in seen:
        before = ""
        for start in starts:
            before = start if start in common else before
            if start not in common and start not in lost.setdefault(before, []):
                lost[before].append(start)
    found = []
    for recording in recordings:
        # One name for all of them: of boots without a switch to another root, one is no initrd's either.
        named = {_name(name, start, common): start for name, start, _ in ALL_STAGES}
        lengths = {}
        for stage in stages_of(recording, common):
            more = [name for name, start, _ in ALL_STAGES if start in lost.get(named[stage.name], ())]
            lengths[" + ".join([stage.name, *more])] = stage.duration_ns
        found.append(lengths)
    return found


def _starts_of(recording: Recording) -> list[str]:
    """Return the marks that begin a stage of a boot, in the order of time, up to the goal."""
    times = _times(recording)
    end = times.get("goal", recording.meta.goal_ns if recording.meta.goal_clock == "virtual" else None)
    found = [start for _, start, _ in ALL_STAGES if start in times and (end is None or times[start] <= end)]
    return sorted(found, key=lambda start: times[start])


def stage_deltas(before: Recording, after: Recording) -> tuple[StageDelta, ...]:
    """Return each stage's length in both boots, cut at the marks that both have; None where a boot lacks the stage."""
    old, new = comparable_stages((before, after))
    return tuple(StageDelta(name, old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new)))


def timeline_of(
    recording: Recording, diagnosis: Diagnosis | None = None, system: SystemDescription | None = None
) -> Timeline:
    """Put marks, stages and units of a timing boot on one axis; a diagnostic boot's initcalls go beside, on its clock.

    `system`: what was booted, whose units tell which of them waited for which.
    """
    stages = stages_of(recording)
    # A board's marks are arrivals on the host's clock; an emulator's plugin stamps with its own.
    clock = "wall" if recording.meta.board else "virtual"
    spans = tuple(
        Span(name=s.name, lane="stages", start_ns=s.start_ns, duration_ns=s.duration_ns, clock=clock) for s in stages
    )
    diagnostic: tuple[Span, ...] = ()
    if diagnosis is not None:
        diagnostic = tuple(
            Span(
                name=i.name,
                lane=f"initcalls {i.level}" if i.level else "initcalls",
                start_ns=i.start_ns,
                duration_ns=i.duration_ns,
                clock="printk",
                detail=f"returned {i.returned}" + (f" [{i.module}]" if i.module else ""),
            )
            for i in diagnosis.initcalls
        )
    known = {m.name for m in recording.marks}
    # What starts a system is either units or scripts.
    either = {"rc-scripts"} if "units" in known else set()
    # An EFI stub is entered in the place of the set-up code, and may unpack the kernel itself.
    either |= {"kernel-entry", "decompression"} if "efi-stub" in known else set()
    missing = tuple(start for _, start, _ in STAGES if start not in known and start not in either)
    if ASKED in known:
        missing = ()
    units: tuple[Span, ...] = ()
    chain: tuple[Span, ...] = ()
    if any(_UNIT_DONE in line.text for line in recording.lines):
        # How systems start is not looked at where no console shows it: a plain boot is short.
        from bootlab.analysis import user_space  # noqa: PLC0415

        units = tuple(msgspec.structs.replace(s, clock=clock) for s in user_space.unit_spans(recording, system))
        chain = user_space.critical_chain(recording, system) if system is not None else ()
    elif any(_SERVICE_LINE.search(line.text) for line in recording.lines):
        from bootlab.analysis.service_spans import service_spans  # noqa: PLC0415

        units = tuple(msgspec.structs.replace(s, clock=clock) for s in service_spans(recording))
    return Timeline(
        clock=recording.meta.goal_clock,
        marks=recording.marks,
        stages=stages,
        spans=(*spans, *units),
        chain=chain,
        loads=loads_of(recording),
        diagnostic=diagnostic,
        missing=missing,
        goal_ns=recording.meta.goal_ns,
    )
