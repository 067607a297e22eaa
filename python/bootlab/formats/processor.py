# SPDX-License-Identifier: MIT
"""Which processor that bootlab has no machine for a file is for, by the head of an ELF file or of U-Boot's image."""

from __future__ import annotations

from bootlab.formats import magics, uboot_header
from bootlab.model.architecture import ARCHITECTURES

_LITTLE, _WIDE = 1, 2
_HEAD_BYTES = 20
# e_machine (include/uapi/linux/elf-em.h): the names for big and little ends, of 32 and of 64 bits.
_OF_ELF: dict[int, tuple[str, str, str, str]] = {
    2: ("sparc", "sparc", "sparc", "sparc"),
    4: ("m68k", "m68k", "m68k", "m68k"),
    8: ("mips", "mipsel", "mips64", "mips64el"),
    15: ("parisc", "parisc", "parisc64", "parisc64"),
    20: ("powerpc", "powerpc", "powerpc", "powerpc"),
    21: ("ppc64", "ppc64le", "ppc64", "ppc64le"),
    22: ("s390", "s390", "s390x", "s390x"),
    42: ("sh4eb", "sh4", "sh4eb", "sh4"),
    43: ("sparc64", "sparc64", "sparc64", "sparc64"),
    50: ("ia64", "ia64", "ia64", "ia64"),
    94: ("xtensa", "xtensa", "xtensa", "xtensa"),
    189: ("microblaze", "microblazeel", "microblaze", "microblazeel"),
    258: ("loongarch32", "loongarch32", "loongarch64", "loongarch64"),
    0x9026: ("alpha", "alpha", "alpha", "alpha"),
}
# include/image.h of U-Boot: IH_ARCH_*, the byte behind the operating system.
_OF_UBOOT = {
    1: "alpha", 4: "ia64", 5: "mips", 6: "mips64", 7: "powerpc", 8: "s390", 9: "sh", 10: "sparc", 11: "sparc64",
    12: "m68k", 13: "nios2", 14: "microblaze", 21: "openrisc", 23: "arc", 25: "xtensa",
}  # fmt: skip
_UBOOT_ARCH_AT = 29


def without_machine(head: bytes) -> str:
    """Return the name of the processor of a file's first bytes, where bootlab boots none such; else ""."""
    if head.startswith(uboot_header.MAGIC) and len(head) > uboot_header.HEADER_BYTES:
        return _OF_UBOOT.get(head[_UBOOT_ARCH_AT], "")
    if len(head) < _HEAD_BYTES or head[:4] != magics.ELF:
        return ""
    little = head[5] == _LITTLE
    names = _OF_ELF.get(int.from_bytes(head[18:20], "little" if little else "big"))
    return names[2 * (head[4] == _WIDE) + little] if names is not None else ""


def _unsupported() -> str:
    *first, last = ARCHITECTURES
    return f"not supported, because bootlab has machines for {', '.join(first)} and {last} only"


UNSUPPORTED = _unsupported()
"""What is said, behind a colon, of a kernel or of programs for a processor without a machine."""
WAY_OUT = "`bootlab analyze LOG` reads the boot log of a kernel of any processor"
