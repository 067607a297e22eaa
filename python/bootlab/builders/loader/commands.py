# SPDX-License-Identifier: MIT
"""What tells U-Boot which kernel to boot, and how: extlinux.conf, a boot script, or its own boot command."""

from __future__ import annotations

import msgspec

from bootlab.model.boot_loader import Loader, LoaderBoard

KERNEL_FILE, TREE_FILE, INITRAMFS_FILE = "kernel", "board.dtb", "initramfs"
"""Names on the card's first partition."""
SECTOR_BYTES = 512
SCRIPT_SECTORS = 8
"""How long the script is that lies in raw sectors, before the device tree."""
UNIT_BYTES = 64 << 10
"""What is read exactly from raw sectors is rounded up to so many bytes."""
# boot/bootm.c: fixup_silent_linux() takes the kernel's console away too, unless it is told not to.
_SILENT = ("silent=1", "silent_linux=no")
# cmd/bootm.c, boot/image-board.c: what is there already stays there.
_STAY = "0xffffffff"


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be booted. `legacy`: the kernel has U-Boot's legacy header. `load`: the address that it states.

    The sizes of the files, in bytes, matter only where they lie in raw sectors.
    """

    cmdline: str
    initramfs: bool
    legacy: bool = False
    load: int | None = None
    kernel_bytes: int = 0
    tree_bytes: int = 0
    initramfs_bytes: int = 0


def extlinux(payload: Payload) -> str:
    """Return extlinux.conf."""
    lines = ["timeout 1", "default linux", "label linux", f" kernel /{KERNEL_FILE}", f" fdt /{TREE_FILE}"]
    lines += [f" initrd /{INITRAMFS_FILE}"] if payload.initramfs else []
    return "\n".join([*lines, f" append {payload.cmdline}"]) + "\n"


def script(board: LoaderBoard, payload: Payload, loader: Loader | None = None) -> str:
    """Return the commands of boot.scr: load all from the card's first partition, and start the kernel."""
    loader = loader or Loader()
    # In single quotes U-Boot's shell takes every character as it is, but for that quote.
    quoted = payload.cmdline.replace("'", "'\\''")
    stay = [f"setenv fdt_high {_STAY}", f"setenv initrd_high {_STAY}"] if loader.in_place else []
    return "\n".join([f"setenv bootargs '{quoted}'", *stay, *_from_fat(board, payload, loader)]) + "\n"


def raw_script(board: LoaderBoard, payload: Payload, loader: Loader) -> str:
    """Return the commands that load all from raw sectors, and start the kernel; the tree has the command line."""
    kernel, tree, initramfs = _kernel_address(board, payload, loader), board.tree_address, board.initramfs_address
    kernel_room, initramfs_room = rooms(board)
    lines = [_read(tree, board.arguments_bytes, payload.tree_bytes, board.arguments_room_bytes, exact=loader.exact)]
    lines.append(_read(kernel, board.raw_bytes, payload.kernel_bytes, kernel_room, exact=loader.exact))
    archive = "-"
    if payload.initramfs:
        start = board.raw_bytes + kernel_room
        lines.append(_read(initramfs, start, payload.initramfs_bytes, initramfs_room, exact=loader.exact))
        archive = f"{initramfs:#x}:{payload.initramfs_bytes:#x}"
    return "\n".join([*lines, f"{_boot(payload)} {kernel:#x} {archive} {tree:#x}"]) + "\n"


def rooms(board: LoaderBoard) -> tuple[int, int]:
    """Return how many bytes of raw sectors the kernel has, and behind it the initramfs."""
    room = (board.partition_bytes - board.raw_bytes) // 2
    return room, room


def raw_script_sector(board: LoaderBoard) -> int:
    """Return the sector of the script in raw sectors."""
    return board.arguments_bytes // SECTOR_BYTES - SCRIPT_SECTORS


def environment(board: LoaderBoard, payload: Payload, loader: Loader) -> str:
    """Return the whole default environment of a U-Boot that has its own boot command."""
    if loader.place == "raw":
        at = f"{board.script_address:#x}"
        command = f"mmc dev 0; mmc read {at} {raw_script_sector(board):#x} {SCRIPT_SECTORS:#x}; source {at}"
    else:
        command = "; ".join(_from_fat(board, payload, loader))
    lines = [f"bootcmd={command}", "bootm_size=0xa000000"]
    lines += [f"fdt_high={_STAY}", f"initrd_high={_STAY}"] if loader.in_place else []
    return "\n".join([*lines, *(_SILENT if loader.silent else ())]) + "\n"


def _from_fat(board: LoaderBoard, payload: Payload, loader: Loader) -> list[str]:
    kernel, tree, initramfs = _kernel_address(board, payload, loader), board.tree_address, board.initramfs_address
    lines = [f"load mmc 0:1 {kernel:#x} {KERNEL_FILE}", f"load mmc 0:1 {tree:#x} {TREE_FILE}"]
    archive = "-"
    if payload.initramfs:
        lines.append(f"load mmc 0:1 {initramfs:#x} {INITRAMFS_FILE}")
        archive = f"{initramfs:#x}:${{filesize}}"
    return [*lines, f"{_boot(payload)} {kernel:#x} {archive} {tree:#x}"]


def _kernel_address(board: LoaderBoard, payload: Payload, loader: Loader) -> int:
    """Return where a kernel file is loaded: one with a header so that bootm need not copy it, if that is asked for."""
    if loader.in_place and payload.load is not None:
        return payload.load - 64
    return board.kernel_address


def _boot(payload: Payload) -> str:
    return "bootm" if payload.legacy else "bootz"


def _read(address: int, start: int, size: int, room: int, *, exact: bool) -> str:
    count = -(-size // UNIT_BYTES) * UNIT_BYTES if exact else room
    return f"mmc read {address:#x} {start // SECTOR_BYTES:#x} {count // SECTOR_BYTES:#x}"
