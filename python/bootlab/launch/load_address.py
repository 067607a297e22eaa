# SPDX-License-Identifier: MIT
"""Where a kernel is in physical memory when its first instruction runs, and where user space ends.

QEMU puts the file of `-kernel` at a fixed place (hw/arm/boot.c, hw/riscv/boot.c, hw/i386/x86.c of QEMU); kernels of
ARM, AArch64 and RISC-V run there until they switch their MMU on.
"""

from __future__ import annotations

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.model import flash_layout
from bootlab.model.architecture import Arch
from bootlab.model.board import ram_start
from bootlab.model.system import Machine, SystemDescription

# The set-up code's entry, 0x200 behind its segment, and the protected-mode part.
X86_SETUP_ENTRY = 0x10200
X86_PROTECTED_MODE_ENTRY = 0x100000

_ARM_ZIMAGE_OFFSET = 0x10000
_ARM64_BOOT_STUB_BYTES = 4096
_ALIGN = 2 << 20
# OpenSBI lies at the start of RAM and ends within its first 2 MiB; the kernel comes at the next such boundary.
_RISCV_RAM = 0x80000000
RISCV_FIRMWARE_RANGE = (_RISCV_RAM, _RISCV_RAM + _ALIGN)

# arch/x86/include/asm/page_64_types.h: __START_KERNEL_map.
_X86_LINK_OFFSET = 0xFFFFFFFF80000000

# arch/arm/include/asm/memory.h: modules take the last 16 MiB below the kernel's half.
_ARM_MODULES_BYTES = 16 << 20
_ARM_PAGE_OFFSET = 0xC0000000
_USER_SPACE_END = {
    # Documentation/arch/x86/x86_64/mm.rst: with four-level page tables, and below the kernel with five.
    "x86_64": 1 << 47,
    # Documentation/arm64/memory.rst: TTBR0's half, with addresses of 52 bits as well.
    "arm64": 1 << 52,
    # Documentation/riscv/vm-layout.rst: the lower half of sv57.
    "riscv64": 1 << 56,
}


def entries(machine: Machine, info: KernelInfo) -> dict[str, int]:
    """Return the physical addresses of `kernel-entry`, `decompression` and `kernel-image`, as far as they are known.

    What is entered is an ARM zImage's decompressor. In a uImage (bootlab makes it of what is not packed), on AArch64
    and on RISC-V it is the kernel itself.
    """
    if machine.arch == "x86_64" or (ram := ram_start(machine)) is None:
        return {}
    if machine.arch == "riscv64":
        start = ram + _ALIGN
        return {"kernel-entry": start, "kernel-image": start}
    if machine.arch == "arm64":
        offset = info.text_offset_bytes
        start = ram + offset + (_ALIGN if offset < _ARM64_BOOT_STUB_BYTES else 0)
        return {"kernel-entry": start, "kernel-image": start}
    if info.kind == "uimage":
        # Not packed: it is copied to where it runs.
        text = arm_text(info)
        return {} if text is None else dict.fromkeys(("kernel-entry", "kernel-image"), ram + text - user_half_end(info))
    start = ram + _ARM_ZIMAGE_OFFSET
    found = {"kernel-entry": start, "decompression": start}
    if (text := arm_text(info)) is not None:
        # arch/arm/boot/compressed/head.S with AUTO_ZRELADDR: unpacked to the start of RAM plus TEXT_OFFSET.
        found["kernel-image"] = ram + text - user_half_end(info)
    return found


def flash_entries(system: SystemDescription) -> dict[str, int]:
    """Return the marks of a machine that starts from flash; `kernel-copy`: the loader begins to copy the kernel."""
    start = system.kernel.flash
    if start is None:
        return {}
    place = flash_layout.layout(system)
    first = flash_layout.entry(place, start)
    found = {"kernel-entry": first}
    if start in {"unpacked", "unpacked-in-place"}:
        found |= {"decompression": first, "kernel-image": place.text}
    else:
        found["kernel-image"] = first
    return ({"kernel-copy": place.copy_mark} if start in {"copied", "unpacked"} else {}) | found


def link_offset(arch: Arch, info: KernelInfo, at: int | None) -> int:
    """Return what a linked address of the kernel has more than the physical one it is executed at before the MMU is on.

    `at`: the mark `kernel-image`. Modulo 2**64. Zero without it: early code has no names then.
    """
    if arch == "x86_64":
        return _X86_LINK_OFFSET
    stext = info.symbols.get("_stext", info.symbols.get("start_kernel"))
    if at is None or stext is None:
        return 0
    if arch == "arm":
        text = arm_text(info)
        return 0 if text is None else (text - at) % 2**64
    # Both are linked to a boundary of 2 MiB (arch/{arm64,riscv}/kernel/vmlinux.lds.S), old arm64 TEXT_OFFSET behind it.
    return ((stext & ~(_ALIGN - 1)) + info.text_offset_bytes % _ALIGN - at) % 2**64


def user_space_end(arch: Arch, info: KernelInfo) -> int:
    """Return the address that no instruction of user space reaches."""
    if arch == "arm":
        return user_half_end(info) - _ARM_MODULES_BYTES
    return _USER_SPACE_END[arch]


def user_half_end(info: KernelInfo) -> int:
    """Return PAGE_OFFSET of a 32-bit ARM kernel (CONFIG_VMSPLIT_*), told by where its code is linked."""
    start = info.symbols.get("start_kernel")
    # A kernel that executes in place has its code among the modules, which lie below that address.
    return _ARM_PAGE_OFFSET if start is None else (start + _ARM_MODULES_BYTES) & 0xF0000000


def arm_text(info: KernelInfo) -> int | None:
    """Return the linked address of an ARM kernel's first byte; None when its symbols are not known."""
    if (text := info.symbols.get("_text")) is not None:
        return text
    start = info.symbols.get("_stext")
    # _text is TEXT_OFFSET behind a boundary of 1 MiB, 0x8000 but for the whole MiBs some platforms reserve; _stext
    # follows the head's few hundred bytes, or lies on the next boundary (arch/arm/kernel/vmlinux.lds.S).
    return None if start is None else ((start - 1) & ~0xFFFFF) | 0x8000
