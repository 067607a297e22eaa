# SPDX-License-Identifier: MIT
"""Everything that a target needs to boot a system, as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab import _core
from bootlab.builders.boot_image import bootable
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.flash_image import flash_image
from bootlab.builders.initramfs import build_initramfs
from bootlab.builders.late_modules import with_late_modules
from bootlab.builders.programs import with_built_programs
from bootlab.errors import UserError
from bootlab.model import flash_layout
from bootlab.model.boot_loader import NAME_A_TREE
from bootlab.model.system import Kernel, KernelBuild, SystemDescription
from bootlab.model.tree import Entry, FileTree

if TYPE_CHECKING:
    from bootlab.builders.kbuild import BuiltKernel, KernelBuilder, KernelSizes

_GIVE_A_SOURCE = 'give it a source: [kernel] source = "debian", config = ["kernel.config"]'
# How a vmlinux is taken out of an image: raise it when that shall give another file than before.
_FORM = 1
# usr/default_cpio_list of the kernel: what is in it when no CONFIG_INITRAMFS_SOURCE is given.
_OWN_INITRAMFS = {
    "/dev": Entry(kind="dir", mode=0o755),
    "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
    "/root": Entry(kind="dir", mode=0o700),
}


class Artefacts(msgspec.Struct, frozen=True, kw_only=True):
    """The files that boot a system; size in bytes and SHA-256 by name: `kernel`, `initramfs`, `root`.

    `root`: the medium that the root lies on. Its size is that of the file system's image, however large the medium is.
    """

    kernel: Path
    initramfs: Path | None = None
    root: Path | None = None
    sizes_bytes: dict[str, int] = {}
    sha256: dict[str, str] = {}


def build(system: SystemDescription, cache: Cache) -> Artefacts:
    """Build what a system boots from. Raise UserError, ToolMissing or EnvironmentFault."""
    kernel = _kernel_file(system.kernel, cache)
    initramfs = build_initramfs(system.initramfs, cache) if system.initramfs is not None else None
    if system.initrd is not None:
        initramfs = Path(system.initrd)
    files = {"kernel": kernel} | ({"initramfs": initramfs} if initramfs is not None else {})
    root = None
    if system.root is not None:
        from bootlab.builders import root_image  # noqa: PLC0415 - makers of ten file systems

        image = root_image.build(system.root, system.storage, cache)
        root = root_image.medium(system, image, cache)
        files["root"] = image.path
    return Artefacts(
        kernel=kernel,
        initramfs=initramfs,
        root=root,
        sizes_bytes={name: path.stat().st_size for name, path in files.items()},
        sha256={name: cache.digest(path) for name, path in files.items()},
    )


def _kernel_file(kernel: Kernel, cache: Cache) -> Path:
    """Return the file to boot. Raise UserError when there is no image or nothing can be unpacked out of it."""
    if not kernel.image:
        raise UserError("the system has no kernel image", hint='add to the system file: [kernel] image = "..."')
    image = Path(kernel.image)
    if kernel.form == "image":
        if not image.is_file():
            raise UserError(f"there is no kernel image {image}", hint=f"ls {image.parent}")
        return image
    return _vmlinux(image, cache)


def _vmlinux(image: Path, cache: Cache) -> Path:
    """Return the ELF file inside a kernel image, unpacked once."""
    return cache.file(key_of("vmlinux", _FORM, cache.digest(image)), ".vmlinux", lambda out: _extract(image, out))


def _extract(image: Path, out: Path) -> None:
    try:
        data: bytes = _core.kernel_extract_vmlinux(image.read_bytes())
    except ValueError as error:
        raise UserError(
            f"no vmlinux can be unpacked out of {image}: {error}", hint='leave it packed: [kernel] form = "image"'
        ) from error
    out.write_bytes(data)


def build_system_kernel(system: SystemDescription, cache: Cache, kernels: KernelBuilder) -> BuiltKernel:
    """Return the kernel that a system builds, from the cache or built. Raise what building raises."""
    return kernels.build(kernel_build(system), system.machine.arch, _embedded(system, cache))


def is_kernel_built(system: SystemDescription, cache: Cache, kernels: KernelBuilder) -> bool:
    """Tell whether the kernel that a system builds is in the cache. Raise what configuring raises."""
    return kernels.is_built(kernel_build(system), system.machine.arch, _embedded(system, cache))


def size_system_kernel(system: SystemDescription, cache: Cache, kernels: KernelBuilder) -> KernelSizes:
    """Return what each object adds to the kernel that a system builds. Raise what building raises."""
    return kernels.sizes(kernel_build(system), system.machine.arch, _embedded(system, cache))


def configure_system_kernel(system: SystemDescription, cache: Cache, kernels: KernelBuilder) -> str:
    """Return the `.config` of the kernel that a system builds. Raise what configuring raises."""
    return kernels.config(kernel_build(system), system.machine.arch, _embedded(system, cache))


def with_built_kernel(system: SystemDescription, cache: Cache, kernels: KernelBuilder) -> SystemDescription:
    """Return the system as it boots: its kernel built, with the paths of its files. One with an image stays as it is.

    Raise what building raises.
    """
    if system.kernel.build is None:
        return system
    if system.kernel.build.prebuilt is not None:
        return _as_prebuilt(system, system.kernel.build, system.kernel.build.prebuilt)
    built = build_system_kernel(system, cache, kernels)
    build = system.kernel.build
    machine = system.machine
    if build.late_modules_ms is not None:
        system = with_late_modules(system, built, build.late_modules_ms)
    if build.device_tree is not None:
        machine = msgspec.structs.replace(machine, dtb=str(built.device_tree(build.device_tree)))
    appended = None
    if build.append_device_tree:
        if machine.dtb is None:
            raise UserError(
                "kernel.append_device_tree is set, but no device tree is named",
                hint=NAME_A_TREE,
            )
        appended = Path(machine.dtb)
        machine = msgspec.structs.replace(machine, dtb=None)
    # The loader in flash takes every kernel as it was linked.
    image = built.image if system.kernel.flash is not None else bootable(built, machine, cache, device_tree=appended)
    kernel = Kernel(
        image=str(image),
        config=str(built.config),
        symbols=str(built.system_map),
        vmlinux=str(built.vmlinux),
        form=system.kernel.form,
        flash=system.kernel.flash,
    )
    initramfs = None if build.embed_initramfs else system.initramfs
    return msgspec.structs.replace(system, kernel=kernel, machine=machine, initramfs=initramfs)


def _as_prebuilt(system: SystemDescription, build: KernelBuild, image: str) -> SystemDescription:
    """Return the system with the image that was built elsewhere, and the configuration that it was built with."""
    kernel = Kernel(image=image, config=build.base, form=system.kernel.form, flash=system.kernel.flash)
    return msgspec.structs.replace(system, kernel=kernel)


def in_flash(system: SystemDescription, artefacts: Artefacts, cache: Cache) -> SystemDescription:
    """Return the system as it starts from flash: its first bank filled, the initramfs's place on the command line.

    Raise UserError for a machine that has no such start.
    """
    if system.kernel.flash is None:
        return system
    place = flash_layout.layout(system)
    bank = flash_image(place, system.kernel.flash, artefacts.kernel, artefacts.initramfs, cache)
    machine = msgspec.structs.replace(system.machine, flash=flash_layout.banks(place, str(bank), system.machine.flash))
    cmdline = system.cmdline
    if artefacts.initramfs is not None:
        # The loader is as small as can be, and writes nothing into the device tree (init/do_mounts_initrd.c: initrd=).
        size = artefacts.initramfs.stat().st_size
        cmdline = cmdline.with_param("initrd", f"{place.initramfs_to:#x},{size}")
    return msgspec.structs.replace(system, machine=machine, cmdline=cmdline)


def with_root(system: SystemDescription, artefacts: Artefacts) -> SystemDescription:
    """Return the system with the medium of its root in the machine; one without a root stays as it is."""
    if system.root is None or artefacts.root is None:
        return system
    from bootlab.builders import root_image  # noqa: PLC0415

    machine = root_image.attached(system.machine, system.root.medium, str(artefacts.root), system.storage)
    return msgspec.structs.replace(system, machine=machine)


def kernel_build(system: SystemDescription, hint: str = _GIVE_A_SOURCE) -> KernelBuild:
    """Return how a system's kernel is built. Raise UserError where its file names an image."""
    if system.kernel.build is None:
        raise UserError(f"the kernel of {system.name} is not built: its system file names an image", hint=hint)
    return system.kernel.build


def _embedded(system: SystemDescription, cache: Cache) -> Path | None:
    if not kernel_build(system).embed_initramfs:
        return None
    if system.initramfs is None:
        raise UserError(
            "kernel.embed_initramfs is set, but there is no initramfs", hint="add [initramfs], or leave the key out"
        )
    system = with_built_programs(system, cache)
    if system.initramfs is None:
        return None
    # It takes the place of the kernel's own, which is unpacked below every other archive.
    tree = FileTree.of({**_OWN_INITRAMFS, **system.initramfs.tree.as_dict()})
    return build_initramfs(msgspec.structs.replace(system.initramfs, tree=tree), cache)
