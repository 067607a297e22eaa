"""Probes of devices in the kernel's log: how long each took, and during which initcall it ended."""

from __future__ import annotations

import re

from bootlab.model.verdict import Effect
from bootlab.techniques.base import Evidence
from bootlab.techniques.evidence import KernelLog, quote

# drivers/base/dd.c really_probe_debug(), printed under initcall_debug.
PROBE = re.compile(r"^probe of (\S{1,64}) returned (-?\d{1,6}) after (\d{1,12}) usecs")
_CONSOLE = re.compile(r"^printk: (?:legacy )?console \[(?!tty\d|netcon)[a-zA-Z]{1,16}\d{1,3}\] enabled")
_CALLING = re.compile(r"^calling  (\S{1,128})")
_RETURNED = re.compile(r"^initcall (\S{1,128})(?: \[\w{1,64}\])? returned ")


def slow_probes(log: KernelLog, least_us: int) -> list[tuple[str, int]]:
    """Return devices whose probes succeeded, with their microseconds, the slowest first."""
    found = [m for line in log.lines if (m := PROBE.match(line))]
    slow = [(m[1], int(m[3])) for m in found if m[2] == "0" and int(m[3]) >= least_us]
    return sorted(slow, key=lambda item: -item[1])


def probed_during(log: KernelLog) -> dict[str, str | None]:
    """Return of each device the initcall during which its first probe ended; None: outside of all."""
    running: str | None = None
    places: dict[str, str | None] = {}
    for line in log.lines:
        if found := _CALLING.match(line):
            running = found[1].partition("+")[0]
        elif _RETURNED.match(line):
            running = None
        elif found := PROBE.match(line):
            places.setdefault(found[1], running)
    return places


def may_serve_the_console(log: KernelLog) -> frozenset[str]:
    """Return initcalls that bound a device before a console whose own probe had to wait for another driver.

    Nothing in the log tells which of them it waited for (a clock, a regulator, a bus behind which they lie).
    """
    running: str | None = None
    bound: set[str] = set()
    for line in log.lines:
        if found := _CALLING.match(line):
            running = found[1].partition("+")[0]
        elif _RETURNED.match(line):
            running = None
        elif found := PROBE.match(line):
            bound |= {running} if running is not None and found[2] == "0" else set()
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


def _when(initcall: str | None) -> str:
    return f"during {initcall}" if initcall else "outside of all initcalls"
