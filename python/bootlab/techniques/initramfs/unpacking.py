# SPDX-License-Identifier: MIT
"""How the initramfs is compressed, and when it is unpacked."""

from __future__ import annotations

import re
from typing import cast, get_args

from bootlab.model.change import Change, SetCompression, SetParam
from bootlab.model.tree import Compression
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.missing import NO_INITRAMFS, NO_INITRAMFS_SIZE

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
            return NO_INITRAMFS
        if context.kernel_version and context.kernel_version < (5, 13):
            return Applies.no("this kernel always unpacks at once", ".".join(map(str, context.kernel_version)))
        log = KernelLog.of(context)
        line = log.line(_START.pattern)
        if not line:
            return log.unknown("the kernel did not print that it unpacks an initramfs")
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


FORMATS: tuple[Compression, ...] = cast("tuple[Compression, ...]", get_args(Compression))
_ARTEFACT = "initramfs"
_FREED = r"Freeing initrd memory: (\d{1,9})K"
_UNPACKING = r"Trying to unpack rootfs image as initramfs|Unpacking initramfs\.\.\."
_FAILED = r"rootfs image is not initramfs|Initramfs unpacking failed|junk (?:at the end|within) .*archive"


class InitramfsCompression(Technique):
    """Fewer bytes to load against more work to unpack: the sign depends on storage and processor."""

    id = "initramfs-compression"
    title = "Another compression of the initramfs"
    addresses = ("initramfs-unpacking",)
    ends = ("do_populate_rootfs", "populate_rootfs")
    stage = "initramfs"
    what = "Packs the initramfs with none, gzip, bzip2, lzma, xz, lzo, lz4 or zstd; one variant per format."
    why = "Unpacking a megabyte takes from about a millisecond (none) to hundreds of them (xz)."
    when_not = (
        "Storage is so slow that loading the additional bytes takes longer than unpacking; exact mode does not "
        "model that."
    )
    cost = "A larger image for the faster formats."
    late = True
    rests_on = ("initramfs",)
    published = (
        Published(
            "-170 ms with no compression inside a compressed kernel",
            "BeagleBone Black, Linux 5.1",
            "Bootlin training",
            "none",
        ),
        Published(
            "500 ms to 1000 ms for LZ4 (kernel and ramdisk)",
            "Android devices",
            "source.android.com: boot-time-opt",
            "lz4",
        ),
    )
    references = ("init/initramfs.c: unpack_to_rootfs()", "lib/decompress.c", "usr/Kconfig: RD_*")

    def _formats(self, context: Context) -> tuple[Compression, ...]:
        present = context.system.initramfs.compression if context.system.initramfs else None
        known = [f for f in FORMATS if f != present and (f == "none" or f in context.compressors)]
        return tuple(f for f in known if f == "none" or context.enabled(f"RD_{f.upper()}") is not False)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel can unpack another format that this machine can write."""
        initramfs = context.system.initramfs
        if initramfs is None:
            return NO_INITRAMFS
        formats = self._formats(context)
        if not formats:
            return Applies.no(
                "no other format is known to both sides", f"initramfs.compression = {initramfs.compression}"
            )
        if not context.config:
            return Applies.unknown("the kernel's configuration (CONFIG_RD_*) is not known", ", ".join(formats))
        options = " ".join(f"CONFIG_RD_{f.upper()}=y" for f in formats if f != "none")
        return Applies.yes(f"packed as {initramfs.compression}; the kernel also unpacks {', '.join(formats)}", options)

    def ends_here(self, context: Context) -> tuple[str, ...]:
        """Return nothing where the archive is not packed: every format takes longer to unpack."""
        initramfs = context.system.initramfs
        return () if initramfs is not None and initramfs.compression == "none" else self.ends

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose one variant a format. No compression is always possible."""
        return tuple(
            Change(technique=self.id, ops=(SetCompression(form),), label=form) for form in self._formats(context)
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:  # noqa: PLR0911 - one answer a reason
        """Prove it by the archive's size, and that the kernel unpacked that archive."""
        old, new = before.recording.meta.artefact_bytes, after.recording.meta.artefact_bytes
        was, now = old.get(_ARTEFACT), new.get(_ARTEFACT)
        if was is None or now is None:
            return NO_INITRAMFS_SIZE
        sums = [e.recording.meta.artefact_sha256.get(_ARTEFACT) for e in (before, after)]
        if was == now and (None in sums or sums[0] == sums[1]):
            return Effect(False, f"the archive is the same: {was} bytes")
        log = KernelLog.of(after)
        if failed := log.line(_FAILED):
            return Effect(False, f"the kernel did not unpack it: {failed}")
        sizes = f"initramfs {was} -> {now} bytes"
        freed = log.match(_FREED)
        if freed is None:
            if log.line(_UNPACKING) and after.recording.ok:
                return Effect(True, f"{sizes}; {log.line(_UNPACKING)}")
            return Effect(False, f"{sizes}; {log.why_silent() or 'the kernel did not print that it unpacked it'}")
        # The kernel frees whole pages of the archive it was given: its own count of what the loader brought. The log
        # may be the diagnostic boot's, whose archive holds the agent too.
        logged = after.diagnosis.recording if after.diagnosis is not None else after.recording
        if abs(int(freed[1]) * 1024 - logged.meta.artefact_bytes.get(_ARTEFACT, now)) > 2 * 4096:
            return Effect(False, f"{sizes}, but the kernel freed another archive: {freed.string}")
        return Effect(True, f"{sizes}; {freed.string}")


TECHNIQUES = (
    InitramfsAsync(),
    InitramfsCompression(),
)
