# SPDX-License-Identifier: MIT
"""Kernels that lie in a source and that no menu names: listed, with the `--from` that takes each. None is guessed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats import device_tree, fit, unified_image
from bootlab.formats.disk_bytes import RawFile
from bootlab.formats.file_view import PARTITION_PLACE, FileView
from bootlab.formats.folder import FolderFiles
from bootlab.sources import disk, given_path, unread
from bootlab.sources.facts import SourceFacts
from bootlab.sources.kernel_image import is_kernel
from bootlab.sources.medium import BootMedium

_KERNEL = re.compile(
    r"(?:vmlinu[xz]|[zu]?Image|bzImage|linux|kernel|fitImage)(?:$|[-._\d])|.*\.(?:efi|itb|fit|uImage)$", re.IGNORECASE
)
_INITRD = re.compile(r"(?:u?initr(?:d|amfs|fs)|ramdisk)", re.IGNORECASE)
_VENTOY = "/ventoy/ventoy.cpio"
_OF_SYSTEMS = frozenset(
    {"dev", "etc", "home", "proc", "run", "sys", "tmp", "usr", "var", "bin", "sbin", "lib", "lib64"}
)
_DEPTH_MAX, _FOLDERS_MAX, _FOUND_MAX = 5, 300, 8
_HEAD_BYTES = 0x1000
_FIT_MAX_BYTES = 64 << 20
_LISTED_MAX, _SETTINGS_MAX, _TEXT_MAX_BYTES = 8, 50, 1 << 20
_SETTINGS = frozenset({".toml", ".json", ".conf", ".cfg", ".ini", ".yaml", ".yml"})


def with_those_there(found: SourceFacts, view: FileView | None, medium: BootMedium | None) -> SourceFacts:
    """Return a medium of which no kernel was taken, with the kernels in it, or with what its loader is for."""
    if medium is not None and any(own.exists(_VENTOY) for own in medium.views.values()):
        large = max(medium.parts, key=lambda part: part.partition.size_bytes)
        opened = f"disk=$(sudo losetup --find --partscan --show {found.source})"
        return msgspec.structs.replace(
            found,
            no_kernel="a stick of Ventoy's offers the ISO images on it, and a person says which one starts",
            way_on=f"{opened}; sudo mount -o ro {unread.partition_of_device(large.number)} /mnt; ls /mnt; then --from "
            "/mnt/NAME.iso",
        )
    return msgspec.structs.replace(found, kernels_there=kernels(view, medium))


def kernels(view: FileView | None, medium: BootMedium | None) -> tuple[tuple[str, str], ...]:
    """Return the kernels in all partitions that can be read, or in a folder, and the initrd beside each, or ""."""
    tops = (
        [(f"/{PARTITION_PLACE}{number}", FileView(own.files)) for number, own in medium.views.items()]
        if medium is not None
        else [("", view)]
    )
    return tuple(found for top, own in tops if own is not None for found in _in(own, top))[:_FOUND_MAX]


def below(folder: Path) -> UserError | None:
    """Return what is said of a folder of no known kind with kernels below it: which, and what lies beside the first."""
    found = [folder / path.lstrip("/") for path, _ in kernels(FileView(FolderFiles(folder)), None)]
    if not found:
        return None
    beside = [path for path in sorted(found[0].parent.iterdir()) if path.is_file() and not path.is_symlink()]
    beside = [path for path in beside if path not in found]
    media = [path for path in beside if disk.is_disk(given_path.head(path), RawFile(path))]
    early = [path for path in beside if _INITRD.search(path.name) and path not in media]
    listed = ", ".join(str(path.relative_to(folder)) for path in [*found, *media, *early][:_LISTED_MAX])
    given = " ".join(f"--from {path}" for path in (found[0], *(media or early)[:1]))
    settings = _settings_with(folder, found)
    return UserError(
        f"{folder}: no menu that was read says which kernel starts, and with what; there are {listed}"
        f"{f'; {settings} names one of the kernels' if settings else ''}",
        hint=f"name a kernel, and what it mounts: {given}; the command line belongs in kernel.cmdline"
        f"{f' ({settings} may have words of it)' if settings else ''}",
    )


def _settings_with(folder: Path, found: list[Path]) -> str:
    """Return the first file of settings below a folder that names one of the kernels, or a link to it; "" for none."""
    beside = {path for kernel in found for path in kernel.parent.iterdir()}
    names = {path.name for path in beside if any(path.resolve() == kernel.resolve() for kernel in found)}
    files = (path for path in sorted(folder.rglob("*")) if path.suffix in _SETTINGS and not path.is_symlink())
    for path in itertools.islice((path for path in files if path.is_file()), _SETTINGS_MAX):
        with path.open("rb") as file:
            text = file.read(_TEXT_MAX_BYTES).decode("utf-8", "replace")
        if any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text) for name in names):
            return str(path.relative_to(folder))
    return ""


def _in(view: FileView, top: str) -> Iterator[tuple[str, str]]:
    waiting, seen = [("", 0)], 0
    # A partition with nothing of a system is a loader's: a kernel may have any name there.
    of_boot = not any(view.kind(f"/{name}") == "dir" for name in ("etc", "usr", "bin", "sbin"))
    while waiting and seen < _FOLDERS_MAX:
        folder, depth = waiting.pop(0)
        seen += 1
        names = view.names(folder or "/")
        for name in names:
            path = f"{folder}/{name}"
            if view.link(path) is not None:
                continue
            kind = view.kind(path)
            if (
                kind == "file"
                and (_KERNEL.match(name) or of_boot)
                and _starts(view, path, plain=not _KERNEL.match(name))
            ):
                yield f"{top}{path}", _beside(top, folder, name, names)
            elif kind == "dir" and depth < _DEPTH_MAX and (depth or name not in _OF_SYSTEMS):
                waiting.append((path, depth + 1))


def _starts(view: FileView, path: str, *, plain: bool) -> bool:
    """Tell whether a file starts a kernel; `plain`: it is not called one: no tree, program or image of a loader."""
    head = view.data(path, _HEAD_BYTES if plain else unified_image.HEAD_MAX_BYTES) or b""
    if head.startswith(device_tree.MAGIC):
        return fit.has_kernel(view.data(path, _FIT_MAX_BYTES) or b"")
    if plain:
        return head[0x202:0x206] == b"HdrS" or head[0x38:0x3C] in {b"ARM\x64", b"RSC\x05"}
    return is_kernel(head[:_HEAD_BYTES]) or unified_image.is_unified(head)


def _beside(top: str, folder: str, name: str, names: tuple[str, ...]) -> str:
    """Return the initrd of a kernel's version, or the only one in its folder."""
    initrds = [one for one in names if _INITRD.match(one)]
    version = name.partition("-")[2]
    own = [one for one in initrds if version and version in one] or initrds
    return f"{top}{folder}/{own[0]}" if len(own) == 1 else ""
