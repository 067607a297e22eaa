# SPDX-License-Identifier: MIT
"""File systems whose files an installed program takes out of an image: without root's rights, and without mounting.

Btrfs file by file; EROFS, JFFS2 and UBIFS have programs that take out all of it at once.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

import msgspec

from bootlab import host_packages
from bootlab.builders.images import tool
from bootlab.errors import UserError, cannot_write
from bootlab.formats.disk_bytes import ByteSource, file_place
from bootlab.formats.file_view import Files
from bootlab.formats.folder import FolderFiles
from bootlab.formats.private_copy import as_file
from bootlab.sources import confined
from bootlab.sources.btrfs import BtrfsFiles

_READ_MAX = 8
# struct btrfs_super_block (include/uapi/linux/btrfs_tree.h).
_LOG_AT, _DEVICES_AT = 0x10000 + 0x60, 0x10000 + 0x88


class Extractor(msgspec.Struct, frozen=True):
    """A program that reads a file system. `package`: Debian's; "" where only PyPI has it, `install` says how then.

    `words`: of the command that takes all out, where IMAGE and OUT stand for both; none for Btrfs.
    """

    name: str
    package: str
    words: tuple[str, ...] = ()
    install: str = ""

    def installed_by(self) -> str:
        """Return the command that installs it."""
        return self.install or host_packages.install(self.package)


PROGRAMS = {
    "btrfs": Extractor("btrfs", "btrfs-progs"),
    "erofs": Extractor("fsck.erofs", "erofs-utils", ("--extract=OUT", "--overwrite", "--no-preserve", "IMAGE")),
    "jffs2": Extractor("jefferson", "", ("-d", "OUT", "IMAGE"), "pipx install jefferson"),
    "ubifs": Extractor("ubireader_extract_files", "", ("-o", "OUT", "IMAGE"), "pipx install ubi_reader"),
}
"""What reads which file system, by the kernel's name of it."""


class ToolFiles(msgspec.Struct, frozen=True):
    """The files that a program takes out of a partition. `said`: what is said of them."""

    files: Files
    said: str


# An image is looked at again where its menu takes another root: by its path, its time, and where a partition begins.
_READ: dict[tuple[str, int, int, str], ToolFiles] = {}


def without(fstype: str) -> str:
    """Return what is said of a file system whose program is not there, or cannot be held in a folder; "" for others."""
    program = PROGRAMS.get(fstype)
    if program is None:
        return ""
    if tool.path_of(program.name) is None:
        return f"{program.name} would read it: {program.installed_by()}"
    if not confined.is_possible():
        return f"{program.name} would read it on a kernel with Landlock (Linux 5.13), which holds it in one folder"
    return ""


def read(fstype: str, source: ByteSource, subvolume: str = "") -> ToolFiles | None:
    """Return the files of a partition by an installed program; None where there is none.

    `subvolume`: the one that is the root, where it is known. Raise UserError for what is damaged.
    """
    program = PROGRAMS.get(fstype)
    path = tool.path_of(program.name) if program is not None else None
    if program is None or path is None or not confined.is_possible():
        return None
    place = file_place(source)
    key = (str(place[0]), place[0].stat().st_mtime_ns, place[1], subvolume) if place is not None else None
    if key is None or key not in _READ:
        while len(_READ) >= _READ_MAX:
            del _READ[next(iter(_READ))]
        found = _opened(program, path, source, subvolume)
        if key is None:
            return found
        _READ[key] = found
    return _READ[key]


def _opened(program: Extractor, path: str, source: ByteSource, subvolume: str) -> ToolFiles:
    # As much as a partition may lie there: /tmp is often in memory.
    held = _Folder(os.environ.get("TMPDIR") or "/var/tmp")  # noqa: S108 - a folder is made there
    work = held.path
    if not program.words:
        return _btrfs(program, path, source, held, subvolume)
    image = as_file(source, work)
    out = work / "out"
    words = [word.replace("OUT", str(out)).replace("IMAGE", str(image)) for word in program.words]
    try:
        confined.run([path, *words], work)
    except UserError as error:
        raise UserError(f"{error.message} ({_version_hint(program)})", hint=error.hint) from error
    if image.parent == work:
        image.unlink()
    files = _Held(_inner(out), held)
    return ToolFiles(files, f"{program.name} took its files out")


def _version_hint(program: Extractor) -> str:
    return f"a newer {program.package or program.name} may read it"


def _inner(out: Path) -> Path:
    """Return the folder with the tree: some programs put it below folders of the image's and the volume's names."""
    if not out.is_dir():
        raise UserError("the program took nothing out of it", hint="is the image damaged?")
    here = out
    for _ in range(3):
        inside = list(here.iterdir())
        if len(inside) != 1 or inside[0].is_symlink() or not inside[0].is_dir() or inside[0].name in {"etc", "boot"}:
            break
        here = inside[0]
    return here


class _Folder:
    """A folder of its own that is removed when nobody needs it."""

    def __init__(self, where: str) -> None:
        try:
            self.path = Path(tempfile.mkdtemp(prefix="bootlab-", dir=where))
        except OSError as error:
            raise cannot_write(f"nothing can be taken out to {where}", error, where) from error
        self._end = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class _Held(FolderFiles):
    """Files in a folder that is kept as long as they."""

    def __init__(self, folder: Path, held: _Folder) -> None:
        super().__init__(folder)
        self._held = held


class _HeldBtrfs(BtrfsFiles):
    """The files of a Btrfs, with the folder that they are taken out to."""

    def __init__(self, image: Path, held: _Folder, program: str, wanted: str) -> None:
        self._held = held
        super().__init__(image, held.path, program, wanted)


def _btrfs(program: Extractor, path: str, source: ByteSource, held: _Folder, wanted: str) -> ToolFiles:
    devices = int.from_bytes(source.read(_DEVICES_AT, 8), "little")
    if devices > 1:
        raise UserError(f"it is one of {devices} devices of a Btrfs, which bootlab does not put together")
    files = _HeldBtrfs(as_file(source, held.path), held, path, wanted)
    said = f"its files were read by {program.name} restore"
    if files.subvolumes:
        snapshots = sum(one.is_snapshot and one.number != files.top for one in files.subvolumes.values())
        own = f"subvolume {files.name}" if files.name else "the top level"
        said += f"; {own} is taken as the root: {files.why}"
        said += f"; of {snapshots} snapshot{'s' * (snapshots != 1)} nothing was read" if snapshots else ""
    if any(source.read(_LOG_AT, 8)):
        said += "; its log was not replayed: what was written last is missing (boot it once)"
    return ToolFiles(files, said)
