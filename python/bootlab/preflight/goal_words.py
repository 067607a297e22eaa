# SPDX-License-Identifier: MIT
"""Whether anything in a tree could print the goal: each of its words must stand in some file.

A word that no file has is misspelt, or a program that prints it was left out. It may still come from elsewhere (a name
that the network gives, text in a packed file), so this never ends a boot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bootlab import _core
from bootlab.model.system import SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.preflight.first_script import of_the_kernel

_WORD = re.compile(r"[A-Za-z]{4,}")
# What a pattern does not say letter by letter: classes, sets, a letter that may be missing or come again.
_OPEN = re.compile(r"\\[A-Za-z]|\[[^\]]*\]|\\?.(?:[?*]|\{[^}]*\})")
_TREE_MAX_BYTES = 96 << 20
_KERNEL_MAX_BYTES = 64 << 20


def likely(system: SystemDescription) -> str:
    """Return which word of the goal nothing in the tree or in the kernel has; "" where each is found or all unknown."""
    tree, goal = system.tree, system.goal.console
    if tree is None or system.programs or system.loader is not None or of_the_kernel(goal):
        return ""
    words = words_of(goal)
    missing = _missing(words, tree) if words else set()
    word = next((word for word in words if word in missing), "")
    if not word or _in_kernel(_with_neighbours(word, goal), system.kernel.image):
        return ""
    return (
        f"no file of the tree has the word {word!r} of the goal {goal!r}: is it misspelt, or is the program that "
        "prints it left out?"
    )


def words_of(pattern: str) -> tuple[str, ...]:
    """Return the words that every match of a pattern has; none of a pattern with alternatives or groups."""
    if re.search(r"(?<!\\)[|(]", pattern):
        return ()
    return tuple(dict.fromkeys(_WORD.findall(_plain(pattern))))


def _plain(pattern: str) -> str:
    return re.sub(r"\\([^A-Za-z0-9])", r"\1", _OPEN.sub(" ", pattern))


def _with_neighbours(word: str, pattern: str) -> tuple[str, ...]:
    """Return a word with the one before it and with the one behind it; alone where it has neither.

    The kernel has nearly every word somewhere; one of its messages has two of them side by side.
    """
    plain = _plain(pattern)
    at = plain.index(word)
    end = at + len(word)
    before, behind = (
        re.search(r"[A-Za-z]+[^A-Za-z]{1,3}$", plain[:at]),
        re.match(r"[^A-Za-z]{1,3}[A-Za-z]+", plain[end:]),
    )
    found = [plain[before.start() : end]] if before else []
    found += [plain[at : end + behind.end()]] if behind else []
    return tuple(found) or (word,)


def _missing(words: tuple[str, ...], tree: FileTree) -> set[str]:
    left = {word: word.encode() for word in words}
    room = _TREE_MAX_BYTES
    for path, entry in tree.entries:
        # The name of a unit or of a program may be a part of what is printed.
        left = {word: raw for word, raw in left.items() if word not in path}
        for data in _content(entry):
            room -= len(data)
            left = {word: raw for word, raw in left.items() if raw not in data}
        if not left or room < 0 or entry.busybox is not None:
            return set()
    return set(left)


def _content(entry: Entry) -> Iterator[bytes]:
    if entry.kind != "file":
        return
    if entry.source is None:
        yield (entry.text or "").encode("utf-8", "surrogateescape")
        return
    try:
        if Path(entry.source).stat().st_size <= _TREE_MAX_BYTES:
            yield Path(entry.source).read_bytes()
    except OSError:
        return


def _in_kernel(texts: tuple[str, ...], image: str | Path) -> bool:
    """Tell whether the kernel has one of some texts, packed as it may be; True where it cannot be read."""
    try:
        data = Path(image).read_bytes()
    except OSError:
        return True
    if len(data) > _KERNEL_MAX_BYTES:
        return True
    if any(text.encode() in data for text in texts):
        return True
    try:
        unpacked = _core.kernel_extract_vmlinux(data)
        return any(text.encode() in unpacked for text in texts)
    except _core.CoreError:
        return True
