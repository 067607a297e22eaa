# SPDX-License-Identifier: MIT
"""The first bytes by which a file is known, of the kinds that more than one reader looks for."""

ELF = b"\x7fELF"
"""elf(5): EI_MAG0 to EI_MAG3."""

GZIP = b"\x1f\x8b"
"""RFC 1952, 2.3.1: ID1 and ID2."""

BZIP2 = b"BZh"
XZ = b"\xfd7zXZ"
"""The .xz file format, 2.1.1.1; a sixth byte, 0, ends it."""

ZSTD = b"\x28\xb5\x2f\xfd"
"""RFC 8878, 3.1.1: Magic_Number."""

LZ4 = b"\x04\x22\x4d\x18"
LZ4_OF_THE_KERNEL = b"\x02\x21\x4c\x18"
"""The legacy frame, which the kernel's decompressor reads (lib/decompress_unlz4.c)."""

LZMA = b"\x5d\x00\x00"
"""The alone format has no magic: its properties as xz(1) and the kernel's build write them."""
