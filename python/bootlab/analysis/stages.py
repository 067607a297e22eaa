"""The intervals between the events of one boot."""

from __future__ import annotations

from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.timeline import ALL_STAGES, STAGES, Span, Stage, Timeline
from bootlab.model.verdict import StageDelta


def stages_of(recording: Recording) -> tuple[Stage, ...]:
    """Return the intervals between the marks that were seen.

    An interval whose end was not seen runs on to the next mark that was; one whose start was not seen is left out:
    its time stands in the interval before it. One that has no length, because two marks are one instruction (a kernel
    without set-up code), is left out. Together they cover power-on to goal without a gap.
    """
    times = {m.name: m.ns for m in recording.marks}
    if "power-on" not in times:
        return ()
    end = times.get("goal", recording.meta.goal_ns if recording.meta.goal_clock == "virtual" else None)
    # A program may set marks in another order than the table's (an application started by no script, say).
    seen = sorted(((name, times[start]) for name, start, _ in ALL_STAGES if start in times), key=lambda s: s[1])
    seen = [s for s in seen if end is None or s[1] <= end]
    stops = [start_ns for _, start_ns in seen[1:]] + ([end] if end is not None else [])
    pairs = zip(seen, stops, strict=False)
    return tuple(Stage(name, start_ns, stop - start_ns) for (name, start_ns), stop in pairs if stop > start_ns)


def stage_deltas(before: Recording, after: Recording) -> tuple[StageDelta, ...]:
    """Return each stage's length in both boots; None where a boot lacks the stage."""
    old = {s.name: s.duration_ns for s in stages_of(before)}
    new = {s.name: s.duration_ns for s in stages_of(after)}
    names = [name for name, _, _ in ALL_STAGES if name in old or name in new]
    return tuple(StageDelta(name, old.get(name), new.get(name)) for name in names)


def timeline_of(recording: Recording, diagnosis: Diagnosis | None = None) -> Timeline:
    """Put marks and stages of a timing boot on one axis; a diagnostic boot's initcalls go beside, on its own clock."""
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
    missing = tuple(start for _, start, _ in STAGES if start not in known)
    return Timeline(
        clock=recording.meta.goal_clock,
        marks=recording.marks,
        stages=stages,
        spans=spans,
        diagnostic=diagnostic,
        missing=missing,
        goal_ns=recording.meta.goal_ns,
    )
