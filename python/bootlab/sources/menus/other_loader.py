# SPDX-License-Identifier: MIT
"""Files that are named as a kernel and are none: whether a file may be Linux is read in it, not in its name."""

from __future__ import annotations

import re

from bootlab.formats import android_boot, device_tree, unified_image
from bootlab.formats.file_view import FileView
from bootlab.sources.kernel_image import is_kernel

_NAME = re.compile(r"/(?:u-?boot[^/]*|RPI_EFI\.fd)$", re.IGNORECASE)
# What U-Boot prints first, which is in its program as it stands.
_U_BOOT = re.compile(rb"U-Boot 20\d\d\.\d\d")
_SEARCHED_BYTES = 2 << 20
_KERNEL_HEAD_BYTES = 0x1000
# gzip, bzip2, xz, zstd, lz4 (as the kernel packs, and as a frame), lzop, lzma.
_PACKED = (
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"\x02\x21\x4c\x18",
    b"\x04\x22\x4d\x18",
    b"\x89LZO",
    b"\x5d\x00\x00",
)


def is_u_boot(view: FileView, path: str) -> bool:
    """Tell whether a file is another loader by its name, or U-Boot by its own words: Yocto calls it kernel8.img."""
    return _NAME.search(path) is not None or _U_BOOT.search(view.data(path, _SEARCHED_BYTES) or b"") is not None


def may_be_linux(view: FileView, path: str) -> bool:
    """Tell whether a file is of a form that a kernel has, bare, packed or with other parts."""
    head = view.data(path, unified_image.HEAD_MAX_BYTES) or b""
    of_form = is_kernel(head[:_KERNEL_HEAD_BYTES]) or unified_image.is_unified(head) or android_boot.is_android(head)
    return of_form or head.startswith((*_PACKED, device_tree.MAGIC))
