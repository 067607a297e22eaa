# SPDX-License-Identifier: MIT
"""Programs of the root tree that are built from source, and what an ELF file says of itself."""

from __future__ import annotations

from typing import Literal

import msgspec

Link = Literal["shared", "static", "static-pie"]
Libc = Literal["glibc", "musl"]
Role = Literal["program", "own", "toolchain"]
"""What a file of the tree is to a build: the program itself, another file of the build, a library of the toolchain."""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """How one program of the tree is built.

    `path` is its place in the tree. `sources` are absolute paths of files and folders, copied into the folder that the
    command runs in. `build` is a shell command; an empty one compiles the sources that are C files. `compiler`: a
    prefix as CROSS_COMPILE takes it; None: Debian's. `library_dirs`: absolute folders of this machine that are searched
    first for the shared libraries that go into the tree. `strip`: take the symbols out of what was built.
    """

    path: str
    sources: tuple[str, ...] = ()
    build: str = ""
    compiler: str | None = None
    libc: Libc = "glibc"
    link: Link = "shared"
    cflags: tuple[str, ...] = ("-O2",)
    ldflags: tuple[str, ...] = ()
    libs: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    library_dirs: tuple[str, ...] = ()
    strip: bool = False
    mode: int = 0o755


class Relocations(msgspec.Struct, frozen=True, kw_only=True):
    """The relocations that the dynamic loader works through in one file, by kind.

    `relative` take an addition each, `symbolic` a search for a symbol each; so do `plt`, but only at the first call
    where binding is lazy. `packed_words`: words of a DT_RELR table.
    """

    relative: int = 0
    symbolic: int = 0
    plt: int = 0
    packed_words: int = 0


class ElfFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What one ELF file says of itself (System V gABI; elf(5)).

    `pie`: an executable that the loader or the kernel places. `hash_styles`: the symbol tables that a search can use.
    `exported`, `imported`: dynamic symbols that it defines and that it looks for. `thumb_functions`, `arm_functions`:
    functions of its symbol tables by instruction set (ARM only). Sizes in bytes.
    """

    machine: int
    kind: Literal["executable", "library", "other"] = "other"
    pie: bool = False
    interpreter: str | None = None
    needed: tuple[str, ...] = ()
    soname: str | None = None
    search_path: tuple[str, ...] = ()
    bind_now: bool = False
    symbolic: bool = False
    hash_styles: tuple[Literal["gnu", "sysv"], ...] = ()
    hash_buckets: int = 0
    exported: int = 0
    imported: int = 0
    relocations: Relocations = Relocations()
    thumb_functions: int = 0
    arm_functions: int = 0
    stripped: bool = True
    text_bytes: int = 0
    file_bytes: int = 0


class BuiltFile(msgspec.Struct, frozen=True, kw_only=True):
    """One ELF file that a build put into the tree."""

    path: str
    role: Role
    sha256: str
    elf: ElfFacts


class BuiltPrograms(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the programs' builds put into the tree of one boot, with the compilers' versions."""

    format: str = "bootlab-programs"
    version: int = 1
    compilers: tuple[str, ...] = ()
    files: tuple[BuiltFile, ...] = ()

    @property
    def programs(self) -> tuple[BuiltFile, ...]:
        """The programs themselves."""
        return tuple(file for file in self.files if file.role == "program")

    @property
    def own(self) -> tuple[BuiltFile, ...]:
        """The programs and the libraries of their own builds: what other flags can change."""
        return tuple(file for file in self.files if file.role != "toolchain")
