# SPDX-License-Identifier: MIT
"""Command substitutions that the shell can do itself: `$(dirname "$x")` as `${x%/*}`, where both are sure to be equal.

They differ for a path without a slash, with one at its end, with two in a row, and for one directly below the root. So
a substitution is replaced only inside a loop whose words rule that out by how they are written, and whose variable
nothing else sets.
"""

from __future__ import annotations

import re

import msgspec

from bootlab.startup.shell import Loop, ShellCommand, ShellScript

_EXPANSIONS = {"dirname": "${%s%%/*}", "basename": "${%s##*/}"}
_ARGUMENT = re.compile(r'"\$(?:\{(\w+)\}|(\w+))"')
# Absolute, two components or more, no empty one, none that is . or .., nothing that the shell replaces but patterns.
_SURE = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[\w.,:@%+=*?\[\]-]+){2,}")
_HEAD, _TAIL = re.compile(rb"\$\(\s*$"), re.compile(rb"\s*\)")


class Substitution(msgspec.Struct, frozen=True):
    """One substitution and what stands in its place; bytes from the script's begin."""

    start: int
    end: int
    before: str
    after: str


def replaceable(script: ShellScript) -> tuple[Substitution, ...]:
    """Return what can be replaced in a script, in its order."""
    found = (_replaced(script, command) for command in script.commands)
    return tuple(one for one in found if one is not None)


def replace(script: ShellScript, found: tuple[Substitution, ...]) -> str:
    """Return the script's text with substitutions replaced."""
    text = script.text
    for one in sorted(found, key=lambda one: -one.start):
        text = text[: one.start] + one.after.encode() + text[one.end :]
    return text.decode("utf-8", "surrogateescape")


def _replaced(script: ShellScript, command: ShellCommand) -> Substitution | None:
    if command.name not in _EXPANSIONS or len(command.raw) != 2 or command.redirected:
        return None
    if command.name in script.functions:
        return None
    argument = _ARGUMENT.fullmatch(command.raw[1])
    if argument is None:
        return None
    name = argument[1] or argument[2]
    head, tail = _HEAD.search(script.text[: command.start]), _TAIL.match(script.text, command.end)
    if head is None or tail is None:
        return None
    around = [loop for loop in script.loops if loop.variable == name and loop.start <= command.start < loop.end]
    if len(around) != 1 or not _sure(script, around[0]):
        return None
    start, end = head.start(), tail.end()
    return Substitution(start, end, script.cut(start, end), _EXPANSIONS[command.name] % name)


def _sure(script: ShellScript, loop: Loop) -> bool:
    """Tell whether a loop's variable holds nothing but paths for which both ways are equal."""
    if not loop.words or not all(_SURE.fullmatch(word) for word in loop.words):
        return False
    body = script.cut(loop.start, loop.end)
    name = re.escape(loop.variable)
    # Another loop over it, an assignment, `read`, `unset` and their kind: whatever names it without a dollar sign.
    return re.search(rf"(?<![\w$\{{]){name}(?!\w)", re.sub(r"#.*", "", body)) is None
