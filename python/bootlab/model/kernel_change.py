# SPDX-License-Identifier: MIT
"""Changes of a kernel that bootlab builds: its options, source, make variables, image and modules."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.model.source_build import KernelPatch
from bootlab.model.system import KernelBuild, SystemDescription


class SetKernelOptions(msgspec.Struct, frozen=True, tag_field="op", tag="set-kernel-options"):
    """Build the kernel with options set (name without `CONFIG_`, value as a `.config` writes it)."""

    options: tuple[tuple[str, str], ...]

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one whose kernel is not built stays as it is."""
        return _rebuilt(system, lambda build: build.with_options(self.options))


class AddKernelFragment(msgspec.Struct, frozen=True, tag_field="op", tag="add-kernel-fragment"):
    """Build the kernel with one more configuration fragment (absolute path), merged before the options."""

    path: str

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one whose kernel is not built stays as it is."""
        return _rebuilt(system, lambda b: msgspec.structs.replace(b, fragments=(*b.fragments, self.path)))


class AddKernelPatch(msgspec.Struct, frozen=True, tag_field="op", tag="add-kernel-patch"):
    """Build the kernel from a patched source."""

    patch: KernelPatch

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one whose kernel is not built stays as it is."""
        return _rebuilt(system, lambda b: msgspec.structs.replace(b, patches=(*b.patches, self.patch)))


class SetKernelVariables(msgspec.Struct, frozen=True, tag_field="op", tag="set-kernel-variables"):
    """Build the kernel with make variables set (`KCFLAGS`)."""

    variables: tuple[tuple[str, str], ...]

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one whose kernel is not built stays as it is."""
        return _rebuilt(system, lambda build: build.with_variables(self.variables))


class SetKernelImage(msgspec.Struct, frozen=True, tag_field="op", tag="set-kernel-image"):
    """Build another image of the kernel (`Image`, `xipImage`), embed the initramfs in it, append the device tree to it.

    None: as it was.
    """

    image: str | None = None
    embed_initramfs: bool | None = None
    append_device_tree: bool | None = None

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one whose kernel is not built stays as it is."""
        fields = {f: getattr(self, f) for f in self.__struct_fields__ if getattr(self, f) is not None}
        return _rebuilt(system, lambda build: msgspec.structs.replace(build, **fields))


class LoadModulesLate(msgspec.Struct, frozen=True, tag_field="op", tag="load-modules-late"):
    """Carry the build's modules in the initramfs, and load them so long after user space has started."""

    after_ms: int

    def apply(self, system: SystemDescription) -> SystemDescription:
        """Return the changed system; one whose kernel is not built stays as it is."""
        return _rebuilt(system, lambda build: msgspec.structs.replace(build, late_modules_ms=self.after_ms))


def _rebuilt(system: SystemDescription, change: Callable[[KernelBuild], KernelBuild]) -> SystemDescription:
    if system.kernel.build is None:
        return system
    build = change(system.kernel.build)
    if build != system.kernel.build:
        build = msgspec.structs.replace(build, prebuilt=None)
    return msgspec.structs.replace(system, kernel=msgspec.structs.replace(system.kernel, build=build))


KernelOp = SetKernelOptions | AddKernelFragment | AddKernelPatch | SetKernelVariables | SetKernelImage | LoadModulesLate
