# SPDX-License-Identifier: MIT
"""What an ELF program or shared library says of itself: loader, libraries, flags, relocations, symbols.

The core reads it (crates/kernelimage: `elf_program.rs`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from bootlab import _core
from bootlab.formats import magics
from bootlab.model.architecture import Arch
from bootlab.model.program import ElfFacts

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
    return _read(path, _core.elf_facts, ElfFacts)


def read_needs(path: Path) -> ElfNeeds:
    """Read only what a program or library needs; neither its symbols nor its relocations. Raise NotElf, OSError."""
    return _read(path, _core.elf_needs, ElfNeeds)


def is_elf(path: Path) -> bool:
    """Tell whether a file begins as ELF files do. Raise OSError."""
    with path.open("rb") as file:
        return file.read(4) == magics.ELF


def _read(path: Path, read: Callable[[Path], str], kind: type[T]) -> T:
    try:
        return msgspec.json.decode(read(path), type=kind)
    except _core.CoreError as error:
        raise NotElf(f"{path}: {error}" if is_elf(path) else f"{path} is not an ELF file") from error
