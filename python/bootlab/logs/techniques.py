"""Which technique addresses a kind of cost: the one place where what a log shows and what the catalogue offers meet.

The native core names kinds of cost, techniques say which kinds they address. The catalogue itself is large, so an
analysis does not import it: ids and kinds are read out of its text (a test holds them together).
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

_FACT = re.compile(r'^(?:    id = |        id=)"([a-z0-9-]+)"|^ +addresses\b[^=\n]*= ?\(([^)]*)\)', re.MULTILINE)
_KIND = re.compile(r'"([a-z0-9-]+)"')

ELSEWHERE: dict[str, tuple[str, str]] = {
    "boot-loader-delay": ("bootdelay-zero", "boot loader: set bootdelay"),
    "deferred-probes": ("deferred-probe-order", "kernel build or module order"),
    "root-device-wait": ("root-device-early", "board: make the root device appear earlier"),
    "firmware-step": ("firmware-step", "firmware or boot loader: look what it does there"),
    "firmware-console": ("firmware-log-level", "firmware build: a lower log level"),
    "boot-loader-read": ("boot-loader-read", "boot loader: smaller files, a faster medium"),
    "boot-loader-usb": ("boot-loader-usb-off", "boot loader: no `usb start`"),
    "ubi-attach": ("ubi-fastmap", "kernel build: MTD_UBI_FASTMAP"),
    "initramfs-run": ("initramfs-less", "distribution: boot without an initramfs, or with a smaller one"),
    "unit-failure": ("systemd-unit-failure", "on the system: systemctl status UNIT, and what it waits for"),
    "silence": ("silence", "measure first: what is slow there is not known yet"),
    "xor-benchmark": ("xor-benchmark-off", "kernel build: XOR_BLOCKS"),
}
"""Kinds that no technique of the catalogue addresses, with a name for what helps and where it has to be done."""


@functools.cache
def _catalogue() -> dict[str, tuple[str, ...]]:
    """Return the ids of the built-in techniques, with the kinds of cost that each addresses."""
    found: dict[str, tuple[str, ...]] = {}
    for file in (Path(__file__).resolve().parent.parent / "techniques").glob("*/[!_]*.py"):
        last = ""
        for fact in _FACT.finditer(file.read_text(encoding="utf-8")):
            if fact[1]:
                last = fact[1]
                found[last] = ()
            elif last:
                found[last] = tuple(_KIND.findall(fact[2]))
    return found


@functools.cache
def addressed() -> dict[str, str]:
    """Return for each kind of cost the id of the technique to try, or the name of what helps where none does."""
    by_kind = {kind: name for kind, (name, _) in ELSEWHERE.items()}
    return by_kind | {kind: technique for technique, kinds in _catalogue().items() for kind in kinds}


def technique_for(kind: str) -> str:
    """Return what to try against a kind of cost: an id, or the kind itself where nothing is known (a newer core)."""
    return addressed().get(kind, kind)


def tryable() -> frozenset[str]:
    """Return the ids of the built-in techniques."""
    return frozenset(_catalogue())


def way(technique: str) -> str:
    """Return the command that tries a technique, or where it has to be done instead."""
    if technique in tryable():
        return f"bootlab try SYSTEM.toml {technique}"
    return dict(ELSEWHERE.values()).get(technique, "")
