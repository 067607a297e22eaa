"""Where a board's root file system can lie, as `bootlab fs` needs to know it."""

from __future__ import annotations

import msgspec


class Storage(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a root file system on the board, and what the application tells about memory.

    Flash: the bank (its number in `machine.flash`), its length, where the root's partition begins in physical memory,
    the erase block, the partition's length and its names in the kernel. The partition lies at the start of the bank.
    `page_cache` and `mapping` are console patterns with one group each, of lines that are printed after the goal: the
    page cache in kB, and a program's mapping as a line of /proc/self/maps.
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
