# SPDX-License-Identifier: MIT
"""A kernel source tree, opened: what is in it is read when it is asked for."""

from __future__ import annotations

import platform
from functools import cached_property
from pathlib import Path

from bootlab.errors import UserError
from bootlab.kernelsource.advice import Advisor
from bootlab.kernelsource.configuration import Configuration, read_configuration
from bootlab.kernelsource.functions import FunctionIndex, function_index
from bootlab.kernelsource.kbuild import Kbuild
from bootlab.kernelsource.kconfig import Kconfig, read_kconfig
from bootlab.kernelsource.resolve import Resolver
from bootlab.kernelsource.version import version_in

SRCARCH = {"x86_64": "x86", "i386": "x86", "aarch64": "arm64", "armv7": "arm", "riscv64": "riscv", "riscv32": "riscv"}
"""Folders below arch/ by machine names; others are called as the folder."""
_SOURCES = (".c", ".S")
_ARCH_SYMBOLS = {"X86": "x86", "ARM64": "arm64", "ARM": "arm", "RISCV": "riscv", "PPC": "powerpc", "MIPS": "mips"}


class ConfiguredTree:
    """One tree for one architecture, with a configuration or without."""

    def __init__(self, path: Path, *, cache: Path, arch: str = "", configuration: Configuration | None = None) -> None:
        """Open a tree. `cache`: where the index of functions is kept.

        `arch`: where no configuration tells it, that of this machine is taken (`assumed`). Raise UserError when it is
        no kernel source, or has not the architecture.
        """
        if not all((path / name).is_file() for name in ("Kconfig", "Makefile")):
            raise UserError(
                f"{path} is not a kernel source tree", hint="name the folder that contains Kconfig and Makefile"
            )
        self.path = path
        if configuration is None and (path / ".config").is_file():
            configuration = read_configuration(path / ".config")
        self.configuration = configuration
        told = SRCARCH.get(arch, arch) or _arch_of(configuration)
        self.assumed = not told
        """Whether nothing but this machine tells the architecture."""
        host = platform.machine()
        self.srcarch = told or SRCARCH.get(host, host)
        if not (path / "arch" / self.srcarch / "Makefile").is_file() or not self.srcarch:
            there = ", ".join(sorted(p.parent.name for p in path.glob("arch/*/Makefile")))
            named = arch or f"{self.srcarch} (this machine's)"
            raise UserError(f"which architecture? {named} is not in {path}", hint=f"--arch, one of: {there}")
        self._cache = cache

    @cached_property
    def version(self) -> str:
        """The version that its Makefile names, such as 6.1.128; "" when it names none."""
        number, extra = version_in(self.path / "Makefile")
        return number + extra

    @cached_property
    def kconfig(self) -> Kconfig:
        """Its Kconfig symbols."""
        return read_kconfig(self.path, self.srcarch)

    @cached_property
    def kbuild(self) -> Kbuild:
        """Its objects."""
        return Kbuild(self.path, self.srcarch)

    @cached_property
    def index(self) -> FunctionIndex:
        """Where its functions are defined."""
        return function_index(self.path, self.srcarch, self._cache / "kernelsource")

    @cached_property
    def advisor(self) -> Advisor:
        """Its symbols under the configuration; without one every value is unknown."""
        return Advisor(self.kconfig, self.configuration or Configuration({}, complete=False))

    @cached_property
    def resolver(self) -> Resolver:
        """From names to places."""
        return Resolver(self.index, self.kbuild, self.advisor if self.configuration else None)

    def built_objects(self) -> frozenset[str]:
        """Return the stems (`mm/slub`) of the source files that the configuration compiles for the kernel.

        What a Makefile lists in ways of its own is not among them: decompressor, vDSO, EFI stub, generated sources. For
        small kernels of Linux 6.1 (arm, arm64, riscv64, x86_64) that was 2 to 6 % of what make built.
        """
        known = self.advisor.known
        return frozenset(
            stem
            for stem, ways in self.kbuild.objects.items()
            if any((self.path / f"{stem}{suffix}").is_file() for suffix in _SOURCES)
            and any(known(way.condition).low > 0 for way in ways)
        )


def _arch_of(configuration: Configuration | None) -> str:
    if configuration is not None:
        for symbol, folder in _ARCH_SYMBOLS.items():
            if configuration.values.get(symbol) == "y":
                return folder
    return ""
