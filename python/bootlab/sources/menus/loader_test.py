# SPDX-License-Identifier: MIT
"""The `test` command of GRUB (grub-core/commands/test.c) and U-Boot (cmd/test.c): what it says of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_TEXTS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}


def is_true(words: Sequence[str], exists: Callable[[list[str]], bool]) -> bool:
    """Tell whether a test holds. `exists`: whether a file is there, by the words behind `-e`."""
    return any(all(_one(part, exists) for part in _split(whole, "-a")) for whole in _split(words, "-o"))


def _split(words: Sequence[str], at: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for word in words:
        if word == at:
            found.append([])
        else:
            found[-1].append(word)
    return found


def _one(words: list[str], exists: Callable[[list[str]], bool]) -> bool:  # noqa: PLR0911 - one for each form
    if words[:1] == ["!"]:
        return not _one(words[1:], exists)
    match words:
        case [left, operator, right] if operator in _TEXTS:
            return _TEXTS[operator](left, right)
        case [left, operator, right] if operator in _NUMBERS:
            return _NUMBERS[operator](_number(left), _number(right))
        case [operator, *rest] if operator in {"-f", "-e", "-s", "-d"}:
            # U-Boot names interface and partition before the path.
            return bool(rest) and exists(rest)
        case ["-n", *rest]:
            return bool(rest) and bool(rest[0])
        case ["-z", *rest]:
            return not rest or not rest[0]
        case [word]:
            return bool(word)
    # Both take a word that is no operator for a text, and a text that is not empty for true.
    return bool(words) and all(words)


def _number(word: str) -> int:
    digits = word.removeprefix("-")
    value = int(digits) if digits.isdecimal() and len(digits) < 18 else 0
    return -value if word.startswith("-") else value
