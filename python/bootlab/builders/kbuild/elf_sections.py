"""What an ELF file takes in memory, by kind of section, and the names that it defines.

Source: System V gABI, chapter 4; read by hand because it is three tables of fixed layout.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

import msgspec

KINDS = ("text", "rodata", "data", "bss")
_NOBITS, _SYMTAB = 8, 2
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_GLOBAL, _WEAK, _UNDEFINED = 1, 2, 0


class NotElf(ValueError):
    """The file is no ELF file that can be read."""


class Section(msgspec.Struct, frozen=True):
    """A section that takes memory: `kind` is one of `KINDS`; offset and size in bytes, in the file (not for bss)."""

    name: str
    kind: str
    offset: int
    size: int


class ElfFile(msgspec.Struct, frozen=True):
    """Sections that take memory, and names that are defined for other files."""

    sections: tuple[Section, ...]
    defined: frozenset[str]

    def sizes_bytes(self) -> dict[str, int]:
        """Return the bytes of each kind."""
        total = dict.fromkeys(KINDS, 0)
        for section in self.sections:
            total[section.kind] += section.size
        return total


def read(path: Path, *, names: bool = False) -> ElfFile:
    """Read an object or a linked kernel; with `names` its symbol table too. Raise NotElf, OSError."""
    with path.open("rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise NotElf(f"{path} is empty") from error
    with data:
        try:
            return _read(data, names=names)
        except (struct.error, IndexError, UnicodeDecodeError) as error:
            raise NotElf(f"{path}: {error}") from error


def _read(data: mmap.mmap, *, names: bool) -> ElfFile:
    if data[:4] != b"\x7fELF" or data[4] not in {1, 2} or data[5] not in {1, 2}:
        raise NotElf("no ELF magic")
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    start = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)[0]
    entry, count, strings = struct.unpack_from(f"{order}HHH", data, 58 if wide else 46)
    row = struct.Struct(order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII"))
    if count == 0 or entry < row.size:
        raise NotElf("it has no sections")
    rows = [row.unpack_from(data, start + number * entry) for number in range(count)]
    titles = rows[strings][4]
    sections = []
    for title, kind, flags, _, offset, size, *_ in rows:
        if flags & _ALLOC and size:
            name = _text(data, titles + title)
            sections.append(Section(name, _kind(name, kind, flags), offset, size))
    defined: set[str] = set()
    if names:
        for table in rows:
            if table[1] == _SYMTAB:
                defined |= _defined(data, table, rows[table[6]][4], wide=wide, order=order)
    return ElfFile(tuple(sections), frozenset(defined))


def _kind(name: str, section_type: int, flags: int) -> str:
    if section_type == _NOBITS:
        return "bss"
    if flags & _EXECUTE:
        return "text"
    # The linked kernel's may be written to until init is done (__ro_after_init), those of its objects not.
    if name.startswith((".rodata", ".init.rodata")):
        return "rodata"
    return "data" if flags & _WRITE else "rodata"


def _defined(data: mmap.mmap, table: tuple[int, ...], strings: int, *, wide: bool, order: str) -> set[str]:
    row = struct.Struct(order + ("IBBHQQ" if wide else "IIIBBH"))
    found = set()
    for offset in range(table[4], table[4] + table[5] - row.size + 1, row.size):
        fields = row.unpack_from(data, offset)
        info, section = (fields[1], fields[3]) if wide else (fields[3], fields[5])
        if info >> 4 in {_GLOBAL, _WEAK} and section != _UNDEFINED:
            found.add(_text(data, strings + fields[0]))
    return found


def _text(data: mmap.mmap, offset: int) -> str:
    end = data.find(b"\0", offset)
    if end < 0:
        raise NotElf("a name has no end")
    return data[offset:end].decode("ascii", "replace")
