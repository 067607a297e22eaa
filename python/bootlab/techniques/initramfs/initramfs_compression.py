"""Compress the initramfs another way."""

from __future__ import annotations

from typing import cast, get_args

from bootlab.model.change import Change, SetCompression
from bootlab.model.tree import Compression
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.evidence import KernelLog

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
    proof = "kernel-log"
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
            return Applies.no("there is no initramfs", "no [initramfs] in the system")
        formats = self._formats(context)
        if not formats:
            return Applies.no(
                "no other format is known to both sides", f"initramfs.compression = {initramfs.compression}"
            )
        if not context.config:
            return Applies.unknown("the kernel's configuration (CONFIG_RD_*) is not known", ", ".join(formats))
        options = " ".join(f"CONFIG_RD_{f.upper()}=y" for f in formats if f != "none")
        return Applies.yes(f"packed as {initramfs.compression}; the kernel also unpacks {', '.join(formats)}", options)

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
            return Effect(False, "the recordings do not tell the initramfs' size")
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
