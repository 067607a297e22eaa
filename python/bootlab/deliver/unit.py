# SPDX-License-Identifier: MIT
"""What a change becomes in a build system: files of its own, lines in files that changes share, and the rest."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.deliver.pieces import Piece
from bootlab.model.tree import Entry


class Text(msgspec.Struct, frozen=True):
    """A file that is handed over, by its text."""

    text: str
    mode: int = 0o644


class ChangeFiles(msgspec.Struct):
    """What is handed over for one change.

    `files`: by path in the build system's folder; an `Entry` is a file of the root tree. `lines`: more lines of a
    shared file. `unsaid`: what this build system has no words for, in sentences.
    """

    files: dict[str, Text | Entry] = {}
    lines: dict[str, tuple[str, ...]] = {}
    unsaid: tuple[str, ...] = ()

    def more(self, path: str, *lines: str) -> None:
        """Add lines to a shared file."""
        self.lines[path] = (*self.lines.get(path, ()), *lines)

    def cannot(self, what: str) -> None:
        """Say what is left to a person."""
        self.unsaid = (*self.unsaid, what)


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """A build system. `name`: of its folder; `use`: how its files are used; `heads`: how shared files begin.

    `say` fills a unit with one piece of the change that `slug` names.
    """

    name: str
    title: str
    use: str
    say: Callable[[ChangeFiles, str, Piece], None]
    heads: dict[str, str] = {}
    scripts: frozenset[str] = frozenset()

    def unit(self, slug: str, pieces: tuple[Piece, ...]) -> ChangeFiles:
        """Return what a change becomes."""
        unit = ChangeFiles()
        for piece in pieces:
            self.say(unit, slug, piece)
        return unit
