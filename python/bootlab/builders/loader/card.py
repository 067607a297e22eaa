"""The card that a board starts from: boot loader, kernel, device tree, initramfs, made without root."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from bootlab.builders.boot_image import UIMAGE_MAGIC, legacy_header, legacy_script
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.images import tool
from bootlab.builders.loader.commands import INITRAMFS_FILE, KERNEL_FILE, TREE_FILE, Payload, extlinux, script
from bootlab.model.boot_loader import Loader, LoaderBoard

_VERSION = 1
_SECTOR_BYTES = 512
_MIB = 1 << 20
# Before it lies the boot loader.
_PARTITION_AT = 16 * _MIB
_LEAST_BYTES = 64 * _MIB
_ROOM_BYTES = 4 * _MIB
# Whatever writes a date or a serial number gets these.
_FIXED = {"SOURCE_DATE_EPOCH": "1767225600", "MTOOLS_SKIP_CHECK": "1"}
_DISK_ID = "0x626f6f74"
_VOLUME_ID = "626f6f74"


class CardParts(msgspec.Struct, frozen=True, kw_only=True):
    """What goes on a card. `kernel`: a zImage or a uImage."""

    image: Path
    kernel: Path
    tree: Path
    initramfs: Path | None
    cmdline: str
    ram_start: int
    arch: str
    legacy: bool
    """The kernel has U-Boot's legacy header, or gets one."""

    @property
    def payload(self) -> Payload:
        """What the boot command depends on."""
        return Payload(cmdline=self.cmdline, initramfs=self.initramfs is not None, legacy=self.legacy)


def card(loader: Loader, board: LoaderBoard, parts: CardParts, cache: Cache) -> Path:
    """Return the card's image, from the cache or made. Raise ToolMissing, EnvironmentFault."""
    files = [parts.image, parts.kernel, parts.tree, *([parts.initramfs] if parts.initramfs is not None else [])]
    digests = [cache.digest(path) for path in files]
    how = (loader.start, loader.wrapped)
    places = (parts.cmdline, parts.ram_start, parts.arch, board)
    key = key_of("card", _VERSION, digests, parts.initramfs is not None, how, places)
    return cache.file(key, ".sd", lambda path: _write(loader, board, parts, path))


def is_legacy(kernel: Path) -> bool:
    """Tell whether a kernel has U-Boot's legacy header. Raise OSError."""
    with kernel.open("rb") as file:
        return file.read(len(UIMAGE_MAGIC)) == UIMAGE_MAGIC


def _write(loader: Loader, board: LoaderBoard, parts: CardParts, path: Path) -> None:
    files = _files(loader, board, parts)
    content = sum(len(data) for data in files.values()) + _ROOM_BYTES
    # hw/sd/sd.c takes no other sizes than powers of two.
    size = 1 << (max(_LEAST_BYTES, _PARTITION_AT + content) - 1).bit_length()
    with path.open("wb") as file:
        file.truncate(size)
    first, count = _PARTITION_AT // _SECTOR_BYTES, (size - _PARTITION_AT) // _SECTOR_BYTES
    sfdisk = tool.find("sfdisk", "fdisk", "to make cards")
    table = f"label: dos\nlabel-id: {_DISK_ID}\n{first},{count},c,*\n"
    tool.run([sfdisk, "-q", "--no-reread", "--no-tell-kernel", str(path)], source=table.encode())
    with path.open("r+b") as file:
        file.seek(board.spl_at_bytes)
        file.write(parts.image.read_bytes())
    place = f"{path}@@{_PARTITION_AT}"
    mformat, mmd, mcopy = (tool.find(name, "mtools", "to make cards") for name in ("mformat", "mmd", "mcopy"))
    form = ["-F"] if count * _SECTOR_BYTES > 512 * _MIB else []
    geometry = ["-T", str(count), "-h", "64", "-s", "32", "-c", "8"]
    tool.run([mformat, "-i", place, *geometry, *form, "-N", _VOLUME_ID, "-v", "BOOT", "::"], environ=_FIXED)
    with tempfile.TemporaryDirectory(prefix="bootlab-card-") as folder:
        for number, (name, data) in enumerate(files.items()):
            below = name.rpartition("/")[0]
            if below:
                tool.run([mmd, "-i", place, f"::/{below}"], environ=_FIXED)
            source = Path(folder) / str(number)
            source.write_bytes(data)
            tool.run([mcopy, "-i", place, str(source), f"::/{name}"], environ=_FIXED)


def _files(loader: Loader, board: LoaderBoard, parts: CardParts) -> dict[str, bytes]:
    """Return the files of the first partition by their names."""
    kernel = parts.kernel.read_bytes()
    packed = kernel.startswith(UIMAGE_MAGIC)
    if loader.wrapped and not packed:
        # As mkimage is usually called: to the place of the unpacked kernel.
        load = parts.ram_start + 0x8000
        kernel = legacy_header(kernel, load=load, arch=parts.arch) + kernel
    files = {KERNEL_FILE: kernel, TREE_FILE: parts.tree.read_bytes()}
    if parts.initramfs is not None:
        files[INITRAMFS_FILE] = parts.initramfs.read_bytes()
    if loader.start == "script":
        files["boot.scr"] = legacy_script(script(board, parts.payload).encode(), arch=parts.arch)
    else:
        files["extlinux/extlinux.conf"] = extlinux(parts.payload).encode()
    return files
