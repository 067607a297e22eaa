"""Start the unpacked kernel by its PVH entry."""

from __future__ import annotations

from bootlab.model.change import Change, SetKernelForm
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.evidence import either, vanished


class KernelPvh(Technique):
    """No set-up code, no decompressor: the virtual machine enters the kernel proper."""

    id = "kernel-pvh"
    title = "Unpacked kernel, started by its PVH entry"
    stage = "image"
    what = (
        "Gives the virtual machine the vmlinux from inside the image, and starts it at the PVH address in its ELF note."
    )
    why = "The guest does not unpack its kernel: that was done once, on the host."
    when_not = (
        "The kernel was built without CONFIG_PVH, or loading four times as many bytes takes longer than unpacking."
    )
    cost = "An image three to five times as large on the host. Only for virtual machines."
    architectures = ("x86_64",)
    kernels = "5.0 and later with CONFIG_PVH"
    rests_on = ("machine",)
    proof = "recording"
    published = (
        Published(
            "191.7 ms -> 139.5 ms to the first user instruction with SeaBIOS; 184.6 -> 133.8 ms with qboot",
            "q35 under KVM, 2019",
            "https://stefano-garzarella.github.io/posts/2019-08-24-qemu-linux-boot-time/",
        ),
    )
    references = ("arch/x86/platform/pvh/head.S", "arch/x86/Kconfig: PVH", "QEMU: pc-bios/optionrom/pvh_main.c")

    def applies(self, context: Context) -> Applies:  # noqa: PLR0911 - one answer a reason
        """Yes when the image's ELF note or the configuration says that there is an entry."""
        if context.system.target != "qemu":
            return Applies.no("only a virtual machine has a PVH loader", f"target = {context.system.target}")
        if context.system.kernel.form == "vmlinux":
            return Applies.no("it is started this way already", "kernel.form = vmlinux")
        if context.pvh_entry is False:
            return Applies.no("the kernel has no PVH entry (ELF note 18)", "no XEN_ELFNOTE_PHYS32_ENTRY in the vmlinux")
        if context.pvh_entry:
            return Applies.yes("the kernel has a PVH entry", "XEN_ELFNOTE_PHYS32_ENTRY in the vmlinux")
        enabled = context.enabled("PVH")
        if enabled is None:
            return Applies.unknown("neither the vmlinux's notes nor the configuration are known")
        if enabled:
            return Applies.yes("the configuration has a PVH entry", "CONFIG_PVH=y")
        return Applies.no("the kernel has no PVH entry", "CONFIG_PVH is not set")

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose the other form of the same kernel."""
        return (Change(technique=self.id, ops=(SetKernelForm("vmlinux"),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the decompressor, or the set-up code's line, that is there only before."""
        old, new = before.recording.mark("decompression"), after.recording.mark("decompression")
        if old is not None and new is None and after.recording.mark("start-kernel") is not None:
            return Effect(True, f"the decompressor ({old.source or 'mark'}) was entered before and never after")
        by_line = Effect(False, "no mark of the decompressor in the recordings")
        line = before.recording.find("Probing EDD")
        if line is not None and after.recording.lines and not after.system.cmdline.has("quiet"):
            gone = after.recording.find("Probing EDD") is None and not after.system.cmdline.has("edd", "off")
            by_line = Effect(gone, "the set-up code's 'Probing EDD' is " + ("gone" if gone else "still printed"))
        return either(by_line, vanished(before, after, r"Linux boot protocol|early console in setup code"))
