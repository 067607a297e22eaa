# SPDX-License-Identifier: MIT
"""Commands as a board file writes them: a text for the shell, or a list of words."""

from __future__ import annotations

from bootlab.model.real_board import Command
from bootlab.systemfile.place import Place
from bootlab.systemfile.raw_board import RawCommand


def command(words: RawCommand, where: str, place: Place) -> Command:
    """Return the words of a command: a text goes through the shell, a list does not."""
    if isinstance(words, str):
        return ("sh", "-c", words) if words.strip() else ()
    if any("\0" in word for word in words):
        raise place.error("a word holds a NUL byte", where)
    return tuple(place.expand(word, where) for word in words)


def required(words: RawCommand, where: str, place: Place) -> Command:
    """Return the words of a command that must be there. Raise SystemFileError."""
    checked = command(words, where, place)
    if not checked:
        raise place.error("a command is needed", where, 'write on = "COMMAND"; use `true` where there is nothing to do')
    return checked
