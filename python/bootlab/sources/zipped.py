# SPDX-License-Identifier: MIT
"""Zip archives: what they are of, by the names in them, and the commands that give what boots to bootlab."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

_IMAGES = re.compile(r"(?:[^/]+/)*[\w.+-]+\.(?:img|raw|wic|iso|qcow2|sdcard)(?:\.(?:gz|xz|bz2|zst))?$")
_VIRTUAL = re.compile(r"(?:[^/]+/)*[\w.+-]+\.(?:vmdk|vdi|vhdx?)$")
_NAMES_MAX = 10_000
# Of a phone's loader, in the order in which they are given.
_ANDROID = ("boot", "init_boot", "vendor_boot")
_PAYLOAD = "payload.bin"
_PAYLOAD_READ_BYTES = 1 << 20


def of(path: Path) -> tuple[str, str]:
    """Return what a zip archive is of, "" where its names do not tell, and the next command."""
    unpack = f"unzip {path}"
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()[:_NAMES_MAX]
            payload = archive.open(_PAYLOAD).read(_PAYLOAD_READ_BYTES) if _PAYLOAD in names else b""
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError, ValueError):
        return "", f"unpack it: {unpack}"
    if _PAYLOAD in names:
        way = f"{unpack} {_PAYLOAD}; payload-dumper-go -o parts {_PAYLOAD}; then {_of_payload(payload, 'parts/')}"
        return f"an update of Android's, whose partitions are in {_PAYLOAD}", way
    if names[:1] == ["meta.conf"] or {"meta.conf", "data/rootfs.img"} <= set(names):
        return "an update for fwup", f"make the card: fwup -a -d card.img -i {path} -t complete; then --from card.img"
    android = [f"{part}.img" for part in _ANDROID if f"{part}.img" in names]
    if android and any(name.startswith("META-INF/com/") or name == "android-info.txt" for name in names):
        given = " ".join(f"--from {name}" for name in android)
        return "an update of Android's", f"{unpack} {' '.join(android)}; then {given}"
    return _of_images(path, names)


def of_payload(path: Path) -> str:
    """Return the next command for an Android payload that lies bare."""
    with path.open("rb") as file:
        head = file.read(_PAYLOAD_READ_BYTES)
    return f"take the partitions out: payload-dumper-go -o parts {path}; then {_of_payload(head, 'parts/')}"


def _of_images(path: Path, names: list[str]) -> tuple[str, str]:
    unpack = f"unzip {path}"
    images = [name for name in names if _IMAGES.match(name)]
    disks = [name for name in names if _VIRTUAL.match(name)]
    if len(images) == 1:
        return "", f"unpack it: {unpack} {images[0]}; then --from {images[0]}"
    if disks and not images:
        way = f"{unpack} {disks[0]}; qemu-img convert -O raw {disks[0]} disk.img; then --from disk.img"
        return "", f"{way}   (package qemu-utils)"
    tops = {name.split("/")[0] for name in names if "/" in name}
    folder = next(iter(tops)) if len(tops) == 1 and all("/" in name for name in names) else ""
    if folder and re.fullmatch(r"[\w.+-]+", folder):
        return "", f"unpack it, and give the folder: {unpack}; then --from {folder}"
    return "", f"unpack it, and give the folder: {unpack} -d files; then --from files"


def _of_payload(head: bytes, folder: str) -> str:
    """Return which partitions to give: those that a payload's manifest names (update_metadata.proto: field 1)."""
    there = [name for name in _ANDROID if b"\x0a" + bytes([len(name)]) + name.encode() in head]
    return " ".join(f"--from {folder}{name}.img" for name in there or _ANDROID[:1])
