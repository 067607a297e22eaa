# SPDX-License-Identifier: MIT
"""Where things lie when a machine starts from its NOR flash: in the flash, and in RAM once the loader is done."""

from __future__ import annotations

import msgspec

from bootlab.errors import UserError
from bootlab.model.architecture import Arch
from bootlab.model.system import FlashStart, Machine, SystemDescription


class FlashLayout(msgspec.Struct, frozen=True, kw_only=True):
    """Physical addresses and lengths in bytes of one machine.

    `bank` is where the flash bank number `unit` lies, which holds `loader`, kernel and initramfs. `kernel` is both the
    kernel's place in flash and what XIP_PHYS_ADDR and ZBOOT_ROM_TEXT must be. In RAM: `text` takes an uncompressed
    kernel, `unpacker` a zImage, far enough behind it that it need not move itself; `unpacker_data` is ZBOOT_ROM_BSS.
    `device_tree_from`, `device_tree`: from where to where the device tree is moved, 0 where it stays. `copy_mark` is
    the loader's instruction at which the kernel's copying begins. `starts`: the ways of starting that the architecture
    has; `lacks`: why it has no others.
    """

    arch: Arch
    machine: str
    loader: str
    unit: int
    bank: int
    bank_bytes: int
    kernel: int
    initramfs: int
    ram: int
    device_tree_from: int = 0
    text: int
    unpacker: int = 0
    device_tree: int = 0
    unpacker_data: int = 0
    initramfs_to: int
    least_ram_mib: int
    copy_mark: int
    starts: tuple[FlashStart, ...]
    lacks: str = ""

    def in_flash(self, address: int) -> bool:
        """Tell whether a physical address lies in the bank."""
        return self.bank <= address < self.bank + self.bank_bytes


STARTS: tuple[FlashStart, ...] = ("in-place", "copied", "unpacked", "unpacked-in-place")

# hw/arm/virt.c of QEMU: two banks of 64 MiB at 0, RAM at 1 GiB; with firmware the device tree at the start of RAM.
ARM_VIRT = FlashLayout(
    arch="arm",
    machine="virt",
    loader="arm-flash.S",
    unit=0,
    bank=0,
    bank_bytes=64 << 20,
    kernel=0x00080000,
    initramfs=0x02000000,
    ram=0x40000000,
    device_tree_from=0x40000000,
    # Start of RAM plus TEXT_OFFSET.
    text=0x40008000,
    unpacker=0x42000000,
    device_tree=0x43000000,
    unpacker_data=0x44000000,
    initramfs_to=0x45000000,
    least_ram_mib=128,
    copy_mark=0xC0,
    starts=STARTS,
)

# hw/riscv/virt.c: two banks of 32 MiB; OpenSBI, in the first 2 MiB of RAM, enters the second bank in supervisor mode
# with the device tree at the end of RAM. The kernel maps flash in pieces of 2 MiB (arch/riscv/mm/init.c).
RISCV_VIRT = FlashLayout(
    arch="riscv64",
    machine="virt",
    loader="riscv-flash.S",
    unit=1,
    bank=0x22000000,
    bank_bytes=32 << 20,
    kernel=0x22200000,
    initramfs=0x23000000,
    ram=0x80200000,
    text=0x80200000,
    initramfs_to=0x84000000,
    least_ram_mib=128,
    copy_mark=0x220000C0,
    starts=("in-place", "copied"),
    lacks="a RISC-V kernel does not unpack itself; its boot loader unpacks it",
)

_LAYOUTS = (ARM_VIRT, RISCV_VIRT)


def known(machine: Machine) -> FlashLayout | None:
    """Return the layout of a kind of machine, whatever else it has; None for one that cannot be started so."""
    kind = machine.type.partition("-")[0]
    return next((place for place in _LAYOUTS if (place.arch, place.machine) == (machine.arch, kind)), None)


def layout(system: SystemDescription) -> FlashLayout:
    """Return the layout of a system's machine. Raise UserError for a machine that cannot be started so."""
    machine = system.machine
    place = known(machine)
    if place is None:
        kinds = " or ".join(f'arch = "{place.arch}", type = "{place.machine}"' for place in _LAYOUTS)
        raise UserError(
            f"{machine.arch} {machine.type} cannot be started from flash here",
            hint=f"bootlab's loaders are for [machine] {kinds}",
        )
    if machine.flash[place.unit : place.unit + 1] not in {(), ("",)}:
        raise UserError(
            f"flash bank {place.unit} is in use, but the loader and the kernel must be in it",
            hint="leave machine.flash out, or leave that bank empty",
        )
    if machine.memory_mib < place.least_ram_mib:
        raise UserError(
            f"{machine.memory_mib} MiB are not enough RAM to start from flash",
            hint=f"machine.memory_mib = {place.least_ram_mib}",
        )
    return place


def banks(place: FlashLayout, image: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """Return the machine's flash banks with the image in its own; an empty name leaves a bank out."""
    filled = [*others, *[""] * (place.unit + 1 - len(others))]
    filled[place.unit] = image
    return tuple(filled)


def entry(place: FlashLayout, start: FlashStart) -> int:
    """Return the address of the kernel's (or its unpacker's) first instruction."""
    return {"in-place": place.kernel, "copied": place.text, "unpacked": place.unpacker}.get(start, place.kernel)


def options(place: FlashLayout, start: FlashStart) -> tuple[tuple[str, str], ...]:
    """Return the kernel options that a way of starting needs."""
    if start == "in-place":
        xip = (("XIP_KERNEL", "y"), ("XIP_PHYS_ADDR", f"0x{place.kernel:08x}"))
        # arch/riscv/Kconfig: it cannot be found out by code that runs elsewhere. ARM's stands in its configuration.
        return (*xip, ("PHYS_RAM_BASE", f"0x{place.ram:08x}")) if place.arch == "riscv64" else xip
    if start == "unpacked-in-place":
        return (
            ("ZBOOT_ROM", "y"),
            ("ZBOOT_ROM_TEXT", f"0x{place.kernel:x}"),
            ("ZBOOT_ROM_BSS", f"0x{place.unpacker_data:x}"),
        )
    return ()


def image(start: FlashStart) -> str:
    """Return the make target of the image that a way of starting needs."""
    return {"in-place": "xipImage", "copied": "Image"}.get(start, "zImage")
