# SPDX-License-Identifier: MIT
"""What an ELF file takes in memory, by kind of section, and the names that it defines.

The core reads it (crates/kernelimage: `elf_sections.rs`). Types and flags of sections: elf(5).
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab import _core

KINDS = ("text", "rodata", "data", "bss")
_NOBITS = 8
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4


class ElfUnreadable(ValueError):
    """The file is no ELF file that can be read."""


class ElfSection(msgspec.Struct, frozen=True):
    """A section that takes memory: `kind` is one of `KINDS`; offset and size in bytes, in the file (not for bss)."""

    name: str
    kind: str
    offset: int
    size: int


class ElfFile(msgspec.Struct, frozen=True):
    """Sections that take memory, and names that are defined for other files."""

    sections: tuple[ElfSection, ...]
    defined: frozenset[str]

    def sizes_bytes(self) -> dict[str, int]:
        """Return the bytes of each kind."""
        total = dict.fromkeys(KINDS, 0)
        for section in self.sections:
            total[section.kind] += section.size
        return total


def read(path: Path, *, names: bool = False) -> ElfFile:
    """Read an object or a linked kernel; with `names` its symbol table too. Raise NotElf, OSError."""
    try:
        rows = _core.elf_sections(path)
        defined = frozenset(_core.elf_defined(path) if names else ())
    except _core.CoreError as error:
        raise ElfUnreadable(f"{path}: {error}") from error
    sections = (
        ElfSection(name, _kind(name, kind, flags), offset, size)
        for name, kind, flags, offset, size in rows
        if flags & _ALLOC and size
    )
    return ElfFile(tuple(sections), defined)


def _kind(name: str, section_type: int, flags: int) -> str:
    if section_type == _NOBITS:
        return "bss"
    if flags & _EXECUTE:
        return "text"
    # The linked kernel's may be written to until init is done (__ro_after_init), those of its objects not.
    if name.startswith((".rodata", ".init.rodata")):
        return "rodata"
    return "data" if flags & _WRITE else "rodata"
