"""Boot a kernel image that is not compressed."""

from __future__ import annotations

from bootlab.model.board import ram_start
from bootlab.model.change import Change
from bootlab.model.kernel_change import SetKernelImage
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.built import images_differ


class KernelUncompressed(Technique):
    """Nothing to unpack."""

    id = "kernel-uncompressed"
    title = "Kernel not compressed"
    stage = "image"
    what = "Builds `Image`. On ARM it gets U-Boot's legacy header with the board's load address (uImage, `-C none`)."
    why = "The decompressor does not run, and does not first copy itself."
    when_not = "Reading two to three times as many bytes takes longer than unpacking: slow SD cards, serial flash."
    cost = "A larger image. Emulated storage has no bandwidth: compare the saving with the modelled load time."
    architectures = ("arm", "arm64", "riscv64")
    late = True
    conflicts = ("appended-dtb",)
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
