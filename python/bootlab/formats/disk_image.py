# SPDX-License-Identifier: MIT
"""A disk or card image, in whatever form it is kept: which form, its bytes, and a raw copy of it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from bootlab.errors import UserError
from bootlab.formats.disk_bytes import ByteSource, RawFile
from bootlab.formats.qcow2 import MAGIC, Qcow2

Form = Literal["raw", "qcow2"]
_CHUNK_BYTES = 1 << 20
# Forms of other programs; qemu-img makes a raw image of each.
_FOREIGN = (
    (b"KDMV", "VMDK"),
    (b"COWD", "VMDK"),
    (b"# Disk DescriptorFile", "VMDK"),
    (b"conectix", "VHD"),
    (b"vhdxfile", "VHDX"),
    (b"<<< ", "VDI"),
)


def form_of(path: Path) -> Form:
    """Return the form of an image. Raise UserError for one that must be converted, or cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error
    if head.startswith(MAGIC):
        return "qcow2"
    for magic, name in _FOREIGN:
        if head.startswith(magic):
            raise UserError(
                f"{path} is a {name} image, which bootlab cannot read",
                hint=f"convert it: qemu-img convert -O raw {path} disk.img   (package qemu-utils)",
            )
    return "raw"


def opened(path: Path) -> ByteSource:
    """Return the bytes of an image. Raise UserError for what cannot be read."""
    return Qcow2(path) if form_of(path) == "qcow2" else RawFile(path)


def write_raw(medium: ByteSource, size_bytes: int, path: Path) -> None:
    """Write an image byte by byte to a file of at least its size; stretches of zeros become holes."""
    with path.open("wb") as out:
        for start in range(0, medium.size_bytes, _CHUNK_BYTES):
            data = medium.read(start, _CHUNK_BYTES)
            if data.count(0) == len(data):
                out.seek(len(data), 1)
            else:
                out.write(data)
        out.truncate(max(size_bytes, medium.size_bytes))
