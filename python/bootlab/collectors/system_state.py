# SPDX-License-Identifier: MIT
"""What a booted system is, apart from its times: what protects its kernel, what went wrong, what of it is up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

import msgspec

from bootlab import _core
from bootlab.collectors.diagnosis import faults_of
from bootlab.collectors.mapped_files import processes
from bootlab.logs.protection import Protection
from bootlab.model.contrast import FAULT, Contrast, Kind
from bootlab.model.recording import Diagnosis
from bootlab.startup import shell, unit_lines

_ERROR_LEVEL = 3
"""<linux/kern_levels.h>: KERN_ERR. What is graver has a lower number."""

_NUMBERS = re.compile(r"\b0x[0-9a-f]+|\b[0-9a-f]{6,}\b|\d+")
_ANYTHING = shell.SHELLS | {"busybox", "toybox"}
"""Programs that stand for any other: that one runs says nothing of a service."""

_WORDS_MOST = 200


class SystemState(msgspec.Struct, frozen=True, kw_only=True):
    """One system at the end of its diagnostic boot.

    `protections`: what the kernel says of each; `faults`, `errors`, `warnings`: messages by their words without
    numbers. None: the boot does not tell. `date`: of the machine's clock, seconds since 1970.
    """

    protections: dict[str, str] | None = None
    faults: dict[str, str] | None = None
    errors: dict[str, str] | None = None
    warnings: dict[str, str] | None = None
    units: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    routes: frozenset[str] = frozenset()
    ports: frozenset[str] = frozenset()
    date: int | None = None


def state_of(diagnosis: Diagnosis) -> SystemState:
    """Read it out of the agent's report and the kernel's log."""
    proc, log = diagnosis.proc, diagnosis.log
    # Only an agent that looked for them says that there is none.
    asked, date = "date" in proc, proc.get("date", "")
    return SystemState(
        protections=_protections(log) if log else None,
        faults={_words(text): text for text in faults_of(diagnosis)} if log else None,
        errors=_troubles(proc.get("troubles", ""), range(_ERROR_LEVEL + 1)) if asked and log else None,
        warnings=_troubles(proc.get("troubles", ""), (_ERROR_LEVEL + 1,)) if asked and log else None,
        units=frozenset(unit_lines.times_in_log(log)),
        programs=_programs(diagnosis),
        routes=frozenset(proc.get("route", "").splitlines()),
        ports=frozenset(proc.get("listening", "").splitlines()),
        date=int(date) if date.isascii() and date.removeprefix("-").isdigit() else None,
    )


def compared(before: SystemState, after: SystemState, *, started: int | None = None) -> tuple[Contrast, ...]:
    """Return what the second lost, and what went wrong in it and not in the first. Pure.

    `started`: the date at which the machine's clock began in both, seconds since 1970; None: not known.
    """
    found = [*_protected(before.protections, after.protections)]
    logs: tuple[tuple[Kind, dict[str, str] | None, dict[str, str] | None], ...] = (
        (FAULT, before.faults, after.faults),
        ("error", before.errors, after.errors),
        ("warning", before.warnings, after.warnings),
    )
    for kind, old, new in logs:
        if old is not None and new is not None:
            found += [Contrast(kind=kind, subject=_short(new[one]), after="new") for one in new if one not in old]
    # A system without units says nothing of them.
    found += _gone("unit", before.units, after.units if after.units else before.units, "started", "not started")
    found += _gone("program", before.programs, after.programs, "runs", "does not run")
    found += _gone("network", before.routes, after.routes, "has a route", "has none")
    found += _gone("network", _named(before.ports), _named(after.ports), "somebody listens", "nobody listens")
    dates = (before.date, after.date)
    if started is not None and dates[0] is not None and dates[1] is not None and dates[1] < started <= dates[0]:
        found.append(Contrast(kind="clock", subject="date", before="right", after=f"{after.date} s since 1970"))
    return tuple(found)


def on(moments: Iterable[SystemState]) -> SystemState:
    """Return one system's states at several moments as one: what was up at any of them is up. The first says the rest.

    What starts late is not there yet at an early moment, and what ends is gone at a late one.
    """
    first, *others = moments
    every = (first, *others)
    return msgspec.structs.replace(
        first,
        units=frozenset[str]().union(*(one.units for one in every)),
        programs=frozenset[str]().union(*(one.programs for one in every)),
        routes=frozenset[str]().union(*(one.routes for one in every)),
        ports=frozenset[str]().union(*(one.ports for one in every)),
    )


def _protected(before: dict[str, str] | None, after: dict[str, str] | None) -> Iterable[Contrast]:
    if before is None or after is None:
        return
    for subject in (*before, *(one for one in after if one not in before)):
        old, new = before.get(subject, ""), after.get(subject, "")
        if _words(old) != _words(new):
            yield Contrast(kind="protection", subject=subject, before=_short(old), after=_short(new))


def _gone(kind: Kind, before: frozenset[str], after: frozenset[str], was: str, now: str) -> Iterable[Contrast]:
    return (Contrast(kind=kind, subject=_short(one), before=was, after=now) for one in sorted(before - after))


def _named(ports: frozenset[str]) -> frozenset[str]:
    return frozenset(f"TCP port {port}" for port in ports)


def _protections(log: tuple[str, ...]) -> dict[str, str]:
    found = msgspec.json.decode(_core.protections(log), type=tuple[Protection, ...])
    said: dict[str, dict[str, None]] = {}
    for one in found:
        said.setdefault(one.subject, {})[one.says] = None
    return {subject: "; ".join(words) for subject, words in said.items()}


def _troubles(text: str, levels: Iterable[int]) -> dict[str, str]:
    """Return the messages of these levels; each line is a level and the message (guest/agent/kernel.c)."""
    wanted = frozenset(map(str, levels))
    lines = (line.partition(" ") for line in text.splitlines())
    return {_words(said): said for level, _, said in lines if level in wanted}


def _programs(diagnosis: Diagnosis) -> frozenset[str]:
    """Return the programs that run, without init's own."""
    running = processes(diagnosis) or ()
    return frozenset(PurePosixPath(process.program).name for process in running if process.pid != 1) - _ANYTHING


def _words(text: str) -> str:
    return _NUMBERS.sub("#", text)


def _short(text: str) -> str:
    return text if len(text) <= _WORDS_MOST else f"{text[: _WORDS_MOST - 1]}…"
