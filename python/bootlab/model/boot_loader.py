"""The boot loader of a board, as a value: how it is built, what lies on the card, and how it comes to the kernel."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.source_patch import KernelPatch

LoaderStart = Literal["extlinux", "script", "falcon"]
"""How the boot loader comes to the kernel.

`extlinux`: it looks for extlinux.conf on every medium it knows. `script`: the same, for boot.scr. `falcon`: its first
part (SPL) starts the kernel itself, unless it cannot."""


class LoaderBuild(msgspec.Struct, frozen=True, kw_only=True):
    """How U-Boot is built.

    `source`: absolute path of a source tree, or `debian` for Debian's. `base`: one of U-Boot's configurations
    (`orangepi_pc_defconfig`) or the absolute path of a `.config`. `fragments` are absolute paths, merged in order; then
    `options` (name without `CONFIG_`, value as a `.config` writes it). `compiler` is a prefix as CROSS_COMPILE takes
    it; None: Debian's.
    """

    source: str = "debian"
    base: str = ""
    fragments: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    patches: tuple[KernelPatch, ...] = ()
    compiler: str | None = None


class Loader(msgspec.Struct, frozen=True, kw_only=True):
    """A boot loader on the machine's card, which loads kernel, device tree and initramfs from there.

    `image`: SPL and U-Boot in one file, for the card that bootlab makes. `build`: how that file is built. `card`: an
    image of a card that is there already and boots as it is. One of them is given. `wrapped`: the kernel has U-Boot's
    legacy header (uImage) and is started by `bootm`; else a zImage by `bootz`.
    """

    image: str | None = None
    build: LoaderBuild | None = None
    card: str | None = None
    start: LoaderStart = "extlinux"
    wrapped: bool = False


class LoaderBoard(msgspec.Struct, frozen=True, kw_only=True):
    """Where things are on a board that starts from a card.

    `spl_at_bytes`: on the card. `spl_entry`: the address at which the boot ROM enters the SPL. `u_boot_entry`: where
    the SPL enters U-Boot. The addresses in RAM are those of the board's default environment. `parts`: the files that a
    build of U-Boot makes for the card, and how far each lies behind the first.
    """

    machine: str
    spl_at_bytes: int
    spl_entry: int
    u_boot_entry: int
    kernel_address: int
    tree_address: int
    initramfs_address: int
    parts: tuple[tuple[str, int], ...]


# include/configs/sunxi-common.h of U-Boot; hw/arm/allwinner-h3.c of QEMU copies 32 KiB from 8 KiB on to address 0.
LOADER_BOARDS: tuple[LoaderBoard, ...] = (
    LoaderBoard(
        machine="orangepi-pc",
        spl_at_bytes=8 << 10,
        spl_entry=0,
        u_boot_entry=0x4A000000,
        kernel_address=0x42000000,
        tree_address=0x43000000,
        initramfs_address=0x43300000,
        parts=(("spl/sunxi-spl.bin", 0), ("u-boot-dtb.img", 32 << 10)),
    ),
)


def loader_board(machine: str) -> LoaderBoard | None:
    """Return what is known of a board's start from its card; None for one that bootlab makes no card for."""
    return next((board for board in LOADER_BOARDS if board.machine == machine), None)
