"""Build slow drivers so that they probe asynchronously."""

from __future__ import annotations

from bootlab.model.change import AddKernelPatch, Change
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import images_differ
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.probes import probed_during, probes_moved, slow_probes

LEAST_US = 500
MOST = 4


class DriversAsync(Technique):
    """What `driver_async_probe=` asks for on the command line, written into the driver."""

    id = "drivers-async"
    title = "Slow drivers built to probe asynchronously"
    stage = "kernel"
    what = "Builds with a generated patch that sets PROBE_PREFER_ASYNCHRONOUS in drivers whose probes are slow."
    why = "The next driver need not wait for a probe that waits for its hardware; no command line has to name it."
    when_not = (
        "One processor and probes that compute instead of waiting. Init never starts before the slowest probe has "
        "ended: the kernel waits for all of them (async_synchronize_full)."
    )
    cost = "A patch to keep until it is upstream; device numbers may change from boot to boot."
    risk = Risk(function="names such as sda or eth0 depend on who is first; use labels and stable names")
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
            return Applies.no(f"no probe takes {LEAST_US} us", "`probe of` lines of the diagnostic boot")
        patches = context.async_patches
        patched = [f"{device} {us / 1000:.1f} ms ({call})" for device, us, call in slow if call in patches]
        if patched:
            return Applies.yes("slow probes", ", ".join(patched[:MOST]))
        shown = ", ".join(f"{device} {us / 1000:.1f} ms" for device, us, _ in slow[:MOST])
        if patches:
            return Applies.no("no driver with a slow probe can be patched", shown)
        return Applies.unknown("whether these drivers can be patched is not known: it takes the kernel's source", shown)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose one patch a driver, that of the slowest probe first."""
        calls = dict.fromkeys(call for _, _, call in _slow(context) if call in context.async_patches)
        return tuple(
            Change(technique=self.id, ops=(AddKernelPatch(context.async_patches[call]),), label=call)
            for call in list(calls)[:MOST]
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
    found = ((device, us, during.get(device)) for device, us in slow_probes(log, LEAST_US))
    return [(device, us, call) for device, us, call in found if call is not None]
