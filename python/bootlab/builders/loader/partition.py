# SPDX-License-Identifier: MIT
"""The only partition of a card or disk: a partition table with one FAT, made without root, the same bytes each time."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from bootlab.builders.images import tool
from bootlab.builders.loader.commands import SECTOR_BYTES

_MIB = 1 << 20
_LEAST_BYTES = 64 * _MIB
_ROOM_BYTES = 4 * _MIB
# Whatever writes a date or a serial number gets these.
_FIXED = {"SOURCE_DATE_EPOCH": "1767225600", "MTOOLS_SKIP_CHECK": "1"}
_DISK_ID = "0x626f6f74"
_VOLUME_ID = "626f6f74"


class PcBoot(msgspec.Struct, frozen=True, kw_only=True):
    """What a PC boots: a bzImage (for UEFI with an EFI stub), an initramfs, and the kernel's command line."""

    kernel: Path
    initramfs: Path | None
    cmdline: str


def make_table(path: Path, start_bytes: int, content_bytes: int) -> None:
    """Make a file with a partition table, whose one partition begins at `start_bytes` and has room for the content.

    Raise ToolMissing, EnvironmentFault, OSError.
    """
    # hw/sd/sd.c takes no other sizes than powers of two.
    size = 1 << (max(_LEAST_BYTES, start_bytes + content_bytes + _ROOM_BYTES) - 1).bit_length()
    with path.open("wb") as file:
        file.truncate(size)
    first, count = start_bytes // SECTOR_BYTES, (size - start_bytes) // SECTOR_BYTES
    sfdisk = tool.find("sfdisk", "fdisk", "to make cards")
    table = f"label: dos\nlabel-id: {_DISK_ID}\n{first},{count},c,*\n"
    tool.run([sfdisk, "-q", "--no-reread", "--no-tell-kernel", str(path)], source=table.encode())


def fill(
    path: Path, start_bytes: int, files: Mapping[str, bytes], folders: Mapping[str, Sequence[Path]] | None = None
) -> None:
    """Make the FAT of that partition, with files by their names, and further files in folders under their own names.

    Raise ToolMissing, EnvironmentFault, UserError, OSError.
    """
    place = f"{path}@@{start_bytes}"
    count = (path.stat().st_size - start_bytes) // SECTOR_BYTES
    mformat, mmd, mcopy = (tool.find(name, "mtools", "to make cards") for name in ("mformat", "mmd", "mcopy"))
    form = ["-F"] if count * SECTOR_BYTES > 512 * _MIB else []
    geometry = ["-T", str(count), "-h", "64", "-s", "32", "-c", "8"]
    tool.run([mformat, "-i", place, *geometry, *form, "-N", _VOLUME_ID, "-v", "BOOT", "::"], environ=_FIXED)
    below = [name.rpartition("/")[0] for name in files]
    parents = {"/".join(parts[:at]) for parts in _parts(*below, *(folders or {})) for at in range(1, len(parts) + 1)}
    for folder in sorted(parents):
        tool.run([mmd, "-i", place, f"::/{folder}"], environ=_FIXED)
    with tempfile.TemporaryDirectory(prefix="bootlab-card-") as scratch:
        for number, (name, data) in enumerate(files.items()):
            source = Path(scratch) / str(number)
            source.write_bytes(data)
            tool.run([mcopy, "-i", place, str(source), f"::/{name}"], environ=_FIXED)
    for folder, sources in (folders or {}).items():
        tool.run([mcopy, "-i", place, *map(str, sorted(sources)), f"::/{folder}/"], environ=_FIXED)


def _parts(*folders: str) -> list[list[str]]:
    return [folder.split("/") for folder in folders if folder]
