# SPDX-License-Identifier: MIT
"""What is built from a source tree with Kconfig, as a value: its configuration and its patches."""

from __future__ import annotations

from typing import Self

import msgspec


class KernelPatch(msgspec.Struct, frozen=True, kw_only=True):
    """A patch of a kernel's or boot loader's source: unified diff, one leading folder in its names (`patch -p1`)."""

    name: str
    text: str


Options = tuple[tuple[str, str], ...]


class SourceBuild(msgspec.Struct, frozen=True, kw_only=True):
    """What a kernel's build and a boot loader's have in common.

    `source`: absolute path of a source tree, or `debian` for Debian's. `base`: a configuration target of the source
    (`allnoconfig`, `orangepi_pc_defconfig`) or the absolute path of a `.config`. `fragments` are absolute paths, merged
    in order; then `options` (name without `CONFIG_`, value as a `.config` writes it); then those of `changes`, each of
    which may take away what was asked for before it (`SMP=n` takes `NR_CPUS`).
    """

    source: str = "debian"
    base: str = ""
    fragments: tuple[str, ...] = ()
    options: Options = ()
    changes: tuple[Options, ...] = ()
    patches: tuple[KernelPatch, ...] = ()

    def with_options(self, options: Options) -> Self:
        """Return the build with options changed; itself when all of them were asked for so already."""
        asked = dict(self.options)
        for change in self.changes:
            asked |= dict(change)
        if all(asked.get(name) == value for name, value in options):
            return self
        return msgspec.structs.replace(self, changes=(*self.changes, options))
