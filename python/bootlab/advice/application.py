# SPDX-License-Identifier: MIT
"""What could be shortened in an application's start, with the line of the log that says so. No boot is made."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bootlab.logs.application import ApplicationProfile, Polled, Sleep

_SLEEP_NS = 10_000_000
_WAIT_NS = 20_000_000
_WORK_NS = 50_000_000
_PROBES = 20
_LIBRARIES = 8
_OWN_SHARE = 0.25
_READ_BYTES = 1 << 20


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to look at: what was seen, what it cost, what to try.

    `line` counts from 1; None where the whole log says it. `cost_ns` is what would be gone at most; None: not known.
    `background`: another process than the one that reached the goal, which need not have waited for it. `techniques`:
    ids of the catalogue that a boot can try.
    """

    id: str
    seen: str
    advice: str
    line: int | None = None
    cost_ns: int | None = None
    background: bool = False
    techniques: tuple[str, ...] = ()


def advise(profile: ApplicationProfile) -> tuple[Advice, ...]:
    """Return what stands out, the most expensive of the application itself first."""
    findings = [*_polled(profile), *_sleeps(profile), *_timeouts(profile), *_children(profile), *_work(profile)]
    findings += [*_libraries(profile), *_missing(profile), *_locale(profile), *_own(profile)]
    findings.sort(key=lambda one: (one.background, -(one.cost_ns or 0), one.line or 0))
    return tuple(findings)


def _ms(ns: int | None) -> str:
    return "for an unknown time" if ns is None else f"{ns / 1e6:.1f} ms"


def _polled(profile: ApplicationProfile) -> Iterator[Advice]:
    for row in profile.polled:
        how = f"{row.tries} failed tries ({row.error})"
        end = "until it was there" if row.came else "and it never appeared"
        device = row.path.startswith(("/dev/", "/sys/"))
        what = (
            "start its driver earlier, or wait for its uevent or by inotify" if device else "wait for it with inotify"
        )
        yield Advice(
            id="polls-for-file",
            seen=f"waits {_ms(row.took_ns)} for {row.path}: {how}, {end}",
            advice=f"{what}: a poll adds up to its interval to the wait",
            line=row.first_line or None,
            cost_ns=row.took_ns,
            background=row.pid != profile.main,
            techniques=("driver-async-probe",) if device else (),
        )


def _sleeps(profile: ApplicationProfile) -> Iterator[Advice]:
    polls = [row for row in profile.polled if row.at_ns is not None and row.took_ns is not None]
    for row in profile.sleeps:
        if row.total_ns < _SLEEP_NS:
            continue
        # The sleeps between two looks for a file are told there.
        if any(p.pid == row.pid and _between(row, p) for p in polls):
            continue
        asked = f"sleep of {_ms(row.asked_ns)}" if row.asked_ns is not None else "sleep"
        seen = f"{asked}, {row.count} times: {_ms(row.total_ns)}" if row.count > 1 else f"{asked}: {_ms(row.total_ns)}"
        yield Advice(
            id="sleeps",
            seen=seen,
            advice="wait for the event itself (poll, a condition, sd_notify) instead of sleeping, or do not sleep",
            line=row.first_line or None,
            cost_ns=row.total_ns,
            background=row.pid != profile.main,
        )


def _between(row: Sleep, polled: Polled) -> bool:
    if row.first_line:
        return polled.first_line < row.first_line <= polled.last_line
    # A trace has no lines: as many sleeps as tries, and no longer than the whole.
    return abs(row.count - polled.tries) <= 1 and row.total_ns <= (polled.took_ns or 0)


def _timeouts(profile: ApplicationProfile) -> Iterator[Advice]:
    for row in profile.waits:
        if row.wait_for != "events" or row.took_ns < _WAIT_NS:
            continue
        # A call that returned something was not out of time, however long it took.
        ran_out = row.timed_out
        if not ran_out and profile.source != "trace":
            continue
        yield Advice(
            id="timeout",
            seen=f"{row.call} waits {_ms(row.took_ns)}"
            + (
                " for something that does not come: its time ran out"
                if ran_out
                else " for an event, or until its time runs out"
            ),
            advice="ask whether anything can come at this point of the start; if so, shorten the time that is waited",
            line=row.line or None,
            cost_ns=row.took_ns,
            background=row.pid != profile.main,
        )


def _children(profile: ApplicationProfile) -> Iterator[Advice]:
    rows = [row for row in profile.waits if row.wait_for == "child" and row.pid == profile.main]
    total = sum(row.took_ns for row in rows)
    if not rows or total < _WAIT_NS:
        return
    programs = [noted.what for noted in profile.execs if noted.pid != profile.main and not noted.error]
    names = f" ({', '.join(programs[:3])})" if programs else ""
    yield Advice(
        id="helpers",
        seen=f"waits {_ms(total)} for {len(rows)} helper processes{names}",
        advice="do what the helper does in the program itself, start it earlier, or do not wait for it",
        line=rows[0].line or None,
        cost_ns=total,
    )


def _work(profile: ApplicationProfile) -> Iterator[Advice]:
    for row in profile.waits:
        if row.wait_for != "work" or row.took_ns < _WORK_NS:
            continue
        flushes = row.call in {"fsync", "fdatasync", "sync", "syncfs", "msync"}
        yield Advice(
            id="slow-call",
            seen=f"{row.call} takes {_ms(row.took_ns)}{f' on {row.path}' if row.path else ''}",
            advice="write it back after the goal" if flushes else "do it after the goal, or in a separate thread",
            line=row.line or None,
            cost_ns=row.took_ns,
            background=row.pid != profile.main,
        )


def _libraries(profile: ApplicationProfile) -> Iterator[Advice]:
    libraries = profile.libraries
    line = next((row.first_line for row in profile.missing if row.libraries), None)
    if libraries.missed >= _PROBES:
        yield Advice(
            id="library-probes",
            seen=f"{libraries.missed} searches for shared libraries in folders that do not have them",
            advice="make an ld.so.cache (ldconfig), set a run path, or put them where the loader looks first",
            line=line,
            cost_ns=sum(row.took_ns for row in profile.missing if row.libraries) or None,
            techniques=("unneeded-libraries", "static-linking"),
        )
    if libraries.opened >= _LIBRARIES:
        yield Advice(
            id="many-libraries",
            seen=(
                f"{libraries.opened} shared libraries opened, {_ms(libraries.took_ns)} in calls; relocating them comes "
                "on top"
            ),
            advice="link statically, leave out unused libraries, or give the loader fewer symbols to look up",
            cost_ns=libraries.took_ns or None,
            techniques=("static-linking", "unneeded-libraries", "fewer-relocations"),
        )


def _missing(profile: ApplicationProfile) -> Iterator[Advice]:
    for row in profile.missing:
        own = row.count - row.libraries
        if own < _PROBES:
            continue
        yield Advice(
            id="missing-files",
            seen=f"{own} searches in {row.folder} that find nothing, such as {row.example}"
            if row.folder
            else f"{own} opens that find nothing (a trace has no names; strace shows them)",
            advice="tell the program where its files are, or leave out what looks for optional ones",
            line=row.first_line or None,
            cost_ns=row.took_ns or None,
        )


def _locale(profile: ApplicationProfile) -> Iterator[Advice]:
    rows = [row for row in profile.files if "/locale" in row.path]
    size = sum(row.read_bytes + row.mapped_bytes for row in rows)
    if rows and (len(rows) >= _PROBES // 2 or size >= _READ_BYTES):
        yield Advice(
            id="locale",
            seen=f"{len(rows)} files of the locale, {size / 1e6:.1f} MB read or mapped, such as {rows[0].path}",
            advice="start it with LC_ALL=C, or C.UTF-8, which glibc has built in since 2.35",
            line=min(row.first_line for row in rows),
            cost_ns=sum(row.took_ns for row in rows) or None,
        )


def _own(profile: ApplicationProfile) -> Iterator[Advice]:
    main = next((one for one in profile.processes if one.pid == profile.main), None)
    if main is None or not profile.timed or profile.length_ns is None or main.own_ns is None:
        return
    if main.own_ns >= profile.length_ns * _OWN_SHARE:
        yield Advice(
            id="computes",
            seen=f"{_ms(main.own_ns)} outside of system calls in {main.program or f'process {main.pid}'}",
            advice="it computes, or its loader relocates it: see the loader's count, and perf record on a board"
            if profile.source == "trace"
            else "it computes, waits for a processor, or is held up by strace: ask perf record which functions",
            cost_ns=main.own_ns,
            techniques=("fewer-relocations", "program-optimisation"),
        )
