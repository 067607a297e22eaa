# SPDX-License-Identifier: MIT
"""A start script cut down to what it does when it is called with known arguments (`start`)."""

from __future__ import annotations

import fnmatch

from bootlab.startup import shell

_ROUNDS_MAX = 4
_MOVES_ARGUMENTS = frozenset({"shift", "set", "getopts"})
_NAMES_ARGUMENT = ("$1", "${1}")


def specialise(script: shell.ShellScript, arguments: tuple[str, ...]) -> shell.ShellScript:
    """Return the script with each `case "$1"` replaced by the branch that is taken, and unused functions left out.

    It is the same script where its arguments are moved, or not known.
    """
    if not arguments or any(c.name in _MOVES_ARGUMENTS for c in script.commands if not c.function):
        return script
    for _ in range(_ROUNDS_MAX):
        edits = _branches(script, arguments[0]) or _unused(script, arguments[0])
        if not edits:
            break
        text = apply(script.text, edits).decode("utf-8", "replace")
        shorter = shell.read(text)
        if shorter is None:
            break
        script = shorter
    return script


def apply(text: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Return a text with pieces replaced. Of two that overlap the first stands."""
    parts: list[bytes] = []
    at = 0
    for start, end, new in sorted(edits):
        if start < at:
            continue
        parts += [text[at:start], new]
        at = end
    return b"".join([*parts, text[at:]])


def _branches(script: shell.ShellScript, argument: str) -> list[tuple[int, int, bytes]]:
    edits = []
    for choice in script.choices:
        if choice.subject not in _NAMES_ARGUMENT or choice.function:
            continue
        taken = _taken(choice, argument)
        if taken is not None:
            body = script.text[slice(*taken)].strip()
            says = any(line.strip() and not line.lstrip().startswith(b"#") for line in body.splitlines())
            # On lines of its own: a comment at the body's end must not swallow what follows.
            edits.append((choice.start, choice.end, b"{\n" + (body if says else b":") + b"\n}"))
    return edits


def _taken(choice: shell.CaseStatement, argument: str) -> tuple[int, int] | None:
    """Return where the branch stands, (0, 0) when none is taken, None when that cannot be told."""
    for patterns, start, end in choice.items:
        if any(pattern is None for pattern in patterns):
            return None
        if any(fnmatch.fnmatchcase(argument, pattern or "") for pattern in patterns):
            return start, end
    return 0, 0


def _unused(script: shell.ShellScript, argument: str) -> list[tuple[int, int, bytes]]:
    """Return the functions that nothing calls; none where a command's name is made as the script goes."""
    reached: set[str] = set()
    todo = [""]
    while todo:
        inside = todo.pop()
        for command in script.commands:
            if command.function != inside:
                continue
            words = {w for w in command.words if w}
            if command.words and command.words[0] is None:
                if command.raw[0].strip('"') not in _NAMES_ARGUMENT:
                    return []
                words.add(argument)
            if command.name in {"eval", ".", "source"}:
                return []
            todo += [w for w in words & script.functions.keys() if w not in reached]
            reached |= words & script.functions.keys()
    return [(start, end, b"") for name, (start, end) in script.functions.items() if name not in reached]
