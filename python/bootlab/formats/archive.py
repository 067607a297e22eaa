# SPDX-License-Identifier: MIT
"""Reading an existing initramfs into a tree of files: what the kernel would make of it, without its trust in it.

Format: see `bootlab.builders.cpio`; the order of events is that of `init/initramfs.c`.
"""

from __future__ import annotations

import hashlib
import mmap
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.errors import EnvironmentFault, UserError, cannot_write
from bootlab.formats import foreign_file
from bootlab.formats.names import PATH_MAX_BYTES, TRAILER, check_name, check_target, parent_of
from bootlab.formats.segments import SIZE_MAX_BYTES, Bytes, compression_at, expand
from bootlab.model.tree import Compression, Entry, FileTree
from bootlab.recordings import sealed

COUNT_MAX = 1_000_000
_HEAD_BYTES = 110
_LINKS_MAX = 40
_INDEX = "tree.json"
# Counted up whenever the index holds something else.
_RULES = 2
_COPY_BYTES = 1 << 20
_KINDS: dict[int, Literal["dir", "symlink", "char", "block", "fifo"]] = {
    stat.S_IFDIR: "dir",
    stat.S_IFLNK: "symlink",
    stat.S_IFCHR: "char",
    stat.S_IFBLK: "block",
    stat.S_IFIFO: "fifo",
}


class _Record(msgspec.Struct, frozen=True):
    """One header of the archive and where its body lies."""

    name: str
    inode: tuple[int, int, int]
    mode: int
    uid: int
    gid: int
    links: int
    rdev: tuple[int, int]
    body: int
    size: int
    next: int


class Unpacked(msgspec.Struct, frozen=True):
    """What an archive holds, and how its pieces are packed, in their order (`none`: a bare archive)."""

    tree: FileTree
    pieces: tuple[Compression, ...]

    @property
    def compression(self) -> Compression:
        """How the last piece is packed: distributions put microcode, which is not packed, before it."""
        return self.pieces[-1] if self.pieces else "none"


def unpack(archive: Path, store: Path) -> FileTree:
    """Return what an archive holds. Raise as :func:`unpacked` does."""
    return unpacked(archive, store).tree


def unpacked(archive: Path, store: Path) -> Unpacked:
    """Read an archive; files' contents go below `store`, in a folder named by the archive's digest, once.

    Raise UserError for an archive that no kernel would take, EnvironmentFault when `store` cannot be written.
    """
    try:
        if archive.stat().st_size > SIZE_MAX_BYTES:
            raise UserError(
                f"{archive} is larger than any initramfs", hint="is it the right file? `file PATH` says what it is"
            )
        with archive.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"{archive} cannot be read: {error.strerror}", hint=f"ls -l {archive}") from error
    folder = store / f"{digest}-{_RULES}"
    found = sealed.kept(folder / _INDEX, Unpacked)
    if found is None:
        try:
            _unpack_once(archive, store, folder)
        except OSError as error:
            raise cannot_write(f"{archive} cannot be unpacked below {store}", error, store) from error
        except UserError as error:
            other = foreign_file.named(archive)
            if other is None or other.kind == "packed" or (other.kind == "initramfs" and not other.way):
                raise
            what = other.what if other.kind == "initramfs" else f"{other.what}, not an initramfs"
            raise UserError(f"it is {what}", hint=other.hint(archive) or error.hint) from error
        found = sealed.kept(folder / _INDEX, Unpacked)
    if found is None:
        raise EnvironmentFault(
            f"what was unpacked of {archive} into {folder} cannot be read", hint=f"rm -r {folder}; is the disk healthy?"
        )
    tree = FileTree(
        tuple(
            (path, msgspec.structs.replace(entry, source=str(folder / entry.source)) if entry.source else entry)
            for path, entry in found.tree.entries
        )
    )
    return Unpacked(tree, found.pieces)


def _unpack_once(archive: Path, store: Path, folder: Path) -> None:
    store.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".new-", dir=store))
    try:
        with archive.open("rb") as file:
            if not archive.stat().st_size:
                raise UserError(f"{archive} is empty", hint="copy or build the archive again")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                found = _Unpacker(work).pieces(data)
        sealed.keep(work / _INDEX, found)
        if folder.exists() and sealed.kept(folder / _INDEX, Unpacked) is None:
            shutil.rmtree(folder)
        try:
            work.rename(folder)
        except OSError:
            # Another process was faster with the same archive; its folder is as good.
            if not (folder / _INDEX).is_file():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


class _Unpacker:
    """The state of one unpacking: what is there so far, and the files' contents written to a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: dict[str, Entry] = {}
        self._linked: dict[tuple[int, int, int], tuple[list[tuple[str, Entry]], Entry]] = {}
        self._room_bytes = SIZE_MAX_BYTES
        self._count = 0
        self._pieces: list[Compression] = []

    def pieces(self, data: Bytes) -> Unpacked:
        """Read archives and compressed archives one after another."""
        offset = 0
        while (offset := _skip_zeros(data, offset)) < len(data):
            if data[offset] == ord("0"):
                self._pieces.append("none")
                offset = self._archive(data, offset)
                continue
            name = compression_at(data, offset)
            if name is None:
                raise UserError(
                    f"byte {offset} starts neither a newc archive nor a compression format that the kernel reads",
                    hint="is it an initramfs? `file PATH` says what it is; a uImage header must be removed first",
                )
            self._pieces.append(name)
            with tempfile.TemporaryFile(dir=self._folder) as out:
                offset = expand(data, offset, name, out, self._room_bytes)
                size = out.tell()
                self._room_bytes -= size
                if size:
                    out.flush()
                    with mmap.mmap(out.fileno(), 0, access=mmap.ACCESS_READ) as inner:
                        self._archives(inner)
        return Unpacked(FileTree.of(self._entries).with_links_named(), tuple(self._pieces))

    def _archives(self, data: Bytes) -> None:
        offset = 0
        while (offset := _skip_zeros(data, offset)) < len(data):
            if (inside := compression_at(data, offset)) is not None:
                raise UserError(
                    f"it is packed twice: {inside} data lie in what was unpacked, and the kernel unpacks once",
                    hint="unpack it once, and give that file",
                )
            if data[offset] != ord("0"):
                raise UserError(
                    f"no newc archive at byte {offset} of the unpacked data", hint="build the archive again"
                )
            offset = self._archive(data, offset)

    def _archive(self, data: Bytes, offset: int) -> int:
        # Padding is to four bytes of the whole, and an archive behind another need not start at a multiple of it.
        while offset < len(data):
            record = _read_record(data, offset)
            offset = record.next
            if record.name == TRAILER:
                break
            self._count += 1
            if self._count > COUNT_MAX:
                raise UserError(f"it holds more than {COUNT_MAX} files", hint="this is not an initramfs")
            if record.name.strip("/") not in {"", "."}:
                self._add(data, record)
        self._share()
        return offset

    def _add(self, data: Bytes, record: _Record) -> None:
        path = self._resolve(check_name("/" + record.name))
        if stat.S_IFMT(record.mode) == stat.S_IFREG:
            self._add_file(data, record, path)
            return
        if stat.S_IFMT(record.mode) == stat.S_IFSOCK:
            # The kernel makes it (init/initramfs.c: do_name()), but whoever listens makes it anew.
            return
        kind = _KINDS.get(stat.S_IFMT(record.mode))
        if kind is None:
            raise UserError(f"{path} has the unknown type 0{record.mode:o}", hint="build the archive again")
        entry = _owned(Entry(kind=kind), record)
        if kind == "symlink":
            if record.size >= PATH_MAX_BYTES:
                raise UserError(f"the target of {path} is too long", hint="the kernel would skip the link")
            target = _text(data[record.body : record.body + record.size].rstrip(b"\0"), f"the target of {path}")
            entry = msgspec.structs.replace(entry, target=check_target(path, target))
        elif kind in {"char", "block"}:
            entry = msgspec.structs.replace(entry, major=record.rdev[0], minor=record.rdev[1])
        self._entries[path] = entry

    def _add_file(self, data: Bytes, record: _Record, path: str) -> None:
        source = self._store(data, record) if record.size else None
        entry = _owned(Entry(kind="file", source=source, text=None if source else ""), record)
        self._entries[path] = entry
        if record.links > 1:
            # The contents of a hard-linked file stand with one of its names: the last one (GNU cpio) or the first.
            names, body = self._linked.get(record.inode, ([], entry))
            names.append((path, entry))
            self._linked[record.inode] = (names, entry if source is not None else body)

    def _share(self) -> None:
        """Give all names of a hard-linked file its contents, but for those that something else has replaced."""
        for names, body in self._linked.values():
            shared = msgspec.structs.replace(body, linked=names[0][0])
            for path, entry in names:
                if self._entries[path] is entry:
                    self._entries[path] = shared
        self._linked = {}

    def _store(self, data: Bytes, record: _Record) -> str:
        self._room_bytes -= record.size
        if self._room_bytes < 0:
            raise UserError("it unpacks to more than 2 GiB", hint="name a folder instead: [initramfs] dir = ...")
        name = f"{self._count:07d}"
        with (self._folder / name).open("wb") as out:
            for start in range(record.body, record.body + record.size, _COPY_BYTES):
                out.write(data[start : min(start + _COPY_BYTES, record.body + record.size)])
        return name

    def _resolve(self, path: str) -> str:
        """Follow links among the folders of a path, as the kernel does when it creates the file."""
        for _ in range(_LINKS_MAX):
            folder = ""
            parts = path.split("/")[1:]
            for index, part in enumerate(parts[:-1]):
                folder += f"/{part}"
                there = self._entries.get(folder)
                if there is not None and there.kind == "symlink":
                    path = _join(parent_of(folder), there.target or "", parts[index + 1 :])
                    break
            else:
                return path
        raise UserError(f"the path {path} contains a loop of symbolic links", hint="look at the links in the archive")


def _owned(entry: Entry, record: _Record) -> Entry:
    return msgspec.structs.replace(entry, mode=record.mode & 0o7777, uid=record.uid, gid=record.gid)


def _join(folder: str, target: str, rest: list[str]) -> str:
    done: list[str] = []
    for part in [*([] if target.startswith("/") else folder.split("/")), *target.split("/"), *rest]:
        if part == "..":
            # The root's parent is the root.
            del done[-1:]
        elif part not in {"", "."}:
            done.append(part)
    return check_name("/" + "/".join(done))


def _skip_zeros(data: Bytes, offset: int) -> int:
    while offset < len(data) and data[offset] == 0:
        step = data[offset : offset + 4096]
        offset += len(step) - len(step.lstrip(b"\0"))
    return offset


def _text(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UserError(
            f"{what} is not UTF-8: {data[:60]!r}", hint="a tree of files can only hold UTF-8 names"
        ) from error


def _read_record(data: Bytes, offset: int) -> _Record:
    head = data[offset : offset + _HEAD_BYTES]
    if head[:6] not in {b"070701", b"070702"}:
        raise UserError(
            f"byte {offset} does not start a newc header: {head[:6]!r}", hint="pack it with: find . | cpio -o -H newc"
        )
    try:
        # int() would also take "+1", " 1" and "1_0".
        fields = [
            int.from_bytes(bytes.fromhex(head[i : i + 8].decode("ascii")), "big") for i in range(6, _HEAD_BYTES, 8)
        ]
    except ValueError as error:
        raise UserError(
            f"the header at byte {offset} contains characters that are not hexadecimal digits",
            hint="build the archive again",
        ) from error
    if len(head) < _HEAD_BYTES:
        raise UserError(f"the archive ends inside the header at byte {offset}", hint="copy or build it again")
    inode, mode, uid, gid, links, _mtime, size, major, minor, rmajor, rminor, name_bytes, _check = fields
    if not 1 < name_bytes <= PATH_MAX_BYTES:
        raise UserError(f"the name at byte {offset} has {name_bytes} bytes", hint="the kernel accepts 2 to 4096")
    body = offset + (_HEAD_BYTES + name_bytes + 3) // 4 * 4
    end = body + size
    if end > len(data):
        raise UserError(f"the archive ends inside the file at byte {offset}", hint="copy or build it again")
    raw_name = data[offset + _HEAD_BYTES : offset + _HEAD_BYTES + name_bytes].split(b"\0")[0]
    return _Record(
        name=_text(raw_name, f"the name at byte {offset}"),
        inode=(major, minor, inode),
        mode=mode,
        uid=uid,
        gid=gid,
        links=links,
        rdev=(rmajor, rminor),
        body=body,
        size=size,
        next=min(end + -size % 4, len(data)),
    )
