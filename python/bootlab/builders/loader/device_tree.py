# SPDX-License-Identifier: MIT
"""The kernel's device tree with what a boot loader writes into it: command line, memory, place of the initramfs."""

from __future__ import annotations

import shutil
from pathlib import Path

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.images import tool

_VERSION = 1


def prepared(
    tree: Path, cmdline: str, cache: Cache, *, memory: tuple[int, int], initramfs: tuple[int, int] | None = None
) -> Path:
    """Return a device tree that needs no boot loader. Raise ToolMissing, EnvironmentFault.

    `memory`: the first byte of RAM and its length. `initramfs`: where in RAM it begins and ends.
    """
    key = key_of("prepared-tree", _VERSION, cache.digest(tree), cmdline, memory, initramfs)
    return cache.file(key, ".dtb", lambda path: _write(tree, cmdline, memory, initramfs, path))


def _write(tree: Path, cmdline: str, memory: tuple[int, int], initramfs: tuple[int, int] | None, path: Path) -> None:
    fdtput = tool.find("fdtput", "device-tree-compiler", "to prepare the device tree that the kernel is given")
    shutil.copyfile(tree, path)
    node = f"/memory@{memory[0]:x}"
    words = [["-p", "-t", "s", str(path), "/chosen", "bootargs", cmdline]]
    words.append(["-p", "-t", "s", str(path), node, "device_type", "memory"])
    # One cell each: boards that start so have 32-bit addresses.
    words.append(["-t", "x", str(path), node, "reg", f"{memory[0]:x}", f"{memory[1]:x}"])
    for name, address in zip(("linux,initrd-start", "linux,initrd-end"), initramfs or (), strict=False):
        words.append(["-t", "x", str(path), "/chosen", name, f"{address:x}"])
    for arguments in words:
        tool.run([fdtput, *arguments])
