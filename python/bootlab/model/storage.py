"""Where a board's root file system can lie, as `bootlab fs` needs to know it."""

from __future__ import annotations

import msgspec


class Storage(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a root file system on the board, and what the application tells about memory.

    Flash: the bank (its number in `machine.flash`), its length, where the root's partition begins in physical memory,
    the erase block, the partition's length and its names in the kernel. The partition lies at the start of the bank.
    The last ones are console patterns with one group each, of lines that are printed after the goal: `page_cache` in
    kB; a program's `mapping` as a line of /proc/self/maps; `sectors_read`, how many of 512 bytes the root's device was
    asked for, as /proc/diskstats counts them, 0 where the root is on none; `remounted`, how an attempt ended to make
    the root writable.
    """

    flash_bank: int | None = None
    flash_bank_mib: int = 64
    flash_address: int | None = None
    flash_erase_kib: int = 256
    root_kib: int = 8192
    mtd_name: str = ""
    mtd_block: str = ""
    ram_disk: str = "/dev/ram0"
    page_cache: str | None = None
    mapping: str | None = None
    sectors_read: str | None = None
    remounted: str | None = None

    @property
    def told(self) -> tuple[str, ...]:
        """The patterns of lines that a boot must last for."""
        patterns = (self.page_cache, self.mapping, self.sectors_read, self.remounted)
        return tuple(text for text in patterns if text is not None)
