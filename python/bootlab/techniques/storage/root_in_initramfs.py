"""Make the root tree the initramfs."""

from __future__ import annotations

from typing import get_args

from bootlab.model import root_place
from bootlab.model.change import Change
from bootlab.model.tree import Compression
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog

_MOUNTED = r"VFS: Mounted root \(\S{1,32} filesystem\)"
_RUN = r"Run \S{1,200} as init process"


class RootInInitramfs(Technique):
    """The boot loader reads the tree with the kernel; nothing is mounted, and no driver is waited for."""

    id = "root-in-initramfs"
    title = "Root tree in the initramfs"
    stage = "storage"
    what = (
        "Packs the tree of `[root]` as an initramfs, one variant per compression, and removes the parameters that "
        "mount it."
    )
    why = "The kernel starts init without storage drivers, without a mount, and without reading one page at a time."
    when_not = (
        "The tree is large: all of it is loaded and kept in memory. If init relies on CONFIG_DEVTMPFS_MOUNT, which "
        "acts only on a mounted root, /dev must be in the tree or be mounted by init."
    )
    cost = "Loading the whole tree, which the times do not include, and memory for all of it."
    risk = Risk(function="everything written is lost at power-off; the whole tree takes memory")
    proof = "kernel-log"
    published = (
        Published(
            "init at 8.399 s against 8.500 to 11.789 s with file systems on SD", "BeagleBone Black, Linux 5.11",
            "Bootlin boot-time training",
        ),
    )  # fmt: skip
    references = ("init/do_mounts.c: prepare_namespace()", "init/initramfs.c: populate_rootfs()", "init/main.c")

    def _formats(self, context: Context) -> tuple[Compression, ...]:
        known: tuple[Compression, ...] = get_args(Compression)
        there = (f for f in known if f in context.compressors and context.enabled(f"RD_{f.upper()}"))
        return ("none", *(f for f in there if f != "none"))

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel mounted the root that bootlab packs, and memory can hold it."""
        root = context.system.root
        if root is None:
            return Applies.no("bootlab packs no root for a medium", "no [root] in the system")
        if root.image is not None:
            return Applies.no("the root is a ready image, not a tree", "root.image")
        if context.system.initramfs is not None:
            return Applies.no("an initramfs mounts the root", "[initramfs] beside [root]")
        if context.config and not context.enabled("BLK_DEV_INITRD"):
            return Applies.no("the kernel takes no initramfs", "CONFIG_BLK_DEV_INITRD is not set")
        size = context.recording.meta.artefact_bytes.get("root", 0)
        memory = context.system.machine.memory_mib << 20
        if size > memory:
            return Applies.no("the tree is larger than the memory", f"{size} bytes, {memory} bytes of memory")
        line = KernelLog.of(context).line(_MOUNTED)
        reason = f"the root is {root.file_system} on {root.medium}"
        return Applies.yes(reason, line or f"{size} bytes")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose one variant a compression that the kernel is known to unpack; no compression is always possible."""
        if context.system.root is None:
            return ()
        return tuple(
            Change(technique=self.id, ops=root_place.to_initramfs(context.system, form), label=form)
            for form in self._formats(context)
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel, which starts init from an archive and no longer mounts a root."""
        old, new = before.recording.meta.artefact_sha256, after.recording.meta.artefact_sha256
        if "root" not in old or "initramfs" in old:
            return Effect(False, "the base's root was an initramfs or nothing that bootlab packed")
        if "initramfs" not in new or "root" in new:
            return Effect(False, "the machine was still given the medium")
        log = KernelLog.of_console(after.recording)
        if mounted := log.line(_MOUNTED):
            return Effect(False, f"the kernel still mounts a root: {mounted}")
        run = log.line(_RUN)
        if not run:
            return Effect(False, log.why_silent() or "the kernel did not print its init")
        was = KernelLog.of_console(before.recording).line(_MOUNTED)
        size = after.recording.meta.artefact_bytes.get("initramfs")
        return Effect(True, f"{was or 'mounted before'} -> initramfs of {size} bytes; {run}")
