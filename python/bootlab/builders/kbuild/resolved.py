# SPDX-License-Identifier: MIT
"""A kernel whose configuration is made: all that decides what comes out, as a value that another machine can take."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.kbuild.toolchain import identity_of_version
from bootlab.errors import UserError
from bootlab.model.source_build import KernelPatch

_ARCHIVE = re.compile(r"\.cpio(\.\w+)?$")
VERSION = 1
"""Raise it when the same request shall give another kernel than before."""


class ResolvedKernel(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel to build. Its `.config` stands beside it, and is a part of its key."""

    arch: str
    image: str
    """The make target of the image."""
    source: str
    """The source as the system names it: `debian`, `debian-6.12` or a folder."""
    version: str
    """The source's version, as its Makefile states it."""
    identity: str
    """The digest of the source's contents."""
    compiler: str | None = None
    """The prefix of the compiler's programs, where the system names one."""
    toolchain: str
    """The versions of compiler and linker."""
    patches: tuple[KernelPatch, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    """What goes to make."""
    modules: bool = True
    asked: tuple[str, ...] = ()
    """What changes set, as `SMP=n`: it stands beside the kernel and decides nothing."""
    embedded: tuple[tuple[str, int, str], ...] = ()
    """Files that the configuration takes into the kernel: path, mode, SHA-256."""

    @property
    def patches_key(self) -> str:
        """Return the digest of the patches; "" without any."""
        return key_of(*self.patches) if self.patches else ""

    def key(self, config: str) -> str:
        """Return the name of what comes out with the text of a `.config`."""
        return key_of(
            "kernel",
            VERSION,
            self.identity,
            self.patches_key,
            self.arch,
            identity_of_version(self.toolchain),
            self.image,
            config,
            self.embedded,
            self.variables,
            *(() if self.modules else ("no modules",)),
        )

    def family(self, *, ccache: bool) -> str:
        """Return the name of the kernels that can share objects with this one."""
        return key_of(self.identity, self.arch, identity_of_version(self.toolchain), ccache)[:16]


def embedded_names(options: dict[str, str]) -> tuple[str, ...]:
    """Return the paths that a configuration takes into the kernel: files, and folders of an initramfs."""
    names = options.get("INITRAMFS_SOURCE", '""').strip('"').split()
    folder = options.get("EXTRA_FIRMWARE_DIR", '""').strip('"')
    return (*names, *(f"{folder}/{name}" for name in options.get("EXTRA_FIRMWARE", '""').strip('"').split()))


def embeds_only_files(options: dict[str, str]) -> bool:
    """Tell whether all that a configuration takes into the kernel is files as they are, no folder that it packs."""
    names = options.get("INITRAMFS_SOURCE", '""').strip('"').split()
    return len(names) <= 1 and all(_ARCHIVE.search(name) and Path(name).is_file() for name in names)


def embedded_files(options: dict[str, str], cache: Cache) -> tuple[tuple[str, int, str], ...]:
    """Return what identifies the files that a configuration takes into the kernel. Raise UserError."""
    found: list[tuple[str, int, str]] = []
    for name in embedded_names(options):
        path = Path(name)
        if not path.is_absolute():
            raise UserError(
                f"{name}: a file that is built into the kernel needs an absolute path",
                hint="write one in INITRAMFS_SOURCE or EXTRA_FIRMWARE_DIR",
            )
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        found += [(str(file), file.stat().st_mode, cache.digest(file)) for file in files]
    return tuple(found)
