# SPDX-License-Identifier: MIT
"""Microsoft's PE format, that of EFI programs: where the sections of one are.

Format: https://learn.microsoft.com/windows/win32/debug/pe-format.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import msgspec

SECTION_BYTES = 40
COFF_BYTES = 24
"""The signature and the COFF header; the optional header follows."""
_SECTIONS_MAX = 96
_HEADER_AT, _SECTIONS_COUNT_AT, _OPTIONAL_BYTES_AT, _ENTRY_AT = 0x3C, 6, 20, 16


class PeSection(NamedTuple):
    """One section. `address` is relative to where the program is loaded; its length in the file is rounded up."""

    name: str
    address: int
    memory_bytes: int
    offset_bytes: int
    file_bytes: int


class PortableExecutable(msgspec.Struct, frozen=True, kw_only=True):
    """Where the parts of a program are.

    `header`: of its PE header in the file. `entry`: relative to where it is loaded. `table`: of the sections' rows.
    """

    header: int
    entry: int
    table: int
    sections: tuple[PeSection, ...]

    def offset(self, address: int) -> int | None:
        """Return the offset in the file of an address; None for one that the file does not hold."""
        for section in self.sections:
            if section.address <= address < section.address + section.file_bytes:
                return section.offset_bytes + address - section.address
        return None


def read_pe(data: bytes) -> PortableExecutable | None:
    """Return the parts of a program, of which the head is enough; None for what is none, or was cut off in its head."""
    try:
        (header,) = struct.unpack_from("<I", data, _HEADER_AT)
        if data[:2] != b"MZ" or data[header : header + 4] != b"PE\0\0":
            return None
        (count,) = struct.unpack_from("<H", data, header + _SECTIONS_COUNT_AT)
        (optional_bytes,) = struct.unpack_from("<H", data, header + _OPTIONAL_BYTES_AT)
        (entry,) = struct.unpack_from("<I", data, header + COFF_BYTES + _ENTRY_AT)
        if count > _SECTIONS_MAX:
            return None
        table = header + COFF_BYTES + optional_bytes
        sections = tuple(_section(data, table + SECTION_BYTES * number) for number in range(count))
    except struct.error:
        return None
    return PortableExecutable(header=header, entry=entry, table=table, sections=sections)


def _section(data: bytes, at: int) -> PeSection:
    name, memory_bytes, address, file_bytes, offset = struct.unpack_from("<8s4I16x", data, at)
    return PeSection(name.rstrip(b"\0").decode("ascii", "replace"), address, memory_bytes, offset, file_bytes)
