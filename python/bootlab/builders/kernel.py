"""The kernel in the form that is booted: the image as it is, or the vmlinux unpacked out of it."""

from __future__ import annotations

from pathlib import Path

from bootlab import _core
from bootlab.builders.cache import Cache, key_of
from bootlab.errors import UserError
from bootlab.model.system import Kernel

_VERSION = 1


def build_kernel(kernel: Kernel, cache: Cache) -> Path:
    """Return the file to boot. Raise UserError when there is no image or nothing can be unpacked out of it."""
    if not kernel.image:
        raise UserError("the system has no kernel image", hint='add to the system file: [kernel] image = "..."')
    image = Path(kernel.image)
    if kernel.form == "image":
        if not image.is_file():
            raise UserError(f"there is no kernel image {image}", hint=f"ls {image.parent}")
        return image
    return vmlinux(image, cache)


def vmlinux(image: Path, cache: Cache) -> Path:
    """Return the ELF file inside a kernel image, unpacked once."""
    return cache.file(key_of("vmlinux", _VERSION, cache.digest(image)), ".vmlinux", lambda out: _extract(image, out))


def _extract(image: Path, out: Path) -> None:
    try:
        data: bytes = _core.kernel_extract_vmlinux(image.read_bytes())
    except ValueError as error:
        raise UserError(
            f"no vmlinux can be unpacked out of {image}: {error}", hint='leave it packed: [kernel] form = "image"'
        ) from error
    out.write_bytes(data)
