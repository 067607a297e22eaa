# SPDX-License-Identifier: MIT
"""The card that a board starts from: boot loader, kernel, device tree, initramfs, made without root."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.builders.boot_image import UIMAGE_MAGIC, legacy_header, legacy_load, legacy_script
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.loader import falcon, partition
from bootlab.builders.loader.commands import (
    INITRAMFS_FILE,
    KERNEL_FILE,
    SCRIPT_SECTORS,
    SECTOR_BYTES,
    TREE_FILE,
    Payload,
    extlinux,
    raw_script,
    raw_script_sector,
    rooms,
    script,
)
from bootlab.builders.loader.falcon import FalconImage
from bootlab.builders.loader.options import arguments_bytes
from bootlab.errors import UserError
from bootlab.model.boot_loader import FALCON_SIZE, SECOND_SIZE, TREE_SIZE, Loader, LoaderBoard

_VERSION = 2


class CardParts(msgspec.Struct, frozen=True, kw_only=True):
    """What goes on a card. `kernel`: a zImage or a uImage.

    `tree`: the device tree as U-Boot loads it. `falcon`: where the SPL puts what it loads, with the `falcon_tree` that
    says so; None where it starts no kernel.
    """

    image: Path
    kernel: Path
    tree: Path
    initramfs: Path | None
    cmdline: str
    ram_start: int
    arch: str
    legacy: bool
    """The kernel has U-Boot's legacy header, or gets one."""
    falcon: FalconImage | None = None
    falcon_tree: Path | None = None

    @property
    def payload(self) -> Payload:
        """What the boot command depends on. Raise OSError."""
        header = 0 if is_legacy(self.kernel) or not self.legacy else 64
        return Payload(
            cmdline=self.cmdline,
            initramfs=self.initramfs is not None,
            legacy=self.legacy,
            load=load_address(self.kernel, self.ram_start) if self.legacy else None,
            kernel_bytes=self.kernel.stat().st_size + header,
            tree_bytes=self.tree.stat().st_size,
            initramfs_bytes=self.initramfs.stat().st_size if self.initramfs is not None else 0,
        )


def card(loader: Loader, board: LoaderBoard, parts: CardParts, cache: Cache) -> Path:
    """Return the card's image, from the cache or made. Raise ToolMissing, EnvironmentFault, UserError."""
    named = (parts.image, parts.kernel, parts.tree, parts.initramfs, parts.falcon_tree)
    digests = [None if path is None else cache.digest(path) for path in named]
    # What is built into the boot loader is in its image.
    how = (loader.start, loader.fallback, loader.wrapped, loader.place, loader.exact, loader.in_place)
    how_falcon = (loader.checked, loader.appended, parts.falcon)
    places = (parts.cmdline, parts.ram_start, parts.arch, board)
    key = key_of("card", _VERSION, digests, how, how_falcon, places)
    return cache.file(key, ".sd", lambda path: _write(loader, board, parts, path))


def is_legacy(kernel: Path) -> bool:
    """Tell whether a kernel has U-Boot's legacy header. Raise OSError."""
    with kernel.open("rb") as file:
        return file.read(len(UIMAGE_MAGIC)) == UIMAGE_MAGIC


def loaded_bytes(loader: Loader, board: LoaderBoard, parts: CardParts) -> dict[str, int]:
    """Return how long that is which the SPL loads, and the device tree. Raise OSError, UserError."""
    found = {SECOND_SIZE: parts.image.stat().st_size - board.parts[1][1], TREE_SIZE: parts.tree.stat().st_size}
    image = _falcon_image(loader, parts)
    if image is not None and parts.falcon_tree is not None:
        tree_bytes = parts.falcon_tree.stat().st_size
        found[FALCON_SIZE] = len(image) + (0 if loader.appended else arguments_bytes(loader, board, tree_bytes))
    return found


def load_address(kernel: Path, ram_start: int) -> int:
    """Return the address that the kernel's legacy header states, or will state once it gets one. Raise OSError."""
    with kernel.open("rb") as file:
        header = file.read(64)
    # As mkimage is usually called: to the place of the unpacked kernel.
    return legacy_load(header) if header.startswith(UIMAGE_MAGIC) else ram_start + 0x8000


def _write(loader: Loader, board: LoaderBoard, parts: CardParts, path: Path) -> None:
    files = _files(loader, board, parts)
    partition.make_table(path, board.partition_bytes, sum(len(data) for data in files.values()))
    with path.open("r+b") as file:
        for start, data in _raw(loader, board, parts):
            file.seek(start)
            file.write(data)
    partition.fill(path, board.partition_bytes, files)


def _raw(loader: Loader, board: LoaderBoard, parts: CardParts) -> list[tuple[int, bytes]]:
    """Return what lies before the first partition, and where. Raise UserError for what has no room there."""
    found = [(board.spl_at_bytes, parts.image.read_bytes())]
    rules: list[tuple[str, int, int, bytes]] = []
    whole = board.partition_bytes - board.raw_bytes
    image = _falcon_image(loader, parts)
    if image is not None and parts.falcon_tree is not None:
        rules.append(("kernel and initramfs", board.raw_bytes, whole, image))
        if not loader.appended:
            tree = falcon.sealed(parts.falcon_tree.read_bytes())
            rules.append(("device tree", board.arguments_bytes, board.arguments_room_bytes, tree))
    elif loader.u_boot_start == "command" and loader.place == "raw":
        room, initramfs_room = rooms(board)
        commands = legacy_script(raw_script(board, parts.payload, loader).encode(), arch=parts.arch)
        at = raw_script_sector(board) * SECTOR_BYTES
        rules += [
            ("boot script", at, SCRIPT_SECTORS * SECTOR_BYTES, commands),
            ("device tree", board.arguments_bytes, board.arguments_room_bytes, parts.tree.read_bytes()),
            ("kernel", board.raw_bytes, room, _kernel(loader, parts)),
            ("initramfs", board.raw_bytes + room, initramfs_room, _initramfs(parts) or b""),
        ]
    for name, start, room, data in rules:
        if len(data) > room:
            raise UserError(
                f"{name}: {len(data)} bytes, and {room} bytes of raw sectors are left for it on the card",
                hint='leave it to the FAT partition: [loader] place = "fat", and a start other than "falcon"',
            )
        found.append((start, data))
    return found


def _falcon_image(loader: Loader, parts: CardParts) -> bytes | None:
    """Return what the SPL loads besides the device tree; None where it starts no kernel."""
    if loader.start != "falcon" or parts.falcon is None or parts.falcon_tree is None:
        return None
    behind = parts.falcon_tree.read_bytes() if loader.appended else None
    return falcon.image(parts.falcon, parts.kernel.read_bytes(), _initramfs(parts), behind, arch=parts.arch)


def _initramfs(parts: CardParts) -> bytes | None:
    return parts.initramfs.read_bytes() if parts.initramfs is not None else None


def _kernel(loader: Loader, parts: CardParts) -> bytes:
    kernel = parts.kernel.read_bytes()
    if not loader.wrapped or kernel.startswith(UIMAGE_MAGIC):
        return kernel
    return legacy_header(kernel, load=load_address(parts.kernel, parts.ram_start), arch=parts.arch) + kernel


def _files(loader: Loader, board: LoaderBoard, parts: CardParts) -> dict[str, bytes]:
    """Return the files of the first partition by their names."""
    start = loader.u_boot_start
    if start == "command" and loader.place == "raw":
        return {}
    files = {KERNEL_FILE: _kernel(loader, parts), TREE_FILE: parts.tree.read_bytes()}
    if parts.initramfs is not None:
        files[INITRAMFS_FILE] = parts.initramfs.read_bytes()
    if start == "script":
        files["boot.scr"] = legacy_script(script(board, parts.payload, loader).encode(), arch=parts.arch)
    elif start == "extlinux":
        files["extlinux/extlinux.conf"] = extlinux(parts.payload).encode()
    return files
