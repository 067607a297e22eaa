# SPDX-License-Identifier: MIT
"""A bzImage of a few kilobytes with an EFI stub: a UEFI starts it, it prints a line and stops.

Its stub jumps to the decompressor's entry, as kernels did until Linux 6.6.
"""

from __future__ import annotations

import struct
from pathlib import Path

from tests.mini_kernel import mini_kernel

SETUP_BYTES = 4096
"""A page, as a kernel's is a whole number of them: code keeps its place in its page wherever the image is loaded."""
STUB_AT, START_AT = SETUP_BYTES + 0x40, SETUP_BYTES + 0x200


def uefi_kernel(path: Path, text: str) -> Path:
    """Write an image whose 64-bit entry prints `text` on the first serial port."""
    data = bytearray(mini_kernel(path, "entered in real mode\n").read_bytes()[:0x600].ljust(SETUP_BYTES, b"\0"))
    data[0x1F1] = SETUP_BYTES // 512 - 1
    code = bytearray(SETUP_BYTES)
    stub = b"\xb8\x78\x56\x34\x12\x90\xe9" + struct.pack("<i", START_AT - (STUB_AT + 11))  # mov eax, n; nop; jmp
    code[0x40 : 0x40 + len(stub)] = stub
    # cld; cli; xor ebx, ebx; lea rsi, [rip + 0x50]; mov dx, 0x3f8; next: lodsb; test al, al; jz end; out; jmp next
    start = b"\xfc\xfa\x31\xdb\x48\x8d\x35\x50\0\0\0\x66\xba\xf8\x03\xac\x84\xc0\x74\x03\xee\xeb\xf8\xf4\xeb\xfd"
    code[0x200 : 0x200 + len(start)] = start
    # A call goes on behind `lea`, which is 11 bytes in.
    code[0x25B : 0x25B + len(text) + 1] = text.encode() + b"\0"
    data[0:2] = b"MZ"
    struct.pack_into("<I", data, 0x3C, 0x40)
    header = struct.pack("<4sHHIIIHH", b"PE\0\0", 0x8664, 1, 0, 0, 0, 112 + 6 * 8, 0x206)
    fields = struct.pack("<HBBIIIII", 0x20B, 2, 0x14, SETUP_BYTES, 0, 0, STUB_AT, SETUP_BYTES)
    # Image version 1: it knows the protocol by which systemd's stub hands the initramfs over (EFI stub of Linux 5.8).
    fields += struct.pack("<QIIHHHHHHIIIIHH", 0, 4096, 512, 0, 0, 1, 0, 0, 0, 0, 2 * SETUP_BYTES, 1024, 0, 10, 0)
    fields += struct.pack("<QQQQII", 0, 0, 0, 0, 0, 6).ljust(40 + 6 * 8, b"\0")
    section = struct.pack("<8s6IHHI", b".text", *[SETUP_BYTES] * 4, 0, 0, 0, 0, 0x60000020)
    whole = header + fields + section
    assert 0x40 + len(whole) <= 0x1F1
    data[0x40 : 0x40 + len(whole)] = whole
    path.write_bytes(bytes(data + code))
    return path
