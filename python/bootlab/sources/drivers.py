# SPDX-License-Identifier: MIT
"""Which drivers a root needs, and where each is: in the kernel, among the initramfs's modules, or in neither.

A medium that no driver reaches before the root is mounted is named before a boot waits for it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.root import RootMedium
from bootlab.sources.facts import ImageFacts, InitramfsFacts

Where = Literal["built in", "in the initramfs", "module only", "left out", "unknown"]


class Driver(msgspec.Struct, frozen=True):
    """A driver: its option (without `CONFIG_`) and its module's name."""

    option: str
    module: str


class Reach(msgspec.Struct, frozen=True):
    """Where a driver is."""

    driver: Driver
    where: Where

    @property
    def usable(self) -> bool:
        """Tell whether it is there before the root is mounted, as far as anybody can know."""
        return self.where in {"built in", "in the initramfs", "unknown"}


_CARD = (Driver("MMC", "mmc_core"), Driver("MMC_BLOCK", "mmc_block"))
PCI_CARD = (*_CARD, Driver("MMC_SDHCI", "sdhci"), Driver("MMC_SDHCI_PCI", "sdhci_pci"))
NVDIMM = (Driver("LIBNVDIMM", "libnvdimm"), Driver("ACPI_NFIT", "nfit"), Driver("BLK_DEV_PMEM", "nd_pmem"))
VIRTIO_DISK = (Driver("VIRTIO_BLK", "virtio_blk"), Driver("VIRTIO_PCI", "virtio_pci"))
VIRTIO_MMIO_DISK = (Driver("VIRTIO_BLK", "virtio_blk"), Driver("VIRTIO_MMIO", "virtio_mmio"))
FILE_SYSTEMS = {
    "ext2": (Driver("EXT4_FS", "ext4"),),
    "ext3": (Driver("EXT4_FS", "ext4"),),
    "ext4": (Driver("EXT4_FS", "ext4"),),
    "squashfs": (Driver("SQUASHFS", "squashfs"),),
    "erofs": (Driver("EROFS_FS", "erofs"),),
    "f2fs": (Driver("F2FS_FS", "f2fs"),),
    "btrfs": (Driver("BTRFS_FS", "btrfs"),),
    "xfs": (Driver("XFS_FS", "xfs"),),
    "vfat": (Driver("VFAT_FS", "vfat"),),
    "cramfs": (Driver("CRAMFS", "cramfs"),),
    "romfs": (Driver("ROMFS_FS", "romfs"),),
}


def card_of_board(drivers: tuple[Driver, ...]) -> tuple[Driver, ...]:
    """Return what a board's own card slot needs."""
    return (*_CARD, *drivers)


def where(
    driver: Driver, kernel: ImageFacts | None, initramfs: InitramfsFacts | None, built_in: frozenset[str] = frozenset()
) -> Where:
    """Say where a driver is. `built_in`: the names of the root's modules.builtin."""
    state = kernel.option(driver.option) if kernel is not None else None
    if state == "y" or driver.module in built_in:
        return "built in"
    if initramfs is not None and driver.module in initramfs.modules:
        return "in the initramfs"
    if state is None:
        return "unknown"
    return "module only" if state == "m" else "left out"


def reach(
    drivers: tuple[Driver, ...],
    kernel: ImageFacts | None,
    initramfs: InitramfsFacts | None,
    built_in: frozenset[str] = frozenset(),
) -> tuple[Reach, ...]:
    """Say where each of some drivers is."""
    return tuple(Reach(driver, where(driver, kernel, initramfs, built_in)) for driver in drivers)


def of_medium(medium: RootMedium, board: tuple[Driver, ...] | None, *, pci: bool) -> tuple[Driver, ...]:
    """Return what a medium needs; `board`: the drivers of a card's slot of the board's own."""
    if medium == "pmem":
        return NVDIMM
    if medium == "sd":
        return PCI_CARD if pci or board is None else card_of_board(board)
    return VIRTIO_DISK if pci else VIRTIO_MMIO_DISK


def lacking(found: tuple[Reach, ...]) -> str:
    """Say in a few words what of some drivers is not there; "" when all are."""
    return ", ".join(f"{r.driver.module} (CONFIG_{r.driver.option}) is {r.where}" for r in found if not r.usable)
