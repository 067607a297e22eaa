"""Which of the costs' technique ids can be tried at once.

The catalogue itself is large, so an analysis does not import it: its ids are read out of its text (a test holds them
together).
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

_ID = re.compile(r'^(?:    id = |        id=)"([a-z0-9-]+)"', re.MULTILINE)

ELSEWHERE: dict[str, str] = {
    "bootdelay-zero": "boot loader: set bootdelay",
    "deferred-probe-order": "kernel build or module order",
    "root-device-early": "board: make the root device appear earlier",
    "xor-benchmark-off": "kernel build: XOR_BLOCKS",
}
"""Costs that no technique of the catalogue addresses: they need another kernel build, boot loader or board."""


@functools.cache
def tryable() -> frozenset[str]:
    """Return the ids of the built-in techniques."""
    folder = Path(__file__).resolve().parent.parent / "techniques"
    texts = (file.read_text(encoding="utf-8") for file in folder.glob("*/[!_]*.py"))
    return frozenset(found for text in texts for found in _ID.findall(text))


def way(technique: str) -> str:
    """Return the command that tries a technique, or where it has to be done instead."""
    if technique in tryable():
        return f"bootlab try SYSTEM.toml {technique}"
    return ELSEWHERE.get(technique, "")
