# SPDX-License-Identifier: MIT
"""Kconfig's macro language (kernel: Documentation/kbuild/kconfig-macro-language.rst), without running anything.

Variables and macros are expanded; what needs the shell, the compiler or the environment stays unknown.
"""

from __future__ import annotations

import re

OPEN, CLOSE = "\x01", "\x02"
"""Around the text of a call that is unknown."""

_ASSIGNMENT = re.compile(r"^([A-Za-z0-9_-]+)\s*(:=|\+=|=)\s*(.*)$")
_SILENT = frozenset({"info", "warning-if", "error-if"})
_DEPTH = 40
_LONGEST = 100_000
_CALLS = 1_000
"""Most calls of one line: `x = $(x)$(x)` would double for ever."""


class Macros:
    """Variables by name: their text, and whether it is expanded at each use."""

    def __init__(self, environment: dict[str, str]) -> None:
        """Take what make would hand over: `SRCARCH`, `srctree`, ..."""
        self._environment = environment
        self._variables: dict[str, tuple[str, bool]] = {}
        self._calls = 0

    def assign(self, line: str) -> bool:
        """Take an assignment; tell whether the line was one."""
        match = _ASSIGNMENT.match(line)
        if match is None:
            return False
        name, operator, text = match.groups()
        old = self._variables.get(name)
        if operator == "=":
            self._variables[name] = (text, True)
        elif operator == ":=" or old is None:
            self._variables[name] = (self.expand(text), False)
        else:
            more = text if old[1] else self.expand(text)
            self._variables[name] = (f"{old[0]} {more}", old[1])
        return True

    def expand(self, text: str, arguments: tuple[str, ...] = (), depth: int = 0) -> str:
        """Replace `$(...)`. What is unknown stands between OPEN and CLOSE, as it is written."""
        if depth == 0:
            self._calls = 0
        at = text.find("$")
        if at < 0:
            return text
        parts: list[str] = []
        start = 0
        while at >= 0:
            parts.append(text[start:at])
            if text[at + 1 : at + 2] == "(":
                end = closing(text, at + 1)
                parts.append(self._call(text[at + 2 : end], arguments, depth))
                start = end + 1
            elif text[at + 1 : at + 2] == "$":
                parts.append("$")
                start = at + 2
            else:
                # `$NAME`: what U-Boot and Buildroot write.
                match = re.compile(r"\w+").match(text, at + 1)
                if match:
                    parts.append(self._environment.get(match[0], _unknown(f"${match[0]}")))
                    start = match.end()
                else:
                    parts.append("$")
                    start = at + 1
            at = text.find("$", start)
        parts.append(text[start:])
        return "".join(parts)[:_LONGEST]

    def _call(self, inside: str, arguments: tuple[str, ...], depth: int) -> str:
        self._calls += 1
        words = split_commas(inside)
        name = self.expand(words[0], arguments, depth + 1).strip()
        if name.isdecimal() and len(words) == 1:
            return arguments[int(name)] if int(name) < len(arguments) else ""
        if name in _SILENT:
            return ""
        if name == "shell" or depth > _DEPTH or self._calls > _CALLS:
            return _unknown(f"$({inside})")
        given = tuple(self.expand(word, arguments, depth + 1) for word in words[1:])
        variable = self._variables.get(name)
        if variable is None:
            return self._environment.get(name, _unknown(f"$({inside})"))
        if not variable[1]:
            return _unknown(f"$({inside})") if OPEN in variable[0] else variable[0]
        out = self.expand(variable[0], (name, *given), depth + 1)
        return _unknown(f"$({inside})") if OPEN in out else out


def closing(text: str, at: int) -> int:
    """Return where the bracket that opens at `at` closes; the end of the text when it does not."""
    level = 0
    for index in range(at, len(text)):
        if text[index] == "(":
            level += 1
        elif text[index] == ")":
            level -= 1
            if level == 0:
                return index
    return len(text)


def split_commas(inside: str) -> list[str]:
    """Split a call at the commas that are not inside brackets."""
    words: list[str] = []
    level, start = 0, 0
    for index, letter in enumerate(inside):
        if letter == "(":
            level += 1
        elif letter == ")":
            level -= 1
        elif letter == "," and level == 0:
            words.append(inside[start:index])
            start = index + 1
    return [*words, inside[start:]]


def _unknown(text: str) -> str:
    return OPEN + text.replace(OPEN, "").replace(CLOSE, "") + CLOSE
