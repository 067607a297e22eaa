# SPDX-License-Identifier: MIT
"""The parts of a bundle looked at: each is kept as a file, and read as if it had been given alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats import board_trees, device_tree
from bootlab.formats.bundle import Bundle, Half
from bootlab.formats.device_tree import DeviceTreeFacts
from bootlab.sources.facts import BootEntry, InitramfsFacts, SourceFacts


class Keeper:
    """Who keeps the parts of a bundle and looks at them."""

    def __init__(
        self,
        write: Callable[[str, bytes], Path],
        kernel: Callable[[Path], SourceFacts],
        initramfs: Callable[[Path], InitramfsFacts],
        disk: Callable[[Path], SourceFacts],
    ) -> None:
        """Name how a part is kept, and how kernels, initramfs and file systems are looked at."""
        self.write = write
        self.kernel = kernel
        self.initramfs = initramfs
        self.disk = disk


_NAMES: dict[Half, str] = {"": "initramfs", "generic": "ramdisk", "vendor": "vendor-ramdisk"}


def look(path: Path, bundle: Bundle, keeper: Keeper) -> SourceFacts:
    """Look at each part. Raise UserError for one that is damaged, with its name."""
    line = " ".join(bundle.cmdline.split())
    found = SourceFacts(
        source=path,
        what=bundle.what,
        notes=bundle.notes,
        half=bundle.half,
        lacks=bundle.lacks,
        entry=BootEntry(cmdline=line, source=path.name) if line else None,
    )
    if bundle.kernel:
        with of(path, bundle.names.get("kernel", "its kernel")):
            inside = keeper.kernel(keeper.write("kernel", bundle.kernel))
        found = msgspec.structs.replace(
            found, kernel=inside.kernel, arch=inside.arch, device_tree=inside.device_tree,
            what=f"{bundle.what}, {inside.what}",
            notes=(*found.notes, *inside.notes),
        )  # fmt: skip
    else:
        found = msgspec.structs.replace(found, no_kernel=f"there is none in {path.name}")
    if bundle.device_tree:
        with of(path, bundle.names.get("device_tree", "its device tree")):
            facts = device_tree.facts_of(keeper.write("board.dtb", bundle.device_tree))
        found = msgspec.structs.replace(found, device_tree=facts)
    if bundle.initramfs:
        with of(path, bundle.names.get("initramfs", "its ramdisk")):
            packed = keeper.initramfs(keeper.write(_NAMES[bundle.half], bundle.initramfs))
        found = msgspec.structs.replace(found, initramfs=packed)
    if bundle.root:
        with of(path, "its root"):
            mounted = keeper.disk(keeper.write("root.img", bundle.root))
        found = msgspec.structs.replace(found, disk=mounted.disk, root=mounted.root)
    return found


def joined(found: SourceFacts, parts: list[SourceFacts], keeper: Keeper) -> SourceFacts:
    """Return several sources with Android's two halves put together, as its loader does: the vendor's comes first."""
    there = {"kernel": found.kernel, "initramfs": found.initramfs, "vendor": _vendor_of(parts)}
    lacks = {part: way for part, way in found.lacks.items() if there.get(part) is None}
    found = msgspec.structs.replace(found, lacks=lacks)
    halves = [part for half in ("vendor", "generic") for part in parts if part.half == half]
    if len({part.half for part in halves}) < 2:
        return found
    lines = [part.entry.cmdline for part in halves if part.entry is not None and part.entry.cmdline]
    if lines:
        found = msgspec.structs.replace(found, entry=BootEntry(cmdline=" ".join(lines), source="both halves"))
    ramdisks = [part.initramfs for part in halves if part.initramfs is not None]
    if len(ramdisks) > 1:
        packed = keeper.write("ramdisks", b"".join(ramdisk.path.read_bytes() for ramdisk in ramdisks))
        note = "the ramdisks were put together as Android's loader does: the vendor's first"
        found = msgspec.structs.replace(found, initramfs=keeper.initramfs(packed), notes=(*found.notes, note))
    return found


def _vendor_of(parts: list[SourceFacts]) -> SourceFacts | None:
    return next((part for part in parts if part.half == "vendor"), None)


def tree_behind(path: Path, write: Callable[[str, bytes], Path], notes: list[str]) -> DeviceTreeFacts | None:
    """Look at the device tree behind a kernel; None without one, or where there are several, which is noted."""
    found = board_trees.behind_kernel(path.read_bytes(), path.name)
    notes += [found.note] if found.note else []
    if not found.tree:
        return None
    notes.append(f"the device tree was taken from behind the kernel in {path.name}")
    return device_tree.facts_of(write(f"{path.name}.dtb", found.tree))


@contextlib.contextmanager
def of(path: Path, part: str = "") -> Iterator[None]:
    """Name the file, and the part of it, in errors from inside that do not know where the bytes came from."""
    try:
        yield
    except UserError as error:
        if str(path) in error.message:
            raise
        where = f"{path}: {part}" if part else str(path)
        raise UserError(f"{where}: {error.message}", hint=error.hint) from error
