# SPDX-License-Identifier: MIT
"""OpenWrt's sysupgrade archive for flash with UBI: a tar of `sysupgrade-BOARD/` with CONTROL, kernel and root.

Written by scripts/sysupgrade-tar.sh of OpenWrt; its nand.sh writes `kernel` and `root` to volumes of their names.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.sources.facts import SourceFacts
from bootlab.sources.merge import with_root

_MEMBER = re.compile(r"(?:\./)?sysupgrade-[\w.,+-]+/(?P<part>kernel|root)")
STARTS = (b"sysupgrade-", b"./sysupgrade-")
"""A tar archive begins with the name of its first member."""
_FOLDER = "sysupgrade-*"
_MEMBERS_MAX = 100
_SIZE_MAX_BYTES = 1 << 30


class Sysupgrade(msgspec.Struct, frozen=True):
    """The parts of an archive as files; `root` is None where it has none."""

    kernel: Path
    root: Path | None

    @property
    def note(self) -> str:
        """What the archive does not have."""
        return (
            "OpenWrt's archive for a router's flash has no command line: the router's U-Boot gives it, and the "
            "device tree may add to it (bootargs-append), with a root on UBI that no other machine has"
        )


def look(path: Path, parts: Sysupgrade, look_at: Callable[[list[Path]], SourceFacts]) -> SourceFacts:
    """Look at the kernel and the root of a router's update."""
    found = look_at([parts.kernel])
    found = with_root(found, look_at([parts.root])) if parts.root is not None else found
    what = "OpenWrt's sysupgrade archive, with kernel and root"
    return msgspec.structs.replace(found, source=path, what=what, notes=(*found.notes, parts.note))


def unpacked(path: Path, keep: Path) -> Sysupgrade | None:
    """Take kernel and root out of an archive, into `keep`; None for another archive."""
    found: dict[str, Path] = {}
    with contextlib.suppress(tarfile.TarError, EOFError, OSError), tarfile.open(path, mode="r:*") as archive:
        for number, member in enumerate(archive):
            named = _MEMBER.fullmatch(member.name)
            if number >= _MEMBERS_MAX or (number == 0 and not member.name.removeprefix("./").startswith("sysupgrade-")):
                break
            file = archive.extractfile(member) if named is not None and member.isreg() else None
            if named is None or file is None or member.size > _SIZE_MAX_BYTES:
                continue
            keep.mkdir(parents=True, exist_ok=True)
            place = keep / f"{path.stem[:40]}.{named['part']}"
            with place.open("wb") as out:
                shutil.copyfileobj(file, out)
            found[named["part"]] = place
    return Sysupgrade(found["kernel"], found.get("root")) if "kernel" in found else None


def of_folder(path: Path, look_at: Callable[[list[Path]], SourceFacts]) -> SourceFacts | None:
    """Look at the parts in a folder; None where there are none."""
    return look(path, parts, look_at) if (parts := in_folder(path)) is not None else None


def in_folder(path: Path) -> Sysupgrade | None:
    """Return the parts in a folder that an archive was unpacked to, or in its own folder; None where they are not."""
    for folder in (path, *sorted(path.glob(_FOLDER))[:1]):
        kernel, root = folder / "kernel", folder / "root"
        if kernel.is_file() and (folder / "CONTROL").is_file():
            return Sysupgrade(kernel, root if root.is_file() else None)
    return None
