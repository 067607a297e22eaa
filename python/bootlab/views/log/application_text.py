"""What an application did, in the terminal: advice first, then the tables it comes from."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from bootlab.advice.application import Advice, advise
from bootlab.logs.application import ApplicationProfile, Noted
from bootlab.model.figures import count, ms, size
from bootlab.views.text_table import Fitted, cell, spaced, text_table


def profile_view(profile: ApplicationProfile, top: int) -> RenderableType:
    """Show everything that was found; `top` rows of each table."""
    parts: list[RenderableType | None] = [cell(headline(profile), "bold", 300)]
    if not profile.timed:
        parts.append(cell("the log has no durations (strace -T): waits end at the process's next line", "yellow"))
    parts += [_advice(advise(profile)), _processes(profile, top), _waits(profile, top), _files(profile, top)]
    parts += [_missing(profile, top), _calls(profile, top), _faults(profile, top), _loading(profile, top)]
    parts.append(_read(profile, top))
    for title, rows in (
        ("Programs started", profile.execs),
        ("Mounts", profile.mounts),
        ("Addresses", profile.sockets),
    ):
        parts.append(_noted(title, rows, top))
    if profile.left_out:
        parts.append(cell(f"{count(profile.left_out)} rows found no room in the tables", "dim"))
    return Group(*spaced([part for part in parts if part is not None]))


def headline(profile: ApplicationProfile) -> str:
    """Say in one line what was read."""
    length = "" if profile.length_ns is None else f" in {ms(profile.length_ns)} ms"
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
        cost = f"{ms(one.cost_ns):>12} ms  " if one.cost_ns is not None else " " * 17
        where = f" (line {one.line})" if one.line is not None else ""
        seen = f"in the background: {one.seen}" if one.background else one.seen
        techniques = f"; techniques: {', '.join(one.techniques)}" if one.techniques else ""
        lines.append(cell(f"{cost}{seen}{where}", "dim" if one.background else "", 500))
        lines.append(Padding(cell(f"{one.advice}{techniques}", "dim", 500), (0, 0, 0, 17)))
    return Group(*lines)


def _processes(profile: ApplicationProfile, top: int) -> RenderableType:
    made = text_table(
        "Processes", ">pid", ">calls", ">start ms", ">waits ms", ">calls ms", ">own ms", "ended", "~program"
    )
    for one in profile.processes[:top]:
        made.add_row(
            str(one.pid),
            count(one.calls),
            ms(one.start_ns),
            ms(one.waited_ns),
            ms(one.in_calls_ns),
            ms(one.own_ns),
            cell(one.ended),
            cell(one.program),
        )
    return Fitted(made)


def _waits(profile: ApplicationProfile, top: int) -> RenderableType | None:
    if not profile.waits:
        return None
    made = text_table("Longest waits", ">ms", ">asked ms", ">at ms", ">pid", ">line", "for", "call", "~path")
    for one in profile.waits[:top]:
        what = f"{one.wait_for}, timed out" if one.timed_out else one.wait_for
        made.add_row(
            f"{ms(one.took_ns)}{'~' if one.estimated else ''}",
            ms(one.asked_ns),
            ms(one.at_ns),
            str(one.pid),
            str(one.line),
            what,
            cell(one.call),
            cell(one.path),
        )
    return Fitted(made)


def _files(profile: ApplicationProfile, top: int) -> RenderableType | None:
    if not profile.files:
        return None
    made = text_table(
        f"Files ({count(profile.files_total)})", ">ms", ">opens", ">read", ">written", ">mapped", ">line", "~path"
    )
    for one in profile.files[:top]:
        sizes = (size(n) if n else "" for n in (one.read_bytes, one.written_bytes, one.mapped_bytes))
        made.add_row(ms(one.took_ns), str(one.opens), *sizes, str(one.first_line), cell(one.path))
    return Fitted(made)


def _missing(profile: ApplicationProfile, top: int) -> RenderableType | None:
    if not any(row.folder for row in profile.missing):
        return None
    title = f"Searched for and not there ({count(profile.missing_total)})"
    made = text_table(title, ">times", ">libraries", ">ms", ">line", "folder", "~such as")
    for one in profile.missing[:top]:
        numbers = (str(one.count), str(one.libraries), ms(one.took_ns), str(one.first_line))
        made.add_row(*numbers, cell(one.folder), cell(one.example))
    return Fitted(made)


def _calls(profile: ApplicationProfile, top: int) -> RenderableType | None:
    if not profile.calls:
        return None
    made = text_table("System calls", ">ms", ">count", ">errors", ">longest ms", "~call")
    for one in profile.calls[:top]:
        made.add_row(ms(one.total_ns), count(one.count), count(one.errors), ms(one.max_ns), cell(one.call))
    return Fitted(made)


def _noted(title: str, rows: list[Noted], top: int) -> RenderableType | None:
    if not rows:
        return None
    made = text_table(title, ">at ms", ">ms", ">pid", ">line", "error", "~what")
    for one in rows[:top]:
        where = (ms(one.at_ns), ms(one.took_ns), str(one.pid), str(one.line))
        made.add_row(*where, cell(one.error), cell(one.what, limit=200))
    return Fitted(made)


def _faults(profile: ApplicationProfile, top: int) -> RenderableType | None:
    if not profile.faults:
        return None
    made = text_table("Page faults", ">pid", ">count", ">ms")
    for one in profile.faults[:top]:
        made.add_row(str(one.pid), count(one.count), ms(one.total_ns))
    return made


def _loading(profile: ApplicationProfile, top: int) -> RenderableType | None:
    if not profile.loading:
        return None
    title = "Dynamic loader (glibc's own count, of a diagnostic boot)"
    made = text_table(title, ">pid", ">looked up", ">again", ">relative", ">cycles", ">of them relocating", ">loading")
    for one in profile.loading[:top]:
        numbers = (
            one.relocations,
            one.from_cache,
            one.relative,
            one.total_cycles,
            one.relocation_cycles,
            one.load_cycles,
        )
        made.add_row(str(one.pid), *(count(number) for number in numbers))
    return made


def _read(profile: ApplicationProfile, top: int) -> RenderableType | None:
    if not profile.read:
        return None
    made = text_table(f"Files read up to the goal ({count(len(profile.read))})", ">size", "~path")
    for one in sorted(profile.read, key=lambda one: -one.size_bytes)[:top]:
        made.add_row(size(one.size_bytes), cell(one.path))
    return Fitted(made)
