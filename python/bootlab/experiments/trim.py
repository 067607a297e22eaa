# SPDX-License-Identifier: MIT
"""Trimming a root tree: one boot tells what is used; the trimmed system is booted and checked, its lacks put back."""

from __future__ import annotations

import re

import msgspec

from bootlab.builders.images.members import Member, root_of, size_of
from bootlab.builders.programs import with_built_programs
from bootlab.collectors.accesses import accesses_of, watched_system
from bootlab.errors import MeasurementError, TargetError, UserError
from bootlab.experiments.base import Base, establish, require_report, why_lost
from bootlab.experiments.bench import Bench
from bootlab.experiments.trial import HostEnded
from bootlab.experiments.trim_methods import agreements
from bootlab.experiments.trim_plan import Wanted, Why, kept_names
from bootlab.model.accesses import Accesses, Method
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.model.tree_links import normal
from bootlab.model.trim import PutBack, Round, TreeSize, Trimmed, TrimmedFile

ROUNDS_MAX = 12
_SEARCHED_MAX = 8
"""So many single files are searched for by halving; a tree that lacks more of them was not watched well."""
_PATH = re.compile(r"/[^\s'\":;,()\[\]<>|]+")
_NAME = re.compile(r"[A-Za-z0-9_.+-]{3,}")
_MISSING = re.compile(
    r"(?i)no such file|not found|cannot (open|stat|access|execute|load|find)|can't (open|load|find|execute)|error -2\b"
    r"|failed to (open|load|execute)|missing|unable to (open|load|find)"
)
_IMAGES = ("initramfs", "root")


class TrimRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to trim by. `keep`: more patterns of files that stay; `methods`: believe only these, none: all.

    `given`: accesses that were seen elsewhere, on a board; then no boot is watched.
    """

    keep: tuple[str, ...] = ()
    methods: tuple[Method, ...] = ()
    given: Accesses | None = None
    dry_run: bool = False


class TrimmedSystem(msgspec.Struct, frozen=True, kw_only=True):
    """The result, with what hands it over: the trimmed system and the boot that proved it (None: a dry run)."""

    result: Trimmed
    system: SystemDescription
    recording: Recording | None


def trim(bench: Bench, system: SystemDescription, request: TrimRequest) -> TrimmedSystem:
    """Trim a system's tree.

    Raise UserError without a tree, BaseFailedError when the system fails as it is, MeasurementError when no method saw
    anything, TargetError when the trimmed system cannot be made to work.
    """
    system = with_built_programs(system, bench.cache)
    tree = system.tree
    if tree is None or not tree.entries:
        raise UserError(
            f"{system.name} has no tree of files that bootlab packs",
            hint="add [initramfs] or [root] with dir, archive or files",
        )
    bench.phase("base")
    base = establish(bench, system, diagnostic=False)
    bench.phase("accesses")
    accesses = request.given or _watched(bench, system, base.recording)
    accesses = _believed(accesses, request.methods)
    return _Trim(bench, base, tree, accesses, request).run()


def _watched(bench: Bench, system: SystemDescription, timing: Recording) -> Accesses:
    recording = bench.boot(watched_system(system, timing), "accesses", purpose="diagnostic")
    require_report(system, recording, "the files that are used were not observed")
    accesses = accesses_of(recording)
    if not accesses.complete:
        raise MeasurementError(
            f"the report of the observed boot arrived damaged: {recording.path}",
            hint="does something else print to the console all the time?",
        )
    return accesses


def _believed(accesses: Accesses, methods: tuple[Method, ...]) -> Accesses:
    if methods:
        states = tuple(state for state in accesses.methods if state.name in methods)
        seen = tuple(access for access in accesses.seen if access.method in methods)
        accesses = msgspec.structs.replace(accesses, methods=states, seen=seen)
    if not any(state.works for state in accesses.methods):
        reasons = "; ".join(f"{state.name}: {state.text}" for state in accesses.methods)
        raise MeasurementError(
            f"no method can observe which files are used here ({reasons or 'none was asked for'})",
            hint="build the kernel with CONFIG_FANOTIFY=y, or mount the root read-write",
        )
    return accesses


class _Trim:
    """One trimming: what has been put back so far, and the boots that showed it."""

    def __init__(self, bench: Bench, base: Base, tree: FileTree, accesses: Accesses, request: TrimRequest) -> None:
        self._bench = bench
        self._base = base
        self._system = base.system
        self._tree = tree
        self._entries = tree.as_dict()
        self._accesses = accesses
        self._request = request
        self._put_back: dict[str, str] = {}
        self._rounds: list[Round] = []

    def run(self) -> TrimmedSystem:
        kept = self._plan()
        if self._request.dry_run:
            return self._result(kept, None)
        searched = 0
        for number in range(1, ROUNDS_MAX + 1):
            self._bench.phase(f"trimmed system, round {number}")
            system = self._with(kept)
            broken, recording = self._boot(system, f"trimmed {number}")
            dropped = [path for path in self._entries if path not in kept]
            if not broken:
                self._rounds.append(Round(dropped=len(dropped), broken="", key=recording.meta.key))
                return self._result(kept, recording)
            missing = self._asked_for(recording, system, dropped)
            if not missing and searched < _SEARCHED_MAX:
                searched += 1
                missing = self._searched(kept, dropped)
            self._rounds.append(
                Round(dropped=len(dropped), broken=broken, put_back=tuple(missing), key=recording.meta.key)
            )
            if not missing:
                break
            self._put_back |= {one.path: one.why for one in missing}
            kept = self._plan()
        last = self._rounds[-1]
        raise TargetError(
            f"the trimmed system does not work, and {len(self._put_back)} files that were put back did not help: "
            f"{last.broken}",
            hint="name what it needs: --keep PATTERN, or keep = [...] in the system file",
        )

    def _plan(self) -> dict[str, Why]:
        wanted = Wanted(
            init=self._system.init_path,
            application=self._system.application,
            check=self._system.check.command,
            keep=(*self._system.keep, *self._request.keep),
            put_back=tuple(self._put_back.items()),
        )
        return kept_names(self._tree, self._system.machine.arch, self._accesses, wanted)

    def _with(self, kept: dict[str, Why], also: frozenset[str] = frozenset()) -> SystemDescription:
        names = kept.keys() | also
        return self._system.with_tree(FileTree(tuple(pair for pair in self._tree.entries if pair[0] in names)))

    def _boot(self, system: SystemDescription, label: str) -> tuple[str, Recording]:
        recording = self._bench.boot(system, label)
        lost = why_lost(self._bench, self._base, system, recording, label)
        if isinstance(lost, HostEnded):
            # Nothing of it may decide what stays in the tree.
            raise MeasurementError(f"the host ended the boot {label}: {lost}", hint="run the same command again")
        return lost, recording

    def _asked_for(self, recording: Recording, system: SystemDescription, dropped: list[str]) -> list[PutBack]:
        """Return dropped files that the failed boot's console names, and those that a watched boot of it asks for."""
        files = frozenset(path for path in dropped if self._entries[path].kind != "dir")
        found = {one.path: one for one in named_on_console(recording, files)}
        watched = self._bench.boot(
            watched_system(system, self._base.recording), "what is missing", purpose="diagnostic"
        )
        for access in accesses_of(watched).seen:
            path = normal(access.path) if access.path.startswith("/") else ""
            if path in files and path not in found:
                found[path] = PutBack(
                    path=path, why=f"{access.who or 'somebody'} looked for it without success ({access.method})"
                )
        found |= {one.path: one for one in named_on_console(watched, files) if one.path not in found}
        return list(found.values())

    def _searched(self, kept: dict[str, Why], dropped: list[str]) -> list[PutBack]:
        """Find one file that is needed by halving: the shortest beginning of the dropped list that makes it work."""
        self._bench.phase("search by halving")
        low, high = 0, len(dropped)
        while high - low > 1:
            middle = (low + high) // 2
            broken, _ = self._boot(self._with(kept, frozenset(dropped[:middle])), f"search {low}-{high}")
            low, high = (middle, high) if broken else (low, middle)
        if not dropped:
            return []
        return [PutBack(path=dropped[high - 1], why="found by halving: without it the system does not work")]

    def _result(self, kept: dict[str, Why], recording: Recording | None) -> TrimmedSystem:
        again = {member.path for member in root_of(self._tree).walk() if member.link_to}
        files = tuple(
            _file(path, entry, kept.get(path), counted=path not in again) for path, entry in self._tree.entries
        )
        system = self._with(kept)
        before = _size(files, self._base.recording)
        after = _size(tuple(file for file in files if file.kept), recording)
        result = Trimmed(
            system=self._system.name,
            clock=self._base.recording.meta.goal_clock,
            methods=self._accesses.methods,
            agreements=agreements(self._tree, self._accesses),
            files=files,
            before=before,
            after=after,
            rounds=tuple(self._rounds),
            passed=None if recording is None else True,
            checked=bool(self._system.check.console or self._system.check.command),
        )
        return TrimmedSystem(result=result, system=system, recording=recording)


def named_on_console(recording: Recording, gone: frozenset[str]) -> list[PutBack]:
    """Return dropped files that a boot's console names in a line about something missing: by path, or by bare name."""
    by_name: dict[str, list[str]] = {}
    for path in gone:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    named: dict[str, PutBack] = {}
    for line in recording.lines:
        if not _MISSING.search(line.text):
            continue
        paths = [normal(text.rstrip(".")) for text in _PATH.findall(line.text)]
        paths += [path for name in _NAME.findall(_PATH.sub(" ", line.text)) for path in by_name.get(name, ())]
        for path in paths:
            if path in gone:
                named.setdefault(path, PutBack(path=path, why=f"the console says: {line.text.strip()[:160]}"))
    return list(named.values())


def _file(path: str, entry: Entry, why: Why | None, *, counted: bool) -> TrimmedFile:
    return TrimmedFile(
        path=path,
        kind=entry.kind,
        size_bytes=size_of(Member(path=path, entry=entry)) if entry.kind == "file" and counted else 0,
        kept=why is not None,
        reason=why.reason if why is not None else "never used",
        detail=why.detail if why is not None else "",
    )


def _size(files: tuple[TrimmedFile, ...], recording: Recording | None) -> TreeSize:
    packed = recording.meta.artefact_bytes if recording is not None else {}
    return TreeSize(
        names=len(files),
        files=sum(file.kind == "file" for file in files),
        file_bytes=sum(file.size_bytes for file in files),
        image_bytes=next((packed[name] for name in _IMAGES if name in packed), None),
        goal_ns=recording.meta.goal_ns if recording is not None else None,
    )
