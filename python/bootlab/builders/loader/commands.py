"""What tells U-Boot on the card which kernel to boot, and how: extlinux.conf, or a boot script."""

from __future__ import annotations

import msgspec

from bootlab.model.boot_loader import LoaderBoard

KERNEL_FILE, TREE_FILE, INITRAMFS_FILE = "kernel", "board.dtb", "initramfs"
"""Names on the card's first partition."""


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be booted. `legacy`: the kernel has U-Boot's legacy header."""

    cmdline: str
    initramfs: bool
    legacy: bool = False


def extlinux(payload: Payload) -> str:
    """Return extlinux.conf."""
    lines = ["timeout 1", "default linux", "label linux", f" kernel /{KERNEL_FILE}", f" fdt /{TREE_FILE}"]
    lines += [f" initrd /{INITRAMFS_FILE}"] if payload.initramfs else []
    return "\n".join([*lines, f" append {payload.cmdline}"]) + "\n"


def script(board: LoaderBoard, payload: Payload) -> str:
    """Return the commands of boot.scr: load all from the card's first partition, and start the kernel."""
    kernel, tree, initramfs = board.kernel_address, board.tree_address, board.initramfs_address
    # In single quotes U-Boot's shell takes every character as it is, but for that quote.
    quoted = payload.cmdline.replace("'", "'\\''")
    lines = [f"setenv bootargs '{quoted}'"]
    lines += [f"load mmc 0:1 {kernel:#x} {KERNEL_FILE}", f"load mmc 0:1 {tree:#x} {TREE_FILE}"]
    archive = "-"
    if payload.initramfs:
        lines.append(f"load mmc 0:1 {initramfs:#x} {INITRAMFS_FILE}")
        archive = f"{initramfs:#x}:${{filesize}}"
    lines.append(f"{'bootm' if payload.legacy else 'bootz'} {kernel:#x} {archive} {tree:#x}")
    return "\n".join(lines) + "\n"
