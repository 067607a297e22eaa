# SPDX-License-Identifier: MIT
"""`[initramfs]` of a system file, and the tree of files of any table: an archive, folders over it, single entries."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from bootlab.builders.compress import LEVELS
from bootlab.builders.dirtree import read_directory
from bootlab.errors import UserError
from bootlab.formats.archive import unpack, unpacked
from bootlab.formats.names import check_name
from bootlab.model.system import Initramfs, PackedArchive
from bootlab.model.tree import BusyboxBuild, Compression, Entry, FileTree
from bootlab.systemfile.kernel import options_of
from bootlab.systemfile.place import Place
from bootlab.systemfile.problem import did_you_mean, translate
from bootlab.systemfile.raw_tree import RawBusybox, RawEntry, RawFiles, RawInitramfs, RawTree

_KINDS = ("source", "text", "busybox", "symlink", "dir", "fifo", "char", "block")
_MODE = re.compile(r"(?:0o?)?[0-7]{1,4}")
_APPLET = re.compile(r"[A-Za-z0-9_.\[+-]{1,64}")
_ID_MAX = 0xFFFF_FFFF
_MAJOR_MAX = (1 << 12) - 1
_MINOR_MAX = (1 << 20) - 1


def initramfs(raw: RawInitramfs, place: Place, unpack_dir: Path, *, empty: bool = False) -> Initramfs:
    """Read `[initramfs]`; `empty`: programs that are built may be all there is.

    Archives' contents are unpacked below `unpack_dir`. Raise SystemFileError.
    """
    tree = read_tree(raw, "initramfs", place, unpack_dir, empty=empty)
    given = _given_archive(raw, place, unpack_dir)
    compression = raw.compression or (given.compression if given is not None else "gzip")
    if raw.level is not None:
        _check_level(raw.level, compression, place)
    alone = given is not None and not raw.dir and not raw.files and raw.compression is None and raw.level is None
    packed = given if alone else None
    return Initramfs(tree=tree, compression=compression, level=raw.level, keep=tuple(raw.keep), packed=packed)


def _given_archive(raw: RawInitramfs, place: Place, unpack_dir: Path) -> PackedArchive | None:
    """Return the archive of a table as what boots if nothing is changed; None without one."""
    if raw.archive is None:
        return None
    path = place.file(raw.archive, "initramfs.archive")
    if place.absent and not Path(path).exists():
        return None
    found = unpacked(Path(path), unpack_dir)
    return PackedArchive(path=path, content=found.tree.digest, compression=found.compression)


def read_tree(raw: RawTree, table: str, place: Place, unpack_dir: Path, *, empty: bool = False) -> FileTree:
    """Read the tree of a table. Raise SystemFileError, for an empty one too unless it may be `empty`."""
    tree = read_files(raw, table, place, unpack_dir)
    if not tree.entries and not empty:
        what = f"the {table} is empty"
        raise place.error(what, table, f"give dir, archive or [{table}.files], or leave the table out")
    for index, kept in enumerate(raw.keep):
        if not kept.startswith("/"):
            raise place.error(f'"{kept}" is not an absolute path', f"{table}.keep[{index}]", f'write "/{kept}"')
    return tree


def read_files(raw: RawFiles, table: str, place: Place, unpack_dir: Path) -> FileTree:
    """Read the files of a table: an archive, folders over it in their order, single entries over all of them."""
    tree: dict[str, Entry] = {}
    if raw.archive is not None:
        archive = place.file(raw.archive, f"{table}.archive")
        try:
            tree.update(unpack(Path(archive), unpack_dir).entries)
        except UserError as error:
            raise place.error(error.message, f"{table}.archive", error.hint) from error
    for index, name in enumerate([raw.dir] if isinstance(raw.dir, str) else raw.dir or []):
        where = f"{table}.dir" if isinstance(raw.dir, str) else f"{table}.dir[{index}]"
        if place.absent and not Path(place.resolve(name, where)).exists():
            continue
        folder = place.directory(name, where)
        try:
            tree.update(read_directory(Path(folder), owners=raw.owners == "kept").entries)
        except UserError as error:
            raise place.error(error.message, where, error.hint) from error
    for name, value in raw.files.items():
        where = f'{table}.files."{name}"'
        try:
            checked = check_name(name)
        except UserError as error:
            raise place.error(error.message, where, error.hint) from error
        tree[checked] = _entry(value, place, where)
    return FileTree.of(tree)


def _check_level(level: int, compression: Compression, place: Place) -> None:
    levels = LEVELS[compression]
    if levels is None:
        raise place.error(f"{compression} has no levels", "initramfs.level", "leave the key out")
    if level not in levels:
        raise place.error(
            f"expected {levels.start} to {levels.stop - 1} for {compression}, got {level}",
            "initramfs.level",
            "leave the key out for the best one",
        )


def _entry(value: Any, place: Place, where: str) -> Entry:
    try:
        raw = msgspec.convert(value, RawEntry)
    except msgspec.ValidationError as error:
        raise translate(error, root=RawEntry, value=value, path=place.path, prefix=where) from error
    given = [kind for kind in _KINDS if (said := getattr(raw, kind)) is not None and said is not False]
    if len(given) != 1:
        names = " and ".join(given) if given else "none of them"
        raise place.error(
            f"expected exactly one of {', '.join(_KINDS)}; got {names}",
            where,
            'one kind an entry: { source = "path" }, { symlink = "busybox" }, { dir = true }, { char = [5, 1] } ...',
        )
    kind = given[0]
    entry = _of_kind(kind, raw, place, where)
    return msgspec.structs.replace(
        entry, uid=_owner(raw.uid, "uid", place, where), gid=_owner(raw.gid, "gid", place, where)
    )


def _of_kind(kind: str, raw: RawEntry, place: Place, where: str) -> Entry:
    if kind in {"symlink", "busybox"}:
        return _symlink(raw, place, where) if kind == "symlink" else _busybox_entry(raw, place, where)
    if kind == "source":
        source = place.file(raw.source or "", f"{where}.source")
        # Without a mode the file keeps its own: an executable stays one.
        mode = Path(source).stat().st_mode & 0o7777 if Path(source).exists() else 0o755
        return Entry(kind="file", source=source, mode=file_mode(raw.mode, mode, place, where))
    if kind == "text":
        return Entry(kind="file", text=raw.text, mode=file_mode(raw.mode, 0o644, place, where))
    if kind == "dir":
        return Entry(kind="dir", mode=file_mode(raw.mode, 0o755, place, where))
    if kind == "fifo":
        return Entry(kind="fifo", mode=file_mode(raw.mode, 0o644, place, where))
    major, minor = (raw.char if kind == "char" else raw.block) or (0, 0)
    if not (0 <= major <= _MAJOR_MAX and 0 <= minor <= _MINOR_MAX):
        raise place.error(
            f"expected [major, minor] within [0..{_MAJOR_MAX}, 0..{_MINOR_MAX}], got [{major}, {minor}]",
            f"{where}.{kind}",
            "look one up: ls -l /dev/console",
        )
    mode = file_mode(raw.mode, 0o600, place, where)
    return Entry(kind="char" if kind == "char" else "block", mode=mode, major=major, minor=minor)


def _busybox_entry(raw: RawEntry, place: Place, where: str) -> Entry:
    build = _busybox(raw.busybox or RawBusybox(), place, f"{where}.busybox")
    return Entry(kind="file", busybox=build, mode=file_mode(raw.mode, 0o755, place, where))


def _busybox(raw: RawBusybox, place: Place, where: str) -> BusyboxBuild:
    for applet in raw.applets:
        if not _APPLET.fullmatch(applet):
            raise place.error(
                f"{applet[:80]!r} is not the name of an applet", f"{where}.applets", "names, not paths: mount, sh"
            )
    return BusyboxBuild(
        applets=tuple(sorted(set(raw.applets))),
        options=options_of(raw.options, f"{where}.options", place),
        source=raw.source if raw.source == "debian" else place.directory(raw.source, f"{where}.source"),
    )


def _symlink(raw: RawEntry, place: Place, where: str) -> Entry:
    target = raw.symlink or ""
    if "\0" in target or not target:
        raise place.error("a link's target must hold at least one character and no NUL byte", f"{where}.symlink")
    if raw.mode is not None:
        raise place.error("a symlink has no mode of its own", f"{where}.mode", "leave the key out")
    return Entry(kind="symlink", target=target, mode=0o777)


def _owner(value: int, key: str, place: Place, where: str) -> int:
    if not 0 <= value <= _ID_MAX:
        raise place.error(f"expected 0 to {_ID_MAX}, got {value}", f"{where}.{key}")
    return value


def file_mode(text: str | None, default: int, place: Place, where: str) -> int:
    """Read an octal mode. Raise SystemFileError."""
    if text is None:
        return default
    if not _MODE.fullmatch(text):
        raise place.error(
            f'expected an octal mode such as "0755", got "{text}"',
            f"{where}.mode",
            did_you_mean(text, ("0755", "0644")),
        )
    return int(text.removeprefix("0o"), 8)
