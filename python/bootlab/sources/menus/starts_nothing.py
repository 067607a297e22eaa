# SPDX-License-Identifier: MIT
"""A menu whose entry that boots by itself starts no Linux: the local disk, another loader, a memory test."""

from __future__ import annotations

import msgspec

from bootlab.sources.facts import BootEntry


def first_instead(entry: BootEntry, chosen: str, source: str) -> BootEntry:
    """Return the entry that is taken in place of the menu's own one, which is called `chosen`, with a note of it."""
    note = f"{source} boots by itself {chosen!r}, which starts no Linux: its first entry that does is taken"
    return msgspec.structs.replace(entry, default=True, notes=(*entry.notes, note))
