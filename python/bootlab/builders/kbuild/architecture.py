# SPDX-License-Identifier: MIT
"""The kernel's architectures: its names for them, their images, and the compilers that Debian has for them.

Images: the targets of `arch/*/Makefile` and `arch/*/boot/Makefile` (Linux 6.1).
"""

from __future__ import annotations

import platform

import msgspec

from bootlab.errors import UserError


class KbuildArchitecture(msgspec.Struct, frozen=True, kw_only=True):
    """One architecture: `name` is bootlab's, `arch` what make's ARCH takes, `folder` its folder below `arch/`.

    `images` maps a make target to the file it makes, relative to the object folder; the first one is the usual one.
    """

    name: str
    arch: str
    folder: str
    prefix: str
    images: dict[str, str]
    device_trees: bool = True

    @property
    def native(self) -> bool:
        """Tell whether this machine's own compiler makes code for it."""
        return platform.machine() == {"arm64": "aarch64"}.get(self.name, self.name)

    def image_file(self, image: str | None) -> tuple[str, str]:
        """Return an image's make target and file. Raise UserError for a target that the architecture has not."""
        target = image or next(iter(self.images))
        if target not in self.images:
            raise UserError(
                f'"{target}" is not a kernel image of {self.name}',
                hint=f"one of: {', '.join(self.images)}   (kernel.image)",
            )
        return target, self.images[target]


def _boot(folder: str, *names: str) -> dict[str, str]:
    return {name: f"arch/{folder}/boot/{name}" for name in names} | {"vmlinux": "vmlinux"}


ARCHITECTURES: dict[str, KbuildArchitecture] = {
    known.name: known
    for known in (
        KbuildArchitecture(
            name="x86_64",
            arch="x86_64",
            folder="x86",
            prefix="x86_64-linux-gnu-",
            images=_boot("x86", "bzImage"),
            device_trees=False,
        ),
        KbuildArchitecture(
            name="arm",
            arch="arm",
            folder="arm",
            prefix="arm-linux-gnueabihf-",
            images=_boot("arm", "zImage", "Image", "xipImage", "uImage"),
        ),
        KbuildArchitecture(
            name="arm64",
            arch="arm64",
            folder="arm64",
            prefix="aarch64-linux-gnu-",
            images=_boot("arm64", "Image", *(f"Image.{form}" for form in ("gz", "bz2", "lz4", "lzma", "lzo", "zst"))),
        ),
        KbuildArchitecture(
            name="riscv64",
            arch="riscv",
            folder="riscv",
            prefix="riscv64-linux-gnu-",
            images=_boot("riscv", "Image", *(f"Image.{f}" for f in ("gz", "bz2", "lz4", "lzma", "lzo")), "xipImage"),
        ),
    )
}


def architecture(name: str) -> KbuildArchitecture:
    """Return an architecture by bootlab's name. Raise UserError for one that it cannot build for."""
    if name not in ARCHITECTURES:
        raise UserError(f"no kernel can be built for {name!r}", hint=f"one of: {', '.join(ARCHITECTURES)}")
    return ARCHITECTURES[name]
