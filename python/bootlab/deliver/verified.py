# SPDX-License-Identifier: MIT
"""Each change of a hand-over in a new build: found, missing, or unknown where the build's files do not tell."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.deliver.build import Build
from bootlab.deliver.evidence import HandOver
from bootlab.deliver.pieces import CmdlineWords, FilePut, FilesDropped, KernelOptions, Packed, Piece, pieces_of
from bootlab.deliver.words import whole
from bootlab.formats.file_view import FileView, Kind
from bootlab.model import change as ops
from bootlab.model.change import Op
from bootlab.model.cmdline import CommandLine, Param
from bootlab.model.tree import Entry

Fate = Literal["found", "missing", "unknown"]
_COMPARED_MAX_BYTES = 64 << 20
_NAMED_MAX = 4


class SeenPart(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a change, and whether the build has it. `reason`: what shows it, or why nothing does."""

    what: str
    fate: Fate
    reason: str


class SeenChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of the hand-over and its parts. A part that a later change undoes is not among them."""

    change_id: str
    title: str
    parts: tuple[SeenPart, ...]

    @property
    def fate(self) -> Fate:
        """Missing as soon as one part is; found where all are."""
        fates = {part.fate for part in self.parts}
        return "missing" if "missing" in fates else "unknown" if "unknown" in fates or not fates else "found"


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """A build held against a hand-over. `base_ns`, `final_ns`, `build_ns`: goals, nanoseconds on `clock`.

    `build_ns` None: not booted, or its goal was not reached; `gain` says what the boot told.
    """

    name: str
    build: str
    changes: tuple[SeenChange, ...]
    clock: str = ""
    base_ns: int | None = None
    final_ns: int | None = None
    build_ns: int | None = None
    gain: str = ""

    def of(self, fate: Fate) -> tuple[SeenChange, ...]:
        """Return the changes of one fate."""
        return tuple(change for change in self.changes if change.fate == fate)


def verify(over: HandOver, build: Build, name: str) -> Verified:
    """Look for each change in a build. Nothing is booted."""
    pieces = pieces_of(over)
    last = _Last(pieces)
    rows = []
    for number, (handed, own) in enumerate(zip(over.changes, pieces, strict=True)):
        parts = [*_on_the_line(handed.change.ops, over, build)]
        for piece in own:
            parts += _piece(piece, number, last, build, over)
        rows.append(SeenChange(change_id=handed.change.id, title=handed.title, parts=tuple(parts)))
    return Verified(
        name=over.name,
        build=name,
        changes=tuple(rows),
        clock=over.clock,
        base_ns=over.base_ns,
        final_ns=over.final_ns,
    )


class _Last:
    """Which change has the last word about an option, a file, the archive's compression."""

    def __init__(self, pieces: tuple[tuple[Piece, ...], ...]) -> None:
        self.options: dict[str, int] = {}
        self.paths: dict[str, int] = {}
        self.packed = -1
        for number, own in enumerate(pieces):
            for piece in own:
                if isinstance(piece, KernelOptions):
                    self.options |= dict.fromkeys((name for name, _ in piece.options), number)
                elif isinstance(piece, FilePut):
                    self.paths[piece.path] = number
                elif isinstance(piece, FilesDropped):
                    self.paths |= dict.fromkeys(piece.paths, number)
                elif isinstance(piece, Packed):
                    self.packed = number


def _on_the_line(all_ops: tuple[Op, ...], over: HandOver, build: Build) -> Iterator[SeenPart]:
    final = CommandLine.parse(over.cmdline)
    for op in all_ops:
        asked = _asked(op)
        # What the result itself has no more was undone by a later change.
        if asked is None or not asked[1](final):
            continue
        what, holds = asked
        if build.cmdline is None:
            yield SeenPart(what=what, fate="unknown", reason="nothing in the build says the kernel's command line")
        elif holds(build.cmdline):
            yield SeenPart(what=what, fate="found", reason=f"so in {build.cmdline_from}")
        else:
            yield SeenPart(what=what, fate="missing", reason=f"not so in {build.cmdline_from}: {build.cmdline}"[:300])


def _asked(op: Op) -> tuple[str, Callable[[CommandLine], bool]] | None:
    """Return what an operation asks of the command line, and whether a line has it."""
    match op:
        case ops.SetParam():
            # The last one counts.
            return (
                f"kernel parameter {Param(op.key, op.value)}",
                lambda line: [param.value for param in line.all(op.key)][-1:] == [op.value],
            )
        case ops.AddParam():
            return f"kernel parameter {Param(op.key, op.value)}", lambda line: any(
                param.value == op.value for param in line.all(op.key)
            )
        case ops.ExtendParam():
            return (
                f"kernel parameter {op.key} with {op.value}",
                lambda line: (
                    set(op.value.split(","))
                    <= {word for param in line.all(op.key) for word in (param.value or "").split(",")}
                ),
            )
        case ops.DropParam():
            return f"no kernel parameter {Param(op.key, op.value)}", lambda line: not line.has(op.key, op.value)
        case ops.SetInitArguments():
            return f"arguments of init: {' '.join(op.arguments) or 'none'}", lambda line: line.init_args == op.arguments
        case _:
            return None


def _piece(piece: Piece, number: int, last: _Last, build: Build, over: HandOver) -> Iterator[SeenPart]:
    match piece:
        case KernelOptions():
            yield from _options(
                tuple((name, value) for name, value in piece.options if last.options[name] == number), build
            )
        case FilePut() if last.paths[piece.path] == number:
            yield _put(piece, build, over)
        case FilesDropped():
            yield from _dropped(piece, tuple(path for path in piece.paths if last.paths[path] == number), build, over)
        case Packed() if last.packed == number:
            yield _packed(piece, build)
        case FilePut() | Packed() | CmdlineWords():
            return
        case _:
            yield SeenPart(what=whole(piece), fate="unknown", reason="the files of a build do not tell")


def _options(options: tuple[tuple[str, str], ...], build: Build) -> Iterator[SeenPart]:
    if not options:
        return
    what = f"{len(options)} kernel option{'s' if len(options) > 1 else ''}"
    if len(options) == 1:
        what = f"kernel option {options[0][0]}={options[0][1]}"
    if build.config is None:
        yield SeenPart(what=what, fate="unknown", reason="the kernel's configuration is not there")
        return
    wrong = [
        f"{name} is {there}, not {value}"
        for name, value in options
        if (there := build.config.get(name, "n")) != _plain(value)
    ]
    more = f" and {len(wrong) - _NAMED_MAX} more" if len(wrong) > _NAMED_MAX else ""
    yield SeenPart(
        what=what,
        fate="missing" if wrong else "found",
        reason=(", ".join(wrong[:_NAMED_MAX]) + more) if wrong else f"so in {build.config_from}",
    )


def _plain(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


def _tree(build: Build, over: HandOver, *, initramfs: bool = False) -> FileView | None:
    if initramfs:
        return build.initramfs
    if over.tree == "initramfs":
        return build.initramfs if build.initramfs is not None else build.root
    return build.root


def _put(piece: FilePut, build: Build, over: HandOver) -> SeenPart:
    view, what = _tree(build, over), f"file {piece.path}"
    if view is None:
        return SeenPart(what=what, fate="unknown", reason="the build has no root tree that can be read")
    if piece.entry.kind == "symlink":
        target = view.link(piece.path)
        fate: Fate = "found" if target == piece.entry.target else "missing"
        return SeenPart(
            what=what, fate=fate, reason=f"a link to {target}" if target is not None else "no link is there"
        )
    kind = view.kind(piece.path)
    if kind != piece.entry.kind:
        # A device is neither a file nor a folder.
        device = kind == "other" and piece.entry.kind in {"char", "block", "fifo"}
        there = "it is there" if device else "it is not there" if kind is None else f"a {kind} is there"
        return SeenPart(what=what, fate="found" if device else "missing", reason=there)
    return _filled(what, piece, view, kind)


def _filled(what: str, piece: FilePut, view: FileView, kind: Kind) -> SeenPart:
    """Compare the contents of a file that is there."""
    wanted = _contents(piece.entry)
    if kind == "dir":
        return SeenPart(what=what, fate="found", reason="it is there")
    if wanted is None:
        return SeenPart(what=what, fate="unknown", reason="a file is there; what it should hold is not known here")
    same = view.data(piece.path, _COMPARED_MAX_BYTES) == wanted
    return SeenPart(
        what=what, fate="found" if same else "missing", reason=f"its contents {'agree' if same else 'differ'}"
    )


def _contents(entry: Entry) -> bytes | None:
    if entry.text is not None:
        return entry.text.encode()
    try:
        return Path(entry.source).read_bytes() if entry.source is not None else None
    except OSError:
        return None


def _dropped(piece: FilesDropped, paths: tuple[str, ...], build: Build, over: HandOver) -> Iterator[SeenPart]:
    if not paths:
        return
    view = _tree(build, over, initramfs=piece.initramfs)
    place = "initramfs" if piece.initramfs else "root tree"
    what = f"{place} without {paths[0]}" if len(paths) == 1 else f"{place} without {len(paths)} files"
    if view is None:
        yield SeenPart(what=what, fate="unknown", reason=f"the build has no {place} that can be read")
        return
    there = [path for path in paths if _is_there(view, path)]
    more = f" and {len(there) - _NAMED_MAX} more" if len(there) > _NAMED_MAX else ""
    reason = f"still there: {', '.join(there[:_NAMED_MAX])}{more}" if there else "none of them is there"
    yield SeenPart(what=what, fate="missing" if there else "found", reason=reason)


def _is_there(view: FileView, path: str) -> bool:
    """Tell whether a name is there, a link that leads nowhere too."""
    return posixpath.basename(path) in view.names(posixpath.dirname(path) or "/")


def _packed(piece: Packed, build: Build) -> SeenPart:
    what = f"initramfs compressed with {piece.compression}"
    if build.compression is None:
        return SeenPart(what=what, fate="unknown", reason="the build has no initramfs that can be read")
    same = build.compression == piece.compression
    return SeenPart(what=what, fate="found" if same else "missing", reason=f"it is {build.compression}")
