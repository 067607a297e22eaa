# SPDX-License-Identifier: MIT
"""The times of boot logs: of the kernel's, a journal, or what `systemd-analyze` prints."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from bootlab.errors import UserError
from bootlab.history.boot_times import FIRST_BOOT, FIRST_SHOWN, TOTAL, WHOLE, BootTimes
from bootlab.logs.analysis import Analysis, analyze
from bootlab.logs.boot import LogBoot
from bootlab.logs.comparison import compare
from bootlab.logs.course import FirstBoot
from bootlab.logs.reports import Startup, UnitReport
from bootlab.model.recording import GoalClock, Outcome

_KINDS = ("stage", "startup", "mark", "target")
_WHOLE_BOOT = "stage:whole-boot"
MOST_BYTES = 256 << 20
_MOST_UNITS = 50
"""Units of a boot that are compared, the longest: what is judged together is judged less sharply."""
_STARTED = re.compile(rb"(?m)^.*Startup finished in ")
_CLOCKS: dict[str, GoalClock] = {"virtual": "virtual", "printk": "printk"}


def of_log(path: Path | str, *, application: str | None = None, goal: str | None = None) -> tuple[BootTimes, ...]:
    """Return the times of every boot in a log, or in the text of `systemd-analyze`. Raise UserError when there is none.

    Values that the log bounds from one side only are not measured.
    """
    file = Path(path)
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UserError(f"{file} is larger than {MOST_BYTES >> 20} MiB", hint=f"bootlab analyze {file}")
        raw = file.read_bytes()
    except OSError as fault:
        raise UserError(f"cannot read {file}: {fault.strerror}", hint=f"ls -l {file}") from fault
    boots = of_text(raw, file.name, application=application, goal=goal)
    if not boots:
        raise UserError(f"{file} contains no boot", hint=f"bootlab analyze {file} says what it was read as")
    return boots


def of_text(raw: bytes, name: str, *, application: str | None = None, goal: str | None = None) -> tuple[BootTimes, ...]:
    """Return the times of every boot in a text; none where it holds none. `name`: how messages call it."""
    whole = analyze(raw, name=name, application=application, goal=goal)
    boots = whole.boots
    if not boots:
        return _of_systemd_analyze(raw, name) if any(_tells(report) for report in whole.units) else ()
    if len(boots) == 1:
        return (_of_analysis(whole, boots[0], raw, goal=goal),)
    lines = raw.splitlines(keepends=True)
    found = []
    for before, boot in zip((None, *boots), boots, strict=False):
        # That no firmware ran before a kernel that another one started, only the other's last line says.
        left = before.end if before is not None and boot.start == "kexec" else None
        part = b"".join(lines[(boot.from_line if left is None else left.line) - 1 : boot.to_line])
        alone = analyze(part, name=f"{name}, boot {boot.number}", application=application, goal=goal)
        found.append(_of_analysis(alone, alone.boots[-1] if alone.boots else boot, part, goal=goal))
    return tuple(found)


def _of_analysis(analysis: Analysis, boot: LogBoot, raw: bytes, *, goal: str | None) -> BootTimes:
    values: dict[str, int] = {}
    for row in compare([], [analysis]).rows:
        if row.new is None or row.new.count != 1:
            continue
        kind, colon, name = row.quantity.partition(":")
        if row.quantity == _WHOLE_BOOT:
            values[TOTAL] = row.new.median_ns
        elif not colon or kind in _KINDS:
            values[name or kind] = row.new.median_ns
    facts = _log_facts(boot)
    # Where the log shows no first use, and nobody said what it is, systemd's own account is the whole boot.
    account = boot.startup
    if TOTAL not in values and goal is None and account is not None and account.total_ns is not None:
        values[TOTAL] = account.total_ns
        facts[WHOLE] = _by_systemd(part.name for part in account.parts)
    missing = {} if TOTAL in values else {TOTAL: _why_no_total(boot)}
    return BootTimes(
        key=hashlib.sha256(raw).hexdigest(),
        outcome=_outcome(boot, sought=goal is not None, whole=TOTAL in values),
        clock=_CLOCKS.get(boot.axis.clock, "wall"),
        values=values,
        not_measured=missing,
        facts=facts | _first_boot(boot.first_boot),
    )


def _outcome(boot: LogBoot, *, sought: bool, whole: bool) -> Outcome:
    """Tell how a boot ended. A log may end before its boot does: only a goal that was sought is missed."""
    if boot.end is not None and boot.end.kind == "panic":
        return Outcome.PANIC
    missed = sought or bool(boot.failures)
    return Outcome.GOAL if boot.reached_user or whole or not missed else Outcome.NO_GOAL


def _tells(report: UnitReport) -> bool:
    """Whether a report says how long something took."""
    return report.startup is not None or report.unfinished or any(unit.time_ns is not None for unit in report.units)


def _of_systemd_analyze(raw: bytes, name: str) -> tuple[BootTimes, ...]:
    """Return a boot for each time that `systemd-analyze` said how long one took, or for its table of units."""
    starts = [found.start() for found in _STARTED.finditer(raw)] or [0]
    parts = [raw[start:end] for start, end in itertools.pairwise([*starts, len(raw)])]
    reports = [(part, report) for part in parts for report in analyze(part, name=name).units]
    return tuple(
        _of_report(report, b"%d " % number + part) for number, (part, report) in enumerate(reports) if _tells(report)
    )


def _of_report(report: UnitReport, identity: bytes) -> BootTimes:
    """Return the parts of a boot, its target, and the whole, by systemd's own account; without it its units."""
    started = report.startup or Startup()
    values = dict(started.parts)
    facts = _first_boot(report.first_boot)
    if started.target is not None and started.target_after_ns is not None:
        values[started.target] = started.target_after_ns
    if started.total_ns is not None:
        values[TOTAL] = started.total_ns
        facts[WHOLE] = _by_systemd(name for name, _ in started.parts)
    if not values:
        values |= {unit.unit: unit.time_ns for unit in report.units[:_MOST_UNITS] if unit.time_ns is not None}
    why = "systemd-analyze printed no sum"
    if report.unfinished:
        why = "systemd had not finished starting when it was asked"
    return BootTimes(
        key=hashlib.sha256(identity).hexdigest(),
        clock="wall",
        values=values,
        not_measured={} if TOTAL in values else {TOTAL: why},
        unfinished=report.unfinished and TOTAL not in values,
        facts=facts,
    )


def _by_systemd(parts: Iterable[str]) -> str:
    return f"systemd's sum of {' + '.join(parts)}"


def _first_boot(told: FirstBoot | None) -> dict[str, str]:
    return {} if told is None else {FIRST_BOOT: "yes" if told.first else "no", FIRST_SHOWN: told.shown_by}


def _log_facts(boot: LogBoot) -> dict[str, str]:
    facts = {}
    if boot.kernel.banner is not None:
        facts["kernel"] = f"{boot.kernel.banner.release} {boot.kernel.banner.build or ''}".strip()
    if boot.kernel.command_line is not None:
        facts["cmdline"] = boot.kernel.command_line.text
    return facts


def _why_no_total(boot: LogBoot) -> str:
    if boot.start == "kexec":
        return "another kernel started this one: power-on was before"
    bound = next(
        (s for s in boot.stages if s.event == "first-use" and s.ns is not None and (s.at_least or s.at_most)), None
    )
    if bound is not None and bound.ns is not None:
        sign = "at least" if bound.at_least else "at most"
        return f"the log says only that it was {sign} {bound.ns / 1e6:.3f} ms"
    return "the log does not show when the system was usable"
