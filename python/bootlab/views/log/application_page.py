"""What an application did, as a part of the page of an analysis."""

from __future__ import annotations

from typing import Any

from bootlab.advice.application import advise
from bootlab.logs.application import ApplicationProfile
from bootlab.views.log.application_text import headline
from bootlab.views.page_parts import ms, number, show, table


def application(profile: ApplicationProfile) -> tuple[str, list[str], Any, list[dict[str, Any]]]:
    """Make the title, alerts, plot and tables."""

    def maybe(ns: int | None) -> Any:
        return "" if ns is None else ms(ns)

    advice = (
        [maybe(a.cost_ns), number(a.line or 0), show(("background: " if a.background else "") + a.seen), show(a.advice)]
        for a in advise(profile)
    )
    tables = [
        table("What stands out", [">ms", ">line", "seen", "try"], advice),
        table(
            "Processes",
            [">pid", ">calls", ">waits ms", ">calls ms", ">own ms", "ended", "program"],
            (
                [
                    *(number(p.pid), number(p.calls), ms(p.waited_ns), ms(p.in_calls_ns), maybe(p.own_ns)),
                    *(show(p.ended), show(p.program)),
                ]
                for p in profile.processes
            ),
        ),
        table(
            "Longest waits",
            [">ms", ">asked ms", ">at ms", ">pid", ">line", "for", "call", "path"],
            (
                [
                    ms(w.took_ns),
                    maybe(w.asked_ns),
                    maybe(w.at_ns),
                    number(w.pid),
                    number(w.line),
                    w.wait_for + (", timed out" if w.timed_out else ""),
                    show(w.call),
                    show(w.path),
                ]
                for w in profile.waits
            ),
        ),
        table(
            "Files",
            [">ms", ">opens", ">bytes read", ">bytes mapped", ">line", "path"],
            (
                [
                    ms(f.took_ns),
                    number(f.opens),
                    number(f.read_bytes),
                    number(f.mapped_bytes),
                    number(f.first_line),
                    show(f.path),
                ]
                for f in profile.files
            ),
        ),
        table(
            "Searched for and not there",
            [">times", ">libraries", ">ms", ">line", "folder", "such as"],
            (
                [
                    number(m.count),
                    number(m.libraries),
                    ms(m.took_ns),
                    number(m.first_line),
                    show(m.folder),
                    show(m.example),
                ]
                for m in profile.missing
            ),
        ),
        table(
            "System calls",
            [">ms", ">count", ">errors", ">longest ms", "call"],
            ([ms(c.total_ns), number(c.count), number(c.errors), ms(c.max_ns), show(c.call)] for c in profile.calls),
        ),
    ]
    return headline(profile), [], None, tables
