"""The times of a recording, and of a boot log."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from bootlab.analysis.same_processors import processors_of
from bootlab.analysis.stages import stages_of
from bootlab.errors import UserError
from bootlab.history.boot_times import PROCESSORS, TOTAL, BootTimes, Clock, Side
from bootlab.logs.analysis import Analysis, analyze
from bootlab.logs.boot import Boot
from bootlab.logs.comparison import compare
from bootlab.logs.trace import Startup
from bootlab.model.recording import Outcome, Recording

_KINDS = ("stage", "startup", "mark", "target")
_WHOLE = "stage:whole-boot"
_LOG_MOST_BYTES = 256 << 20
_STARTED = re.compile(rb"(?m)^.*Startup finished in ")
_CLOCKS: dict[str, Clock] = {"virtual": "virtual", "printk": "printk"}


def of_recording(recording: Recording) -> BootTimes:
    """Return the times of a recording's stages and of the whole boot."""
    meta = recording.meta
    values = {stage.name: stage.duration_ns for stage in stages_of(recording)}
    missing: dict[str, str] = {}
    if meta.goal_ns is not None and recording.ok:
        values[TOTAL] = meta.goal_ns
    elif meta.end_ns is not None:
        missing[TOTAL] = f"the goal never came: more than {meta.end_ns / 1e6:.3f} ms"
    else:
        missing[TOTAL] = "the goal's time is not known"
    return BootTimes(
        key=meta.key or hashlib.sha256(recording.console).hexdigest(),
        outcome=meta.outcome,
        clock=meta.goal_clock,
        exact=meta.mode == "exact" and meta.goal_clock == "virtual",
        values=values,
        not_measured=missing,
        insns=meta.goal_insns,
        path=recording.path or "",
        facts=_facts(recording),
        by_host=recording.by_host,
    )


def side_of(name: str, recordings: Iterable[Recording]) -> Side:
    """Return boots as one side, in their order."""
    return Side(name=name, boots=tuple(of_recording(recording) for recording in recordings))


def _facts(recording: Recording) -> dict[str, str]:
    meta = recording.meta
    facts = {"system": meta.system_name, "cmdline": meta.cmdline, "emulator": meta.emulator_version}
    facts |= {f"sha256 of {name}": digest for name, digest in meta.artefact_sha256.items()}
    facts |= {"accelerator": meta.accel, "kernel patches": " ".join(meta.kernel_patches)}
    facts |= {PROCESSORS: processors_of(recording).text}
    if recording.kernel_config:
        text = "\n".join(f"{name}={value}" for name, value in sorted(recording.kernel_config.items()))
        facts["kernel options"] = text
    return {name: value for name, value in facts.items() if value}


def of_log(path: Path | str, *, application: str | None = None, goal: str | None = None) -> tuple[BootTimes, ...]:
    """Return the times of every boot in a log, or in the text of `systemd-analyze`. Raise UserError when there is none.

    Values that the log bounds from one side only are not measured.
    """
    file = Path(path)
    try:
        if file.stat().st_size > _LOG_MOST_BYTES:
            raise UserError(f"{file} is larger than {_LOG_MOST_BYTES >> 20} MiB", hint=f"bootlab analyze {file}")
        raw = file.read_bytes()
    except OSError as fault:
        raise UserError(f"cannot read {file}: {fault.strerror}", hint=f"ls -l {file}") from fault
    whole = analyze(raw, name=file.name, application=application, goal=goal)
    boots = whole.boots
    if not boots:
        if any(report.startup for report in whole.units):
            return _of_systemd_analyze(raw, file.name)
        raise UserError(f"{file} contains no boot", hint=f"bootlab analyze {file} says what it was read as")
    if len(boots) == 1:
        return (_of_analysis(whole, boots[0], raw),)
    lines = raw.splitlines(keepends=True)
    found = []
    for boot in boots:
        part = b"".join(lines[boot.from_line - 1 : boot.to_line])
        alone = analyze(part, name=f"{file.name}, boot {boot.number}", application=application, goal=goal)
        found.append(_of_analysis(alone, alone.boots[0] if alone.boots else boot, part))
    return tuple(found)


def _of_analysis(analysis: Analysis, boot: Boot, raw: bytes) -> BootTimes:
    values: dict[str, int] = {}
    for row in compare([], [analysis]).rows:
        if row.new is None or row.new.count != 1:
            continue
        kind, colon, name = row.quantity.partition(":")
        if row.quantity == _WHOLE:
            values[TOTAL] = row.new.median_ns
        elif not colon or kind in _KINDS:
            values[name or kind] = row.new.median_ns
    missing = {} if TOTAL in values else {TOTAL: _why_no_total(boot)}
    reached = boot.reached_user or TOTAL in values
    ended = boot.end.what if boot.end is not None else ""
    return BootTimes(
        key=hashlib.sha256(raw).hexdigest(),
        outcome=Outcome.GOAL
        if reached and ended != "panic"
        else Outcome.PANIC
        if ended == "panic"
        else Outcome.NO_GOAL,
        clock=_CLOCKS.get(boot.axis.clock, "wall"),
        values=values,
        not_measured=missing,
        facts=_log_facts(boot),
    )


def _of_systemd_analyze(raw: bytes, name: str) -> tuple[BootTimes, ...]:
    """Return a boot for each time that `systemd-analyze` said how long one took."""
    starts = [found.start() for found in _STARTED.finditer(raw)] or [0]
    parts = [raw[start:end] for start, end in itertools.pairwise([*starts, len(raw)])]
    reports = [(part, report) for part in parts for report in analyze(part, name=name).units]
    return tuple(
        _of_startup(report.startup, b"%d " % number + part)
        for number, (part, report) in enumerate(reports)
        if report.startup is not None
    )


def _of_startup(started: Startup, identity: bytes) -> BootTimes:
    """Return the parts of a boot, its target, and the whole, by systemd's own account."""
    values = dict(started.parts)
    if started.target is not None and started.target_after_ns is not None:
        values[started.target] = started.target_after_ns
    if started.total_ns is not None:
        values[TOTAL] = started.total_ns
    return BootTimes(
        key=hashlib.sha256(identity).hexdigest(),
        clock="wall",
        values=values,
        not_measured={} if TOTAL in values else {TOTAL: "systemd-analyze printed no sum"},
    )


def _log_facts(boot: Boot) -> dict[str, str]:
    facts = {}
    if boot.kernel.banner is not None:
        facts["kernel"] = f"{boot.kernel.banner.release} {boot.kernel.banner.build or ''}".strip()
    if boot.kernel.command_line is not None:
        facts["cmdline"] = boot.kernel.command_line.text
    return facts


def _why_no_total(boot: Boot) -> str:
    bound = next(
        (s for s in boot.stages if s.event == "first-use" and s.ns is not None and (s.at_least or s.at_most)), None
    )
    if bound is not None and bound.ns is not None:
        sign = "at least" if bound.at_least else "at most"
        return f"the log says only that it was {sign} {bound.ns / 1e6:.3f} ms"
    return "the log does not show when the system was usable"
