"""Which of the costs' technique ids can be tried at once.

The catalogue itself is large; its ids are the names of its files (a test holds them together), so an analysis does not
import it.
"""

from __future__ import annotations

import functools
from pathlib import Path

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
    return frozenset(f.stem.replace("_", "-") for f in folder.glob("*/[!_]*.py"))


def way(technique: str) -> str:
    """Return the command that tries a technique, or where it has to be done instead."""
    if technique in tryable():
        return f"bootlab try SYSTEM.toml {technique}"
    return ELSEWHERE.get(technique, "")
