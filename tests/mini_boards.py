# SPDX-License-Identifier: MIT
"""Kernels of a few dozen instructions for ARM, AArch64 and RISC-V: real boards boot in a fraction of a second.

Each carries its architecture's image header, prints a text byte by byte through the board's serial port, waits,
prints a second text and idles. Headers: arch/arm/boot/compressed/head.S, Documentation/arm64/booting.rst,
Documentation/riscv/boot-image-header.rst. Ports: hw/arm/virt.c, hw/arm/vexpress.c, hw/arm/allwinner-h3.c,
hw/riscv/virt.c of QEMU.
"""

from __future__ import annotations

import struct
from pathlib import Path

from bootlab.model.system import Machine

_CODE_AT, _PORT_AT, _TEXT_AT = 0x40, 0x80, 0x90
_SIZE_BYTES = 0x4000
_PORTS = {"vexpress-a9": 0x10009000, "virt": 0x09000000, "orangepi-pc": 0x01C28000}

# print: load a byte and step; return at NUL; store it to the port; again.
_ARM = (
    0xE28F1048, 0xEB000007,  # adr r1, text; bl print
    0xE59F2034, 0xE2522001, 0x8AFFFFFD,  # ldr r2, loops; 1: subs r2, #1; bhi 1b
    0xEB000003, 0xE320F003, 0xEAFFFFFD,  # bl print; 2: wfi; b 2b
    0xEAFFFFFE, 0xEAFFFFFE,  # never reached
    0xE59F0010, 0xE4D13001, 0xE3530000, 0x012FFF1E, 0xE5803000, 0xEAFFFFFA,
)  # fmt: skip
_ARM64 = (
    0x10000281, 0x94000009,  # adr x1, text; bl print
    0x180001E2, 0x71000442, 0x54FFFFE8,  # ldr w2, loops; 1: subs w2, #1; b.hi 1b
    0x94000005, 0xD503207F, 0x17FFFFFF,  # bl print; 2: wfi; b 2b
    0x14000000, 0x14000000,  # never reached
    0x180000C0, 0x38401423, 0x34000063, 0xB9000003, 0x17FFFFFD, 0xD65F03C0,
)  # fmt: skip
_RISCV = (
    0x00000597, 0x05058593, 0xFFC5A603, 0x020000EF,  # auipc a1; addi a1, text; lw a2, loops; jal print
    0xFFF60613, 0xFEC04EE3,  # 1: addi a2, -1; bgtz a2, 1b
    0x014000EF, 0x10500073, 0xFFDFF06F,  # jal print; 2: wfi; j 2b
    0x0000006F, 0x0000006F,  # never reached
    0x10000537, 0x0005C683, 0x00158593, 0x00068663, 0x00D50023, 0xFF1FF06F, 0x00008067,
)  # fmt: skip

PRINT_LOOP_INSNS = {"arm": 5, "arm64": 4, "riscv64": 5}
"""Instructions from one stored byte to the next."""


def mini_board_kernel(path: Path, machine: Machine, text: str, *, text_after: str = "", loops: int = 1) -> Path:
    """Write an image that prints `text`, counts `loops` down, prints `text_after` and idles."""
    image = bytearray(_SIZE_BYTES)
    if machine.arch == "arm":
        code = _ARM
        struct.pack_into("<I", image, 0, 0xEA00000E)  # b 0x40
        struct.pack_into("<3I", image, 0x24, 0x016F2818, 0, _SIZE_BYTES)
    else:
        code = _ARM64 if machine.arch == "arm64" else _RISCV
        jump, magic = (0x14000010, b"ARM\x64") if machine.arch == "arm64" else (0x0400006F, b"RSC\x05")
        struct.pack_into("<IIQQQ", image, 0, jump, 0, 0, _SIZE_BYTES, 0)
        image[0x38:0x3C] = magic
    struct.pack_into(f"<{len(code)}I", image, _CODE_AT, *code)
    if machine.arch == "riscv64":
        struct.pack_into("<I", image, _TEXT_AT - 4, loops)
    else:
        struct.pack_into("<II", image, _PORT_AT, _PORTS[machine.type], loops)
    texts = text.encode() + b"\0" + text_after.encode() + b"\0"
    image[_TEXT_AT : _TEXT_AT + len(texts)] = texts
    path.write_bytes(bytes(image))
    return path
