# SPDX-License-Identifier: MIT
"""What an application did: advice first, then the tables it comes from, on the terminal and on a page."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from bootlab.advice.application import Advice, advise
from bootlab.logs.application import ApplicationProfile, Noted
from bootlab.model import figures
from bootlab.model.figures import count
from bootlab.views.page_model import PartData
from bootlab.views.page_parts import show
from bootlab.views.table.listing import Listing, label, ms, number, on_page, size, views, words
from bootlab.views.text_table import cell, spaced


def profile_view(profile: ApplicationProfile, top: int) -> RenderableType:
    """Show everything that was found; `top` rows of each table."""
    parts: list[RenderableType] = [cell(headline(profile), "bold", 300)]
    if not profile.timed:
        parts.append(cell("the log has no durations (strace -T): waits end at the process's next line", "yellow"))
    parts.append(_advice(advise(profile)))
    parts += views(_listings(profile), top)
    if profile.left_out:
        parts.append(cell(f"{count(profile.left_out)} rows found no room in the tables", "dim"))
    return Group(*spaced(parts))


def application_page(profile: ApplicationProfile) -> PartData:
    """Collect it for a page."""
    advice = [
        [
            ms(one.cost_ns, ""),
            number(one.line or 0),
            words(f"background: {one.seen}" if one.background else one.seen),
            words(one.advice),
        ]
        for one in advise(profile)
    ]
    tables = [Listing("What stands out", [">ms", ">line", "seen", "try"], advice), *_listings(profile)]
    return {"title": show(headline(profile)), "alerts": [], "plot": None, "tables": on_page(tables), "costs": []}


def headline(profile: ApplicationProfile) -> str:
    """Say in one line what was read."""
    length = "" if profile.length_ns is None else f" in {figures.ms(profile.length_ns)} ms"
    goal = f", up to the goal in line {profile.goal.line}" if profile.goal is not None else ""
    return (
        f"{profile.source}: {count(profile.calls_total)} system calls of "
        f"{len(profile.processes)} processes{length}{goal}"
    )


def _advice(found: tuple[Advice, ...]) -> RenderableType:
    if not found:
        return cell("nothing noticeable: no sleep, no poll for a file, no timeout, no long search", "green")
    lines: list[RenderableType] = [Text("What stands out", style="bold")]
    for one in found:
        cost = f"{figures.ms(one.cost_ns):>12} ms  " if one.cost_ns is not None else " " * 17
        where = f" (line {one.line})" if one.line is not None else ""
        seen = f"in the background: {one.seen}" if one.background else one.seen
        techniques = f"; techniques: {', '.join(one.techniques)}" if one.techniques else ""
        lines.append(cell(f"{cost}{seen}{where}", "dim" if one.background else "", 500))
        lines.append(Padding(cell(f"{one.advice}{techniques}", "dim", 500), (0, 0, 0, 17)))
    return Group(*lines)


def _listings(profile: ApplicationProfile) -> list[Listing]:
    return [
        _processes(profile),
        _waits(profile),
        _files(profile),
        _missing(profile),
        Listing(
            "System calls",
            [">ms", ">count", ">errors", ">longest ms", "~call"],
            [
                [ms(one.total_ns), number(one.count), number(one.errors), ms(one.max_ns), words(one.call)]
                for one in profile.calls
            ],
        ),
        Listing(
            "Page faults",
            [">pid", ">count", ">ms"],
            [[label(one.pid), number(one.count), ms(one.total_ns)] for one in profile.faults],
        ),
        _loading(profile),
        Listing(
            f"Files read up to the goal ({count(len(profile.read))})",
            [">size", "~path"],
            [[size(one.size_bytes), words(one.path)] for one in sorted(profile.read, key=lambda one: -one.size_bytes)],
        ),
        _noted("Programs started", profile.execs),
        _noted("Mounts", profile.mounts),
        _noted("Addresses", profile.sockets),
    ]


def _processes(profile: ApplicationProfile) -> Listing:
    rows = [
        [
            label(one.pid),
            number(one.calls),
            ms(one.start_ns),
            ms(one.waited_ns),
            ms(one.in_calls_ns),
            ms(one.own_ns),
            words(one.ended),
            words(one.program),
        ]
        for one in profile.processes
    ]
    columns = [">pid", ">calls", ">start ms", ">waits ms", ">calls ms", ">own ms", "ended", "~program"]
    return Listing("Processes", columns, rows)


def _waits(profile: ApplicationProfile) -> Listing:
    rows = [
        [
            ms(one.took_ns)._replace(text=f"{figures.ms(one.took_ns)}{'~' if one.estimated else ''}"),
            ms(one.asked_ns),
            ms(one.at_ns),
            label(one.pid),
            label(one.line),
            words(f"{one.wait_for}, timed out" if one.timed_out else one.wait_for),
            words(one.call),
            words(one.path),
        ]
        for one in profile.waits
    ]
    return Listing("Longest waits", [">ms", ">asked ms", ">at ms", ">pid", ">line", "for", "call", "~path"], rows)


def _files(profile: ApplicationProfile) -> Listing:
    rows = [
        [
            ms(one.took_ns),
            label(one.opens),
            *(size(n) for n in (one.read_bytes, one.written_bytes, one.mapped_bytes)),
            label(one.first_line),
            words(one.path),
        ]
        for one in profile.files
    ]
    columns = [">ms", ">opens", ">read", ">written", ">mapped", ">line", "~path"]
    return Listing("Files", columns, rows, "Sizes in bytes.", terminal=f"Files ({count(profile.files_total)})")


def _missing(profile: ApplicationProfile) -> Listing:
    title = "Searched for, but not found"
    rows = [
        [
            label(one.count),
            label(one.libraries),
            ms(one.took_ns),
            label(one.first_line),
            words(one.folder),
            words(one.example),
        ]
        for one in profile.missing
    ]
    return Listing(
        title,
        [">times", ">libraries", ">ms", ">line", "folder", "~such as"],
        rows if any(one.folder for one in profile.missing) else [],
        terminal=f"{title} ({count(profile.missing_total)})",
    )


def _noted(title: str, rows: list[Noted]) -> Listing:
    cells = [
        [ms(one.at_ns), ms(one.took_ns), label(one.pid), label(one.line), words(one.error), words(one.what, limit=200)]
        for one in rows
    ]
    return Listing(title, [">at ms", ">ms", ">pid", ">line", "error", "~what"], cells)


def _loading(profile: ApplicationProfile) -> Listing:
    rows = [
        [
            label(one.pid),
            number(one.relocations),
            number(one.from_cache),
            number(one.relative),
            number(one.total_cycles),
            number(one.relocation_cycles),
            number(one.load_cycles),
        ]
        for one in profile.loading
    ]
    return Listing(
        "Dynamic loader (glibc's own count, of a diagnostic boot)",
        [">pid", ">looked up", ">again", ">relative", ">cycles", ">of them relocating", ">loading"],
        rows,
    )
