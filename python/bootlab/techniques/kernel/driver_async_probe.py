"""Let slow drivers probe beside the rest of the boot."""

from __future__ import annotations

import re

from bootlab.model.change import Change, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.probes import probes_moved, slow_probes

LEAST_US = 1000
MAX_DRIVERS = 8
# dev_info() and its kin print "DRIVER DEVICE: ".
_DRIVER_OF = re.compile(r"^([A-Za-z][\w.-]{0,40}) (\S{1,64}): ")


class DriverAsyncProbe(Technique):
    """A probe that waits for its hardware need not hold up the next driver."""

    id = "driver-async-probe"
    title = "Slow drivers probed asynchronously"
    stage = "kernel"
    what = "Sets `driver_async_probe=` to the slow drivers, or to `*` for all of them."
    why = "Built-in drivers probe one after the other; one that waits for hardware delays all that follow."
    when_not = (
        "One processor and probes that compute instead of waiting. Init never starts before the slowest probe has "
        "ended: the kernel waits for all of them (async_synchronize_full)."
    )
    cost = "Device numbers may change from boot to boot."
    risk = Risk(function="names such as sda or eth0 depend on who is first; use labels and stable names")
    kernels = "5.1 and later; `*` in 6.0 and later"
    needs_diagnosis = True
    proof = "diagnosis"
    published = (
        Published("3.08 s -> 2.20 s for a set of modules", "PC, 2009", "lkml, A. Robinson, March 2009"),
        Published("part of 3000 ms -> 300 ms", "Intel's guest kernel", "Linux Plumbers 2019, F. Tang"),
    )
    references = ("drivers/base/dd.c: driver_allows_async_probing(), save_async_options()",)

    def _slow(self, log: KernelLog) -> list[tuple[str, int]]:
        return slow_probes(log, LEAST_US)[:MAX_DRIVERS]

    def _drivers(self, log: KernelLog) -> tuple[str, ...]:
        devices = {device for device, _ in self._slow(log)}
        named = (m for line in log.lines if (m := _DRIVER_OF.match(line)))
        return tuple(dict.fromkeys(m[1] for m in named if m[2] in devices))[:MAX_DRIVERS]

    def applies(self, context: Context) -> Applies:
        """Yes when the diagnostic boot saw a slow probe."""
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows how long each probe takes")
        if context.kernel_version and context.kernel_version < (5, 1):
            return Applies.no(
                "the kernel does not know driver_async_probe=", ".".join(map(str, context.kernel_version))
            )
        slow = self._slow(KernelLog.of(context))
        if not slow:
            return Applies.no(f"no probe takes {LEAST_US} us", "`probe of` lines of the diagnostic boot")
        return Applies.yes("slow probes", ", ".join(f"{device} {us / 1000:.1f} ms" for device, us in slow))

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the drivers that named themselves on slow devices, and all of them."""
        all_of_them = Change(technique=self.id, ops=(SetParam("driver_async_probe", "*"),), label="all")
        drivers = self._drivers(KernelLog.of(context))
        if not drivers:
            return (all_of_them,)
        slow = Change(technique=self.id, ops=(SetParam("driver_async_probe", ",".join(drivers)),), label="slow")
        return (slow, all_of_them)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by a device whose probe ended inside its own driver's initcall before, and outside it after."""
        return probes_moved(before, after)
