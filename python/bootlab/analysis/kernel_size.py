# SPDX-License-Identifier: MIT
"""A kernel's size by subsystem and by option: what a boot loader has to read, and what has to be unpacked.

Sizes are those of the linked objects' sections. The compressed share is an estimate: each folder's bytes compressed
alone, by the image's own algorithm, divided among its objects by size.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.kbuild import BuiltKernel, KernelSizes
from bootlab.builders.kbuild.built import load
from bootlab.builders.kbuild.objects import ObjectSize, ObjectSizes, folder_of
from bootlab.builders.kbuild.objects import load as load_objects
from bootlab.kernelsource.configuration import read_config
from bootlab.kernelsource.kbuild import Kbuild

REST = "linker and tables"
ALWAYS = "(no option)"
_KINDS = ("text", "rodata", "data", "bss")


class SizeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the kernel. `loaded_bytes`: text, rodata and data; `compressed_bytes`: estimated, None: not compressed.

    The row `linker and tables` may have negative numbers: the linker joins equal strings and drops sections.
    """

    name: str
    objects: int
    text: int
    rodata: int
    data: int
    bss: int
    loaded_bytes: int
    compressed_bytes: int | None = None


class KernelBeside(msgspec.Struct, frozen=True, kw_only=True):
    """Another kernel in the cache that differs in options. `asked`: what was set; empty: not known.

    `changed`: options as `SMP: y -> n`; `*_saved_bytes`: positive where the other one is smaller.
    """

    asked: tuple[str, ...]
    changed: tuple[str, ...]
    image_bytes: int
    image_saved_bytes: int
    loaded_saved_bytes: int | None = None


class KernelSize(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about one kernel's size. `whole`: the linked kernel; the rows of each table add up to it."""

    format: str = "bootlab-kernel-size"
    version: int = 1
    source: str
    arch: str
    image: str
    image_bytes: int
    algorithm: str
    whole: SizeRow
    subsystems: tuple[SizeRow, ...]
    options: tuple[SizeRow, ...]
    others: tuple[KernelBeside, ...]


def kernel_size(sizes: KernelSizes, *, depth: int = 2) -> KernelSize:
    """Add up a kernel's objects; `depth` is how many folders deep a subsystem is. Raise UserError without Makefiles."""
    kernel, found = sizes.kernel, sizes.objects
    config = read_config(kernel.config.read_text(encoding="utf-8"))
    option = _options(Kbuild(sizes.tree, sizes.srcarch), config)
    facts = kernel.facts
    return KernelSize(
        source=facts.source,
        arch=facts.arch,
        image=facts.image,
        image_bytes=facts.sizes_bytes.get(facts.image, 0),
        algorithm=found.algorithm,
        whole=_row("vmlinux", [found.kernel], None),
        subsystems=_rows(found, lambda path: "/".join(path.split("/")[:-1][:depth]) or "."),
        options=_rows(found, option),
        others=_others(kernel, found, config),
    )


def _options(kbuild: Kbuild, config: dict[str, str]) -> Callable[[str], str]:
    def option(path: str) -> str:
        ways = kbuild.objects.get(path.removesuffix(".o"), [])
        named = [way.symbols for way in ways]
        # Several lines may name an object: the one whose nearest option is on put it there.
        chosen = next((names for names in named if names and config.get(names[0], "n") == "y"), None)
        return f"CONFIG_{chosen[0]}" if chosen else ALWAYS

    return option


def _rows(found: ObjectSizes, name_of: Callable[[str], str]) -> tuple[SizeRow, ...]:
    groups: dict[str, list[ObjectSize]] = {}
    for item in found.objects:
        groups.setdefault(name_of(item.path), []).append(item)
    whole_folder: dict[str, int] = {}
    for item in found.objects:
        folder = folder_of(item.path)
        whole_folder[folder] = whole_folder.get(folder, 0) + item.loaded_bytes
    rows = [_row(name, items, _share(items, whole_folder, found)) for name, items in groups.items()]
    rows.sort(key=lambda row: (-row.loaded_bytes, row.name))
    sums = {kind: sum(getattr(item, kind) for item in found.objects) for kind in _KINDS}
    rest = ObjectSize(path=REST, **{kind: getattr(found.kernel, kind) - sums[kind] for kind in _KINDS})
    return (*rows, msgspec.structs.replace(_row(REST, [rest], None), objects=0))


def _share(items: list[ObjectSize], whole_folder: dict[str, int], found: ObjectSizes) -> int | None:
    if found.algorithm == "none":
        return None
    share = 0.0
    for item in items:
        folder = folder_of(item.path)
        packed, plain = found.compressed_bytes.get(folder), whole_folder[folder]
        if packed is None:
            return None
        share += packed * item.loaded_bytes / plain if plain else 0.0
    return round(share)


def _row(name: str, items: list[ObjectSize], compressed: int | None) -> SizeRow:
    sums = {kind: sum(getattr(item, kind) for item in items) for kind in _KINDS}
    loaded = sums["text"] + sums["rodata"] + sums["data"]
    return SizeRow(name=name, objects=len(items), **sums, loaded_bytes=loaded, compressed_bytes=compressed)


def _others(kernel: BuiltKernel, found: ObjectSizes, config: dict[str, str]) -> tuple[KernelBeside, ...]:
    """Compare with every kernel of the same source, compiler and image form that the cache holds."""
    facts = kernel.facts
    rows = []
    for folder in sorted(kernel.folder.parent.glob("*/")):
        other = load(folder)
        if other is None or folder == kernel.folder:
            continue
        theirs = other.facts
        if (theirs.arch, theirs.source, theirs.compiler, theirs.image) != (
            facts.arch, facts.source, facts.compiler, facts.image,
        ):  # fmt: skip
            continue
        row = _other(other, folder, facts.sizes_bytes.get(facts.image, 0), found, config)
        if row is not None:
            rows.append(row)
    return tuple(sorted(rows, key=lambda row: (-row.image_saved_bytes, row.changed)))


def _other(
    other: BuiltKernel, folder: Path, image_bytes: int, found: ObjectSizes, config: dict[str, str]
) -> KernelBeside | None:
    try:
        options = read_config((folder / "config").read_text(encoding="utf-8"))
    except OSError:
        return None
    names = sorted(name for name in config.keys() | options.keys() if config.get(name, "n") != options.get(name, "n"))
    if not names:
        return None
    objects = load_objects(folder)
    size = other.facts.sizes_bytes.get(other.facts.image, 0)
    return KernelBeside(
        asked=other.facts.asked,
        changed=tuple(f"{name}: {config.get(name, 'n')} -> {options.get(name, 'n')}" for name in names),
        image_bytes=size,
        image_saved_bytes=image_bytes - size,
        loaded_saved_bytes=None if objects is None else found.kernel.loaded_bytes - objects.kernel.loaded_bytes,
    )
