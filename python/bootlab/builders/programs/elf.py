"""What an ELF program or shared library says of itself: loader, libraries, flags, relocations, symbols.

Source: System V gABI, chapters 4 and 5; elf(5). Read by the program headers, so that a stripped file tells as much.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from bootlab.model.architecture import Arch
from bootlab.model.program import ElfFacts, Relocations

_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_ET_EXEC, _ET_DYN = 2, 3
_SHT_SYMTAB, _SHT_DYNSYM = 2, 11
_SHF_EXECINSTR = 4
_FUNCTION_TYPES = frozenset({2, 10})  # STT_FUNC, STT_GNU_IFUNC
_NEEDED, _HASH, _STRTAB, _STRSZ, _SONAME, _RPATH, _SYMBOLIC, _RUNPATH = 1, 4, 5, 10, 14, 15, 16, 29
_RELA, _RELASZ, _REL, _RELSZ, _RELRSZ, _PLTRELSZ, _PLTREL, _JMPREL = 7, 8, 17, 18, 35, 2, 20, 23
_BIND_NOW, _FLAGS, _FLAGS_1, _GNU_HASH = 24, 30, 0x6FFFFFFB, 0x6FFFFEF5
_DF_SYMBOLIC, _DF_BIND_NOW, _DF_1_NOW, _DF_1_PIE = 0x2, 0x8, 0x1, 0x08000000
_ARM = 40
# e_machine to R_*_RELATIVE of the processor supplements: i386, ARM, x86-64, AArch64, RISC-V.
_RELATIVE = {3: 8, 40: 23, 62: 8, 183: 1027, 243: 3}
_DYNAMIC_MAX = 4096
# e_machine (elf(5), include/uapi/linux/elf-em.h): names, and what a processor runs.
_MACHINES = {3: "i386", 8: "MIPS", 20: "PowerPC", 40: "ARM", 62: "x86-64", 183: "AArch64", 243: "RISC-V"}
_RUNS: dict[Arch, frozenset[int]] = {
    "x86_64": frozenset({62, 3}),
    "arm": frozenset({40}),
    "arm64": frozenset({183, 40}),
    "riscv64": frozenset({243}),
}

T = TypeVar("T")


class NotElf(ValueError):
    """The file is no ELF file that can be read."""


class ElfNeeds(msgspec.Struct, frozen=True, kw_only=True):
    """What a file needs before it runs. `wide`: 64 bits; `interpreter`: PT_INTERP; `search_path`: its own folders."""

    machine: int
    wide: bool
    interpreter: str | None = None
    needed: tuple[str, ...] = ()
    search_path: tuple[str, ...] = ()

    @property
    def machine_name(self) -> str:
        """The processor's name."""
        return _MACHINES.get(self.machine, f"machine {self.machine}")

    def runs_on(self, arch: Arch) -> bool:
        """Tell whether a processor runs it; 64-bit ones run 32-bit programs too."""
        return self.machine in _RUNS[arch]


def read(path: Path) -> ElfFacts:
    """Read a program or library. Raise NotElf, OSError."""
    return _read(path, _Reading.facts)


def read_needs(path: Path) -> ElfNeeds:
    """Read only what a program or library needs; neither its symbols nor its relocations. Raise NotElf, OSError."""
    return _read(path, _Reading.needs)


def _read(path: Path, what: Callable[[_Reading], T]) -> T:
    with path.open("rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise NotElf(f"{path} is empty") from error
    with data:
        if data[:4] != b"\x7fELF" or len(data) < 52 or data[4] not in {1, 2} or data[5] not in {1, 2}:
            raise NotElf(f"{path} is no ELF file")
        try:
            return what(_Reading(data))
        except (struct.error, IndexError, KeyError, OverflowError) as error:
            raise NotElf(f"{path} is a broken ELF file: {error}") from error


def is_elf(path: Path) -> bool:
    """Tell whether a file begins as ELF files do. Raise OSError."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


class _Reading:
    """One file: its tables, and addresses turned into places in the file."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.wide, self.order = data[4] == 2, "<" if data[5] == 1 else ">"
        self.type, self.machine = self.unpack("HH", 16)
        word = "Q" if self.wide else "I"
        (headers,) = self.unpack(word, 32 if self.wide else 28)
        (sections,) = self.unpack(word, 40 if self.wide else 32)
        size, count, section_size, section_count = self.unpack("HHHH", 54 if self.wide else 42)
        self.segments = [self.segment(headers + number * size) for number in range(count)]
        row = "IIQQQQIIQQ" if self.wide else "IIIIIIIIII"
        whole = sections and sections + section_count * section_size <= len(data)
        self.sections = [self.unpack(row, sections + n * section_size) for n in range(section_count)] if whole else []
        self.dynamic = self.tags()

    def unpack(self, row: str, offset: int) -> tuple[int, ...]:
        return struct.unpack_from(self.order + row, self.data, offset)

    def segment(self, at: int) -> tuple[int, int, int, int]:
        """Return type, place in the file, address and size in the file."""
        if self.wide:
            kind, _, offset, address, _, size = self.unpack("IIQQQQ", at)
        else:
            kind, offset, address, _, size = self.unpack("IIIII", at)
        return kind, offset, address, size

    def place(self, address: int) -> int:
        for kind, offset, start, size in self.segments:
            if kind == _PT_LOAD and start <= address < start + size:
                return address - start + offset
        raise KeyError(f"address {address:#x} is not in the file")

    def tags(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for kind, offset, _, size in self.segments:
            if kind != _PT_DYNAMIC:
                continue
            entry = 16 if self.wide else 8
            for number in range(min(size // entry, _DYNAMIC_MAX)):
                tag, value = self.unpack("QQ" if self.wide else "II", offset + number * entry)
                if tag == 0:
                    break
                found.setdefault(tag, []).append(value)
        return found

    def tag(self, number: int) -> int:
        return self.dynamic.get(number, [0])[0]

    def text(self, offset: int) -> str:
        end = self.data.find(b"\0", offset)
        if end < 0:
            raise IndexError("a name has no end")
        return self.data[offset:end].decode("utf-8", "replace")

    def names(self, tag: int) -> tuple[str, ...]:
        if tag not in self.dynamic:
            return ()
        strings = self.place(self.tag(_STRTAB))
        return tuple(self.text(strings + value) for value in self.dynamic[tag])

    def interpreter(self) -> str | None:
        return next((self.text(offset) for kind, offset, _, _ in self.segments if kind == _PT_INTERP), None)

    def search_path(self) -> tuple[str, ...]:
        return tuple(part for tag in (_RUNPATH, _RPATH) for name in self.names(tag) for part in name.split(":") if part)

    def needs(self) -> ElfNeeds:
        return ElfNeeds(
            machine=self.machine,
            wide=self.wide,
            interpreter=self.interpreter(),
            needed=self.names(_NEEDED),
            search_path=self.search_path(),
        )

    def facts(self) -> ElfFacts:
        interpreter = self.interpreter()
        flags, flags_1 = self.tag(_FLAGS), self.tag(_FLAGS_1)
        pie = self.type == _ET_DYN and (bool(flags_1 & _DF_1_PIE) or interpreter is not None)
        kind: Literal["executable", "library", "other"] = "other"
        if self.type == _ET_EXEC or pie:
            kind = "executable"
        elif self.type == _ET_DYN:
            kind = "library"
        exported, imported = self.dynamic_symbols()
        thumb, arm = self.instruction_sets() if self.machine == _ARM else (0, 0)
        styles: tuple[tuple[Literal["gnu", "sysv"], int], ...] = (("gnu", _GNU_HASH), ("sysv", _HASH))
        return ElfFacts(
            machine=self.machine,
            kind=kind,
            pie=pie,
            interpreter=interpreter,
            needed=self.names(_NEEDED),
            soname=next(iter(self.names(_SONAME)), None),
            search_path=self.search_path(),
            bind_now=_BIND_NOW in self.dynamic or bool(flags & _DF_BIND_NOW or flags_1 & _DF_1_NOW),
            symbolic=_SYMBOLIC in self.dynamic or bool(flags & _DF_SYMBOLIC),
            hash_styles=tuple(name for name, tag in styles if tag in self.dynamic),
            hash_buckets=self.hash_buckets(),
            exported=exported,
            imported=imported,
            relocations=self.relocations(),
            thumb_functions=thumb,
            arm_functions=arm,
            stripped=all(section[1] != _SHT_SYMTAB for section in self.sections),
            text_bytes=sum(section[5] for section in self.sections if section[2] & _SHF_EXECINSTR),
            file_bytes=len(self.data),
        )

    def hash_buckets(self) -> int:
        for tag in (_GNU_HASH, _HASH):
            if tag in self.dynamic:
                return self.unpack("I", self.place(self.tag(tag)))[0]
        return 0

    def symbols(self, kind: int) -> Iterator[tuple[int, int, int]]:
        """Return value, info and section of each symbol of a table, but for the first, which is none."""
        row = struct.Struct(self.order + ("IBBHQQ" if self.wide else "IIIBBH"))
        for section in self.sections:
            if section[1] != kind:
                continue
            table = self.data[section[4] : section[4] + section[5]]
            for fields in list(row.iter_unpack(table[: len(table) // row.size * row.size]))[1:]:
                yield (fields[4], fields[1], fields[3]) if self.wide else (fields[1], fields[3], fields[5])

    def dynamic_symbols(self) -> tuple[int, int]:
        exported = imported = 0
        for _, info, section in self.symbols(_SHT_DYNSYM):
            if info >> 4 == 0:  # STB_LOCAL
                continue
            exported, imported = (exported + 1, imported) if section else (exported, imported + 1)
        return exported, imported

    def instruction_sets(self) -> tuple[int, int]:
        """Count Thumb and ARM functions: bit 0 of the address tells (ELF for the Arm Architecture, 5.5.3)."""
        kind = _SHT_SYMTAB if any(section[1] == _SHT_SYMTAB for section in self.sections) else _SHT_DYNSYM
        thumb = arm = 0
        for value, info, section in self.symbols(kind):
            if info & 15 in _FUNCTION_TYPES and section:
                thumb, arm = (thumb + 1, arm) if value & 1 else (thumb, arm + 1)
        return thumb, arm

    def relocations(self) -> Relocations:
        relative = symbolic = 0
        for tag, size, addend in ((_RELA, _RELASZ, True), (_REL, _RELSZ, False)):
            if tag in self.dynamic:
                found = self.count(self.place(self.tag(tag)), self.tag(size), addend=addend)
                relative, symbolic = relative + found[0], symbolic + found[1]
        plt = 0
        if _JMPREL in self.dynamic:
            plt = self.tag(_PLTRELSZ) // self.entry_bytes(addend=self.tag(_PLTREL) == _RELA)
        packed = self.tag(_RELRSZ) // (8 if self.wide else 4)
        return Relocations(relative=relative, symbolic=symbolic, plt=plt, packed_words=packed)

    def entry_bytes(self, *, addend: bool) -> int:
        return (8 if self.wide else 4) * (3 if addend else 2)

    def count(self, offset: int, size: int, *, addend: bool) -> tuple[int, int]:
        word = "Q" if self.wide else "I"
        row = struct.Struct(self.order + word * (3 if addend else 2))
        table = self.data[offset : offset + size]
        shift, mask = (32, 0xFFFFFFFF) if self.wide else (8, 0xFF)
        relative = symbolic = 0
        wanted = _RELATIVE.get(self.machine)
        for fields in row.iter_unpack(table[: len(table) // row.size * row.size]):
            # Without a symbol there is nothing to search for (R_*_IRELATIVE calls a function).
            if fields[1] & mask == wanted or fields[1] >> shift == 0:
                relative += 1
            else:
                symbolic += 1
        return relative, symbolic
