# SPDX-License-Identifier: MIT
"""Sentences and texts that several build systems share."""

from __future__ import annotations

import shlex

from bootlab.deliver.pieces import (
    Beyond,
    CmdlineWords,
    FilePut,
    FilesDropped,
    KernelOptions,
    LoaderOptions,
    Packed,
    Piece,
    SourcePatch,
)
from bootlab.kernelsource.configuration import write_config
from bootlab.model.source_build import Options
from bootlab.model.tree import Entry

_NAMED_MAX = 6
_WORD_MAX = 48


def fragment(options: Options) -> str:
    """Return options as a configuration fragment."""
    return write_config(dict(options))


def whole(piece: Piece) -> str:
    """Say in a few words what a piece asks for, for a person who has to do it."""
    match piece:
        case CmdlineWords():
            words = [f"add {_cut(word)}" for word in piece.added] + [f"drop {_cut(word)}" for word in piece.removed]
            text = f"kernel command line: {', '.join(words) or piece.line}"
        case KernelOptions() | LoaderOptions():
            source = "kernel" if isinstance(piece, KernelOptions) else "U-Boot"
            text = f"{source} configuration: {_some(f'{name}={value}' for name, value in piece.options)}"
        case SourcePatch():
            text = f"kernel source: the patch {piece.patch.name}"
        case FilePut():
            text = f"root tree: put {piece.path}"
        case FilesDropped():
            text = f"{'initramfs' if piece.initramfs else 'root tree'}: leave out {_some(piece.paths)}"
        case Packed():
            text = f"initramfs: compress with {piece.compression}" + (f", level {piece.level}" if piece.level else "")
        case Beyond():
            text = piece.text
    return text


def _cut(word: str) -> str:
    return word if len(word) <= _WORD_MAX else f"{word[:_WORD_MAX]}…"


def _some(names: object) -> str:
    all_names = [str(name) for name in names]  # type: ignore[attr-defined]
    more = len(all_names) - _NAMED_MAX
    return ", ".join(all_names[:_NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def contents_known(entry: Entry) -> bool:
    """Tell whether an entry can be handed over as a file: not what is built when the tree is packed, nor a device."""
    return entry.kind == "symlink" or entry.text is not None or entry.source is not None


def removal(variable: str, paths: tuple[str, ...]) -> list[str]:
    """Return shell lines that remove files below a folder that a variable names."""
    return [f'rm -rf -- "${variable}"{shlex.quote(path)}' for path in paths]
