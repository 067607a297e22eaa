# SPDX-License-Identifier: MIT
"""Changes that mean nothing, one a number: what a benchmark makes of a system to see what its judges say of them."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import msgspec

from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry, FileTree

_NOTE, _FOLDERS = "/opt/null-note", ("/srv/null-a", "/srv/null-b")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def prepared(system: SystemDescription) -> SystemDescription:
    """Put into a tree what the changes move about: a file that nothing reads, and two empty folders."""
    if system.initramfs is None:
        return system
    tree = _noted(system.initramfs.tree, _NOTE, "nobody reads this\n" * 20)
    return system.with_tree(_folders(tree, _FOLDERS))


def null_change(system: SystemDescription, number: int) -> tuple[str, SystemDescription]:
    """Return a null change of a prepared system, by number from 0, with its name.

    The kinds take turns: the moment at which the machine's clock starts, the contents and the name of the file that
    nothing reads (at the same length), two empty folders swapped beside a longer file, `panic=N`.
    """
    kinds: tuple[Callable[[SystemDescription, int], tuple[str, SystemDescription]], ...] = (
        _clock,
        _contents,
        _renamed,
        _swapped,
        _panic,
    )
    step, kind = divmod(number, len(kinds))
    return kinds[kind](system, step + 1)


def _clock(system: SystemDescription, step: int) -> tuple[str, SystemDescription]:
    began = datetime.datetime.fromisoformat(system.clock.rtc_base)
    moved = (began + datetime.timedelta(seconds=601 * step)).isoformat()
    clock = msgspec.structs.replace(system.clock, rtc_base=moved)
    return f"rtc_base {moved}", msgspec.structs.replace(system, clock=clock)


def _contents(system: SystemDescription, step: int) -> tuple[str, SystemDescription]:
    text = f"nobody reads {_LETTERS[step]}---\n" * 20
    return f"unread file: {text[:17]!r}", system.with_tree(_noted(_tree(system), _NOTE, text))


def _renamed(system: SystemDescription, step: int) -> tuple[str, SystemDescription]:
    name = _NOTE[:-1] + _LETTERS[step + 5]
    tree = _tree(system).without(frozenset({_NOTE}))
    return f"unread file named {name}", system.with_tree(_noted(tree, name, "nobody reads this\n" * 20))


def _swapped(system: SystemDescription, step: int) -> tuple[str, SystemDescription]:
    tree = _folders(_tree(system), tuple(reversed(_FOLDERS)))
    longer = _noted(tree, _NOTE, "nobody reads this\n" * (20 + step))
    return f"empty folders swapped, unread file {step} lines longer", system.with_tree(longer)


def _panic(system: SystemDescription, step: int) -> tuple[str, SystemDescription]:
    # The same length: another one moves what the kernel prints of its command line.
    seconds = 10 + step if len(system.cmdline.value("panic") or "") > 1 else (5 + step) % 10
    cmdline = system.cmdline.with_param("panic", str(seconds))
    return f"panic={seconds}", msgspec.structs.replace(system, cmdline=cmdline)


def _tree(system: SystemDescription) -> FileTree:
    if system.initramfs is None:
        raise SystemExit(f"{system.name} has no initramfs for a file that nothing reads")
    return system.initramfs.tree


def _noted(tree: FileTree, path: str, text: str) -> FileTree:
    return tree.put(path, Entry(kind="file", mode=0o644, text=text))


def _folders(tree: FileTree, names: tuple[str, ...]) -> FileTree:
    first, second = names
    return tree.put(first, Entry(kind="dir", mode=0o755)).put(second, Entry(kind="dir", mode=0o700))
