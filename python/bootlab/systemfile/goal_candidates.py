# SPDX-License-Identifier: MIT
"""What a boot printed that may be its goal: each a pattern whose first match is what it is said to be.

A warning, an error, a line that came before, and what a system says when it goes down are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from bootlab.logs.user import UserLine
from bootlab.sources.facts import RootFacts
from bootlab.systemfile.printed import Printed

GoalKind = Literal["prompt", "unit", "application", "http-answer", "unknown"]
"""What a goal shows: a prompt that can be used, a unit of systemd, a program that says it is ready, a server's answer;
or a line of which nobody knows what it means."""

_TARGETS = frozenset({"multi-user.target", "graphical.target"})
_NO_GOAL = frozenset({"complaint", "rescue", "question", "goes-down", "unit-status", "unit-starting"})
_USABLE = frozenset({"login-prompt", "enter-prompt", "http-answer"})
_MANAGERS = ("[", "systemd[")
"""How lines of the kernel's log and of systemd's begin: `Listening on` there is a socket's, not an application's."""
_WORDS_LEAST, _LETTERS_LEAST = 6, 4
"""Shorter lines are no words by which a boot is known."""
_PATTERN_MAX_CHARS = 80
_LAST_LINES_MAX = 400
_CHANGING = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|\d+")


class GoalCandidate(msgspec.Struct, frozen=True):
    """A line that may be a goal or a mark: its pattern, what it is, when it came on the virtual clock, its kind.

    `of_shell`: it is the prompt of a shell, for which nobody logged in.
    """

    pattern: str
    what: str
    ns: int | None = None
    kind: GoalKind = "unknown"
    of_shell: bool = False


def literal(text: str) -> str:
    """Return the pattern of a text, without backslashes that it does not need."""
    return re.sub(r"\\([ #&~:/,-])", r"\1", re.escape(text))


def signs_of(line: UserLine) -> dict[str, str]:
    """Return the signs of a line: kind to words."""
    return {sign.kind: sign.words for sign in line.signs}


def candidates(lines: Sequence[UserLine], root: RootFacts | None, printed: Printed) -> list[GoalCandidate]:
    """Return what can be the goal, the best first.

    An application's unit, a login prompt, an answer by HTTP, a program that says it is ready, a shell's prompt, a
    target, and at last whatever user space printed last.
    """
    found = _Search(printed, [line for line in lines if line.index >= printed.begin], root)
    prompts = found.prompts()
    logins = [seen for kind, seen in prompts if kind != "shell-prompt"]
    shells = [msgspec.structs.replace(seen, of_shell=True) for kind, seen in prompts if kind == "shell-prompt"]
    units, targets = found.units()
    last = found.last(lambda signs: not {"ready", "http-answer"} & signs.keys(), "unknown")
    answers = found.last(lambda signs: "http-answer" in signs, "http-answer")
    ready = found.last(lambda signs: "ready" in signs, "application")
    every = [*units, *logins[:1], *answers, *ready, *shells[:1], *targets, *last]
    return list({seen.pattern: seen for seen in every}.values())


def stuck(lines: Sequence[UserLine], root: RootFacts | None, begin: int = 0) -> str:
    """Return the line by which a system asks for a person's help after which nothing shows that it can be used."""
    applications = {unit.name for unit in root.units} if root is not None else set()
    words = ""
    for line in lines:
        signs = signs_of(line)
        if line.index < begin:
            continue
        if signs.keys() & {"rescue", "question"}:
            words = line.text.strip()
        elif (
            signs.keys() & _USABLE
            or signs.get("unit-started") in applications
            or signs.get("target-reached") in _TARGETS
            or ("ready" in signs and "shell-prompt" not in signs)
        ):
            words = ""
    return words


class _Search:
    """One boot's lines looked through for goals."""

    def __init__(self, printed: Printed, lines: Sequence[UserLine], root: RootFacts | None) -> None:
        self._printed = printed
        self._lines = lines
        self._root = root

    def units(self) -> tuple[list[GoalCandidate], list[GoalCandidate]]:
        """Return the units of applications and the last target, the last ones first."""
        applications = {unit.name: unit.description for unit in self._root.units} if self._root is not None else {}
        units: list[GoalCandidate] = []
        targets: list[GoalCandidate] = []
        for line in self._lines:
            signs = signs_of(line)
            if (unit := signs.get("unit-started", "")) in applications:
                what = f"{applications[unit] or unit} was started"
                units += self._first(rf"Started {literal(unit)}", what, "unit")
            elif (target := signs.get("target-reached", "")) in _TARGETS:
                targets += self._first(rf"Reached target {literal(target)}", f"{target} was reached", "unit")
        return units[::-1], targets[-1:]

    def prompts(self) -> list[tuple[str, GoalCandidate]]:
        """Return the prompts whose pattern finds no other line before them, each with its sign."""
        found: list[tuple[str, GoalCandidate]] = []
        for line in self._lines:
            signs = signs_of(line)
            if "rescue" in signs:
                continue
            if login := signs.get("login-prompt"):
                found += [("login-prompt", seen) for seen in self._own(line, self._login(login), "the login prompt")]
            elif enter := signs.get("enter-prompt"):
                what = "BusyBox asks for Enter"
                found += [("enter-prompt", seen) for seen in self._own(line, literal(enter), what)]
            elif shell := signs.get("shell-prompt"):
                what = "a shell's prompt"
                found += [("shell-prompt", seen) for seen in self._own(line, f"^{literal(shell)}", what)]
        return found

    def last(self, wanted: Callable[[dict[str, str]], bool], kind: GoalKind) -> list[GoalCandidate]:
        """Return the last line of a kind that came once only, and is neither a complaint nor a status."""
        for line in self._lines[: -_LAST_LINES_MAX - 1 : -1]:
            signs, text = signs_of(line), line.text.strip()
            prompt = signs.keys() & {"login-prompt", "enter-prompt", "shell-prompt"}
            if not wanted(signs) or signs.keys() & _NO_GOAL or prompt or text.startswith(_MANAGERS):
                continue
            if len(text) < _WORDS_LEAST or sum(map(str.isalpha, text)) < _LETTERS_LEAST:
                continue
            found = self._own(line, _words(text), _WHAT[kind], kind)
            # Answers may come again; of other lines a second one says that the first was no end.
            if found and (kind == "http-answer" or self._printed.first(found[0].pattern, line.index + 1) is None):
                return found
        return []

    def _login(self, words: str) -> str:
        # The prompt may stand right behind a program's last word.
        host = f"{self._root.hostname} login:" if self._root is not None and self._root.hostname else ""
        return literal(host if host and words.endswith(host) else words)

    def _first(self, pattern: str, what: str, kind: GoalKind) -> list[GoalCandidate]:
        match = self._printed.first(pattern)
        return [GoalCandidate(pattern, what, match.ns, kind)] if match is not None else []

    def _own(self, line: UserLine, pattern: str, what: str, kind: GoalKind = "prompt") -> list[GoalCandidate]:
        """Return a line as a goal where the first match of its pattern is in that line."""
        for tried in (pattern, f"^{pattern}"):
            match = self._printed.first(tried)
            if match is not None and match.index == line.index:
                return [GoalCandidate(tried, what, match.ns, kind)]
        return []


_WHAT: dict[GoalKind, str] = {
    "http-answer": "a server's answer",
    "application": "a program says that it is ready",
    "unknown": "the last line of user space that came once and is no complaint",
}


def _words(text: str) -> str:
    """Return the pattern of a line: numbers (ports, times, processes) and UUIDs may be others in another boot."""
    cut = text[:_PATTERN_MAX_CHARS]
    return _CHANGING.sub(lambda found: r"\d+" if found[0].isdecimal() else "[0-9a-fA-F-]{36}", literal(cut))
