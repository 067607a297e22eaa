# SPDX-License-Identifier: MIT
"""Where a board's root file system can lie, as `bootlab fs` needs to know it."""

from __future__ import annotations

from typing import Annotated

import msgspec

from bootlab.model.key import key


class Storage(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a root file system on the board, and what the application tells about memory.

    Flash: the bank (its number in `machine.flash`), its length, where the root's partition begins in physical memory,
    the erase block, the partition's length and its names in the kernel. The partition lies at the start of the bank.
    The last ones are console patterns with one group each, of lines that are printed after the goal: `page_cache` in
    kB; a program's `mapping` as a line of /proc/self/maps; `sectors_read`, how many of 512 bytes the root's device was
    asked for, as /proc/diskstats counts them, 0 where the root is on none; `remounted`, how an attempt ended to make
    the root writable.
    """

    flash_bank: Annotated[
        int | None,
        key(
            "number of the flash bank (in `machine.flash`) that contains the root, in a partition at its start; "
            "left out: no rows from flash"
        ),
    ] = None
    flash_bank_mib: Annotated[
        int, key("length of the bank in MiB: 64 on vexpress-a9 and ARM's virt, 32 on RISC-V's")
    ] = 64
    flash_address: Annotated[
        int | None,
        key(
            "physical address at which the partition begins (`0x44000000`): a program executed in place must be "
            "mapped from there"
        ),
    ] = None
    flash_erase_kib: Annotated[int, key("erase block of the flash as the kernel sees it, KiB")] = 256
    root_kib: Annotated[
        int, key("length of the partition in KiB, in whole erase blocks; `mtdparts=` in `cmdline` defines it")
    ] = 8192
    mtd_name: Annotated[
        str,
        key(
            "the kernel's name of the partition, for `root=mtd:NAME` (CRAMFS); without it CRAMFS is mounted by "
            "`mtd_block`"
        ),
    ] = ""
    mtd_block: Annotated[str, key("the partition as a block device (`/dev/mtdblock1`)")] = ""
    ram_disk: Annotated[str, key("the RAM disk's device")] = "/dev/ram0"
    page_cache: Annotated[
        str | None, key("console pattern with one group: the page cache in kB, in a line printed after the goal")
    ] = None
    mapping: Annotated[
        str | None,
        key(
            "console pattern with one group: a program's mapping as a line of `/proc/self/maps`, printed after "
            "the goal; the proof of execution in place"
        ),
    ] = None
    sectors_read: Annotated[
        str | None,
        key(
            "console pattern with one group: sectors of 512 bytes that the root's device has read, from "
            "`/proc/diskstats`, in a line printed after the goal; 0 if the root is on no block device. `fs` "
            "computes the modelled load time from it"
        ),
    ] = None
    remounted: Annotated[
        str | None,
        key(
            "console pattern with one group: the result of an attempt to mount the root read-write after the goal"
            " (`remounted: (\\S+)`); shown with the row's proof"
        ),
    ] = None

    @property
    def told(self) -> tuple[str, ...]:
        """The patterns of lines that a boot must last for."""
        patterns = (self.page_cache, self.mapping, self.sectors_read, self.remounted)
        return tuple(text for text in patterns if text is not None)
