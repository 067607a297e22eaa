# SPDX-License-Identifier: MIT
"""One file with all that a boot loader loads: kernel, initramfs, device tree, command line; whatever its format."""

from __future__ import annotations

from typing import Literal

import msgspec

Half = Literal["", "generic", "vendor"]


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one; empty where it has no such part. `what`: its format.

    `names`: what its own format calls a part, by the field's name, for errors in it. `half`: Android's loader puts the
    `vendor` ramdisk before the `generic` one, and their command lines likewise; "" for what is whole.
    `lacks`: where the other half is, by the part's name. `root`: a file system that the kernel mounts out of it.
    """

    what: str
    kernel: bytes = b""
    initramfs: bytes = b""
    device_tree: bytes = b""
    root: bytes = b""
    cmdline: str = ""
    notes: tuple[str, ...] = ()
    names: dict[str, str] = {}
    half: Half = ""
    lacks: dict[str, str] = {}
