# SPDX-License-Identifier: MIT
"""In which order systemd-boot shows its entries, the first being the one that it takes without another word.

systemd: src/boot/boot.c (boot_entry_compare), src/fundamental/string-util-fundamental.c (strverscmp_improved).
"""

from __future__ import annotations

import functools
import re

import msgspec

_IGNORED = re.compile(r"[^0-9A-Za-z~^.-]*")
_PARTS = {True: re.compile(r"[0-9]*"), False: re.compile(r"[A-Za-z]*")}


class EntryPlace(msgspec.Struct, frozen=True):
    """What sorts an entry. `ident`: its file's name, in small letters and without its tries."""

    ident: str
    spent: bool = False
    sort_key: str = ""
    machine: str = ""
    version: str = ""
    profile: int = 0


def in_order(places: list[EntryPlace]) -> list[int]:
    """Return the indexes of entries in the order of the menu."""

    def compared(a: int, b: int) -> int:
        return _compared(places[a], places[b])

    return sorted(range(len(places)), key=functools.cmp_to_key(compared))


def _compared(a: EntryPlace, b: EntryPlace) -> int:
    steps = [_less(a.spent, b.spent), _less(not a.sort_key, not b.sort_key)]
    if a.sort_key and b.sort_key:
        steps += [_less(a.sort_key, b.sort_key), _less(a.machine, b.machine), -versions(a.version, b.version)]
    steps += [-versions(a.ident, b.ident), _less(a.profile, b.profile)]
    return next((step for step in steps if step), 0)


def _less(a: str | int, b: str | int) -> int:
    return (a > b) - (a < b)  # type: ignore[operator]


def versions(a: str, b: str) -> int:
    """Compare two versions: -1 where the first is older, 1 where it is newer."""
    if not a or not b:
        return _less(a, b)
    while True:
        a, b = (_IGNORED.sub("", text, count=1) if text else "" for text in (a, b))
        if a[:1] == "~" or b[:1] == "~":
            if step := _less(a[:1] != "~", b[:1] != "~"):
                return step
            a, b = a[1:], b[1:]
        if not a or not b:
            return _less(bool(a), bool(b))
        for mark in "-^.":
            if a[:1] == mark or b[:1] == mark:
                if step := _less(a[:1] != mark, b[:1] != mark):
                    return step
                a, b = a[1:], b[1:]
        digits = a[:1].isdecimal() or b[:1].isdecimal()
        first, second = (found[0] if (found := _PARTS[digits].match(text)) else "" for text in (a, b))
        if step := _segments(first, second, digits=digits):
            return step
        a, b = a[len(first) :], b[len(second) :]


def _segments(a: str, b: str, *, digits: bool) -> int:
    if digits:
        if step := _less(bool(a), bool(b)):
            return step
        a, b = a.lstrip("0"), b.lstrip("0")
        return _less(len(a) > len(b), len(b) > len(a)) or _less(a, b)
    return _less(a, b)
