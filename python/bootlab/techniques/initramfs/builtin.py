# SPDX-License-Identifier: MIT
"""The initramfs as a part of the kernel image."""

from __future__ import annotations

from bootlab.model.change import Change, Op, SetCompression
from bootlab.model.kernel_change import SetKernelImage, SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Technique
from bootlab.techniques.built import images_differ

_SOURCE = "CONFIG_INITRAMFS_SOURCE"


class InitramfsBuiltin(Technique):
    """One file to load in place of two."""

    id = "initramfs-builtin"
    title = "Initramfs inside the kernel image"
    stage = "initramfs"
    what = "Builds with CONFIG_INITRAMFS_SOURCE: the archive becomes a part of the kernel, compressed as before."
    why = "The boot loader reads one file less. The kernel need not search for an archive, nor free its pages."
    when_not = (
        "The kernel image is compressed too, so that the archive is unpacked twice: see "
        "`initramfs-builtin-uncompressed`."
    )
    cost = "Each new root file system means a new kernel, under the kernel's licence."
    conflicts = ("initramfs-builtin-uncompressed",)
    late = True
    proof = "recording"
    builds = True
    references = (
        "usr/Kconfig: INITRAMFS_SOURCE",
        "usr/Makefile",
        "Documentation/filesystems/ramfs-rootfs-initramfs.rst",
    )

    def applies(self, context: Context) -> Applies:
        """Yes where there is an initramfs apart from the kernel."""
        build = context.system.kernel.build
        if context.system.initramfs is None:
            return Applies.no("there is no initramfs", "the system file has no [initramfs]")
        if build is not None and build.embed_initramfs:
            return Applies.no("it is in the kernel already", "kernel.embed_initramfs = true")
        return Applies.yes(
            "the initramfs is a file of its own", f"compressed by {context.system.initramfs.compression}"
        )

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the same archive inside the image."""
        return _embedding(self.id, context)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the image's configuration, and by the boot without an archive of its own."""
        return _embedded(before, after)


def _embedding(technique: str, context: Context, *more: Op) -> tuple[Change, ...]:
    """Propose the embedded initramfs with further operations; nothing where there is none."""
    if context.system.initramfs is None:
        return ()
    return (Change(technique=technique, ops=(*more, SetKernelImage(embed_initramfs=True))),)


def _embedded(before: Evidence, after: Evidence) -> Effect:
    """Prove that the image which booted holds the initramfs, and that the machine was given none beside it."""
    effect = images_differ(before, after)
    if not effect.shown:
        return effect
    if after.recording.kernel_config.get(_SOURCE, '""') == '""':
        return Effect(False, f"the kernel that booted was built without {_SOURCE}")
    if "initramfs" in after.recording.meta.artefact_sha256:
        return Effect(False, "the machine was still given an initramfs of its own")
    return Effect(True, f"{_SOURCE} is set, no archive beside the kernel; {effect.evidence}")


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
        return _embedding(self.id, context, SetCompression("none"), options)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configuration of the image that booted without an archive of its own."""
        effect = _embedded(before, after)
        if not effect.shown:
            return effect
        if after.recording.kernel_config.get(f"CONFIG_{_PLAIN}") != "y":
            return Effect(False, f"CONFIG_{_PLAIN} is off in the kernel that booted")
        if before.recording.kernel_config.get(f"CONFIG_{_PLAIN}") == "y":
            return Effect(False, "the base's archive is plain and in the kernel too")
        return Effect(True, f"CONFIG_{_PLAIN}=y; {effect.evidence}")


TECHNIQUES = (
    InitramfsBuiltin(),
    InitramfsBuiltinUncompressed(),
)
