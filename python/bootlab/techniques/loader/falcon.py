# SPDX-License-Identifier: MIT
"""Falcon mode: the SPL starts the kernel, and U-Boot is there for the case that it cannot."""

from __future__ import annotations

from bootlab.model.boot_loader import Loader
from bootlab.model.change import Change, SetLoader
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk
from bootlab.techniques.built import built_with
from bootlab.techniques.loader_built import loader_built_with, said, value_of
from bootlab.techniques.loader_setting import LoaderTechnique
from bootlab.techniques.option import value_of as kernel_value

_BANNER = r"^U-Boot \d{4}\."


class FalconMode(LoaderTechnique):
    """One boot loader less."""

    id = "falcon-mode"
    ends = ("firmware",)
    title = "Falcon mode: the SPL starts the kernel"
    what = (
        "Builds the SPL with CONFIG_SPL_OS_BOOT: it loads the device tree and one image of kernel and initramfs from "
        "raw sectors of the card. The device tree names command line, memory and the place of the initramfs. The "
        "variant `checked` verifies checksums of both first. RISC-V: the SPL loads OpenSBI and the kernel from one FIT "
        "(linux.itb), and OpenSBI starts the kernel."
    )
    why = "U-Boot itself is not loaded, does not relocate itself, and sets up no drivers."
    when_not = "The system needs what only U-Boot does: it starts further processors (PSCI), sets a MAC address."
    cost = (
        "Kernel, device tree and command line are written to raw sectors. If they are missing, U-Boot boots instead. "
        "Only `checked` notices a kernel with an intact header and damaged contents."
    )
    risk = Risk(debuggability="to reach the prompt, the key c must be sent before power-on")
    architectures = ("arm", "riscv64")
    published = (
        Published("-1052 ms", "BeagleBone Black", "Bootlin boot-time training"),
        Published("-3 to -5 s", "boards with a boot delay", "elinux.org: Boot Time"),
    )
    references = (
        "U-Boot: doc/README.falcon",
        "U-Boot: common/spl/spl_mmc.c",
        "U-Boot: arch/arm/lib/spl.c",
        "U-Boot: common/spl/spl_opensbi.c",
    )

    def applies_to(self, loader: Loader, context: Context) -> Applies:
        """Yes where U-Boot itself starts the kernel."""
        if loader.start == "falcon":
            return Applies.no("the SPL starts the kernel", "[loader] start = falcon")
        riscv = context.system.machine.arch == "riscv64"
        if not riscv and not context.system.cmdline.has("maxcpus", "1") and context.enabled("SMP"):
            return Applies.yes(
                "U-Boot starts the kernel; without it no code starts further processors",
                said(context.recording, _BANNER),
            )
        return Applies.yes("U-Boot starts the kernel", said(context.recording, _BANNER))

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose it without and with checksums. What U-Boot reads in the other case are files again."""
        return tuple(
            Change(
                technique=self.id,
                ops=(SetLoader(start="falcon", checked=checked, place="fat", exact=False),),
                label="checked" if checked else "unchecked",
            )
            for checked in (False, True)
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by U-Boot's banner and entry, which only the base has."""
        was, now = said(before.recording, _BANNER), said(after.recording, _BANNER)
        entered = before.recording.mark("u-boot"), after.recording.mark("u-boot")
        if not was and entered[0] is None:
            return Effect(False, "U-Boot itself did not run in the base")
        if now or entered[1] is not None:
            return Effect(False, f"U-Boot itself still ran: {now or 'it was entered'}")
        if after.recording.mark("kernel-entry") is None:
            return Effect(False, "the kernel's entry was not seen")
        option = "SPL_FALCON_RAM" if after.system.machine.arch == "riscv64" else "SPL_OS_BOOT"
        effect = loader_built_with(before, after, ((option, "y"),))
        return Effect(effect.shown, f"no second banner ({was or 'U-Boot was entered before'}); {effect.evidence}")


class FalconAppendedTree(LoaderTechnique):
    """One read less."""

    id = "falcon-appended-tree"
    title = "Falcon mode with the device tree appended to the kernel"
    what = "Builds the kernel with CONFIG_ARM_APPENDED_DTB. The SPL loads a zImage with the device tree at its end."
    why = "The SPL reads one part of the card instead of two, and none of the space reserved for a device tree."
    when_not = "The kernel is not a zImage."
    cost = "Another command line needs another kernel image."
    architectures = ("arm",)
    kernels = "3.2 and later"
    references = ("arch/arm/Kconfig: ARM_APPENDED_DTB", "U-Boot: common/spl/spl_mmc.c")

    def applies_to(self, loader: Loader, context: Context) -> Applies:
        """Yes in falcon mode with a zImage."""
        if loader.start != "falcon":
            return Applies.no("it is about falcon mode", f"[loader] start = {loader.start}")
        if loader.appended:
            return Applies.no("the device tree is already appended to the kernel", "[loader] appended = true")
        build = context.system.kernel.build
        if build is None:
            return Applies.no("bootlab does not build this kernel", "the table [kernel] names no source")
        if build.image not in {None, "zImage"}:
            return Applies.no("a device tree can be appended only to a zImage", f"kernel.image = {build.image}")
        return Applies.yes("the device tree has sectors of its own", "[loader] appended = false")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the appended tree with the option that it needs."""
        pending = () if kernel_value(context, "ARM_APPENDED_DTB") == "y" else (("ARM_APPENDED_DTB", "y"),)
        ops = (*((SetKernelOptions(pending),) if pending else ()), SetLoader(appended=True))
        return (Change(technique=self.id, ops=ops),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the sectors that the SPL was built to read, and by the kernel's option."""
        old, new = (value_of(e.recording, "SYS_MMCSD_RAW_MODE_ARGS_SECTOR") for e in (before, after))
        if new not in {"0x0", "0", "n"} or old == new:
            return Effect(False, f"the sector of the arguments is {old} before and {new} after")
        effect = built_with(before, after, (("ARM_APPENDED_DTB", "y"),))
        return Effect(effect.shown, f"the SPL reads no arguments (sector {old} before); {effect.evidence}")


TECHNIQUES = (FalconMode(), FalconAppendedTree())
