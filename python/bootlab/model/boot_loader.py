# SPDX-License-Identifier: MIT
"""The boot loader of a board, as a value: how it is built, what lies on the card, and how it comes to the kernel."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.source_build import SourceBuild

LoaderStart = Literal["extlinux", "script", "command", "falcon", "menu", "stub", "unified"]
"""How the boot loader comes to the kernel.

`extlinux`: it looks for extlinux.conf on every medium it knows. `script`: the same, for boot.scr. `command`: its own
boot command loads the files from where they are. `falcon`: its first part (SPL) starts the kernel itself, unless it
cannot. `menu`: GRUB, or systemd-boot, shows its menu and starts the first entry. `stub`: a UEFI starts
the kernel itself. `unified`: it starts one EFI program with the kernel in it."""

LoaderPlace = Literal["fat", "raw"]
"""Where on the card kernel, device tree and initramfs are: files of a FAT partition, or raw sectors before it."""

FALCON_SIZE, SECOND_SIZE, TREE_SIZE = "falcon image", "U-Boot", "device tree"
"""Names under which a recording has the size of what the SPL loads, in falcon mode or else, and of the device tree."""

NO_BOARD = "the system file does not say for which board U-Boot is built"
NAME_A_TREE = 'name one: [kernel] device_tree = "NAME.dtb", or [machine] dtb = "PATH"'


class LoaderBuild(SourceBuild, frozen=True, kw_only=True):
    """How U-Boot is built. `compiler` is a prefix as CROSS_COMPILE takes it; None: Debian's."""

    compiler: str | None = None


class Loader(msgspec.Struct, frozen=True, kw_only=True):
    """A boot loader on the machine's card, which loads kernel, device tree and initramfs from there.

    `image`: SPL and U-Boot in one file, for the card that bootlab makes. `build`: how that file is built. `card`: an
    image of a card that is there already and boots as it is. One of them is given. `wrapped`: the kernel has U-Boot's
    legacy header (uImage) and is started by `bootm`; else a zImage by `bootz`.

    `place`: where the files are, for `command`. `exact`: of raw sectors only those are read that hold something, else
    the whole room that is left for it. `in_place`: device tree and initramfs are handed over where they were loaded,
    else as copies at the end of memory. `silent`: U-Boot prints nothing.

    `fallback`: how U-Boot starts the kernel when falcon mode could not. `checked`: falcon mode compares checksums
    first. `appended`: in falcon mode the device tree stands behind the kernel, and has no sectors of its own.

    `grub`: the folder of GRUB's modules, for the start of a PC from a card that bootlab makes; `wait_s`: how long its
    menu waits.

    `uefi`: the firmware of a PC, which starts EFI programs. `program`: the one that it starts, which is systemd-boot
    for `menu` and systemd's stub for `unified`; without it, the kernel is the program.
    """

    image: str | None = None
    build: LoaderBuild | None = None
    card: str | None = None
    start: LoaderStart = "extlinux"
    wrapped: bool = False
    place: LoaderPlace = "fat"
    exact: bool = False
    in_place: bool = False
    silent: bool = False
    fallback: LoaderStart = "extlinux"
    checked: bool = False
    appended: bool = False
    grub: str | None = None
    wait_s: int = 5
    uefi: str | None = None
    program: str | None = None

    @property
    def u_boot_start(self) -> LoaderStart:
        """How U-Boot itself comes to the kernel, when it does."""
        return self.fallback if self.start == "falcon" else self.start


class LoaderBoard(msgspec.Struct, frozen=True, kw_only=True):
    """Where things are on a board that starts from a card.

    `spl_at_bytes`: on the card. `spl_entry`: the address at which the boot ROM enters the SPL. `u_boot_entry`: where
    the SPL enters U-Boot. The addresses in RAM are those of the board's default environment. `parts`: the files that a
    build of U-Boot makes for the card, and how far each lies behind the first. `arguments_bytes`, `raw_bytes`: where on
    the card the device tree and the kernel are that are loaded from raw sectors; `arguments_room_bytes`: how much room
    the tree has. The kernel's room ends where the first partition begins.
    """

    machine: str
    spl_at_bytes: int
    spl_entry: int
    u_boot_entry: int
    kernel_address: int
    tree_address: int
    script_address: int
    initramfs_address: int
    parts: tuple[tuple[str, int], ...]
    arguments_bytes: int = 2 << 20
    arguments_room_bytes: int = 64 << 10
    raw_bytes: int = 4 << 20
    partition_bytes: int = 16 << 20


# include/configs/sunxi-common.h of U-Boot; hw/arm/allwinner-h3.c of QEMU copies 32 KiB from 8 KiB on to address 0.
LOADER_BOARDS: tuple[LoaderBoard, ...] = (
    LoaderBoard(
        machine="orangepi-pc",
        spl_at_bytes=8 << 10,
        spl_entry=0,
        u_boot_entry=0x4A000000,
        kernel_address=0x42000000,
        tree_address=0x43000000,
        script_address=0x43100000,
        initramfs_address=0x43300000,
        parts=(("spl/sunxi-spl.bin", 0), ("u-boot-dtb.img", 32 << 10)),
    ),
)


# board/emulation/qemu-riscv/Kconfig of U-Boot: SPL_TEXT_BASE, TEXT_BASE. Its SPL knows no other medium
# than RAM, so that nothing here is said of a card.
RISCV_VIRT = LoaderBoard(
    machine="virt",
    spl_at_bytes=0,
    spl_entry=0x80000000,
    u_boot_entry=0x81200000,
    kernel_address=0x80200000,
    tree_address=0,
    script_address=0,
    initramfs_address=0x98000000,
    parts=(("spl/u-boot-spl.bin", 0), ("u-boot-nodtb.bin", 256 << 10)),
)
"""The machine `virt` of RISC-V with an SPL."""


def loader_board(machine: str) -> LoaderBoard | None:
    """Return what is known of a board's start from its card; None for one that bootlab makes no card for."""
    return next((board for board in LOADER_BOARDS if board.machine == machine), None)
