"""The tables of one boot that the terminal and a page both show."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.logs.boot import Boot, PathSegment, TimeTable
from bootlab.logs.kernel import Initcall
from bootlab.model import figures
from bootlab.views.listing import Cell, Listing, label, ms, words

PART_WORDS = {"firmware": "firmware", "kernel": "kernel", "user-space": "user space"}
"""How the parts of a boot are called."""


_FLAG_WORDS = {
    "disagrees": "printed and true differ",
    "shared-start": "printed runs from another initcall's start",
    "jiffies-clock": "printed in timer ticks",
    "never-returned": "never returned",
    "no-start": "no start line",
    "stamps-go-back": "stamps go back",
    "rejoined": "line was broken",
    "console-time": "without the time in which the console sent its line",
}


def flag_words(call: Initcall) -> str:
    """Say what is to be known about an initcall's numbers."""
    words = [_FLAG_WORDS.get(flag, flag) for flag in call.flags]
    if call.returned not in {None, 0}:
        words.append(f"returned {call.returned}")
    return "; ".join(words)


def initcalls(boot: Boot) -> Listing:
    """Return initcalls by true duration, beside what the kernel printed."""
    rows = [
        [
            words(call.label),
            ms(call.duration_ns),
            ms(None if call.printed_us is None else call.printed_us * 1000),
            ms(call.start_ns),
            label(call.pid),
            label(call.start_line or call.end_line),
            words(flag_words(call), "yellow", 200),
        ]
        for call in boot.kernel.slowest_initcalls()
    ]
    return Listing(
        "Initcalls by their stamps",
        ["initcall", ">true, ms", ">printed, ms", ">start, ms", ">pid", ">line", "~flags"],
        rows,
        terminal=f"Longest initcalls of {figures.count(len(boot.kernel.initcalls))}, by their stamps",
    )


def deferred(boot: Boot) -> Listing:
    """Return deferred probes by device."""
    found = boot.deferred
    rows = [
        [
            words(device.device),
            label(device.tries),
            ms(device.attempts_us * 1000),
            ms(device.first_try_ns),
            ms(device.success_ns),
            ms(device.latency_ns),
            words(", ".join(device.suppliers) or "the log does not say", "" if device.suppliers else "dim", 200),
        ]
        for device in found.devices
    ]
    order = ", ".join(found.suggested_order[:50])
    return Listing(
        "Deferred probes",
        ["device", ">tries", ">in attempts, ms", ">first try, ms", ">bound, ms", ">added, ms", "~waited for"],
        rows,
        f"Best order: {order}" if order else "",
        terminal=f"Deferred probes: {found.deferrals} attempts of {len(found.devices)} devices, "
        f"{figures.ms(found.attempts_us * 1000)} ms in them",
    )


def way_to_init(segments: Sequence[PathSegment], total_ns: int, terminal: str = "") -> Listing:
    """Return stretches of the way to init, with what ran inside of each."""
    rows = [
        [
            words(segment.label),
            ms(segment.duration_ns),
            _share(segment.duration_ns, total_ns),
            ms(segment.start_ns),
            words(", ".join(f"{name} {figures.ms(us * 1000)}" for name, us in segment.inside), "dim", 200),
        ]
        for segment in segments
    ]
    return Listing("Way to init", ["stretch", ">ms", ">share", ">start, ms", "~inside"], rows, terminal=terminal)


def _share(part_ns: int, whole_ns: int) -> Cell:
    shown = figures.percent(part_ns, whole_ns)
    return Cell(shown, shown, value=part_ns)


def silences(boot: Boot) -> Listing:
    """Return the longest silences with their neighbours."""
    rows = [
        [
            ms(gap.duration_ns),
            words(PART_WORDS.get(gap.part, gap.part)),
            ms(gap.start_ns),
            label(gap.after_line),
            words(gap.after, limit=200),
            words(gap.before, limit=200),
        ]
        for gap in boot.gaps
    ]
    use = boot.stage("first-use")
    shown = use is not None and (use.ns is not None or use.line is not None)
    title = "Longest silences up to first use" if shown else "Longest silences (the log does not show first use)"
    return Listing(title, [">ms", "of", ">start, ms", ">line", "~after", "~before"], rows)


def services(boot: Boot) -> Listing:
    """Return what an init other than systemd started, the longest first."""
    found = sorted(boot.services, key=lambda one: -(one.duration_ns or 0))
    rows = [
        [words(one.name), ms(one.duration_ns), ms(one.start_ns), label(one.lines[0]), words(one.remark, "dim", 200)]
        for one in found
    ]
    return Listing(
        "Services",
        ["service", ">ms", ">start, ms", ">line", "~started by"],
        rows,
        terminal=f"Longest starts of {figures.counted(len(rows), 'service')}",
    )


def time_table(times: TimeTable) -> Listing:
    """Return the marks of a firmware's time table: what firmware tells about itself."""
    before = [None, *(mark.ns for mark in times.marks)]
    rows = [
        [
            ms(mark.ns),
            ms(None if last is None else mark.ns - last, ""),
            label(mark.line),
            words(mark.name.strip() or "(no name)", limit=200),
        ]
        for mark, last in zip(times.marks, before, strict=False)
    ]
    rows += [
        [words(""), ms(row.total_ns), label(row.line), words(f"{row.name}, accumulated", limit=200)]
        for row in times.accumulated
    ]
    total = max((mark.ns for mark in times.marks), default=0)
    return Listing(
        f"Time table of {times.source}",
        [">at, ms", ">since the mark before, ms", ">line", "~mark"],
        rows,
        terminal=f"Time table of {times.source}: {len(times.marks)} marks, {figures.ms(total)} ms",
    )
