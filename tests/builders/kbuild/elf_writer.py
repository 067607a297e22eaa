# SPDX-License-Identifier: MIT
"""ELF files and thin archives of a few bytes, as compilers and GNU ar write them."""

from __future__ import annotations

import struct

ALLOC, WRITE, EXECUTE = 2, 1, 4


def elf(sections: dict[str, tuple[int, int | bytes]], defined: tuple[str, ...] = ()) -> bytes:
    """Return a 32-bit little-endian ELF: name to (flags, contents); a number instead of contents makes it NOBITS."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (*sections, ".symtab", ".strtab", ".shstrtab"))
    symbol_names = b"\0" + b"".join(name.encode() + b"\0" for name in defined)
    symbols = bytes(16) + b"".join(
        struct.pack("<IIIBBH", symbol_names.index(b"\0" + name.encode() + b"\0") + 1, 0, 0, 1 << 4, 0, 1)
        for name in defined
    )
    rows = [(0, 0, 0, b"", 0)]
    for name, (flags, contents) in sections.items():
        kind = 8 if isinstance(contents, int) else 1
        rows.append((_at(names, name), kind, flags, contents, 0))
    rows.append((_at(names, ".symtab"), 2, 0, symbols, len(rows) + 1))
    rows.append((_at(names, ".strtab"), 3, 0, symbol_names, 0))
    rows.append((_at(names, ".shstrtab"), 3, 0, names, 0))
    body, table = b"", b""
    for title, kind, flags, contents, link in rows:
        size = contents if isinstance(contents, int) else len(contents)
        table += struct.pack("<IIIIIIIIII", title, kind, flags, 0, 52 + len(body), size, link, 0, 1, 0)
        body += b"" if isinstance(contents, int) else contents
    head = b"\x7fELF\x01\x01\x01" + bytes(9)
    head += struct.pack("<HHIIIIIHHHHHH", 1, 40, 1, 0, 0, 52 + len(body), 0, 52, 0, 0, 40, len(rows), len(rows) - 1)
    return head + body + table


def thin_archive(members: tuple[str, ...]) -> bytes:
    """Return a thin archive that names its members in a table, with the stray slash of GNU ar."""
    names = b"".join(name.encode() + b"/\n" for name in members)
    names += b"\n" * (len(names) % 2)
    text = b"!<thin>\n" + _header(b"/", 4) + bytes(4) + _header(b"//", len(names)) + names
    for name in members:
        at = f"/{names.index(name.encode() + b'/')}".encode()
        text += _header(at.ljust(15) + b"/" if len(name) == 15 else at, 99)
    return text


def _at(names: bytes, name: str) -> int:
    return names.index(b"\0" + name.encode() + b"\0") + 1


def _header(title: bytes, size: int) -> bytes:
    return title.ljust(16) + b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6) + b"644".ljust(8) + b"%-10d`\n" % size
