"""Compress what is inside the kernel image once and not twice."""

from __future__ import annotations

from bootlab.model.change import Change, SetCompression
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.initramfs.initramfs_builtin import embedded, embedding

_PLAIN = "INITRAMFS_COMPRESSION_NONE"


class InitramfsBuiltinUncompressed(Technique):
    """The image's own compression packs it."""

    id = "initramfs-builtin-uncompressed"
    title = "Initramfs inside the kernel image, not compressed itself"
    stage = "initramfs"
    what = (
        "Embeds an uncompressed archive (CONFIG_INITRAMFS_COMPRESSION_NONE); the kernel image's own compression "
        "packs it."
    )
    why = "An archive that is packed twice is unpacked twice, and is no smaller. An uncompressed one is only copied."
    when_not = "The kernel image is not compressed: then the archive is loaded in its full size."
    cost = "More memory until the archive has been copied; each new root file system means a new kernel."
    conflicts = ("initramfs-builtin",)
    late = True
    proof = "recording"
    builds = True
    published = (
        Published("-170 ms, -200 KB (cpio of 1.6 MB)", "BeagleBone Black, Linux 5.1", "Bootlin boot-time training"),
    )
    references = ("usr/Kconfig: INITRAMFS_COMPRESSION_NONE", "usr/Makefile")

    def applies(self, context: Context) -> Applies:
        """Yes where the kernel image is compressed and the archive is not plain inside it."""
        system = context.system
        if system.initramfs is None:
            return Applies.no("there is no initramfs", "the system file has no [initramfs]")
        build = system.kernel.build
        inside = build is not None and build.embed_initramfs
        if inside and system.initramfs.compression == "none":
            return Applies.no("it is plain and in the kernel already", 'kernel.embed_initramfs, compression = "none"')
        image = build.image if build is not None else None
        if image in {"Image", "xipImage", "vmlinux"} or (image is None and context.arch in {"arm64", "riscv64"}):
            return Applies.no("the kernel image is not compressed", f"kernel.image = {image or 'Image'}")
        where = "inside the image, it is unpacked twice" if inside else "a file of its own"
        return Applies.yes(f"the initramfs is {where}", f"compressed by {system.initramfs.compression}")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the plain archive inside the image."""
        options = SetKernelOptions(((_PLAIN, "y"),))
        return embedding(self.id, context, SetCompression("none"), options)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configuration of the image that booted without an archive of its own."""
        effect = embedded(before, after)
        if not effect.shown:
            return effect
        if after.recording.kernel_config.get(f"CONFIG_{_PLAIN}") != "y":
            return Effect(False, f"CONFIG_{_PLAIN} is off in the kernel that booted")
        if before.recording.kernel_config.get(f"CONFIG_{_PLAIN}") == "y":
            return Effect(False, "the base's archive is plain and in the kernel too")
        return Effect(True, f"CONFIG_{_PLAIN}=y; {effect.evidence}")
