# SPDX-License-Identifier: MIT
"""What a change consists of, whatever a build system calls it: words, options, files, an archive's compression."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.builders.kbuild.fragment import read_fragment
from bootlab.deliver.evidence import HandOver
from bootlab.errors import UserError
from bootlab.model import change as ops
from bootlab.model import kernel_change as kernel_ops
from bootlab.model.change import Change, Op
from bootlab.model.change_text import op_text
from bootlab.model.cmdline import CommandLine
from bootlab.model.source_build import KernelPatch, Options
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.model.tree import Compression, Entry


class CmdlineWords(msgspec.Struct, frozen=True):
    """Words of the kernel's command line that come and go; `line`: all of it with the change."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    line: str


class KernelOptions(msgspec.Struct, frozen=True):
    """Options of the kernel's configuration (name without `CONFIG_`, value as a `.config` writes it)."""

    options: Options


class LoaderOptions(msgspec.Struct, frozen=True):
    """Options of U-Boot's configuration."""

    options: Options


class SourcePatch(msgspec.Struct, frozen=True):
    """A patch of the kernel's source."""

    patch: KernelPatch


class FilePut(msgspec.Struct, frozen=True):
    """One entry of the root tree that is added or replaced."""

    path: str
    entry: Entry


class FilesDropped(msgspec.Struct, frozen=True):
    """Files that are left out of the root tree, or of an initramfs that only mounts the root."""

    paths: tuple[str, ...]
    initramfs: bool = False


class Packed(msgspec.Struct, frozen=True):
    """How the initramfs is compressed. `level` None: the tool's best."""

    compression: Compression
    level: int | None = None


class Beyond(msgspec.Struct, frozen=True):
    """What only a person can do; the text says what."""

    text: str


Piece = CmdlineWords | KernelOptions | LoaderOptions | SourcePatch | FilePut | FilesDropped | Packed | Beyond


def pieces_of(over: HandOver) -> tuple[tuple[Piece, ...], ...]:
    """Return the pieces of each change, in the order of the changes."""
    lines = _lines(over)
    return tuple(
        (*_words(before, after), *(piece for op in handed.change.ops for piece in _pieces(op)))
        for handed, before, after in zip(over.changes, lines, lines[1:], strict=False)
    )


def _lines(over: HandOver) -> tuple[CommandLine, ...]:
    """Return the command line before the first change and with each; () where it cannot be read."""
    base = CommandLine.parse(over.base_cmdline)
    bare = SystemDescription(name="", kernel=Kernel(image=""), goal=Goal(console=""), cmdline=base)
    # A board's own line gets no root and no console of the emulated machine.
    ways = [_with_each(start, over) for start in (bare, msgspec.structs.replace(bare, board_cmdline=base))]
    return next((lines for lines in ways if str(lines[-1]) == over.cmdline), ways[0])


def _with_each(system: SystemDescription, over: HandOver) -> tuple[CommandLine, ...]:
    lines = [system.cmdline_to_pass]
    for handed in over.changes:
        on_the_line = tuple(op for op in handed.change.ops if isinstance(op, _ON_THE_LINE))
        system = Change(technique=handed.change.technique, ops=on_the_line).apply(system)
        lines.append(system.cmdline_to_pass)
    return tuple(lines)


_ON_THE_LINE = (ops.SetParam, ops.ExtendParam, ops.AddParam, ops.DropParam, ops.SetInitArguments)


def _words(before: CommandLine, after: CommandLine) -> tuple[CmdlineWords, ...]:
    old, new = [str(param) for param in before.params], [str(param) for param in after.params]
    added = tuple(word for word in new if word not in old)
    removed = tuple(word for word in old if word not in new)
    if not added and not removed and before.init_args == after.init_args:
        return ()
    return (CmdlineWords(added, removed, str(after)),)


def _pieces(op: Op) -> tuple[Piece, ...]:
    found: tuple[Piece, ...]
    match op:
        case ops.SetParam() | ops.ExtendParam() | ops.AddParam() | ops.DropParam() | ops.SetInitArguments():
            found = ()
        case ops.PutFile():
            found = (FilePut(op.path, op.entry),)
        case ops.DropFiles():
            found = (FilesDropped(op.paths),)
        case ops.DropInitramfsFiles():
            found = (FilesDropped(op.paths, initramfs=True),)
        case ops.SetCompression():
            found = (Packed(op.compression, op.level),)
        case ops.SetLoaderOptions():
            found = (LoaderOptions(op.options),)
        case kernel_ops.SetKernelOptions():
            found = (KernelOptions(op.options),)
        case kernel_ops.AddKernelFragment():
            found = (_fragment(op.path),)
        case kernel_ops.AddKernelPatch():
            found = (SourcePatch(op.patch),)
        case _:
            found = (Beyond(op_text(op)),)
    return found


def _fragment(path: str) -> Piece:
    try:
        return KernelOptions(tuple(read_fragment(Path(path)).options.items()))
    except UserError as fault:
        return Beyond(f"kernel: merge the fragment {path} ({fault.message})")
