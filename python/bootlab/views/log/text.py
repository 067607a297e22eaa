# SPDX-License-Identifier: MIT
"""What the terminal shows of a boot log's analysis. Text from the log goes through :func:`cell`."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.analysis import Analysis
from bootlab.logs.boot import LogBoot, NotABoot
from bootlab.logs.course import BlindSpot
from bootlab.logs.told import ToldPart
from bootlab.model import figures
from bootlab.views.log.cost_lines import costs_view
from bootlab.views.log.headline import headline
from bootlab.views.log.recorded_goal import RecordedGoal
from bootlab.views.log.told_tables import told_tables
from bootlab.views.text_table import cell, spaced, text_table

AXIS_WIDTH = 20
_MAX_LISTED = 50
_LATE_BLIND = {"early-kernel": "kernel-start"}
_EARLY_BLIND = {"before-log": "power-on", "hand-over": "kernel-start", "decompression": "decompression"}


def analysis_view(
    analysis: Analysis, *, top: int = 10, boot: int | None = None, goal: RecordedGoal | None = None
) -> RenderableType:
    """Everything the terminal shows of one input; of one boot only, when `boot` names it. `goal`: of its last boot."""
    document = analysis.document
    head = f"{analysis.name}: {document.detected}, {figures.counted(document.lines, 'line')}" if document.lines else (
        f"{analysis.name}: {document.detected}, {figures.size(document.input.read_bytes)}"
    )  # fmt: skip
    if document.input.packing:
        head += f", unpacked from {document.input.packing}"
    parts: list[RenderableType] = [cell(head, "bold", 400)]
    parts += [cell(f"problem: {text}", "bold red", 400) for text in document.input.problems]
    if boot is not None:
        named = analysis.boot(boot)
        parts.append(boot_view(named, analysis.told(named), top, goal if named is analysis.boots[-1] else None))
    else:
        count = len(analysis.boots)
        if count > 1:
            # Pieces may be of one boot: nothing shows where it began.
            pieces = sum(found.start == "middle-of-log" for found in analysis.boots)
            what = "pieces of logs" if pieces == count else "boots or pieces of one" if pieces else "boots"
            parts.append(cell(f"{count} {what}, each apart (`--boot N` shows one)", "bold"))
        for number, part in enumerate(document.parts):
            if number >= _MAX_LISTED:
                parts.append(cell(f"{len(document.parts) - number} more parts are in the JSON", "yellow"))
                break
            if isinstance(part, LogBoot):
                known = goal if part is analysis.boots[-1] else None
                parts.append(boot_view(part, analysis.told(part), top, known))
            elif isinstance(part, NotABoot):
                where = f"lines {part.from_line} to {part.to_line}"
                # What is of a start that these lines do not show as a whole is no "not a boot".
                of_boot = part.what in {"before-kernel", "start-scripts"}
                read = "part of a boot" if of_boot else "not read as a boot"
                head = "nothing was read" if part.what == "untold" else read
                parts.append(cell(f"{head} ({where}): {part.what}: {part.why}", "yellow", 400))
            else:
                from bootlab.views.log.part import part_view  # noqa: PLC0415 - most logs hold boots only

                parts.append(part_view(part, analysis.told(part), top))
        if not document.parts:
            parts.append(cell("no boot log, trace or report was recognised in it", "bold yellow"))
    if document.boot_loop:
        loop = document.boot_loop
        parts.append(cell(f"boot loop: {loop.boots} boots end with `{loop.ends_with}`", "bold red", 400))
    parts += account(analysis)
    return Group(*spaced(parts))


def account(analysis: Analysis) -> list[RenderableType]:
    """Say which lines were read as what, and which were left out and why."""
    document = analysis.document
    out: list[RenderableType] = []
    listed = document.took[:12]
    for took in listed:
        lines = f"lines {took.from_line} to {took.to_line}" if took.to_line else "the whole file"
        out.append(cell(f"read {lines} as {took.format}", "dim", 200))
    if len(document.took) > len(listed):
        out.append(cell(f"and {len(document.took) - len(listed)} more ranges (see --json)", "dim"))
    for skipped in document.skipped:
        # Without a line they may be bytes or records.
        lines = figures.counted(skipped.count, "line") if skipped.first_line else figures.count(skipped.count)
        place = f" (first: line {skipped.first_line})" if skipped.first_line else ""
        out.append(cell(f"left out {lines}: {skipped.reason}{place}", "dim", 300))
    if document.lines and not document.skipped:
        out.append(cell("no line was left out", "dim"))
    return out


def boot_view(boot: LogBoot, told: ToldPart, top: int, goal: RecordedGoal | None = None) -> RenderableType:
    """One boot: headline, costs, axis, failures, tables. `told`: as the core says it; `goal`: as its recording does."""
    kernel = boot.kernel
    release = kernel.banner.release if kernel.banner else "no kernel banner found"
    name = " ".join(x for x in (release, kernel.machine or "") if x)
    ended = {"user-space": "reached user space", "panic": "the kernel panicked"}.get(
        boot.outcome, boot.outcome.replace("-", " ")
    )
    if boot.outcome == "ends-in-firmware":
        ended = "no line of a Linux kernel found"
    if boot.outcome == "not-shown":
        unknown = "the text does not show its end" if boot.reached_kernel else "neither kernel nor init was recognised"
        ended = "a piece from the middle" if boot.start == "middle-of-log" else unknown
    style = "bold" if boot.outcome in {"user-space", "not-shown"} else "bold red"
    parts: list[RenderableType] = [
        cell(f"{told.name} (lines {boot.from_line} to {boot.to_line}): {name}; {ended}", style, 300),
        Group(*(cell(sentence, "bold", 600) for sentence in headline(told, goal))),
    ]
    if boot.costs:
        parts.append(costs_view(boot.costs, told.costs, top))
    parts.append(stages_table(boot, told, goal))
    parts += [cell(text, "bold red", 400) for text in told.failures[:_MAX_LISTED]]
    parts += told_tables(told.tables, top, recorded_goal=goal is not None)
    return Group(*spaced(parts))


def stages_table(boot: LogBoot, told: ToldPart, goal: RecordedGoal | None = None) -> RenderableType:
    """Stages on one axis: what no clock saw is drawn as a gap, never as nought."""
    end = told.end
    known = [stage.ns for stage in told.stages if stage.ns is not None]
    if end and end.on_axis and end.ns is not None:
        known.append(end.ns)
    low, high = (min(known), max(known)) if known else (0, 0)
    why = "no event has one" if boot.clocks or boot.axis.late else "no line carries a stamp"
    title, drawn_as = f"Stages, without times: {why}", ""
    if known:
        title = f"Stages on one axis ({boot.axis.clock} clock; 0 is {boot.axis.origin})"
        drawn_as = f"axis ({figures.ms(high - low)} ms)"
    table = text_table(title, "event", ">at, ms", ">length, ms", drawn_as, "~evidence")
    blind = list(boot.blind_spots)
    # First use, as the log shows it, gives way to the goal that the recording knows.
    for stage in (stage for stage in told.stages if goal is None or stage.event != "first-use"):
        for spot in [s for s in blind if _EARLY_BLIND.get(s.kind) == stage.event]:
            _blind_row(table, spot, low, high)
        seen = stage.seen or stage.ns is not None
        bar = "" if stage.ns is None else _bar(stage.ns, stage.ns + (stage.length_ns or 0), low, high)
        style = "" if stage.ns is not None else "dim"
        table.add_row(
            cell(stage.event, "" if seen else "dim"), stage.at, stage.length, bar, cell(stage.basis, style, 200)
        )
        for spot in [s for s in blind if _LATE_BLIND.get(s.kind) == stage.event]:
            _blind_row(table, spot, low, high)
    for spot in [s for s in blind if s.kind not in {**_LATE_BLIND, **_EARLY_BLIND}]:
        _blind_row(table, spot, low, high)
    if end:
        style = "bold red" if boot.end and boot.end.kind == "panic" else ""
        bar = _bar(end.ns, end.ns, low, high) if end.on_axis and end.ns is not None else ""
        table.add_row(cell(end.name, style), end.at, "", bar, cell(end.text, style or "dim", 200))
    if goal is not None:
        table.add_row(cell("goal"), figures.ms(goal.on_axis_ns, goal.unsure_ns), "", "", cell(goal.evidence, "", 200))
    notes = [cell(text, "dim", 300) for text in told.notes]
    return Group(table, *notes) if notes else table


def _blind_row(table: object, spot: BlindSpot, low: int, high: int) -> None:
    span = max(high - low, 1)
    length = spot.duration_ns
    width = 3 if length is None else max(1, min(AXIS_WIDTH, round(AXIS_WIDTH * length / span)))
    drawn = "░" * width + (" ?" if length is None else "")
    table.add_row(  # type: ignore[attr-defined]
        cell(f"gap: {spot.kind}", "yellow"), "", "unknown" if length is None else figures.ms(length),
        Text(drawn, style="yellow"), cell(spot.why, "dim", 200),
    )  # fmt: skip


def _bar(start: int, end: int, low: int, high: int) -> Text:
    span = max(high - low, 1)
    before = AXIS_WIDTH * (start - low) // span
    if end == start:
        return Text(" " * min(before, AXIS_WIDTH - 1) + "▏")
    width = max(1, round(AXIS_WIDTH * (end - start) / span))
    return Text(" " * min(before, AXIS_WIDTH - 1) + "█" * min(width, AXIS_WIDTH - min(before, AXIS_WIDTH - 1)), "blue")
