# SPDX-License-Identifier: MIT
"""Limine's menu: limine.conf, and limine.cfg of its versions before 8 (CONFIG.md of the Limine boot loader)."""

from __future__ import annotations

import re

import msgspec

from bootlab.sources.facts import BootEntry

_ENTRIES_MAX = 200
_OPTION = re.compile(r"\s*([A-Za-z_]+)\s*[:=]\s?(.*)")
_TITLE = re.compile(r"\s*([/:]+)\+?(.+)")
# `boot():/x`, `guid(...):/x`, `boot:///x`; a hash of the file's contents may stand behind.
_PLACE = re.compile(r"^(?:\w+\([^)]*\):|\w+://[^/]*)")
_LINUX = frozenset({"linux"})


def parse_limine(text: str, source: str) -> tuple[BootEntry, ...]:
    """Return the entries that start Linux; the default is the one that `default_entry` counts, or the first."""
    entries: list[tuple[str, dict[str, list[str]]]] = []
    general: dict[str, list[str]] = {}
    for line in text.splitlines():
        title, option = _TITLE.fullmatch(line), _OPTION.fullmatch(line)
        if line.lstrip().startswith("#"):
            continue
        if title is not None:
            entries.append((title[2].strip(), {}))
        elif option is not None:
            values = entries[-1][1] if entries else general
            values.setdefault(option[1].lower(), []).append(option[2].strip())
    wanted = general.get("default_entry", ["1"])[0]
    found = []
    for number, (title_text, values) in enumerate(entries[:_ENTRIES_MAX], 1):
        kernel = _path((values.get("kernel_path") or values.get("path") or [""])[0])
        if values.get("protocol", [""])[0].lower() not in _LINUX or not kernel:
            continue
        found.append(
            BootEntry(
                title=title_text,
                kernel=kernel,
                initrds=tuple(_path(path) for path in values.get("module_path", [])),
                cmdline=(values.get("cmdline") or values.get("kernel_cmdline") or [""])[0],
                source=source,
                default=wanted in {str(number), title_text},
            )
        )
    if found and not any(entry.default for entry in found):
        found[0] = msgspec.structs.replace(found[0], default=True)
    return tuple(found)


def _path(text: str) -> str:
    return _PLACE.sub("", text).partition("#")[0].strip()
