# SPDX-License-Identifier: MIT
"""A bzImage of a few hundred bytes: real QEMU boots in a fifth of a second, for tests of how boots end.

The set-up code (16-bit, entered by QEMU's loader like any kernel's) writes a text to the first serial port byte by byte
and then does one thing. Layout: Documentation/x86/boot.rst.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Literal

Then = Literal["idle", "spin", "reset", "repeat", "draw"]
DRAWN = (320, 200, b"\xaa\x00\x00")
"""Width, height and colour of what `draw` shows; a PC doubles both on its screen."""


def mini_kernel(
    path: Path, text: str, then: Then = "idle", *, text_after: str = "", delay_loops: int = 0, obeys: bool = False
) -> Path:
    """Write an image that prints `text`, waits `delay_loops` * 65536 iterations, prints `text_after`, then acts.

    `obeys`: it waits as many times 65536 iterations as its command line has letters `w`.
    """
    code = bytearray()
    data_at = 0x200  # offset of the texts from the segment's start, behind the code
    texts = text.encode() + b"\0" + text_after.encode() + b"\0"
    code += b"\x8c\xc8\x8e\xd8"  # mov ax, cs; mov ds, ax
    start = len(code)
    code += _print(data_at)
    if obeys:
        # push 0x2000; pop es; xor di, di; xor bx, bx: QEMU puts the command line at 0x20000.
        code += b"\x68\x00\x20\x07\x31\xff\x31\xdb"
        # next: mov al, es:[di]; inc di; test al, al; jz out; cmp al, 'w'; jne next; inc bx; jmp next; out:
        code += b"\x26\x8a\x05\x47\x84\xc0\x74\x07\x3c\x77\x75\xf4\x43\xeb\xf1"
        code += b"\x85\xdb\x74\x07\x31\xc9\xe2\xfe\x4b\x75\xf9"  # test bx, bx; jz over; the loop below; over:
    if delay_loops:
        code += b"\xbb" + struct.pack("<H", delay_loops)  # mov bx, n
        code += b"\x31\xc9\xe2\xfe\x4b\x75\xf9"  # outer: xor cx, cx; loop $; dec bx; jnz outer
    code += _print(data_at + len(text.encode()) + 1)
    if then == "idle":
        code += b"\xfa\xf4\xeb\xfd"  # cli; hlt; jmp $-1
    elif then == "spin":
        code += b"\xeb\xfe"
    elif then == "draw":
        # mov ax, 0x13; int 0x10; push 0xa000; pop es; xor di, di; mov al, 4; mov cx, 64000; rep stosb; cli; hlt
        code += b"\xb8\x13\x00\xcd\x10\x68\x00\xa0\x07\x31\xff\xb0\x04\xb9\x00\xfa\xf3\xaa\xfa\xf4\xeb\xfd"
    elif then == "reset":
        code += b"\xb0\xfe\xe6\x64\xeb\xfe"  # keyboard controller: pulse the reset line
    else:
        code += b"\xe9" + struct.pack("<h", start - (len(code) + 3))
    sectors = max(5, -(-(0x400 + len(texts)) // 512))
    setup = bytearray(512 * sectors)
    # CS is the segment of sector 1 (0x1020), so offsets count from there; a jump over the header comes first.
    setup[0x1F1] = sectors - 1
    struct.pack_into("<H", setup, 0x1FE, 0xAA55)
    setup[0x200:0x202] = b"\xeb\x7e"  # jmp to 0x280
    setup[0x202:0x206] = b"HdrS"
    struct.pack_into("<HIHH", setup, 0x206, 0x020F, 0, 0x1000, 0x0100)
    setup[0x211] = 0x01  # LOADED_HIGH
    struct.pack_into("<I", setup, 0x214, 0x100000)
    struct.pack_into("<I", setup, 0x22C, 0x7FFFFFFF)  # initrd_addr_max
    struct.pack_into("<I", setup, 0x238, 2047)  # cmdline_size
    struct.pack_into("<Q", setup, 0x258, 0x1000000)  # pref_address
    version = b"6.1.0-mini (test) #1\0"
    setup[0x300 : 0x300 + len(version)] = version
    assert len(code) <= 0x80
    setup[0x280 : 0x280 + len(code)] = code
    setup[0x400 : 0x400 + len(texts)] = texts
    path.write_bytes(bytes(setup) + b"\0" * 4096)
    return path


def _print(at: int) -> bytes:
    # mov si, at; mov dx, 0x3f8; next: lodsb; test al, al; jz out; out dx, al; jmp next
    return b"\xbe" + struct.pack("<H", at) + b"\xba\xf8\x03" + b"\xac\x84\xc0\x74\x03\xee\xeb\xf8"
