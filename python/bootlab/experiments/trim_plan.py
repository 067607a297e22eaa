# SPDX-License-Identifier: MIT
"""Which files of a tree stay: those that were used, and those that these cannot do without. No boot is made here."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterable, Mapping

import msgspec

from bootlab.builders.tree_needs import TreeNeeds
from bootlab.model.accesses import Access, Accesses
from bootlab.model.architecture import Arch
from bootlab.model.tree import Entry, FileTree
from bootlab.model.tree_links import normal
from bootlab.model.trim import Reason

_DEVICES = frozenset({"char", "block", "fifo"})
_WHO_MAX = 4
_VAGUE = {"followed": 1, "named": 2}
_PATH = re.compile(r"/[^\s'\":;,()\[\]<>|&$`]+")
_SEARCHED = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


class Why(msgspec.Struct, frozen=True):
    """Why a name stays."""

    reason: Reason
    detail: str = ""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What stays whatever was seen: programs by path, patterns of a keep-list, files that were put back and why.

    `check`: the words of the check's command; paths in them stay.
    """

    init: str
    application: str | None = None
    check: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    put_back: tuple[tuple[str, str], ...] = ()


def kept_names(tree: FileTree, arch: Arch, accesses: Accesses, wanted: Wanted) -> dict[str, Why]:
    """Return every name that stays, with its reason. Raise UserError when a file of the tree cannot be read."""
    plan = _Plan(tree, arch)
    plan.seed(wanted.init, Why("first program", "what the kernel starts"))
    if wanted.application:
        plan.seed(wanted.application, Why("application", "of the system file"))
    for path, why in wanted.put_back:
        plan.seed(path, Why("put back", why))
    for path in tree.as_dict():
        for pattern in wanted.keep:
            # A folder's name stands for what is in it, too.
            if fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, f"{pattern.rstrip('/')}/*"):
                plan.seed(path, Why("keep-list", pattern))
    plan.accesses(accesses)
    for path in _paths_of(wanted.check):
        if path in plan.names:
            plan.seed(path, Why("check", "named by the check's command"))
    for path, entry in tree.entries:
        if entry.kind in _DEVICES:
            plan.seed(path, Why("device node", entry.kind))
    for path in accesses.mount_points:
        plan.seed(path, Why("mount point"))
    plan.close()
    return plan.kept


class _Plan:
    """The names that stay so far. The first reason that is found for one is its reason."""

    def __init__(self, tree: FileTree, arch: Arch) -> None:
        self._needs = TreeNeeds(tree, arch)
        self._entries = self._needs.entries
        self._filled = {path.rpartition("/")[0] for path in self._entries}
        self._groups = _groups(self._entries)
        self._todo: list[str] = []
        self.kept: dict[str, Why] = {}

    @property
    def names(self) -> Collection[str]:
        """Every name of the tree."""
        return self._entries.keys()

    def _keep(self, path: str, why: Why) -> None:
        if path not in self.kept:
            self.kept[path] = why
            self._todo.append(path)

    def seed(self, path: str, why: Why) -> bool:
        """Keep a name, the links on its way and where they lead. Tell whether it is in the tree."""
        path = normal(path)
        parent, _, name = path.rpartition("/")
        way = self._needs.follow(path)
        for link in way.links:
            self._keep(link, why if link == path else Why("link", f"on the way to {path}"))
        if way.entry is not None:
            self._keep(way.path, why)
            return True
        # Nothing is there: a probe that fails as before, or a file that is made later, in a folder that must be there.
        folder = self._needs.follow(parent or "/")
        if name and folder.entry is not None and folder.entry.kind == "dir":
            for link in folder.links:
                self._keep(link, Why("link", f"on the way to {path}"))
            self._keep(folder.path, Why("folder", f"{path} was asked for"))
        return False

    def accesses(self, accesses: Accesses) -> None:
        """Keep what was used while the system booted, then what only the check used."""
        by_path: dict[tuple[str, str], list[Access]] = {}
        for access in accesses.seen:
            for path in self._meant(access, accesses):
                by_path.setdefault((access.phase, path), []).append(access)
        for phase in ("boot", "check"):
            used = {path: some for (when, path), some in by_path.items() if when == phase}
            # What was read tells more than a link to it, and that more than a name that was only given.
            for path, some in sorted(used.items(), key=lambda item: min(_VAGUE.get(a.kind, 0) for a in item[1])):
                self.seed(path, _why(some, check=phase == "check"))

    def _meant(self, access: Access, accesses: Accesses) -> Iterable[str]:
        if access.path.startswith("/"):
            return (normal(access.path),) if normal(access.path) != "/" else ()
        if accesses.works("atime") or access.path in {".", ".."}:
            # Access times know the file, whatever name it was given.
            return ()
        end = "/" + access.path.removeprefix("./").rstrip("/")
        return tuple(path for path in self._entries if path.endswith(end) and self._entries[path].kind != "dir")

    def close(self) -> None:
        """Add what kept files need, the folders they are in, and folders that were empty from the start."""
        for path, entry in self._entries.items():
            if entry.kind == "dir" and path not in self._filled:
                self._keep(path, Why("empty folder", "to mount on or to write in"))
        while self._todo:
            path = self._todo.pop()
            self._follow_up(path, self._entries[path])

    def _follow_up(self, path: str, entry: Entry) -> None:
        parent = path.rpartition("/")[0]
        if parent in self._entries:
            self._keep(parent, Why("folder", f"of {path}"))
        if entry.kind == "symlink":
            self.seed(path, self.kept[path])
        elif entry.kind == "file":
            for other in self._groups.get(entry.linked, ()) if entry.linked else ():
                self._keep(other, Why("hard link", f"of {path}"))
            if self.kept[path].reason == "looked at":
                return
            for need in self._needs.of(path):
                for link in need.way.links:
                    self._keep(link, Why("link", f"on the way to {need.name}, of {path}"))
                if need.way.entry is not None:
                    self._keep(need.way.path, Why(need.kind, f"of {path}"))


def _paths_of(command: tuple[str, ...]) -> list[str]:
    """Return the absolute paths in a command's words, and where its program may lie (`execvp`)."""
    paths = [normal(path) for word in command for path in _PATH.findall(word)]
    if command and "/" not in command[0]:
        paths += [f"{folder}/{command[0]}" for folder in _SEARCHED]
    return paths


def _groups(entries: Mapping[str, Entry]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for path, entry in entries.items():
        if entry.linked:
            groups.setdefault(entry.linked, []).append(path)
    return groups


def _why(some: list[Access], *, check: bool) -> Why:
    who = list(dict.fromkeys(access.who for access in some if access.who))
    methods = ", ".join(sorted({access.method for access in some}))
    by = f" by {', '.join(who[:_WHO_MAX])}{' …' if len(who) > _WHO_MAX else ''}" if who else ""
    detail = f"{by} ({methods})"
    kinds = {access.kind for access in some}
    if check:
        return Why("check", f"only while the check ran,{detail}" if by else f"only while the check ran{detail}")
    if kinds == {"named"}:
        return Why("looked at", detail.strip())
    strongest = next(k for k in ("executed", "read", "listed", "followed", "opened") if k in kinds)
    return Why("used", f"{strongest}{detail}")
