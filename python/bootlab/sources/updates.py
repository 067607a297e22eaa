# SPDX-License-Identifier: MIT
"""Updates for RAUC and SWUpdate: the images in them by name, and the commands that give those to bootlab."""

from __future__ import annotations

import contextlib
import itertools
import re
import tarfile
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
_PAYLOAD = re.compile(r"data/\d+\.tar(?:\.\w+)?")
_MEMBERS_MAX = 100
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


def of_mender(path: Path) -> str:
    """Return how to go on with Mender's artifact: its manifest names the payload's files, which lie in a packed tar."""
    packed, inside = "", list[str]()
    with contextlib.suppress(tarfile.TarError, EOFError, OSError), tarfile.open(path, "r:*") as archive:
        for member in itertools.islice(archive, _MEMBERS_MAX):
            name = member.name.removeprefix("./")
            data = archive.extractfile(member) if _PAYLOAD.fullmatch(name) else None
            if data is None:
                continue
            packed = name
            # One that Python does not unpack keeps the name that tar knows it by.
            with tarfile.open(fileobj=data, mode="r|*") as payload:
                inside = [one.name.removeprefix("./") for one in itertools.islice(payload, 1)]
            break
    if not packed:
        return f"take the payload out: tar -xf {path}; what lies in data/ is the image"
    unpack = f"tar -xf {path}; tar -xf {packed}"
    root = next((name for name in inside if re.fullmatch(r"\w[\w.+/-]*", name)), "")
    return (
        f"take the image out: {unpack}; then --from {root or 'the file that it holds'}; the device's own loader "
        "has the command line: kernel.cmdline"
    )


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
