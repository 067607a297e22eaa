"""What the page of an analysis is given: plots and tables as plain data, every text made visible, every list cut.

A table is `{caption, columns: [[name, right]], rows: [[cell]], left}`; a cell is a text, or `[text, sort key]`. The
page's script reads these names; change both together.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from bootlab.analysis.call_forest import of_columns
from bootlab.errors import UserError
from bootlab.logs.analysis import Analysis, CallColumns
from bootlab.logs.boot import Boot, NotABoot
from bootlab.logs.techniques import way
from bootlab.logs.trace import CallTrace
from bootlab.model import figures
from bootlab.views.functions.calls_data import calls_data
from bootlab.views.log.page_headline import STAGE_OF, boot_bars, boot_figures
from bootlab.views.log.text import END_WORDS, axis_notes, ends_on_axis, flag_words
from bootlab.views.log.trace_page import part_page
from bootlab.views.shown_text import visible

PARTS_LIMIT = 30
ROWS_LIMIT = 1000
SPANS_LIMIT = 4000


def show(text: str) -> str:
    """Make text of a log safe to show, at most as long as a person reads."""
    return visible(text, 400)


def page_data(analysis: Analysis, *, boot: int | None = None) -> dict[str, Any]:
    """Collect everything the page shows."""
    document = analysis.document
    wanted = [analysis.boot(boot)] if boot is not None else document.parts
    notes = (
        [f"boot loop: {document.boot_loop.boots} boots end with `{document.boot_loop.ends_with}`"]
        if (document.boot_loop)
        else []
    )
    return {
        "name": show(document.name),
        "detected": document.detected,
        "lines": document.lines,
        "bytes": document.input.read_bytes,
        "packing": document.input.packing or "",
        "problems": [show(text) for text in (*document.input.problems, *notes)],
        "parts": _parts(analysis, wanted[:PARTS_LIMIT], analysis.call_trees() if boot is None else []),
        "partsLeft": max(0, len(wanted) - PARTS_LIMIT),
        "headline": next((boot_figures(part) for part in wanted if isinstance(part, Boot)), []),
        "account": [
            table(
                "Taken for", ["lines", "format"], ([f"{t.from_line} to {t.to_line}", t.format] for t in document.took)
            ),
            table(
                "Skipped",
                [">count", "reason", ">first line"],
                ([number(s.count), show(s.reason), number(s.first_line)] for s in document.skipped),
            ),
        ],
    }


def table(caption: str, columns: Sequence[str], rows: Iterable[list[Any]], lead: str = "") -> dict[str, Any]:
    """Make a table; what goes beyond the limit of rows is counted in `left`."""
    everything = list(rows)
    return {
        "caption": caption,
        "lead": lead,
        "columns": [[name.removeprefix(">"), name.startswith(">")] for name in columns],
        "rows": everything[:ROWS_LIMIT],
        "left": max(0, len(everything) - ROWS_LIMIT),
    }


def part(
    title: str,
    subtitle: str,
    *tables: dict[str, Any],
    alerts: Sequence[str] = (),
    calls: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Make a part of a page out of tables and a call tree, both of which may be absent."""
    return {
        "title": title,
        "subtitle": subtitle,
        "alerts": list(alerts),
        "plot": None,
        "costs": [],
        "tables": list(tables),
        "calls": calls,
    }


def ms(ns: int | None) -> list[Any]:
    """Make a cell of milliseconds that sorts by its value."""
    return [figures.grouped_ms(ns), ns]


def number(value: int | None) -> list[Any]:
    """Make a cell of a number that sorts by its value."""
    return [figures.count(value), value]


def lane(name: str, spans: Iterable[tuple[str, int, int, str]]) -> dict[str, Any]:
    """Make a lane of a plot: name, start, length and detail of each span; the longest ones when there are too many."""
    everything = sorted(spans, key=lambda span: -span[2])
    kept = everything[:SPANS_LIMIT]
    return {
        "name": show(name),
        "cut": len(everything) - len(kept),
        "spans": [[show(what), start, max(length, 0), show(detail)] for what, start, length, detail in kept],
    }


def plot(label: str, lanes: Sequence[dict[str, Any]], marks: Sequence[tuple[str, int]] = ()) -> dict[str, Any] | None:
    """Make a plot of one clock, if there is anything to draw."""
    filled = [one for one in lanes if one["spans"]]
    times = [t for one in filled for _n, start, length, _d in one["spans"] for t in (start, start + length)]
    times += [at for _name, at in marks]
    if not times or not filled:
        return None
    return {
        "label": show(label),
        "lanes": filled,
        "marks": [{"name": show(name), "at": at} for name, at in marks],
        "start": min(times),
        "end": max(times),
    }


def _parts(analysis: Analysis, parts: Sequence[Any], trees: Sequence[CallColumns]) -> list[dict[str, Any]]:
    """Collect the parts; the call trees are those of the traces among them, in their order."""
    made = []
    left = list(trees)
    for part in parts:
        page = _part(part, _lanes(analysis, part))
        if isinstance(part, CallTrace) and left:
            forest = of_columns(*left.pop(0), clock=part.clock, unit=part.weight)
            if len(forest) > 2:
                page["calls"] = calls_data(forest)
        made.append(page)
    return made


def _lanes(analysis: Analysis, part: Any) -> list[dict[str, Any]]:
    """Return the spans of a trace, which the document itself does not hold: the longest of each task."""
    if not isinstance(part, CallTrace) or part.initcalls or len(analysis.document.parts) != 1:
        return []
    try:
        made = msgspec.json.decode(analysis.export("plot"))
    except UserError:
        return []
    for one in made:
        one["name"] = show(one["name"])
        one["spans"] = [[show(name), start, length, show(kind)] for name, start, length, kind in one["spans"]]
    return list(made)


def _part(part: Any, lanes: list[dict[str, Any]]) -> dict[str, Any]:
    if isinstance(part, Boot):
        return boot_page(part)
    if isinstance(part, NotABoot):
        text = f"lines {part.from_line} to {part.to_line}: {part.what}: {part.why}"
        return {"title": "No boot", "alerts": [show(text)], "plot": None, "tables": [], "costs": []}
    made = part_page(part)
    if lanes:
        made["plot"] = plot("Functions of each task, the longest calls", lanes)
    return made


def boot_page(boot: Boot) -> dict[str, Any]:
    """Collect one boot."""
    kernel = boot.kernel
    release = kernel.banner.release if kernel.banner else "no kernel banner"
    return {
        "title": show(f"Boot {boot.number}: {release} {kernel.machine or ''}"),
        "subtitle": f"lines {boot.from_line} to {boot.to_line}, {boot.outcome.replace('-', ' ')}",
        "bars": boot_bars(boot),
        "alerts": [show(f"line {f.line}: {f.kind}: {f.text}: {f.meaning}") for f in boot.failures[:ROWS_LIMIT]],
        "plot": _plot(boot),
        "tables": [t for t in _tables(boot) if t["rows"]],
        "costs": [
            {
                "technique": show(c.technique),
                "title": show(c.title),
                "cost": c.cost_ns,
                "gain": c.gain_ns,
                "atMost": c.at_most,
                "basis": c.basis,
                "evidence": show(c.evidence),
                "advice": show(c.advice),
                "way": "" if c.gain_ns == 0 else way(c.technique),
            }
            for c in boot.costs
        ],
    }


def _plot(boot: Boot) -> dict[str, Any] | None:
    offsets = {a.clock: a.offset_ns for a in boot.axis.alignments if a.fit != "drifts"}
    offset = offsets.get(boot.kernel_clock)
    lanes = []
    marks = [(s.event, s.ns) for s in boot.stages if s.ns is not None] if offset is not None else []
    if marks and ends_on_axis(boot) and boot.end and boot.end.ns is not None and boot.end.ns >= marks[-1][1]:
        marks.append((END_WORDS[boot.end.what], boot.end.ns))
    shift = offset or 0
    if len(marks) > 1:
        pairs = itertools.pairwise(marks)
        spans = [(f"{a} to {b}", at, to - at, STAGE_OF.get(a, "")) for (a, at), (b, to) in pairs if to >= at]
        lanes.append(lane("stages", spans))
    if boot.critical_path:
        segments = boot.critical_path.segments
        lanes.append(lane("way to init", ((s.label, s.start_ns + shift, s.duration_ns, s.kind) for s in segments)))
    tasks: dict[int, list[tuple[str, int, int, str]]] = {}
    for call in boot.kernel.initcalls:
        start = call.start_ns if call.start_ns is not None else call.end_ns
        if start is None:
            continue
        detail = "" if call.printed_us is None else f"printed {call.printed_us} us"
        flags = flag_words(call)
        length = (call.end_ns if call.end_ns is not None else start) - start
        # One lane for the first task, one for all others: modules are loaded by hundreds of tasks.
        key = 1 if call.pid in {None, 0, 1} else 2
        tasks.setdefault(key, []).append(
            (call.label, start + shift, length, "; ".join(x for x in (detail, flags) if x))
        )
    names = {1: "initcalls, pid 1", 2: "initcalls, other"}
    lanes += [lane(names[key], spans) for key, spans in sorted(tasks.items())]
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
            )
        )
    clock = boot.axis.clock if offset is not None else boot.kernel_clock
    return plot(f"Timeline of boot {boot.number}, {clock} clock", lanes, marks)


def _event(name: str, ns: int | None, text: str, *, at_least: bool, seen: bool) -> list[Any]:
    at = "seen" if ns is None and seen else figures.grouped_ms(ns)
    return [name, [("≥ " if at_least else "") + at, ns], show(text)]


def _tables(boot: Boot) -> list[dict[str, Any]]:
    rows = [_event(s.event, s.ns, s.basis, at_least=s.at_least, seen=s.line is not None) for s in boot.stages]
    if boot.end:
        end = boot.end
        rows.append(_event(END_WORDS[end.what], end.ns, end.text, at_least=end.at_least, seen=True))
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
    calls = table(
        "Initcalls by their stamps",
        ["initcall", ">true, ms", ">printed, ms", ">start, ms", ">pid", ">line", "flags"],
        (
            [
                show(c.label),
                ms(c.duration_ns),
                ms(None if c.printed_us is None else c.printed_us * 1000),
                ms(c.start_ns),
                number(c.pid),
                number(c.start_line or c.end_line),
                show(flag_words(c)),
            ]
            for c in boot.kernel.slowest_initcalls()
        ),
    )
    deferred = table(
        "Deferred probes",
        ["device", ">tries", ">in attempts, ms", ">first try, ms", ">bound, ms", ">added, ms", "waited for"],
        (
            [
                show(d.device),
                number(d.tries),
                ms(d.attempts_us * 1000),
                ms(d.first_try_ns),
                ms(d.success_ns),
                ms(d.latency_ns),
                show(", ".join(d.suppliers)),
            ]
            for d in boot.deferred.devices
        ),
        "Best order: " + show(", ".join(boot.deferred.suggested_order[:50])) if boot.deferred.suggested_order else "",
    )
    path = boot.critical_path
    way_to_init = table(
        "Way to init",
        ["stretch", ">ms", ">start, ms", "inside"],
        (
            [
                show(s.label),
                ms(s.duration_ns),
                ms(s.start_ns),
                show(", ".join(f"{n} {figures.ms(us * 1000)} ms" for n, us in s.inside)),
            ]
            for s in (path.segments if path else [])
        ),
    )
    gaps = table(
        "Longest silences of the kernel",
        [">ms", ">start, ms", ">line", "after", "before"],
        ([ms(g.duration_ns), ms(g.start_ns), number(g.after_line), show(g.after), show(g.before)] for g in boot.gaps),
    )
    return [stages, blind, calls, deferred, way_to_init, gaps]
