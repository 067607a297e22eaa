# SPDX-License-Identifier: MIT
"""Goal, check and marks: the patterns that a console is looked at with, in a system's file and in a board's."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bootlab.model.system import Check
from bootlab.systemfile.place import Place
from bootlab.systemfile.raw import RawCheck

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""What a system, a board, a mark or a step may be called."""
_LINE_END = re.compile(r"(?<!\\)(?:\\\\)*(?:\\[nr]|\n)(?![?*])")
_CHARACTER_SET = re.compile(r"\[(?:\\.|[^\]\\])+\]")


def compiled(text: str, where: str, place: Place) -> re.Pattern[str]:
    """Compile a regular expression. Raise SystemFileError, which names the character that is wrong."""
    try:
        return re.compile(text)
    except re.error as error:
        raise place.error(
            f"not a regular expression: {error.msg} at character {(error.pos or 0) + 1} of {text!r}",
            where,
            "TOML's 'single quotes' keep a backslash as it is; a literal ( or [ needs one in front",
        ) from error


def pattern_of(text: str, where: str, place: Place) -> str:
    """Return a checked regular expression. Raise SystemFileError for one that cannot be."""
    if not text:
        raise place.error("expected a regular expression, got empty text", where)
    pattern = compiled(text, where, place)
    if _LINE_END.search(_CHARACTER_SET.sub("", text)):
        raise place.error(
            f"{text!r} contains a line break, but the console is read line by line", where, "name the text of one line"
        )
    if pattern.search(""):
        raise place.error(
            f"{text!r} also matches an empty line, so the first line printed would satisfy it", where, "name some text"
        )
    return text


def check_of(raw: RawCheck, place: Place) -> Check:
    """Return the functional check."""
    patterns = [raw.console] if isinstance(raw.console, str) else raw.console
    for index, word in enumerate(raw.command):
        if not word or "\n" in word or "\0" in word:
            raise place.error(
                f"{word!r} cannot be a word of a command", f"check.command[{index}]", "put longer scripts into a file"
            )
    return Check(
        console=tuple(pattern_of(text, f"check.console[{i}]", place) for i, text in enumerate(patterns)),
        command=tuple(raw.command),
    )


def marks_of(raw: Mapping[str, object], place: Place) -> tuple[tuple[str, str], ...]:
    """Return the marks: name to pattern."""
    marks = []
    for name, text in raw.items():
        if not NAME.fullmatch(name):
            raise place.error("a mark's name may contain letters, digits, dot, dash and underscore", f'marks."{name}"')
        if not isinstance(text, str):
            raise place.error("expected a regular expression in quotes", f"marks.{name}")
        marks.append((name, pattern_of(text, f"marks.{name}", place)))
    return tuple(marks)
