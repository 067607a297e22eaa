# SPDX-License-Identifier: MIT
"""What else an image is built with: the device tree behind it, another optimisation."""

from __future__ import annotations

from bootlab.model.change import Change
from bootlab.model.kernel_change import SetKernelImage, SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.built import built_with
from bootlab.techniques.missing import NO_CONFIGURATION
from bootlab.techniques.option import stated, value_of

# The second one hands the boot loader's command line, memory and initramfs to the appended tree.
_OPTIONS = (("ARM_APPENDED_DTB", "y"), ("ARM_ATAG_DTB_COMPAT", "y"))


class AppendedDtb(Technique):
    """One file to load in place of two."""

    id = "appended-dtb"
    title = "Device tree appended to the kernel"
    stage = "image"
    what = (
        "Builds with CONFIG_ARM_APPENDED_DTB and CONFIG_ARM_ATAG_DTB_COMPAT, and appends the device tree to the zImage."
    )
    why = "The boot loader opens and reads one file less, and needs no code for device trees."
    when_not = "The boot loader changes the tree, or the machine passes its own. QEMU takes no time to load a tree."
    cost = "The kernel is tied to one board; the decompressor merges ATAGs and tree."
    architectures = ("arm",)
    kernels = "3.2 and later"
    conflicts = ("kernel-uncompressed",)
    proof = "recording"
    builds = True
    published = (Published("-22 ms", "BeagleBone Black", "Bootlin boot-time training"),)
    references = ("arch/arm/Kconfig: ARM_APPENDED_DTB, ARM_ATAG_DTB_COMPAT", "arch/arm/boot/compressed/head.S")

    def applies(self, context: Context) -> Applies:
        """Yes where the machine is given a tree beside a zImage."""
        if context.system.loader is not None:
            return Applies.no("the boot loader hands the device tree over", "[loader]; see falcon-appended-tree")
        build = context.system.kernel.build
        if build is not None and build.append_device_tree:
            return Applies.no("it is appended already", "kernel.append_device_tree = true")
        if build is not None and build.image not in {None, "zImage"}:
            return Applies.no("a device tree can be appended only to a zImage", f"kernel.image = {build.image}")
        tree = context.system.machine.dtb or (build.device_tree if build is not None else None)
        if tree is None:
            return Applies.no("no device tree is given to the machine", "neither kernel.device_tree nor machine.dtb")
        if not context.config:
            return NO_CONFIGURATION
        return Applies.yes(
            "the device tree is a file of its own", stated(context, "ARM_APPENDED_DTB"), options=("ARM_APPENDED_DTB",)
        )

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the appended tree with the options that it needs."""
        pending = tuple(pair for pair in _OPTIONS if value_of(context, pair[0]) != pair[1])
        ops = (*((SetKernelOptions(pending),) if pending else ()), SetKernelImage(append_device_tree=True))
        return (Change(technique=self.id, ops=ops),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the options of the image that booted, and by the launch, which no longer names a tree."""
        old, new = before.recording.meta, after.recording.meta
        if old.launch is None or old.launch.dtb is None:
            return Effect(False, "the base's machine was given no device tree")
        if new.launch is None or new.launch.dtb is not None:
            return Effect(False, "the machine was still given a device tree of its own")
        if before.recording.kernel_config.get("CONFIG_ARM_APPENDED_DTB") == "y":
            return Effect(False, "the base's kernel takes an appended tree too")
        effect = built_with(before, after, _OPTIONS)
        return Effect(effect.shown, f"no -dtb; {effect.evidence}" if effect.shown else effect.evidence)


_SPEED, _SIZE = "CC_OPTIMIZE_FOR_PERFORMANCE", "CC_OPTIMIZE_FOR_SIZE"


class CompilerOptimisation(Technique):
    """The other one of -O2 and -Os."""

    id = "compiler-optimisation"
    title = "Kernel optimised the other way (-O2, -Os)"
    stage = "image"
    what = "Builds with -Os if the kernel has -O2, and with -O2 if it has -Os."
    why = "With -Os the image is a tenth smaller: less to load and unpack. With -O2 the code is faster."
    when_not = "Whether it helps depends on storage and processor."
    cost = "The advantage of the other option."
    risk = Risk(runtime="a kernel built with -Os executes more instructions for the same work")
    proof = "recording"
    both_ways = True
    builds = True
    published = (
        Published(
            "-Os: size -10.5 %, total 5.739 -> 5.796 s",
            "BeagleBone Black, Linux 5.11",
            "Bootlin boot-time training",
            "Os",
        ),
        Published("-0.12 s by -O2 in place of -Os", "Pixel", "source.android.com: optimizing boot times", "O2"),
    )
    references = ("init/Kconfig: choice 'Compiler optimization level'",)

    def applies(self, context: Context) -> Applies:
        """Yes where the configuration is known: one of both is always on."""
        if not context.config:
            return NO_CONFIGURATION
        now = _SIZE if value_of(context, _SIZE) == "y" else _SPEED
        return Applies.yes(
            f"the kernel is built with {'-Os' if now == _SIZE else '-O2'}", f"CONFIG_{now}=y", options=(now,)
        )

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the other one."""
        small = value_of(context, _SIZE) == "y"
        options = ((_SPEED, "y" if small else "n"), (_SIZE, "n" if small else "y"))
        return (Change(technique=self.id, ops=(SetKernelOptions(options),), label="O2" if small else "Os"),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configurations that both images were built with."""
        small = before.recording.kernel_config.get(f"CONFIG_{_SIZE}") == "y"
        return built_with(before, after, ((_SIZE, "n" if small else "y"),))


TECHNIQUES = (
    AppendedDtb(),
    CompilerOptimisation(),
)
