"""Where things lie when a machine starts from its NOR flash: in the flash, and in RAM once the loader is done."""

from __future__ import annotations

import msgspec

from bootlab.errors import UserError
from bootlab.model.system import FlashStart, System


class FlashLayout(msgspec.Struct, frozen=True, kw_only=True):
    """Physical addresses and lengths in bytes of one machine.

    `kernel` is both the place in flash and what XIP_PHYS_ADDR and ZBOOT_ROM_TEXT must be. In RAM: `text` takes an
    uncompressed kernel (start of RAM plus TEXT_OFFSET), `unpacker` a zImage, far enough behind `text` that it need not
    move itself; `unpacker_data` is ZBOOT_ROM_BSS. `copy_mark` is the loader's instruction at which the kernel's copying
    begins.
    """

    machine: str
    bank_bytes: int
    kernel: int
    initramfs: int
    ram: int
    device_tree_from: int
    text: int
    unpacker: int
    device_tree: int
    unpacker_data: int
    initramfs_to: int
    least_ram_mib: int
    copy_mark: int


# hw/arm/virt.c of QEMU: two banks of 64 MiB at 0, RAM at 1 GiB; with firmware the device tree at the start of RAM.
ARM_VIRT = FlashLayout(
    machine="virt",
    bank_bytes=64 << 20,
    kernel=0x00080000,
    initramfs=0x02000000,
    ram=0x40000000,
    device_tree_from=0x40000000,
    text=0x40008000,
    unpacker=0x42000000,
    device_tree=0x43000000,
    unpacker_data=0x44000000,
    initramfs_to=0x45000000,
    least_ram_mib=128,
    copy_mark=0xC0,
)


def layout(system: System) -> FlashLayout:
    """Return the layout of a system's machine. Raise UserError for a machine that cannot be started so."""
    machine = system.machine
    if machine.arch != "arm" or machine.type.partition("-")[0] != ARM_VIRT.machine:
        raise UserError(
            f"{machine.arch} {machine.type} cannot be started from flash here",
            hint='bootlab\'s loader is for [machine] arch = "arm", type = "virt"',
        )
    if machine.flash and machine.flash[0]:
        raise UserError(
            "the first flash bank is taken: the loader and the kernel must lie in it",
            hint='leave machine.flash out, or begin it with ""',
        )
    if machine.memory_mib < ARM_VIRT.least_ram_mib:
        raise UserError(
            f"{machine.memory_mib} MiB are too little RAM to start from flash",
            hint=f"machine.memory_mib = {ARM_VIRT.least_ram_mib}",
        )
    return ARM_VIRT


def entry(place: FlashLayout, start: FlashStart) -> int:
    """Return the address of the kernel's (or its unpacker's) first instruction."""
    return {"in-place": place.kernel, "copied": place.text, "unpacked": place.unpacker}.get(start, place.kernel)


def options(place: FlashLayout, start: FlashStart) -> tuple[tuple[str, str], ...]:
    """Return the kernel options that a way of starting needs."""
    if start == "in-place":
        return (("XIP_KERNEL", "y"), ("XIP_PHYS_ADDR", f"0x{place.kernel:08x}"))
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
