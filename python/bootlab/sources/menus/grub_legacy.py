# SPDX-License-Identifier: MIT
"""GRUB of before version 2: menu.lst, entries counted from 0 (the manual of GRUB 0.97, "Configuration")."""

from __future__ import annotations

import re

from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.paths import below_root

_ENTRIES_MAX = 200
# `default=0` and `default 0` are the same; a comment has no command.
_COMMAND = re.compile(r"\s*(\w+)(?:\s*=\s*|\s+)(.*)")


def parse_menu_lst(text: str, source: str) -> tuple[BootEntry, ...]:
    """Return the entries that start a kernel; `default saved`, whose number lies elsewhere, is taken for the first."""
    general: dict[str, str] = {}
    titles: list[dict[str, str]] = []
    for line in text.splitlines():
        command = _COMMAND.match(line)
        if command is None:
            continue
        key, value = command[1].lower(), command[2].strip()
        if key == "title":
            titles.append({"title": value})
        else:
            (titles[-1] if titles else general).setdefault(key, value)
    default = general.get("default", "0")
    entries = (_entry(said, source, is_default=str(number) == default) for number, said in enumerate(titles))
    return tuple(entry for entry in entries if entry is not None)[:_ENTRIES_MAX]


def _entry(said: dict[str, str], source: str, *, is_default: bool) -> BootEntry | None:
    path, *words = said.get("kernel", "").split() or [""]
    if not path:
        return None
    initrd = below_root(said.get("initrd", "").partition(" ")[0])
    return BootEntry(
        title=said["title"],
        kernel=below_root(path),
        initrds=(initrd,) if initrd else (),
        cmdline=" ".join(words),
        says_line=True,
        source=source,
        default=is_default,
    )
