# SPDX-License-Identifier: MIT
"""Btrfs, read by btrfs-progs: `btrfs restore` lists a subvolume and takes single files out, without mounting.

Each subvolume is a tree of its own. Which one is the root the kernel's line says (`rootflags=subvol=`), or else the
file system itself (its default subvolume).
"""

from __future__ import annotations

import functools
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats.file_view import FileView, Kind, Node, below
from bootlab.model import fstab
from bootlab.sources import confined

TOP = 5
"""The number of the tree that holds all others (BTRFS_FS_TREE_OBJECTID, include/uapi/linux/btrfs_tree.h)."""
_TOP_FOLDER = 256
# The root as the system sees it. The same subvolume as GRUB's paths reach it has its own number.
_ROOT = 0
# What installers call the subvolume of the root: Ubuntu, Arch and openSUSE, Debian, Fedora.
_ROOT_NAMES = ("@", "@rootfs", "root", "rootfs", "@root")
# What is taken out as a whole when one file of it is asked for.
_TOGETHER = re.compile(r"(?:etc|usr/lib/systemd|lib/systemd|(?:boot/)?(?:grub2?|loader)|usr/lib/modules-load\.d)(?=/)")
_ENTRIES_MAX = 2_000_000
_SUBVOLUMES_MAX = 100_000
_LINK = re.compile(r"SYMLINK: 'out/(?P<path>.*?)' => '(?P<target>.*)'", re.DOTALL)
_SPECIAL = re.compile(r"[][\\.*+?(){}|^$]")
_ROOT_ITEM = re.compile(r"key \((\d+|FS_TREE) ROOT_ITEM \d+\)")
_BACKREF = re.compile(r"key \((\d+) ROOT_BACKREF (\d+|FS_TREE)\)")
_NAMED = re.compile(r"\s*root backref key dirid (\d+) sequence \d+ name (.*)")
_DEFAULT = re.compile(r"\s*location key \((\d+|FS_TREE) ROOT_ITEM")
_FOLDER_OF = re.compile(r"key \((\d+) INODE_REF (\d+)\)")
_FOLDER_NAME = re.compile(r"\s*index \d+ namelen \d+ name: (.*)")
_NOBODY = "00000000-0000-0000-0000-000000000000"


class Subvolume(msgspec.Struct, frozen=True):
    """A subvolume: its number, the tree and the folder's number that it lies in, its name there."""

    number: int
    above: int
    folder: int
    name: str
    is_snapshot: bool = False


class _Entry(msgspec.Struct, frozen=True):
    kind: Kind
    target: str = ""


class BtrfsFiles:
    """The files of a Btrfs file system, from the subvolume on that is the root. `why`: how that one was found."""

    folds_case = False

    def __init__(self, image: Path, work: Path, program: str, wanted: str = "") -> None:
        """Find the subvolumes and the root among them. `wanted`: the one that a kernel's line names.

        Raise UserError for a damaged file system.
        """
        self._image, self._work, self._program = image, work, program
        self.subvolumes, self.default = _subvolumes(self._said("inspect-internal", "dump-tree", "-t", "root"))
        self._listed = functools.cache(self._read_listing)
        self._folders = functools.cache(self._read_folders)
        self._taken: dict[tuple[int, str], Path] = {}
        self.top, self.why = self._root(wanted)

    @property
    def name(self) -> str:
        """The path of the subvolume that is the root; "" for the tree that holds all others."""
        return self.path_of(self.top)

    def root(self) -> Node:
        """Return the root's folder."""
        return Node(kind="dir", size_bytes=0, key=(_ROOT, ""))

    def entries(self, node: Node) -> Iterator[tuple[str, Node]]:
        """Give what a folder holds."""
        number, path = self._place(node)
        # GRUB counts paths from the tree that holds all: /@/boot/vmlinuz.
        is_top = number == _ROOT
        ways = self._ways.get((TOP, "") if is_top else (number, path), {})
        number = self.top if is_top else number
        held = self._listed(number).get(path, {})
        for name, entry in held.items():
            if name in ways and not is_top:
                continue
            below = f"{path}/{name}" if path else name
            measure = functools.partial(self._size, number, below) if entry.kind == "file" else None
            yield name, Node(kind=entry.kind, size_bytes=0, key=(number, below), measure=measure)
        for name, other in ways.items():
            if name not in held or not is_top:
                yield name, Node(kind="dir", size_bytes=0, key=(other, ""))

    def read(self, node: Node, offset: int, count: int) -> bytes:
        """Return bytes of a file. Raise UserError for what cannot be read."""
        number, path = self._place(node)
        taken = self._file(number, path)
        if taken is None:
            return b""
        with os.fdopen(os.open(taken, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            file.seek(offset)
            return file.read(count)

    def target(self, node: Node) -> str:
        """Return where a link points."""
        number, path = self._place(node)
        folder, _, name = path.rpartition("/")
        return self._listed(number)[folder][name].target

    def below(self, named: str) -> FileView | None:
        """Return a subvolume by `subvol=` or `subvolid=`, as a view; None where there is none of that name."""
        found = self._asked(named)
        return FileView(below(self, Node(kind="dir", size_bytes=0, key=(found, "")))) if found is not None else None

    def find(self, path: str) -> int | None:
        """Return the number of a subvolume by its path; None without one."""
        path = posixpath.normpath(f"/{path}").strip("/")
        if not path:
            return TOP
        named = [one.number for one in self.subvolumes.values() if one.name == path.rpartition("/")[2]]
        return next((number for number in named if self.path_of(number) == path), None)

    def path_of(self, number: int) -> str:
        """Return the path of a subvolume, from the tree that holds all others."""
        parts: list[str] = []
        seen: set[int] = set()
        while number in self.subvolumes and number not in seen:
            seen.add(number)
            own = self.subvolumes[number]
            inside = self._folder_path(own.above, own.folder)
            parts.insert(0, f"{inside}/{own.name}" if inside else own.name)
            number = own.above
        return "/".join(parts)

    @functools.cached_property
    def _ways(self) -> dict[tuple[int, str], dict[str, int]]:
        """Return the subvolumes that lead to the root, by the folder that holds each: a snapshot is listed nowhere."""
        found: dict[tuple[int, str], dict[str, int]] = {}
        number = self.top
        while number in self.subvolumes and len(found) <= len(self.subvolumes):
            own = self.subvolumes[number]
            found[own.above, self._folder_path(own.above, own.folder)] = {own.name: number}
            number = own.above
        for one in self.subvolumes.values():
            if one.above == TOP and one.folder == _TOP_FOLDER and "boot" in one.name and not one.is_snapshot:
                found.setdefault((TOP, ""), {})[one.name] = one.number
        return found

    def _root(self, wanted: str) -> tuple[int, str]:
        asked = self._asked(wanted)
        if asked is not None and self._has_root(asked):
            return asked, "the kernel's line names it"
        number, why = self._own_root()
        return number, f"{why} (the kernel's line names {wanted}, which has no root tree)" if wanted else why

    def _asked(self, wanted: str) -> int | None:
        """Return a subvolume by `subvol=` or `subvolid=`; None where there is none of that name."""
        if wanted.isdecimal() and int(wanted) in {TOP, *self.subvolumes}:
            return int(wanted)
        return self.find(wanted) if wanted else None

    def is_other(self, wanted: str) -> bool:
        """Tell whether a kernel's line names another subvolume than the one that was taken."""
        return bool(wanted) and self._asked(wanted) != self.top

    def _own_root(self) -> tuple[int, str]:
        if self.default != TOP and self._has_root(self.default):
            return self.default, "it is the default one"
        for name in _ROOT_NAMES:
            number = self.find(name)
            if number is not None and self._has_root(number):
                return self._by_fstab(number, f"it is called {name}")
        if self._has_root(TOP) or not self.subvolumes:
            return TOP, "it is the default one"
        for one in self.subvolumes.values():
            if not one.is_snapshot and self._has_root(one.number):
                return self._by_fstab(one.number, "no other one has a root tree")
        return TOP, "it is the default one"

    def _by_fstab(self, number: int, why: str) -> tuple[int, str]:
        """Return the subvolume that a root's own table mounts as the root, where it names another."""
        taken = self._file(number, "etc/fstab")
        text = taken.read_bytes()[: 1 << 20].decode("utf-8", "replace") if taken is not None else ""
        for line in fstab.read(text):
            named = named_in(line.options)
            other = self._asked(named) if line.folder == "/" else None
            if other is not None and self._has_root(other):
                return other, "its /etc/fstab names it"
        return number, why

    def _has_root(self, number: int) -> bool:
        held = self._listed(number).get("", {})
        return "etc" in held and not {"usr", "bin", "sbin", "nix"}.isdisjoint(held)

    def _said(self, *words: str) -> str:
        return confined.run([self._program, *words, str(self._image)], self._work).decode("utf-8", "surrogateescape")

    def _read_listing(self, number: int) -> dict[str, dict[str, _Entry]]:
        """Return what each folder of a subvolume holds, by the folder's path."""
        command = [self._program, "restore", "-D", "-v", "-v", "-S", "-r", str(number), str(self._image), "out"]
        (self._work / "out").mkdir(exist_ok=True)
        return listing(confined.run(command, self._work).decode("utf-8", "surrogateescape"))

    def _read_folders(self, number: int) -> dict[int, tuple[int, str]]:
        """Return the folder and the name of each file of a subvolume, by its number."""
        found: dict[int, tuple[int, str]] = {}
        own: tuple[int, int] | None = None
        for line in self._said("inspect-internal", "dump-tree", "-t", str(number)).split("\n"):
            if (item := _FOLDER_OF.search(line)) is not None:
                own = (int(item[1]), int(item[2]))
            elif own is not None and (named := _FOLDER_NAME.match(line)) is not None:
                found[own[0]], own = (own[1], named[1]), None
        return found

    def _folder_path(self, number: int, folder: int) -> str:
        """Return the path of a folder in a subvolume by its number."""
        parts: list[str] = []
        seen: set[int] = set()
        while folder != _TOP_FOLDER and folder not in seen:
            seen.add(folder)
            folder, name = self._folders(number).get(folder, (_TOP_FOLDER, "?"))
            parts.insert(0, name)
        return "/".join(parts)

    def _size(self, number: int, path: str) -> int:
        taken = self._file(number, path)
        return taken.lstat().st_size if taken is not None else 0

    def _file(self, number: int, path: str) -> Path | None:
        """Return a file that was taken out, taking it out first; None for one that is not there."""
        folder, _, name = path.rpartition("/")
        entry = self._listed(number).get(folder, {}).get(name)
        if entry is None or entry.kind != "file":
            return None
        together = _TOGETHER.match(path)
        key = (number, together[0] if together is not None else path)
        if key not in self._taken:
            self._taken[key] = self._take_out(number, key[1], whole=together is not None)
        taken = self._taken[key] / path
        return taken if taken.is_file() and not taken.is_symlink() else None

    def _take_out(self, number: int, path: str, *, whole: bool) -> Path:
        # No links are made there, so none leads out of it.
        place = self._work / f"taken-{len(self._taken)}"
        place.mkdir()
        command = [self._program, "restore", "-r", str(number), "--path-regex", pattern(path, whole=whole)]
        try:
            confined.run([*command, str(self._image), str(place)], self._work)
        except UserError as error:
            raise UserError(
                f"/{path} of its Btrfs cannot be taken out: {error.message}",
                hint="mount it read-only, and give the tree with the image: --from /mnt --from IMAGE",
            ) from error
        return place

    @staticmethod
    def _place(node: Node) -> tuple[int, str]:
        return msgspec.convert(node.key, tuple[int, str])


def named_in(options: tuple[str, ...]) -> str:
    """Return the subvolume that options of mount name, by its path or its number; "" where they name none."""
    found = {key: value for key, _, value in (option.partition("=") for option in options)}
    return found.get("subvol", "").strip("/") or found.get("subvolid", "")


def asked_by(flags: str | None) -> str:
    """Return the subvolume that `rootflags=` of a kernel's line names; "" where it names none."""
    return named_in(tuple((flags or "").strip("\"'").split(",")))


def pattern(path: str, *, whole: bool) -> str:
    """Return the expression that btrfs restore wants: each folder on the way, and the file, or all in the folder."""
    parts = [_SPECIAL.sub(r"\\\g<0>", part) for part in path.split("/")]
    inner = "(|/.*)" if whole else ""
    for depth, part in enumerate(reversed(parts), 1):
        slash = "" if depth == len(parts) else "/"
        inner = f"(|{slash}{part}{inner})"
    return f"^/{inner}$"


def _subvolumes(text: str) -> tuple[dict[int, Subvolume], int]:
    """Return the subvolumes that the tree of trees names, and the number of the default one."""
    found: dict[int, Subvolume] = {}
    copies: set[int] = set()
    default, own = TOP, 0
    behind: tuple[int, int] | None = None
    in_default = False
    for line in text.split("\n"):
        if " key (" in line and line.lstrip().startswith("item"):
            in_default = "ROOT_TREE_DIR DIR_ITEM" in line
            item, back = _ROOT_ITEM.search(line), _BACKREF.search(line)
            own = int(item[1]) if item is not None and item[1].isdecimal() else 0
            behind = (int(back[1]), int(back[2]) if back[2].isdecimal() else TOP) if back is not None else None
        elif behind is not None and (named := _NAMED.match(line)) is not None:
            if len(found) < _SUBVOLUMES_MAX and "/" not in named[2] and named[2] not in {"", ".", ".."}:
                found[behind[0]] = Subvolume(behind[0], behind[1], int(named[1]), named[2])
        elif in_default and (located := _DEFAULT.match(line)) is not None:
            default = int(located[1]) if located[1].isdecimal() else TOP
        elif own and line.lstrip().startswith("parent_uuid") and not line.endswith(_NOBODY):
            copies.add(own)
    whole = {number: msgspec.structs.replace(one, is_snapshot=number in copies) for number, one in found.items()}
    return whole, default if default in whole else TOP


def listing(text: str) -> dict[str, dict[str, _Entry]]:
    """Read what `btrfs restore -D -v -v` prints. Raise UserError for names that lead elsewhere."""
    found: dict[str, dict[str, _Entry]] = {"": {}}
    said = [one for one in map(_line, text.split("\n")) if one is not None]
    open_folders, last = [""], ""

    def is_folder(path: str) -> None:
        folder, _, name = path.rpartition("/")
        if path:
            found.setdefault(folder, {})[name] = _Entry("dir")
            found.setdefault(path, {})

    for index, (what, path, target) in enumerate(said):
        folder, _, name = path.rpartition("/")
        wrong = what != "end" and not {"", ".", ".."}.isdisjoint(path.split("/")) and (path or what == "entry")
        if wrong or index > _ENTRIES_MAX:
            raise UserError("its Btrfs has names that lead out of their folder", hint="is the image damaged?")
        if what == "entry":
            if folder and folder == last:
                is_folder(folder)
                open_folders.append(folder)
            found.setdefault(folder, {})[name] = _Entry("symlink", target) if target else _Entry("file")
            last = path
        elif what == "done":
            is_folder(path)
            open_folders = open_folders[:-1] if len(open_folders) > 1 and open_folders[-1] == path else open_folders
            last = ""
        else:
            # The last folder of a tree ends so, without its name: the one just named, if the one that holds it goes on.
            own = open_folders[-1]
            follows = said[index + 1] if index + 1 < len(said) else ("", "", "")
            goes_on = follows == ("done", own, "") or follows[0] == "end"
            goes_on = goes_on or (follows[0] == "entry" and follows[1].rpartition("/")[0] == own)
            if last and goes_on:
                is_folder(last)
            elif len(open_folders) > 1:
                open_folders.pop()
            last = ""
    return found


def _line(line: str) -> tuple[str, str, str] | None:
    """Return what a line of it says: an entry with a link's target, a folder that is done, the end of one."""
    if line.startswith("Restoring out/"):
        return "entry", line[len("Restoring out/") :], ""
    if (link := _LINK.fullmatch(line)) is not None:
        return "entry", link["path"], link["target"]
    if line.startswith("Done searching "):
        return "done", line[len("Done searching ") :].removeprefix("/"), ""
    return ("end", "", "") if line.startswith("Reached the end of the tree searching") else None
