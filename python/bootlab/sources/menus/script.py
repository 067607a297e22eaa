# SPDX-License-Identifier: MIT
"""A boot loader's script gone through: conditions, loops, variables. Each loader knows its own commands.

Bounded: a script that goes on for ever is left. Nothing is run on this machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from bootlab.sources.menus.loader_test import is_true
from bootlab.sources.menus.words import MenuCommand, expanded

_STEPS_MAX = 50_000
_DEPTH_MAX = 16
_VALUES_MAX = 100
_ENDS = {"if": "fi", "for": "done", "while": "done", "until": "done"}


class MenuScript(ABC):
    """Variables and the way through the commands. `ok`: whether the last command succeeded."""

    def __init__(self, variables: dict[str, str]) -> None:
        """Begin with some variables."""
        self.variables = variables
        self.ok = True
        self._steps = 0

    @abstractmethod
    def command(self, words: list[str], command: MenuCommand, depth: int) -> str:
        """Do a command; return `break` or `return` where it ends the way."""

    @abstractmethod
    def exists(self, path: str) -> bool:
        """Tell whether a file is there."""

    def exists_on(self, words: list[str]) -> bool:
        """Tell whether a file is there, by the words of a test: its path is the last one."""
        return self.exists(words[-1])

    def words(self, words: tuple[str, ...]) -> list[str]:
        """Return words with their variables filled in."""
        return [part for word in words for part in expanded(word, self.variables)]

    def values(self, words: tuple[str, ...]) -> list[str]:
        """Return what a loop goes through."""
        return self.words(words)

    def run(self, commands: tuple[MenuCommand, ...], depth: int) -> str:
        """Go through commands; return `break` or `return` where one of them ends the way."""
        at, skip = 0, False
        while at < len(commands) and self._steps < _STEPS_MAX and depth < _DEPTH_MAX:
            self._steps += 1
            word = commands[at].words[0] if commands[at].words else ""
            compound = word in _ENDS
            end = _end_of(commands, at) if compound else at + 1
            if word in {"&&", "||"}:
                skip = self.ok == (word == "||")
            elif not skip:
                part = commands[at:end]
                left = self._compound(word, part, depth) if compound else self._one(commands[at], depth)
                if left:
                    return left
            else:
                skip = False
            at = end
        return ""

    def _one(self, command: MenuCommand, depth: int) -> str:
        words = self.words(command.words)
        turned = words[:1] == ["!"]
        words = words[1:] if turned else words
        word = words[0] if words else ""
        if word in {"break", "return", "exit"}:
            return "break" if word == "break" else "return"
        left = ""
        if word in {"[", "test"}:
            self.ok = is_true([part for part in words[1:] if part != "]"], self.exists_on)
        elif word in {"true", "false"}:
            self.ok = word == "true"
        elif word:
            left = self.command(words, command, depth)
        self.ok = self.ok != turned
        return left

    def _compound(self, word: str, part: tuple[MenuCommand, ...], depth: int) -> str:
        if word == "if":
            for condition, body in _branches(part):
                if condition is None or self._holds(condition, depth):
                    return self.run(body, depth + 1)
            return ""
        if word != "for":
            return ""
        name, values = (part[0].words[1] if len(part[0].words) > 1 else ""), self.values(part[0].words[3:])
        for value in values[:_VALUES_MAX]:
            self.variables[name] = value
            left = self.run(_inside(part), depth + 1)
            if left == "break":
                break
            if left == "return":
                return left
        return ""

    def _holds(self, condition: tuple[MenuCommand, ...], depth: int) -> bool:
        self.ok = False
        self.run(condition, depth + 1)
        return self.ok


def _end_of(commands: tuple[MenuCommand, ...], at: int) -> int:
    """Return where the commands behind a compound one begin."""
    depth = 0
    for index in range(at, len(commands)):
        word = commands[index].words[0] if commands[index].words else ""
        depth += (word in _ENDS) - (word in {"fi", "done"})
        if depth <= 0:
            return index + 1
    return len(commands)


def _branches(part: tuple[MenuCommand, ...]) -> list[tuple[tuple[MenuCommand, ...] | None, tuple[MenuCommand, ...]]]:
    """Return condition and body of each branch of an `if`; the condition of `else` is None."""
    found: list[tuple[tuple[MenuCommand, ...] | None, tuple[MenuCommand, ...]]] = []
    condition: list[MenuCommand] | None = []
    body: list[MenuCommand] = []
    in_body, depth = False, 0
    for index, command in enumerate(part):
        word = command.words[0] if command.words else ""
        outer = depth == 1
        depth += (word in _ENDS) - (word in {"fi", "done"})
        if index == 0:
            condition = [MenuCommand(command.words[1:])]
        elif outer and word in {"elif", "else", "fi"}:
            found.append((tuple(condition) if condition is not None else None, tuple(body)))
            body, in_body = [], word == "else"
            condition = None if word == "else" else [MenuCommand(command.words[1:])]
        elif outer and word == "then":
            in_body = True
        elif in_body:
            body.append(command)
        elif condition is not None:
            condition.append(command)
    return found


def _inside(part: tuple[MenuCommand, ...]) -> tuple[MenuCommand, ...]:
    """Return the commands between `do` and `done`."""
    start = next((index for index, command in enumerate(part) if command.words[:1] == ("do",)), 0)
    return part[start + 1 : -1]
