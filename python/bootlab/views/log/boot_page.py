"""One boot of a log, as a part of the page of an analysis."""

from __future__ import annotations

import itertools

from bootlab.logs.boot import Boot
from bootlab.model import figures
from bootlab.views.listing import on_page
from bootlab.views.log import boot_tables
from bootlab.views.log.boot_end import END_WORDS, boot_name, bounded, timed_marks
from bootlab.views.log.failure_lines import failure_lines
from bootlab.views.log.headline import headline
from bootlab.views.log.page_costs import costs_page
from bootlab.views.log.page_headline import STAGE_OF, boot_bars
from bootlab.views.log.text import axis_notes
from bootlab.views.page_model import Cell, PartData, PlotData, TableData
from bootlab.views.page_parts import ROWS_LIMIT, lane, plot, show, table

HEADLINE_LIMIT = 1200
"""Characters of the sentences that a page says first."""


def boot_page(boot: Boot) -> PartData:
    """Collect one boot."""
    kernel = boot.kernel
    release = kernel.banner.release if kernel.banner else "no kernel banner"
    return {
        "title": show(f"{boot_name(boot)}: {release} {kernel.machine or ''}"),
        "subtitle": show(
            f"lines {boot.from_line} to {boot.to_line}, {boot.outcome.replace('-', ' ')}. {' '.join(headline(boot))}",
            HEADLINE_LIMIT,
        ),
        "bars": boot_bars(boot),
        "alerts": [show(text) for text in failure_lines(boot.failures[:ROWS_LIMIT])],
        "plot": _plot(boot),
        "tables": [t for t in _tables(boot) if t["rows"]],
        "costs": costs_page(boot.costs),
    }


def _plot(boot: Boot) -> PlotData | None:
    offsets = {a.clock: a.offset_ns for a in boot.axis.alignments if a.fit != "drifts"}
    offset = offsets.get(boot.kernel_clock)
    lanes = []
    marks = timed_marks(boot) if offset is not None else []
    shift = offset or 0
    if len(marks) > 1:
        pairs = itertools.pairwise(marks)
        spans = [(STAGE_OF.get(a, a), at, to - at, f"{a} to {b}") for (a, at), (b, to) in pairs if to >= at]
        lanes.append(lane("stages", spans))
    if boot.critical_path:
        segments = boot.critical_path.segments
        stretches = ((s.label, s.start_ns + shift, s.duration_ns, s.kind) for s in segments)
        lanes.append(lane("way to init", stretches, stage="kernel"))
    tasks: dict[int, list[tuple[str, int, int, str]]] = {}
    for call in boot.kernel.initcalls:
        start = call.start_ns if call.start_ns is not None else call.end_ns
        if start is None:
            continue
        detail = "" if call.printed_us is None else f"printed {call.printed_us} us"
        flags = boot_tables.flag_words(call)
        length = (call.end_ns if call.end_ns is not None else start) - start
        # One lane for the first task, one for all others: modules are loaded by hundreds of tasks.
        key = 1 if call.pid in {None, 0, 1} else 2
        tasks.setdefault(key, []).append(
            (call.label, start + shift, length, "; ".join(x for x in (detail, flags) if x))
        )
    names = {1: "initcalls, pid 1", 2: "initcalls, other"}
    lanes += [lane(names[key], spans, stage="kernel") for key, spans in sorted(tasks.items())]
    probes = [p for p in boot.kernel.probes if p.start_ns is not None and p.end_ns is not None]
    for name, chosen in (
        ("probes", [p for p in probes if p.result != "deferred"]),
        ("deferred probes", [p for p in probes if p.result == "deferred"]),
    ):
        lanes.append(
            lane(
                name,
                (
                    (p.device, (p.start_ns or 0) + shift, (p.end_ns or 0) - (p.start_ns or 0), f"returned {p.returned}")
                    for p in chosen
                ),
                stage="kernel",
            )
        )
    clock = boot.axis.clock if offset is not None else boot.kernel_clock
    return plot(f"Timeline of boot {boot.number}, {clock} clock", lanes, marks)


def _event(name: str, ns: int | None, text: str, *, at_least: bool, seen: bool, at_most: bool = False) -> list[Cell]:
    at = "seen" if ns is None and seen else figures.grouped_ms(ns)
    return [name, [bounded(at, at_least=at_least, at_most=at_most), ns], show(text)]


def _tables(boot: Boot) -> list[TableData]:
    rows = [
        _event(s.event, s.ns, s.basis, at_least=s.at_least, at_most=s.at_most, seen=s.line is not None)
        for s in boot.stages
    ]
    if boot.end:
        end = boot.end
        rows.append(
            _event(END_WORDS[end.what], end.ns, end.text, at_least=end.at_least, at_most=end.at_most, seen=True)
        )
    stages = table(
        "Stages",
        ["event", ">at, ms", "evidence"],
        rows,
        " ".join([f"On the {boot.axis.clock} clock; 0 is {show(boot.axis.origin)}.", *map(show, axis_notes(boot))]),
    )
    blind = table(
        "Gaps that no clock saw",
        ["gap", ">length, ms", "why"],
        (
            [
                s.kind,
                ["unknown" if s.duration_ns is None else figures.grouped_ms(s.duration_ns), s.duration_ns],
                show(s.why),
            ]
            for s in boot.blind_spots
        ),
    )
    path = boot.critical_path
    shared = [
        boot_tables.initcalls(boot),
        boot_tables.deferred(boot),
        boot_tables.way_to_init(path.segments if path else [], path.to_ns - path.from_ns if path else 0),
        boot_tables.services(boot),
        boot_tables.silences(boot),
        *map(boot_tables.time_table, boot.firmware.tables),
    ]
    return [stages, blind, *on_page(shared)]
