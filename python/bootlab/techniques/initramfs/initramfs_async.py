"""Unpack the initramfs beside the other initcalls, or not."""

from __future__ import annotations

import re

from bootlab.model.change import Change, SetParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.evidence import KernelLog

_START = re.compile(r"Trying to unpack rootfs image as initramfs|Unpacking initramfs\.\.\.")
_END = re.compile(r"Freeing initrd memory: \d+K")
_OFF = {"0", "n", "no", "off"}


class InitramfsAsync(Technique):
    """Since 5.13 a kernel thread unpacks while the boot goes on."""

    id = "initramfs-async"
    title = "Asynchronous unpacking of the initramfs"
    stage = "initramfs"
    what = "Sets `initramfs_async=` to the opposite value: 1 if it is 0, 0 if it is on by default."
    why = (
        "With several processors, unpacking overlaps with driver probes. With one, the additional thread only "
        "costs switches."
    )
    when_not = "The first initcall that needs user space (a firmware file, a module) waits for the unpacking anyway."
    cost = "None."
    kernels = "5.13 and later"
    late = True
    rests_on = ("initramfs",)
    proof = "kernel-log"
    published = (
        Published("0.6 s taken off the critical path", "PowerPC board", "lkml, R. Villemoes, March 2021"),
        Published("1.8 s overlapped, 26 MB xz", "laptop", "lkml, R. Villemoes, March 2021"),
    )
    references = ("init/initramfs.c: populate_rootfs(), wait_for_initramfs()",)

    def _is_off(self, context: Context) -> bool:
        return (context.system.cmdline.value("initramfs_async") or "1") in _OFF

    def applies(self, context: Context) -> Applies:
        """Yes when there is an initramfs to unpack and the kernel knows the parameter."""
        if context.system.initramfs is None:
            return Applies.no("there is no initramfs", "no [initramfs] in the system")
        if context.kernel_version and context.kernel_version < (5, 13):
            return Applies.no("this kernel always unpacks at once", ".".join(map(str, context.kernel_version)))
        log = KernelLog.of(context)
        line = log.line(_START.pattern)
        if not line:
            return Applies.unknown(log.why_silent() or "the kernel did not print that it unpacks an initramfs")
        state = "at once" if self._is_off(context) else "in a thread"
        return Applies.yes(f"it is unpacked {state}", line)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the other value."""
        value = "1" if self._is_off(context) else "0"
        return (Change(technique=self.id, ops=(SetParam("initramfs_async", value),), label=value),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by what else the kernel printed between the start and the end of the unpacking."""
        was, now = _lines_between(before), _lines_between(after)
        if was is None or now is None:
            log = KernelLog.of(before if was is None else after)
            return Effect(False, log.why_silent() or "the console does not show where the unpacking begins and ends")
        change = f"kernel messages while it was unpacked: {was} -> {now}"
        return Effect((was == 0) != (now == 0), change)


def _lines_between(evidence: Evidence) -> int | None:
    count: int | None = None
    for line in KernelLog.of(evidence).lines:
        if count is None:
            count = 0 if _START.search(line) else None
        elif _END.search(line):
            return count
        else:
            count += 1
    return None
