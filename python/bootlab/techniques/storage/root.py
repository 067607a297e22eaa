# SPDX-License-Identifier: MIT
"""The root file system: what the kernel waits for before it mounts it, and where it is."""

from __future__ import annotations

from typing import get_args

from bootlab.model import root_place
from bootlab.model.change import Change, DropParam, SetParam
from bootlab.model.cmdline import Param
from bootlab.model.recording import KERNEL_MOUNTED_ROOT, RUN_INIT
from bootlab.model.tree import Compression
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog, quote, rejected, vanished
from bootlab.techniques.missing import NO_LINE_OF_INIT
from bootlab.techniques.parameter import ParameterTechnique

_WAITING = r"md: Waiting for all devices to be available before autodetect"


class RaidNoautodetect(ParameterTechnique):
    """The md driver waits for every device before it looks at any."""

    id = "raid-noautodetect"
    title = "No RAID autodetection"
    addresses = ("raid-autodetection",)
    stage = "storage"
    what = "Sets `raid=noautodetect`."
    why = "The md driver waits for all probes to end, then reads a superblock from each partition of type 0xfd."
    when_not = (
        "The root is on an array with version 0.90 superblocks. It gains nothing if md is a module, or if an "
        "initramfs runs init."
    )
    cost = "None without such arrays."
    risk = Risk(function="arrays that only the kernel's autodetection assembled are missing")
    sets = (Param("raid", "noautodetect"),)
    published = (Published("'can cause a several-second delay'", "any", "drivers/md/Kconfig: MD_AUTODETECT"),)
    references = ("drivers/md/md-autodetect.c: md_run_setup(), autodetect_raid()",)

    def applies(self, context: Context) -> Applies:
        """Yes when md printed that it waits."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(_WAITING):
            return Applies.yes("md waits for all devices and looks for arrays", line)
        if line := log.line(r"md: Skipping autodetection of RAID arrays"):
            return Applies.no("the autodetection is off already", line)
        for option in ("BLK_DEV_MD", "MD_AUTODETECT"):
            if context.config and context.config.get(f"CONFIG_{option}", "n") != "y":
                return Applies.no(
                    "md is not built in, so the kernel detects no arrays",
                    f"CONFIG_{option} is not y",
                    options=(option,),
                )
        return log.absent("the kernel did not look for arrays", f"no {_WAITING[:20]!r}…")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the wait that is no longer announced."""
        if line := rejected(after, "raid"):
            return Effect(False, f"the kernel does not know the parameter: {line}")
        return vanished(before, after, _WAITING)


_DELAY = r"Waiting (\d{1,6}) sec before mounting root device"


class RootdelayToRootwait(Technique):
    """A fixed delay in whole seconds is always too long or too short."""

    id = "rootdelay-to-rootwait"
    title = "rootwait instead of rootdelay"
    addresses = ("root-delay",)
    stage = "storage"
    what = "Removes `rootdelay=` and sets `rootwait`."
    why = "`rootdelay` sleeps its whole time even if the device is already there; `rootwait` checks every 5 ms."
    when_not = (
        "An initramfs mounts the root: then the kernel does neither, although the initramfs may read the parameter."
    )
    cost = "If the root device never appears, the kernel waits forever."
    risk = Risk(
        function=(
            "if the root device never appears, the kernel waits without end: no panic, so no restart from another slot"
        )
    )
    kernels = "2.6.21 and later"
    rests_on = ("cmdline",)
    references = ("init/do_mounts.c: prepare_namespace()",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel printed that it waits its seconds."""
        given = context.system.cmdline.get("rootdelay")
        if given is None:
            return Applies.no("no rootdelay= is on the command line", "")
        log = KernelLog.of(context)
        if line := log.line(_DELAY):
            return Applies.yes("the kernel sleeps before it looks for the root device", line)
        if line := log.line(RUN_INIT):
            root = log.line(r"VFS: Mounted root")
            if not root:
                return Applies.no("an initramfs ran init: the kernel itself did not wait", line)
        if given.value in {"0", "", None}:
            return Applies.no("a delay of nothing", quote(str(given)))
        return log.unknown("the kernel did not come as far as its root device", quote(str(given)))

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose the exchange."""
        return (Change(technique=self.id, ops=(DropParam("rootdelay"), SetParam("rootwait"))),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the sleep that is no longer announced."""
        return vanished(before, after, _DELAY)


_TRIED = (
    r"couldn't mount (?:as|because)|Magic Mismatch, valid|Can't find valid F2FS|Can't find a SQUASHFS superblock|"
    r"FAT-fs \(\w+\): bogus number|exFAT-fs \(\w+\): invalid boot record|Primary boot signature is not NTFS|"
    r"cannot find valid erofs superblock"
)


class Rootfstype(Technique):
    """Without a type the kernel tries every block file system it has, in order."""

    id = "rootfstype"
    title = "Type of the root file system named"
    stage = "storage"
    what = "Sets `rootfstype=` to the type that this kernel mounted."
    why = "For each wrong type the kernel reads and checks a superblock before it tries the right one."
    when_not = "An initramfs mounts the root, or the kernel tries the right type first."
    cost = "A root of another type is no longer found."
    published = (Published("part of 12.1 s -> 8.8 s", "Raspberry Pi Zero", "github.com/showmewebcam issue 29"),)
    references = ("init/do_mounts.c: mount_block_root(), list_bdev_fs_names()",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel itself mounted the root without being told its type."""
        cmdline = context.system.cmdline
        if cmdline.has("rootfstype"):
            return Applies.no("it is named already", str(cmdline.get("rootfstype")))
        log = KernelLog.of(context)
        found = log.match(KERNEL_MOUNTED_ROOT)
        if found is None:
            return log.absent("the kernel itself mounted no root file system", log.line(RUN_INIT))
        if tried := log.line(_TRIED):
            return Applies.yes("another type was tried first", tried)
        return Applies.unknown("it does not show whether other types were tried first", found.string)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the type that was mounted; without one there is nothing to propose."""
        found = KernelLog.of(context).match(KERNEL_MOUNTED_ROOT)
        if found is None:
            return ()
        return (Change(technique=self.id, ops=(SetParam("rootfstype", found[1]),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the failed attempts that are gone. Attempts that say nothing (SB_SILENT) leave no proof."""
        if KernelLog.of(after).match(KERNEL_MOUNTED_ROOT) is None:
            return Effect(False, KernelLog.of(after).why_silent() or "the kernel itself mounted no root file system")
        return vanished(before, after, _TRIED)


_ANY_MOUNTED = r"VFS: Mounted root \(\S{1,32} filesystem\)"


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
            return Applies.no(
                "the kernel takes no initramfs", "CONFIG_BLK_DEV_INITRD is not set", options=("BLK_DEV_INITRD",)
            )
        size = context.recording.meta.artefact_bytes.get("root", 0)
        memory = context.system.machine.memory_mib << 20
        if size > memory:
            return Applies.no("the tree is larger than the memory", f"{size} bytes, {memory} bytes of memory")
        line = KernelLog.of(context).line(_ANY_MOUNTED)
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
        if mounted := log.line(_ANY_MOUNTED):
            return Effect(False, f"the kernel still mounts a root: {mounted}")
        run = log.line(RUN_INIT)
        if not run:
            return Effect(False, log.why_silent() or NO_LINE_OF_INIT)
        was = KernelLog.of_console(before.recording).line(_ANY_MOUNTED)
        size = after.recording.meta.artefact_bytes.get("initramfs")
        return Effect(True, f"{was or 'mounted before'} -> initramfs of {size} bytes; {run}")


_CHECKED = r": clean, \d+/\d+ files, \d+/\d+ blocks"


class FsckSkipped(ParameterTechnique):
    """Before a file system is mounted for writing, a program reads its superblock, and now and then all of it."""

    id = "fsck-skipped"
    title = "No check of file systems"
    stage = "storage"
    what = "Sets `fsck.mode=skip`, which systemd and Debian's initramfs-tools read."
    why = "A program is loaded and started for each file system, and who mounts it waits for its end."
    when_not = "The device can lose its power while it writes, and its file system has no journal."
    cost = "Damage is found when a file is read, not before."
    risk = Risk(function="file systems are no longer checked, also those that were not unmounted cleanly")
    proof = "recording"
    kernels = "any; systemd 209 and later, initramfs-tools 0.117 and later"
    sets = (Param("fsck.mode", "skip"),)
    references = ("systemd-fsck@.service(8): fsck.mode=", "initramfs-tools: scripts/functions, _checkfs_once()")

    def applies(self, context: Context) -> Applies:
        """Yes when the console has the answer of a check."""
        if answer := self.already(context):
            return answer
        line = KernelLog.of_console(context.recording).line(_CHECKED)
        return Applies.yes("a file system is checked", line) if line else Applies.unknown("no check is on the console")

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the answer of the check, which is gone from the console of a boot that reached its goal."""
        was = KernelLog.of_console(before.recording).line(_CHECKED)
        now = KernelLog.of_console(after.recording).line(_CHECKED)
        if not was:
            return Effect(False, "no check was on the console before the change either")
        if now or not after.recording.ok:
            return Effect(False, f"still checked: {now}" if now else "the changed system did not reach its goal")
        return Effect(True, f"gone from the console: {was}")


TECHNIQUES = (
    RaidNoautodetect(),
    RootdelayToRootwait(),
    Rootfstype(),
    RootInInitramfs(),
    FsckSkipped(),
)
