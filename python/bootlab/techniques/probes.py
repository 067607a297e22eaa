# SPDX-License-Identifier: MIT
"""Probes of devices in the kernel's log: how long each took, and during which initcall it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bootlab import _core
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence
from bootlab.techniques.evidence import KernelLog, quote

_CONSOLE = re.compile(r"^printk: (?:legacy )?console \[(?!tty\d|netcon)[a-zA-Z]{1,16}\d{1,3}\] enabled")
_NAME_MAX = 128
"""Longer names are noise, and would fill a table."""


def slow_probes(log: KernelLog, least_us: int) -> list[tuple[str, int]]:
    """Return devices whose probes succeeded, with their microseconds, the slowest first."""
    calls = (call for line in log.lines if (call := _call(line)) is not None)
    slow = [(name, us) for kind, name, returned, us in calls if (kind, returned) == ("probe", 0) and us >= least_us]
    return sorted(slow, key=lambda item: -item[1])


def probed_during(log: KernelLog) -> dict[str, str | None]:
    """Return of each device the initcall during which its first probe ended; None: outside of all."""
    places: dict[str, str | None] = {}
    for line, running in _during(log):
        if (call := _call(line)) is not None and call[0] == "probe":
            places.setdefault(call[1], running)
    return places


def may_serve_the_console(log: KernelLog) -> frozenset[str]:
    """Return initcalls that bound a device before a console whose own probe had to wait for another driver.

    Nothing in the log tells which of them it waited for (a clock, a regulator, a bus behind which they lie).
    """
    bound: set[str] = set()
    for line, running in _during(log):
        if (call := _call(line)) is not None:
            bound |= {running} if running is not None and (call[0], call[2]) == ("probe", 0) else set()
        elif _CONSOLE.match(line):
            # Deferred probes are made anew by an initcall of their own, and later by a worker beside the initcalls.
            waited = running is None or running == "deferred_probe_initcall"
            return frozenset(bound - {"deferred_probe_initcall"}) if waited else frozenset()
    return frozenset()


def probes_moved(before: Evidence, after: Evidence) -> Effect:
    """Prove it by a device whose probe ended inside its own driver's initcall before, and outside it after."""
    if before.diagnosis is None or after.diagnosis is None:
        return Effect(False, "only diagnostic boots of both systems show where each probe ended")
    was, now = probed_during(KernelLog.of(before)), probed_during(KernelLog.of(after))
    moved = [d for d in was if d in now and was[d] != now[d] and was[d] is not None]
    if not moved:
        return Effect(False, "every probe ended inside the same initcall as before")
    first = moved[0]
    return Effect(True, quote(f"{len(moved)} probes moved, {first}: {_when(was[first])} -> {_when(now[first])}"))


def _during(log: KernelLog) -> Iterator[tuple[str, str | None]]:
    """Yield each line with the initcall that runs when it is printed."""
    running: str | None = None
    for line in log.lines:
        call = _call(line)
        if call is not None and call[0] != "probe":
            running = call[1] if call[0] == "start" else None
        yield line, running


def _call(line: str) -> tuple[str, str, int, int] | None:
    """Return what a line of `initcall_debug` says: kind, function or device, result, microseconds."""
    call = _core.kernel_call(line)
    if call is None or len(call[1]) > _NAME_MAX:
        return None
    kind, name, _, returned, printed_us = call
    return kind, name, returned or 0, printed_us or 0


def _when(initcall: str | None) -> str:
    return f"during {initcall}" if initcall else "outside of all initcalls"
