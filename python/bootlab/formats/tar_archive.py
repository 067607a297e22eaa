# SPDX-License-Identifier: MIT
"""What a tar archive is of, by the names at its beginning: a container image, a virtual machine, an update.

Format: ustar, and GNU's: blocks of 512 bytes, a header before each file's contents.
"""

from __future__ import annotations

import re

import msgspec

_BLOCK = 512
_NAMES_MAX = 100
_EXPORT = "export a container of it: docker create IMAGE; docker export ID | tar -xp -C root, then give the folder root"

MENDER = "an update for Mender"
"""What an archive of this updater's is called."""


class TarKind(msgspec.Struct, frozen=True):
    """What it is, and the next command. `holds_disk`: whether a disk image lies in it."""

    what: str
    way: str
    holds_disk: bool = False


_KINDS: tuple[tuple[str, TarKind], ...] = (
    (
        r"(?:manifest\.json|repositories|[0-9a-f]{64}/(?:layer\.tar)?|\w+/layer\.tar)$",
        TarKind("a container image of Docker's", _EXPORT),
    ),
    (r"oci-layout$|blobs(?:/sha256.*)?/?$", TarKind("a container image (OCI)", _EXPORT)),
    (
        r"[^/]+\.ovf$",
        TarKind(
            "a virtual machine (OVA)",
            "take the disk out: tar -xf {path}; qemu-img convert -O raw DISK.vmdk disk.img, then give disk.img",
        ),
    ),
    (
        r"(?:[^/]+/)*[^/]+\.(?:vmdk|vdi|vhdx?|qed)$",
        TarKind(
            "the disk of a virtual machine (VMDK, VDI or VHD) in it",
            "take the disk out: tar -xf {path}; qemu-img convert -O raw DISK disk.img, then give disk.img   "
            "(package qemu-utils)",
        ),
    ),
    (
        r"Vagrantfile$|box\.img$",
        TarKind("a box of Vagrant's", "take the disk out: tar -xf {path}, then give box.img", holds_disk=True),
    ),
    (
        # What clouds take: disk.raw alone in the archive.
        r"[^/]+\.(?:raw|img|qcow2|wic)$",
        TarKind("a disk image in it", "take it out: tar -xf {path}, then give the image", holds_disk=True),
    ),
    (
        r"version$|header\.tar",
        TarKind(MENDER, "take the image out: mender-artifact cp {path}:/ root, or give what it was made of"),
    ),
)


def names_at_begin(head: bytes) -> list[str]:
    """Return the names of the files whose headers lie in the first bytes."""
    names: list[str] = []
    at = 0
    while at + _BLOCK <= len(head) and head[at + 257 : at + 262] == b"ustar" and len(names) < _NAMES_MAX:
        name = head[at : at + 100].split(b"\0")[0].decode("utf-8", "replace")
        names.append(re.sub(r"^(?:\./)+", "", name))
        digits = head[at + 124 : at + 136].strip(b"\0 ")
        size = int(digits, 8) if re.fullmatch(rb"[0-7]{1,11}", digits) else 0
        at += _BLOCK + -(-size // _BLOCK) * _BLOCK
    return names


def kind_of(head: bytes) -> TarKind | None:
    """Return what the archive is of; None for a root tree, or what is not known."""
    names = names_at_begin(head)
    if any(re.match(r"(?:etc|usr|bin|sbin|lib)(?:/|$)", name) for name in names):
        return None
    return next((kind for pattern, kind in _KINDS if any(re.match(pattern, name) for name in names)), None)
