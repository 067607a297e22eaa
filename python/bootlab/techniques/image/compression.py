# SPDX-License-Identifier: MIT
"""Whether the kernel image is compressed, and how."""

from __future__ import annotations

from bootlab.model.board import ram_start
from bootlab.model.change import Change, SetKernelForm
from bootlab.model.kernel_change import SetKernelImage, SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.built import built_with, images_differ
from bootlab.techniques.evidence import either, vanished
from bootlab.techniques.missing import NO_CONFIGURATION
from bootlab.techniques.option import stated, value_of


class KernelPvh(Technique):
    """No set-up code, no decompressor: the virtual machine enters the kernel proper."""

    id = "kernel-pvh"
    ends = ("decompressor", "kernel set-up")
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
            return Applies.yes("the configuration has a PVH entry", "CONFIG_PVH=y", options=("PVH",))
        return Applies.no("the kernel has no PVH entry", "CONFIG_PVH is not set", options=("PVH",))

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


# arch/*/Kconfig: HAVE_KERNEL_* (Linux 6.1). The other architectures have no decompressor of their own.
_FORMATS = {
    "x86_64": ("GZIP", "BZIP2", "LZMA", "XZ", "LZO", "LZ4", "ZSTD"),
    "arm": ("GZIP", "LZMA", "XZ", "LZO", "LZ4"),
}


class KernelCompression(Technique):
    """One variant for each algorithm that the architecture's decompressor has."""

    id = "kernel-compression"
    title = "Kernel compressed another way"
    addresses = ("kernel-decompression",)
    ends = ("decompressor",)
    stage = "image"
    what = "Builds with each CONFIG_KERNEL_* compression that the architecture has."
    why = "LZ4 and LZO unpack fast; XZ and LZMA load fast. Which one wins depends on processor and storage."
    when_not = "The image is not compressed, or the boot loader unpacks it (arm64, RISC-V)."
    cost = (
        "A larger image, or a slower start. Exact mode measures only the unpacking: emulated storage has no bandwidth."
    )
    architectures = ("x86_64", "arm")
    late = True
    conflicts = ("kernel-uncompressed",)
    proof = "recording"
    both_ways = True
    builds = True
    published = (
        Published(
            "gzip 1.451, lzma 2.167, xz 1.999, lzo 1.416, lz4 1.462 s",
            "AM335x 1 GHz, Linux 5.1",
            "Bootlin boot-time training",
        ),
        Published("xz in place of gzip: -4.8 s (12.8 %)", "cRIO-903x, Linux 6.12", "ni/linux#266"),
        Published("-35 ms with LZO", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training", "lzo"),
        Published("LZ4: -0.4 s", "Pixel", "source.android.com: optimizing boot times"),
    )
    references = ("init/Kconfig: choice 'Kernel compression mode'", "arch/x86/boot/compressed/misc.c: extract_kernel()")

    def applies(self, context: Context) -> Applies:
        """Yes where the image is packed and the configuration names the algorithm."""
        kernel = context.system.kernel
        if kernel.form == "vmlinux":
            return Applies.no("the emulator starts the unpacked kernel", "kernel.form = vmlinux")
        if kernel.build is not None and kernel.build.image in {"Image", "xipImage", "vmlinux"}:
            return Applies.no("the image is not compressed", f"kernel.image = {kernel.build.image}")
        if not context.config:
            return NO_CONFIGURATION
        now = _present(context)
        if now is None:
            return Applies.no("the configuration names no algorithm that this architecture unpacks")
        return Applies.yes(
            f"the image is compressed by {now.lower()}", stated(context, f"KERNEL_{now}"), options=(f"KERNEL_{now}",)
        )

    def ends_here(self, context: Context) -> tuple[str, ...]:
        """Return nothing where the image is packed by one of the two that unpack fastest."""
        return () if _present(context) in {"LZ4", "LZO"} else self.ends

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose every other algorithm."""
        now = _present(context)
        return tuple(
            Change(technique=self.id, ops=(SetKernelOptions(((f"KERNEL_{name}", "y"),)),), label=name.lower())
            for name in _FORMATS.get(context.arch, ())
            if name != now
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the algorithm in the configuration of the image that booted."""
        names = {name for formats in _FORMATS.values() for name in formats}
        chosen = [n for n in sorted(names) if after.recording.kernel_config.get(f"CONFIG_KERNEL_{n}") == "y"]
        if not chosen:
            return Effect(False, "the recording does not say how the image that booted is compressed")
        return built_with(before, after, ((f"KERNEL_{chosen[0]}", "y"),))


def _present(context: Context) -> str | None:
    formats = _FORMATS.get(context.arch, ())
    return next((name for name in formats if value_of(context, f"KERNEL_{name}") == "y"), None)


class KernelUncompressed(Technique):
    """Nothing to unpack."""

    id = "kernel-uncompressed"
    ends = ("decompressor",)
    title = "Kernel not compressed"
    stage = "image"
    what = "Builds `Image`. On ARM it gets U-Boot's legacy header with the board's load address (uImage, `-C none`)."
    why = "The decompressor does not run, and does not first copy itself."
    when_not = "Reading two to three times as many bytes takes longer than unpacking: slow SD cards, serial flash."
    cost = "A larger image. Emulated storage has no bandwidth: compare the saving with the modelled load time."
    architectures = ("arm", "arm64", "riscv64")
    late = True
    conflicts = ("appended-dtb", "kernel-compression")
    proof = "recording"
    builds = True
    published = (Published("689 -> 208 ms", "OMAP1510 168 MHz, 2004", "eLinux: boot time"),)
    references = ("arch/arm/boot/Makefile: Image, uImage", "U-Boot: include/image.h", "QEMU: hw/core/loader.c")

    def applies(self, context: Context) -> Applies:
        """Yes where the image that is built is a packed one."""
        build = context.system.kernel.build
        packed = "zImage" if context.arch == "arm" else ""
        image = (build.image if build is not None else None) or packed
        if build is None:
            return Applies.unknown("which form the image has is known only of kernels that bootlab builds")
        if context.system.kernel.flash is not None:
            return Applies.no("the kernel starts from flash", f"kernel.flash = {context.system.kernel.flash}")
        if image in {"", "Image", "xipImage", "vmlinux"}:
            return Applies.no("the image is not compressed", f"kernel.image = {image or 'Image'}")
        if build.append_device_tree:
            return Applies.no("a device tree is appended to it", "kernel.append_device_tree = true")
        if context.arch != "arm64" and ram_start(context.system.machine) is None:
            return Applies.no("the board's load address is not known", f"machine.type = {context.system.machine.type}")
        return Applies.yes("the image is compressed", f"kernel.image = {image}")

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose the plain image."""
        return (Change(technique=self.id, ops=(SetKernelImage(image="Image"),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the decompressor, which only the base enters; where there is none, by the larger image."""
        effect = images_differ(before, after)
        if not effect.shown:
            return effect
        was, now = before.recording.mark("decompression"), after.recording.mark("decompression")
        if was is not None:
            if now is not None:
                return Effect(False, f"the decompressor was still entered, at {now.ns / 1e6:.3f} ms")
            if after.recording.mark("start-kernel") is None:
                return Effect(False, "the changed system's boot has no marks")
            return Effect(True, f"no decompressor, entered at {was.ns / 1e6:.3f} ms before; {effect.evidence}")
        sizes = [e.recording.meta.artefact_bytes.get("kernel", 0) for e in (before, after)]
        built = after.system.kernel.build
        plain = built is not None and built.image == "Image"
        return Effect(plain and sizes[1] > sizes[0], f"the boot loader unpacks nothing; {effect.evidence}")


TECHNIQUES = (
    KernelPvh(),
    KernelCompression(),
    KernelUncompressed(),
)
