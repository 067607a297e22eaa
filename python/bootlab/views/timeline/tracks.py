# SPDX-License-Identifier: MIT
"""One boot as a trace: tracks of nested spans and instants, which the core writes for any trace viewer.

Every clock gets a process of its own, so times of a diagnostic boot never share an axis label with a timing boot's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

import msgspec

from bootlab import _core
from bootlab.model.recording import Line, Recording
from bootlab.model.timeline import Span, Timeline
from bootlab.views.shown_text import visible

Form = Literal["perfetto", "chrome"]
LINES_LIMIT = 100_000
ROWS_LIMIT = 64
"""Rows of one lane. No boot has more spans that overlap in part at one instant; a hostile trace may."""


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """A span on a track. Slices of one track nest or follow each other, they never overlap in part."""

    name: str
    start_ns: int
    duration_ns: int
    detail: tuple[tuple[str, str], ...] = ()


class Instant(msgspec.Struct, frozen=True, kw_only=True):
    """A moment on a track."""

    name: str
    ns: int
    detail: tuple[tuple[str, str], ...] = ()


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the viewer. The category of what stands on it is its name."""

    name: str
    slices: tuple[Slice, ...] = ()
    instants: tuple[Instant, ...] = ()


class TrackGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A boot on one clock: a group of rows. `args`: facts about it, as key and value."""

    title: str
    clock: str
    tracks: tuple[Track, ...] = ()
    args: tuple[tuple[str, str], ...] = ()


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """Processes in the order to show, and notes (what was left out)."""

    processes: tuple[TrackGroup, ...]
    notes: tuple[str, ...] = ()

    def encode(self, kind: Form) -> bytes:
        """Write it for ui.perfetto.dev and `trace_processor`, or as Chrome's JSON; notes stand at the first process."""
        first, *rest = self.processes or (TrackGroup(title="boot", clock="no clock"),)
        noted = msgspec.structs.replace(first, args=(*first.args, *(("note", note) for note in self.notes)))
        return _core.export_timelines(kind, [noted, *rest])


def of_timeline(timeline: Timeline, recording: Recording | None = None, *, name: str = "boot") -> Trace:
    """Make a trace of a timeline, with the console lines when their recording is given."""
    tracks = [
        Track(
            name="stages",
            slices=tuple(
                Slice(name=s.name, start_ns=s.start_ns, duration_ns=max(0, s.duration_ns)) for s in timeline.stages
            ),
        ),
        Track(
            name="marks",
            instants=tuple(
                Instant(name=visible(m.name, 200), ns=m.ns, detail=_mark_detail(m.insns, m.source))
                for m in sorted(timeline.marks, key=lambda m: m.ns)
            ),
        ),
        *_lanes(beside_stages(timeline)),
    ]
    notes: tuple[str, ...] = ()
    if recording is not None:
        track, notes = _console(recording.lines)
        tracks.append(track)
    processes = [TrackGroup(title=name, clock=f"{timeline.clock} clock", tracks=_with_something(tracks))]
    for clock in dict.fromkeys(s.clock for s in timeline.diagnostic):
        own = tuple(_lanes(s for s in timeline.diagnostic if s.clock == clock))
        title = f"diagnostic boot of {name}"
        processes.append(TrackGroup(title=title, clock=f"{clock} clock, not comparable", tracks=_with_something(own)))
    drawn = sum(len(t.slices) for p in processes for t in p.tracks) - len(timeline.stages)
    lost = len(beside_stages(timeline)) + len(timeline.diagnostic) - drawn
    if lost:
        notes = (*notes, f"{lost} spans left out: more than {ROWS_LIMIT} overlapped at one instant")
    return Trace(processes=tuple(p for p in processes if p.tracks), notes=notes)


def _with_something(tracks: Iterable[Track]) -> tuple[Track, ...]:
    return tuple(t for t in tracks if t.slices or t.instants)


def beside_stages(timeline: Timeline) -> tuple[Span, ...]:
    """Return the spans without those that repeat the stages, which every view draws from `stages` itself."""
    stages = {(s.name, s.start_ns) for s in timeline.stages}
    return tuple(s for s in timeline.spans if not (s.lane == "stages" and (s.name, s.start_ns) in stages))


def nested_rows(spans: Iterable[Span]) -> list[list[Span]]:
    """Spread spans over as few rows as needed so that those of a row nest or follow; O(n log n) for boots as they are.

    A span that overlaps another in part (asynchronous probes) goes to the next row; past the last row it is left out.
    """
    rows: list[list[Span]] = []
    open_ends: list[list[int]] = []
    for span in sorted(spans, key=lambda s: (s.start_ns, -s.duration_ns)):
        end_ns = span.start_ns + max(0, span.duration_ns)
        for row, ends in zip(rows, open_ends, strict=True):
            while ends and ends[-1] <= span.start_ns:
                ends.pop()
            if not ends or end_ns <= ends[-1]:
                row.append(span)
                ends.append(end_ns)
                break
        else:
            if len(rows) < ROWS_LIMIT:
                rows.append([span])
                open_ends.append([end_ns])
    return rows


def _lanes(spans: Iterable[Span]) -> list[Track]:
    by_lane: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        by_lane[span.lane].append(span)
    tracks: list[Track] = []
    for lane, members in by_lane.items():
        for number, row in enumerate(nested_rows(members)):
            slices = tuple(
                Slice(
                    name=visible(s.name, 200),
                    start_ns=s.start_ns,
                    duration_ns=max(0, s.duration_ns),
                    detail=(("detail", visible(s.detail, 1000)),) if s.detail else (),
                )
                for s in row
            )
            shown = visible(lane, 100)
            tracks.append(Track(name=f"{shown} {number + 1}" if number else shown, slices=slices))
    return tracks


def _console(lines: tuple[Line, ...]) -> tuple[Track, tuple[str, ...]]:
    stamped = [(line.first_ns, line) for line in lines[:LINES_LIMIT] if line.first_ns is not None]
    notes = []
    if len(lines) > LINES_LIMIT:
        notes.append(f"{len(lines) - LINES_LIMIT} console lines after the first {LINES_LIMIT} left out")
    bare = min(len(lines), LINES_LIMIT) - len(stamped)
    if bare:
        notes.append(f"{bare} console lines without a stamp left out")
    instants = (
        Instant(name=visible(line.text, 200) or "(empty line)", ns=ns, detail=(("line", str(line.number)),))
        for ns, line in stamped
    )
    return Track(name="console", instants=tuple(sorted(instants, key=lambda i: i.ns))), tuple(notes)


def _mark_detail(insns: int | None, source: str) -> tuple[tuple[str, str], ...]:
    detail = [("instructions", str(insns))] if insns is not None else []
    return tuple([*detail, ("source", visible(source, 1000))] if source else detail)
