# SPDX-License-Identifier: MIT
"""Updates for RAUC and SWUpdate: the images in them by name, and the commands that give those to bootlab."""

from __future__ import annotations

import re
from pathlib import Path

from bootlab.errors import UserError
from bootlab.formats.disk_bytes import RawFile
from bootlab.formats.file_view import FileView
from bootlab.formats.squashfs import SquashFiles

_ROOTS = re.compile(r".*\.(?:ext[234]|squashfs|erofs|btrfs|xfs|img|raw|wic)(?:\.(?:gz|xz|bz2|zst))?$")
_TREES = re.compile(r".*\.tar(?:\.\w+)?$")
_KERNELS = re.compile(r"(?:.*/)?(?:vmlinu[xz]|[zu]?Image|bzImage|fitImage|kernel)(?:$|[-._\d])|.*\.(?:itb|fit)$")
# Names of such characters alone: they go into commands that a person types, and the update's maker chose them.
_NAMED = re.compile(r"""(?<![\w-])filename\s*[=:]\s*"?(?P<name>\w[\w.+/@-]*)(?=["\s;,]|$)""", re.MULTILINE)
_TEXT_MAX_BYTES = 64 << 10


def of_rauc(path: Path) -> str:
    """Return how to go on with a bundle of RAUC's: a SquashFS with the images that its manifest names."""
    unpack = f"unsquashfs -d update {path}"
    try:
        manifest = FileView(SquashFiles(RawFile(path))).text("/manifest.raucm") or ""
    except UserError:
        manifest = ""
    return _given(unpack, "update/", manifest) or (
        f"take its parts out: {unpack}; update/manifest.raucm names them: give those of kernel and root"
    )


def of_swupdate(path: Path, head: bytes) -> str:
    """Return how to go on with an update for SWUpdate: an archive whose first file names the images in it."""
    text = head[:_TEXT_MAX_BYTES].decode("utf-8", "replace")
    return _given(f"cpio -idv < {path}", "", text) or f"give the image inside: cpio -idv < {path}"


def _given(unpack: str, folder: str, manifest: str) -> str:
    """Return the commands where the text names an image of a root; "" where it does not."""
    names = list(dict.fromkeys(found["name"] for found in _NAMED.finditer(manifest)))
    roots = [name for name in names if _ROOTS.match(name)]
    kernels = [f"--from {folder}{name}" for name in names if _KERNELS.match(name)]
    if roots:
        given = " ".join([*kernels[:1], f"--from {folder}{roots[0]}"])
        return f"{unpack}; then {given}; the device's own loader has the command line: kernel.cmdline"
    trees = [name for name in names if _TREES.match(name)]
    if trees:
        given = " ".join([*kernels[:1], "--from root"])
        return f"{unpack}; mkdir root; sudo tar -C root -xf {folder}{trees[0]}; then {given}"
    return ""
