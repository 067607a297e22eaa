"""One file with all that a boot loader loads: kernel, initramfs, device tree, command line; whatever its format."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.sources import device_tree
from bootlab.sources.facts import BootEntry, Found, InitramfsFacts


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one; empty where it has no such part. `what`: its format.

    `names`: what its own format calls a part, by the field's name, for errors in it.
    """

    what: str
    kernel: bytes = b""
    initramfs: bytes = b""
    device_tree: bytes = b""
    cmdline: str = ""
    notes: tuple[str, ...] = ()
    names: dict[str, str] = {}


class Keeper:
    """Who keeps the parts of a bundle and looks at them."""

    def __init__(
        self,
        write: Callable[[str, bytes], Path],
        kernel: Callable[[Path], Found],
        initramfs: Callable[[Path], InitramfsFacts],
    ) -> None:
        """Name how a part is kept, and how kernels and initramfs are looked at."""
        self.write = write
        self.kernel = kernel
        self.initramfs = initramfs


def look(path: Path, bundle: Bundle, keeper: Keeper) -> Found:
    """Look at each part. Raise UserError for one that is damaged, with its name."""
    line = " ".join(bundle.cmdline.split())
    found = Found(
        source=path,
        what=bundle.what,
        notes=bundle.notes,
        entry=BootEntry(cmdline=line, source=path.name) if line else None,
    )
    if bundle.kernel:
        with of(path, bundle.names.get("kernel", "its kernel")):
            inside = keeper.kernel(keeper.write("kernel", bundle.kernel))
        found = msgspec.structs.replace(
            found, kernel=inside.kernel, arch=inside.arch, what=f"{bundle.what}, {inside.what}",
            notes=(*found.notes, *inside.notes),
        )  # fmt: skip
    else:
        found = msgspec.structs.replace(found, unknown=(f"a kernel: there is none in {path.name}",))
    if bundle.device_tree:
        with of(path, bundle.names.get("device_tree", "its device tree")):
            facts = device_tree.facts_of(keeper.write("board.dtb", bundle.device_tree))
        found = msgspec.structs.replace(found, device_tree=facts)
    if bundle.initramfs:
        with of(path, bundle.names.get("initramfs", "its ramdisk")):
            packed = keeper.initramfs(keeper.write("initramfs", bundle.initramfs))
        found = msgspec.structs.replace(found, initramfs=packed)
    return found


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
