"""What the terminal shows of a boot log's analysis. Text from the log goes through :func:`cell`."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.analysis import Analysis
from bootlab.logs.boot import BlindSpot, Boot, CriticalPath, NotABoot
from bootlab.model import figures
from bootlab.views.listing import views
from bootlab.views.log import boot_tables
from bootlab.views.log.boot_end import END_WORDS, boot_name, bounded, ends_on_axis, sureness
from bootlab.views.log.cost_lines import costs_view
from bootlab.views.log.failure_lines import failure_lines
from bootlab.views.log.headline import headline
from bootlab.views.log.part import part_view
from bootlab.views.text_table import cell, spaced, text_table

AXIS_WIDTH = 20
_MAX_LISTED = 50
_LATE_BLIND = {"early-kernel": "kernel-start"}
_EARLY_BLIND = {"before-log": "power-on", "hand-over": "kernel-start", "decompression": "decompression"}


def analysis_view(analysis: Analysis, *, top: int = 10, boot: int | None = None) -> RenderableType:
    """Everything the terminal shows of one input; of one boot only, when `boot` names it."""
    document = analysis.document
    head = f"{analysis.name}: {document.detected}, {figures.counted(document.lines, 'line')}" if document.lines else (
        f"{analysis.name}: {document.detected}, {figures.size(document.input.read_bytes)}"
    )  # fmt: skip
    if document.input.packing:
        head += f", unpacked from {document.input.packing}"
    parts: list[RenderableType] = [cell(head, "bold", 400)]
    parts += [cell(f"problem: {text}", "bold red", 400) for text in document.input.problems]
    if boot is not None:
        parts.append(boot_view(analysis.boot(boot), top))
    else:
        count = len(analysis.boots)
        if count > 1:
            parts.append(cell(f"{count} boots, each apart (`--boot N` shows one)", "bold"))
        for number, part in enumerate(document.parts):
            if number >= _MAX_LISTED:
                parts.append(cell(f"{len(document.parts) - number} more parts are in the JSON", "yellow"))
                break
            if isinstance(part, Boot):
                parts.append(boot_view(part, top))
            elif isinstance(part, NotABoot):
                where = f"lines {part.from_line} to {part.to_line}"
                parts.append(cell(f"no boot ({where}): {part.what}: {part.why}", "yellow", 400))
            else:
                parts.append(part_view(part, top))
        if not document.parts:
            parts.append(cell("nothing of a boot was found in it", "bold yellow"))
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


def boot_view(boot: Boot, top: int) -> RenderableType:
    """One boot: axis, initcalls, deferred probes, critical path, costs, failures."""
    kernel = boot.kernel
    release = kernel.banner.release if kernel.banner else "no kernel banner"
    name = " ".join(x for x in (release, kernel.machine or "") if x)
    ended = {"user-space": "reached user space", "panic": "the kernel panicked"}.get(
        boot.outcome, boot.outcome.replace("-", " ")
    )
    if boot.outcome == "not-shown":
        ended = "a piece from the middle"
    style = "bold" if boot.outcome in {"user-space", "not-shown"} else "bold red"
    parts: list[RenderableType] = [
        cell(f"{boot_name(boot)} (lines {boot.from_line} to {boot.to_line}): {name}; {ended}", style, 300),
        Group(*(cell(sentence, "bold", 600) for sentence in headline(boot))),
    ]
    if boot.costs:
        parts.append(costs_view(boot.costs, top))
    parts.append(stages_table(boot))
    parts += [cell(text, "bold red", 400) for text in failure_lines(boot.failures)[:_MAX_LISTED]]
    if kernel.initcalls:
        parts += [boot_tables.initcalls(boot).view(top), *initcall_notes(boot)]
    if boot.deferred.devices:
        parts.append(deferred_view(boot, top))
    if boot.critical_path and len(boot.critical_path.segments) > 1:
        parts.append(path_view(boot.critical_path, top))
    parts += views([boot_tables.services(boot), boot_tables.silences(boot)], top)
    parts += [boot_tables.time_table(table).view() for table in boot.firmware.tables]
    return Group(*spaced(parts))


def stages_table(boot: Boot) -> RenderableType:
    """Stages on one axis: what no clock saw is drawn as a gap, never as nought."""
    end = boot.end
    drawn = end if ends_on_axis(boot) else None
    known = [stage.ns for stage in boot.stages if stage.ns is not None]
    if drawn and drawn.ns is not None:
        known.append(drawn.ns)
    low, high = (min(known), max(known)) if known else (0, 0)
    title, drawn_as = "Stages, without times: no line carries a stamp", ""
    if known:
        title = f"Stages on one axis ({boot.axis.clock} clock; 0 is {boot.axis.origin})"
        drawn_as = f"axis ({figures.ms(high - low)} ms)"
    table = text_table(title, "event", ">at, ms", ">length, ms", drawn_as, "~evidence")
    blind = list(boot.blind_spots)
    for index, stage in enumerate(boot.stages):
        for spot in [s for s in blind if _EARLY_BLIND.get(s.kind) == stage.event]:
            _blind_row(table, spot, low, high)
        next_stage = next((s for s in boot.stages[index + 1 :] if s.ns is not None), None)
        later = next_stage.ns if next_stage else None
        if later is None and drawn and drawn.ns is not None and stage.ns is not None and drawn.ns > stage.ns:
            later = drawn.ns
        if stage.ns is None:
            seen = stage.line is not None
            table.add_row(
                cell(stage.event, "" if seen else "dim"), "seen" if seen else figures.ABSENT, "", "",
                cell(stage.basis, "dim", 200),
            )  # fmt: skip
        else:
            # Events of one log may come in another order than the classic one: a prompt before the first script.
            length = later - stage.ns if later is not None and later >= stage.ns else None
            sure = sureness(stage, next_stage, broke_off=next_stage is None and drawn is not None and drawn.at_least)
            sign = {"exact": "", "least": "≥ ", "most": "≤ "}.get(sure)
            at = bounded(figures.ms(stage.ns), at_least=stage.at_least, at_most=stage.at_most)
            table.add_row(
                cell(stage.event), at, "" if length is None or sign is None else sign + figures.ms(length),
                _bar(stage.ns, stage.ns + (length or 0), low, high), cell(stage.basis, "", 200),
            )  # fmt: skip
        for spot in [s for s in blind if _LATE_BLIND.get(s.kind) == stage.event]:
            _blind_row(table, spot, low, high)
    for spot in [s for s in blind if s.kind not in {**_LATE_BLIND, **_EARLY_BLIND}]:
        _blind_row(table, spot, low, high)
    if end:
        at = figures.ABSENT
        if end.ns is not None:
            at = bounded(figures.ms(end.ns), at_least=end.at_least, at_most=end.at_most)
        style = "bold red" if end.what == "panic" else ""
        bar = "" if drawn is None or end.ns is None else _bar(end.ns, end.ns, low, high)
        table.add_row(cell(END_WORDS[end.what], style), at, "", bar, cell(end.text, style or "dim", 200))
    notes = [cell(text, "dim", 300) for text in axis_notes(boot)]
    return Group(table, *notes) if notes else table


def axis_notes(boot: Boot) -> list[str]:
    """Say how sure the places of clocks on the axis are, where they are not the axis itself."""
    notes = []
    for alignment in boot.axis.alignments:
        if alignment.fit == "drifts":
            notes.append(f"the {alignment.clock} clock is not drawn: {alignment.how}")
        elif alignment.lateness_ns:
            late = figures.ms(alignment.lateness_ns)
            notes.append(
                f"95 of 100 lines reached the {boot.axis.clock} within {late} ms of their {alignment.clock} stamp: "
                f"events that only the {boot.axis.clock} stamped may be that much earlier"
            )
    return notes


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


def initcall_notes(boot: Boot) -> list[RenderableType]:
    """How many printed durations are wrong, and why."""
    calls = boot.kernel.initcalls
    switch = boot.kernel.clocksource_switch_line
    late = [c for c in calls if switch is not None and (c.start_line or 0) > switch]
    wrong = [c for c in late if "disagrees" in c.flags]
    out: list[RenderableType] = []
    if late:
        shared = sum("shared-start" in c.flags for c in wrong)
        out.append(
            cell(
                f"{len(wrong)} of the {len(late)} initcalls after the clocksource switch print a duration that their "
                f"stamps contradict; {shared} of them print the time since another initcall's start",
                "dim", 300,
            )
        )  # fmt: skip
    early = sum("jiffies-clock" in c.flags for c in calls)
    if early:
        out.append(cell(f"{early} ran before the switch: what they print has the timer tick's resolution", "dim", 300))
    if boot.kernel.backward_stamps:
        out.append(cell(f"stamps went back {boot.kernel.backward_stamps} times", "dim"))
    return out


def deferred_view(boot: Boot, top: int) -> RenderableType:
    """Deferred probes by device, and the order in which none would be deferred."""
    table = boot_tables.deferred(boot).view(top)
    order = boot.deferred.suggested_order
    if not order:
        return table
    said = f"binds at the first try in this order: {', '.join(order[:12])}"
    more = f" and {len(order) - 12} more" if len(order) > 12 else ""
    return Group(table, cell(said + more, "dim", 600))


def path_view(path: CriticalPath, top: int) -> RenderableType:
    """Show what delayed init, and what only ran beside it."""
    total = path.to_ns - path.from_ns
    title = f"Way to init: {figures.ms(total)} ms ({path.clock}), longest stretches"
    longest = sorted(path.segments, key=lambda s: -s.duration_ns)
    parts = [boot_tables.way_to_init(longest, total, title).view(top)]
    if path.beside_count:
        names = ", ".join(f"{b.label} {figures.ms(b.duration_ns)} ms" for b in path.beside[:4])
        said = f"{path.beside_count} initcalls ran beside or after it ({figures.ms(path.beside_ns)} ms): {names}"
        parts.append(cell(said, "dim", 400))
    return Group(*parts)
