"""Compress the kernel image another way."""

from __future__ import annotations

from bootlab.model.change import Change
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.built import built_with
from bootlab.techniques.option import stated, value_of

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
    stage = "image"
    what = "Builds with each CONFIG_KERNEL_* compression that the architecture has."
    why = "LZ4 and LZO unpack fast; XZ and LZMA load fast. Which one wins depends on processor and storage."
    when_not = "The image is not compressed, or the boot loader unpacks it (arm64, RISC-V)."
    cost = (
        "A larger image, or a slower start. Exact mode measures only the unpacking: emulated storage has no bandwidth."
    )
    architectures = ("x86_64", "arm")
    late = True
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
            return Applies.unknown("the kernel's configuration is not known")
        now = _present(context)
        if now is None:
            return Applies.no("the configuration names no algorithm that this architecture unpacks")
        return Applies.yes(f"the image is compressed by {now.lower()}", stated(context, f"KERNEL_{now}"))

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
