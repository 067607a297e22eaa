# SPDX-License-Identifier: MIT
"""No initramfs: the drivers that it carries are a part of the kernel, which mounts the root itself."""

from __future__ import annotations

import re

from bootlab.model.change import Change, MountRootByKernel
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.recording import KERNEL_MOUNTED_ROOT
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import built_with, options_asked
from bootlab.techniques.diagnosed import loaded_modules, mounted_root
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.missing import NO_ROOT_SHOWN

_NAMED = re.compile(r"/dev/(?!mapper/|disk/|dm-|md)\w{1,32}")
_BY_THE_KERNEL = re.compile(r"(?:/dev/|UUID=|LABEL=|PARTUUID=|PARTLABEL=)\S+")
"""Ways to name a root that is a file system on a partition; `ZFS=`, `mtd:` and network roots are none."""


class BuiltInDrivers(Technique):
    """`make localyesconfig`, and what it is made for."""

    id = "built-in-drivers"
    ends = ("do_populate_rootfs", "populate_rootfs")
    title = "Loaded drivers built into the kernel, no initramfs"
    stage = "initramfs"
    what = (
        "Builds the kernel with the modules that the diagnostic boot had loaded as parts of it, drops the initramfs, "
        "and names the root's device and type on the command line: the kernel mounts it."
    )
    why = (
        "A distribution's initramfs is there to find and load the drivers of any root: it is unpacked, its shell and "
        "udev run, modules are read, relocated and linked. Built-in drivers are there at once."
    )
    when_not = (
        "The root is encrypted, on LVM, RAID or a network, the system resumes from hibernation, or the same image "
        "boots on different machines."
    )
    cost = (
        "A kernel of your own, made again with each update. Modules of the distribution's kernel do not fit it. "
        "Microcode that the initramfs carried is not loaded early."
    )
    risk = Risk(
        function=(
            "devices whose driver was not loaded in the diagnostic boot have none; the root is found by its device's "
            "name, which another disk may take; no rescue shell"
        ),
        runtime="drivers cannot be unloaded",
    )
    conflicts = ("initramfs-direct", "initramfs-modules", "initramfs-slim")
    rests_on = ("initramfs",)
    needs_diagnosis = True
    needs_source = True
    builds = True
    proof = "recording"
    references = (
        "scripts/kconfig/streamline_config.pl (make localyesconfig)",
        "init/do_mounts.c: prepare_namespace(), mount_block_root()",
    )

    def applies(self, context: Context) -> Applies:
        """Yes when an initramfs mounts a root that the kernel could mount, and the source names the options."""
        system = context.system
        if system.initramfs is None or system.root is None:
            return Applies.no("no initramfs mounts a root", "not both of [initramfs] and [root] in the system")
        named = system.cmdline.value("root") or ""
        if named and not _BY_THE_KERNEL.fullmatch(named):
            return Applies.no("the kernel cannot find such a root by itself", f"root={named}")
        if context.diagnosis is None:
            return Applies.unknown("a diagnostic boot is missing: only it shows which drivers are used")
        mounted = mounted_root(context)
        if mounted is None:
            return NO_ROOT_SHOWN
        if not _NAMED.fullmatch(mounted[0]):
            return Applies.no("the root is on a device that others make up", f"{mounted[0]} is mounted on /")
        return self._by_options(context, *mounted)

    def _by_options(self, context: Context, device: str, kind: str) -> Applies:
        loaded = loaded_modules(context)
        if loaded and not context.built_in_options:
            return Applies.unknown("which options build the loaded modules is not known: it takes the kernel's source")
        if kind in context.modules_left:
            return Applies.no("the root's file system cannot be built in", f"module {kind}")
        left = f"; not built in: {', '.join(context.modules_left)}" if context.modules_left else ""
        return Applies.yes(
            f"{device} ({kind}) can be mounted by a kernel with {len(loaded) - len(context.modules_left)} modules "
            "built in",
            f"{', '.join(context.built_in_options)}{left}",
        )

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose all loaded modules in one kernel; without a diagnostic boot there is nothing to propose."""
        mounted = mounted_root(context)
        if mounted is None or context.system.initramfs is None or context.system.root is None:
            return ()
        options = SetKernelOptions(tuple((name, "y") for name in context.built_in_options))
        return (Change(technique=self.id, ops=(options, MountRootByKernel(*mounted))),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's configuration, by the archive that is not there, and by who mounted the root."""
        asked = options_asked(before, after, "y")
        effect = built_with(before, after, asked) if asked else Effect(True, "no option had to be set")
        if not effect.shown:
            return effect
        if "initramfs" in after.recording.meta.artefact_sha256:
            return Effect(False, "the machine was still given an initramfs")
        now = KernelLog.of(after)
        said = now.line(KERNEL_MOUNTED_ROOT)
        if not said:
            return Effect(False, now.why_silent() or "the kernel did not say that it mounted the root")
        if was := KernelLog.of(before).line(KERNEL_MOUNTED_ROOT):
            return Effect(False, f"the kernel mounted the root before as well: {was}")
        return Effect(True, f"{said}; no initramfs; {effect.evidence}")


TECHNIQUES = (BuiltInDrivers(),)
