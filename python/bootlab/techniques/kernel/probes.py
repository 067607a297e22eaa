# SPDX-License-Identifier: MIT
"""Probes of drivers: which run beside the rest of the boot, and which are waited for."""

from __future__ import annotations

import re

from bootlab.model.change import Change, SetParam
from bootlab.model.cmdline import Param
from bootlab.model.kernel_change import AddKernelPatch
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.built import images_differ
from bootlab.techniques.evidence import KernelLog, either, interval_shrank, vanished
from bootlab.techniques.parameter import ParameterRow, Sign
from bootlab.techniques.probes import probed_during, probes_moved, slow_probes

_SLOW_US = 1000

_MAX_DRIVERS = 8

# dev_info() and its kin print "DRIVER DEVICE: ".
_DRIVER_OF = re.compile(r"^([A-Za-z][\w.-]{0,40}) (\S{1,64}): ")


_WHEN_NOT = (
    "There is one processor and the probes compute instead of waiting. Init never starts before the slowest "
    "probe has ended, because the kernel waits for all of them (async_synchronize_full)."
)
_RISK = Risk(function="names such as sda or eth0 depend on which probe ends first; use labels and stable names")


class DriverAsyncProbe(Technique):
    """A probe that waits for its hardware need not hold up the next driver."""

    id = "driver-async-probe"
    title = "Slow drivers probed asynchronously"
    addresses = ("long-initcall",)
    stage = "kernel"
    what = "Sets `driver_async_probe=` to the slow drivers, or to `*` for all."
    why = "Built-in drivers probe one after the other; one that waits for hardware delays all that follow."
    when_not = _WHEN_NOT
    cost = "Device numbers may change from boot to boot."
    risk = _RISK
    kernels = "5.1 and later; `*` in 6.0 and later"
    needs_diagnosis = True
    proof = "diagnosis"
    published = (
        Published("3.08 s -> 2.20 s for a set of modules", "PC, 2009", "lkml, A. Robinson, March 2009"),
        Published("part of 3000 ms -> 300 ms", "Intel's guest kernel", "Linux Plumbers 2019, F. Tang"),
    )
    references = ("drivers/base/dd.c: driver_allows_async_probing(), save_async_options()",)

    def _slow(self, log: KernelLog) -> list[tuple[str, int]]:
        return slow_probes(log, _SLOW_US)[:_MAX_DRIVERS]

    def _drivers(self, log: KernelLog) -> tuple[str, ...]:
        devices = {device for device, _ in self._slow(log)}
        named = (m for line in log.lines if (m := _DRIVER_OF.match(line)))
        return tuple(dict.fromkeys(m[1] for m in named if m[2] in devices))[:_MAX_DRIVERS]

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
            return Applies.no(f"no probe takes {_SLOW_US} us", "`probe of` lines of the diagnostic boot")
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


_PATCHED_US = 500

_MOST_PATCHES = 4


class DriversAsync(Technique):
    """What `driver_async_probe=` asks for on the command line, written into the driver."""

    id = "drivers-async"
    title = "Slow drivers built to probe asynchronously"
    stage = "kernel"
    what = "Builds with a generated patch that sets PROBE_PREFER_ASYNCHRONOUS in drivers with slow probes."
    why = (
        "The next driver need not wait for a probe that waits for its hardware, and the command line need not name "
        "the drivers."
    )
    when_not = _WHEN_NOT
    cost = "A patch to maintain until it is upstream; device numbers may change from boot to boot."
    risk = _RISK
    kernels = "4.2 and later"
    needs_diagnosis = True
    needs_source = True
    exclusive = False
    proof = "diagnosis"
    builds = True
    references = (
        "include/linux/device/driver.h: enum probe_type",
        "drivers/base/dd.c: driver_allows_async_probing(), __driver_attach()",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when a slow probe ended in the initcall of a driver whose source can be patched."""
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows how long each probe takes")
        slow = _slow(context)
        if not slow:
            return Applies.no(f"no probe takes {_PATCHED_US} us", "`probe of` lines of the diagnostic boot")
        patches = context.async_patches
        patched = [f"{device} {us / 1000:.1f} ms ({call})" for device, us, call in slow if call in patches]
        if patched:
            return Applies.yes("slow probes", ", ".join(patched[:_MOST_PATCHES]))
        shown = ", ".join(f"{device} {us / 1000:.1f} ms" for device, us, _ in slow[:_MOST_PATCHES])
        if patches:
            return Applies.no("no driver with a slow probe can be patched", shown)
        return Applies.unknown("whether these drivers can be patched is not known: it takes the kernel's source", shown)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose one patch a driver, that of the slowest probe first."""
        calls = dict.fromkeys(call for _, _, call in _slow(context) if call in context.async_patches)
        return tuple(
            Change(technique=self.id, ops=(AddKernelPatch(context.async_patches[call]),), label=call)
            for call in list(calls)[:_MOST_PATCHES]
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the patch that the image was built with, and by a probe that left its driver's initcall."""
        old, new = before.recording.meta.kernel_patches, after.recording.meta.kernel_patches
        added = [name for name in new if name not in old]
        if not added:
            return Effect(False, "the kernel that booted was built with the same patches")
        image = images_differ(before, after)
        if not image.shown:
            return image
        moved = probes_moved(before, after)
        return Effect(moved.shown, f"built with {', '.join(added)}; {moved.evidence}") if moved.shown else moved


def _slow(context: Context) -> list[tuple[str, int, str]]:
    """Return devices, microseconds, and the initcall during which the probe ended."""
    log = KernelLog.of(context)
    during = probed_during(log)
    found = ((device, us, during.get(device)) for device, us in slow_probes(log, _PATCHED_US))
    return [(device, us, call) for device, us, call in found if call is not None]


_PENDING = r"deferred probe pending|deferred probe timeout, ignoring dependency"


TECHNIQUES: tuple[Technique, ...] = (
    DriverAsyncProbe(),
    DriversAsync(),
    # A kernel with modules waits 10 s for drivers that a deferred device depends on.
    ParameterRow(
        id="deferred-probe-timeout",
        title="No wait for deferred probes",
        addresses=("missing-supplier",),
        what=(
            "Sets `deferred_probe_timeout=0`: the kernel stops waiting for optional suppliers when the initcalls are "
            "done."
        ),
        why=(
            "A device whose optional supplier has no driver stays deferred until the time-out ends, and everything "
            "that uses it waits."
        ),
        when_not="No device is deferred, or the supplier's driver comes later as a module.",
        cost="None if nothing is missing.",
        risk=Risk(function="a device whose supplier's driver is a module comes up without it, or not at all"),
        kernels="4.19 and later; the default is 10 s with modules since 6.0, 0 without",
        sets=(Param("deferred_probe_timeout", "0"),),
        published=(Published("more than 0.5 s", "SDM845 (comma 3X)", "github.com/commaai/openpilot issue 30894"),),
        references=("drivers/base/dd.c: driver_deferred_probe_timeout",),
        signs=(Sign("yes", _PENDING, "a probe is deferred until the time-out"),),
        otherwise=("no probe was pending when the recording ended", "no line about a deferred probe"),
        # The message no longer appears, or appears at the end of the initcalls.
        shows=lambda before, after: either(
            vanished(before, after, _PENDING),
            interval_shrank(before, after, r"Run /\S+ as init", _PENDING, least_ns=1_000_000_000),
        ),
    ),
)
