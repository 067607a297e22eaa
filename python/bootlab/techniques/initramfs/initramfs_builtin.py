"""Make the initramfs a part of the kernel image."""

from __future__ import annotations

from bootlab.model.change import Change, Op
from bootlab.model.kernel_change import SetKernelImage
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Technique
from bootlab.techniques.built import images_differ

SOURCE = "CONFIG_INITRAMFS_SOURCE"


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
        return asked(context)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the same archive inside the image."""
        return embedding(self.id, context)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the image's configuration, and by the boot without an archive of its own."""
        return embedded(before, after)


def asked(context: Context) -> Applies:
    """Tell whether there is an initramfs that is not in the kernel."""
    build = context.system.kernel.build
    if context.system.initramfs is None:
        return Applies.no("there is no initramfs", "the system file has no [initramfs]")
    if build is not None and build.embed_initramfs:
        return Applies.no("it is in the kernel already", "kernel.embed_initramfs = true")
    return Applies.yes("the initramfs is a file of its own", f"compressed by {context.system.initramfs.compression}")


def embedding(technique: str, context: Context, *more: Op) -> tuple[Change, ...]:
    """Propose the embedded initramfs with further operations; nothing where there is none."""
    if context.system.initramfs is None:
        return ()
    return (Change(technique=technique, ops=(*more, SetKernelImage(embed_initramfs=True))),)


def embedded(before: Evidence, after: Evidence) -> Effect:
    """Prove that the image which booted holds the initramfs, and that the machine was given none beside it."""
    effect = images_differ(before, after)
    if not effect.shown:
        return effect
    if after.recording.kernel_config.get(SOURCE, '""') == '""':
        return Effect(False, f"the kernel that booted was built without {SOURCE}")
    if "initramfs" in after.recording.meta.artefact_sha256:
        return Effect(False, "the machine was still given an initramfs of its own")
    return Effect(True, f"{SOURCE} is set, no archive beside the kernel; {effect.evidence}")
