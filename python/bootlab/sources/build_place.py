# SPDX-License-Identifier: MIT
"""Where below a folder that people name the images of a build lie: the top of Buildroot, of Yocto, of a kernel tree."""

from __future__ import annotations

from pathlib import Path

from bootlab.errors import UserError

# Of each build system, from its top, from its build folder, from one level above the images.
_IMAGES = (
    "output",
    "tmp/deploy/images/*",
    "build/tmp/deploy/images/*",
    "deploy/images/*",
    "bin/targets/*/*",
)
_KERNELS = ("bzImage", "zImage", "Image.gz", "Image")
_NAMES_MAX = 8


def images_below(folder: Path) -> Path | None:
    """Return the folder with the images of a build; None where there is none.

    Raise UserError where there are several, which only the user can choose from.
    """
    for pattern in _IMAGES:
        found = sorted(path for path in folder.glob(pattern) if path.is_dir() and any(path.iterdir()))
        found = [path for path in found if pattern != "output" or (path / "images").is_dir()]
        if len(found) > 1:
            names = ", ".join(str(path.relative_to(folder)) for path in found[:_NAMES_MAX])
            raise UserError(
                f"{folder} holds images for {len(found)} machines: {names}", hint=f"name one: --from {found[0]}"
            )
        if found:
            return found[0]
    # The folder of all machines itself.
    machines = sorted(path for path in folder.glob("*/*.manifest"))
    places = sorted({path.parent for path in machines})
    if len(places) > 1:
        names = ", ".join(path.name for path in places[:_NAMES_MAX])
        raise UserError(
            f"{folder} holds images for {len(places)} machines: {names}", hint=f"name one: --from {places[0]}"
        )
    return places[0] if places else None


def is_kernel_tree(folder: Path) -> bool:
    """Tell whether a folder is a kernel's source tree, or the one that it was built in (`make O=`)."""
    return (folder / "arch").is_dir() and (
        ((folder / "Kconfig").is_file() and (folder / "Makefile").is_file()) or (folder / "vmlinux").is_file()
    )


def built_kernel(folder: Path) -> Path:
    """Return the kernel image that a kernel's build left. Raise UserError where nothing was built."""
    for name in _KERNELS:
        found = sorted(path for path in folder.glob(f"arch/*/boot/{name}") if path.is_file())
        # x86_64 has a link to the image of x86.
        found = list({path.resolve(): path for path in found}.values())
        if len(found) == 1:
            return found[0]
        if found:
            raise UserError(
                f"{folder} holds kernels for {len(found)} architectures",
                hint=f"name one: --from {found[0]}",
            )
    raise UserError(
        f"{folder} is a kernel's tree without a built kernel", hint="build it (make), then give the same folder"
    )
