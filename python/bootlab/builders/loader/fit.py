# SPDX-License-Identifier: MIT
"""A FIT image with its data behind the tree, as an SPL loads it (U-Boot, doc/usage/fit/source_file_format.rst)."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from bootlab.builders.images import tool

_UNIT_BYTES = 4


class FitImage(msgspec.Struct, frozen=True, kw_only=True):
    """One image: what the FIT calls it, of which `kind` and operating system, where in RAM it goes, and its bytes."""

    name: str
    kind: str
    os: str
    load: int
    data: bytes


def fit(firmware: FitImage, loadable: FitImage, *, arch: str, path: Path) -> None:
    """Write a FIT with one configuration: `firmware`, which starts `loadable`; a CRC-32 of all stands behind it.

    The property `bytes` of the root says where the CRC is. Raise ToolMissing, EnvironmentFault, OSError.
    """
    dtc = tool.find("dtc", "device-tree-compiler", "to make a FIT image")
    body = b"".join(_padded(part.data) for part in (firmware, loadable))
    size = 0
    # A number takes four bytes whatever it is: so the tree's length is known once it was made.
    for _ in range(2):
        text = _source(firmware, loadable, arch, size)
        tool.run([dtc, "-q", "-I", "dts", "-O", "dtb", "-o", str(path)], source=text.encode())
        tree = _padded(path.read_bytes())
        size = len(tree) + len(body)
    whole = tree + body
    path.write_bytes(whole + zlib.crc32(whole).to_bytes(4, "big"))


def _source(firmware: FitImage, loadable: FitImage, arch: str, size: int) -> str:
    images = _image(firmware, arch, 0) + _image(loadable, arch, len(_padded(firmware.data)))
    chosen = f'firmware = "{firmware.name}"; loadables = "{loadable.name}";'
    return (
        f'/dts-v1/; / {{ description = "bootlab"; #address-cells = <2>; bytes = <{size:#x}>; images {{ {images} }}; '
        f'configurations {{ default = "c"; c {{ description = "c"; {chosen} }}; }}; }};'
    )


def _image(part: FitImage, arch: str, offset: int) -> str:
    load = f"<{part.load >> 32:#x} {part.load & 0xFFFFFFFF:#x}>"
    return (
        f'{part.name} {{ description = "{part.name}"; type = "{part.kind}"; os = "{part.os}"; arch = "{arch}"; '
        f'compression = "none"; load = {load}; entry = {load}; data-offset = <{offset:#x}>; '
        f"data-size = <{len(part.data):#x}>; }}; "
    )


def _padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // _UNIT_BYTES) * _UNIT_BYTES, b"\0")
