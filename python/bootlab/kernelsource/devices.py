# SPDX-License-Identifier: MIT
"""From a device's name in a log (`10000000.serial`) to the device-tree nodes of that name and what drives them."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bootlab.kernelsource.resolve import DefinedAt
from bootlab.kernelsource.tree import ConfiguredTree

_DEVICE = re.compile(r"([0-9a-f]+)\.([A-Za-z][\w,.+-]*)")
_COMPATIBLE = re.compile(r"\bcompatible\s*=\s*([^;]*);")
_STRING = re.compile(r'"([^"\n]*)"')
_FILES_LIMIT = 20_000
_NODE_BYTES = 20_000


class DeviceNode(msgspec.Struct, frozen=True):
    """A device-tree node and what it is compatible with, the closest first."""

    name: str
    file: str
    line: int
    compatible: tuple[str, ...]


def nodes(tree: ConfiguredTree, device: str) -> list[DeviceNode]:
    """Return the nodes that a platform device of this name can come from (kernel: drivers/of/device.c)."""
    match = _DEVICE.fullmatch(device)
    if match is None:
        return []
    name = f"{match[2]}@{match[1].lstrip('0') or '0'}"
    wanted = re.compile(rf"(?<![\w,.+@-]){re.escape(match[2])}@0*{re.escape(match[1].lstrip('0'))}\s*\{{")
    found = []
    folder = tree.path / "arch" / tree.srcarch / "boot" / "dts"
    for path in sorted(p for p in folder.rglob("*.dts*") if p.is_file())[:_FILES_LIMIT]:
        text = path.read_text(encoding="utf-8", errors="replace")
        for node in wanted.finditer(text):
            inside = _block(text, node.end())
            compatible = _COMPATIBLE.search(inside)
            line = text.count("\n", 0, node.start()) + 1
            words = tuple(_STRING.findall(compatible[1])) if compatible else ()
            found.append(DeviceNode(name, _below(path, tree.path), line, words))
    return found


def _below(path: Path, tree: Path) -> str:
    return path.relative_to(tree).as_posix()


def _block(text: str, start: int) -> str:
    """Return a node's own properties: what stands before its first child or its end."""
    text = text[start : start + _NODE_BYTES]
    end = re.search(r"[{}]", text)
    return text[: end.start()] if end else text


def driven_by(tree: ConfiguredTree, compatible: tuple[str, ...]) -> list[DefinedAt]:
    """Return the files of the image that name one of the compatibles in a match table."""
    found: dict[str, DefinedAt] = {}
    known = tree.index.named(compatible, "C")
    for word in compatible:
        for one in known.get(word, ()):
            for stem in tree.resolver.objects(one.file):
                why = f"its match table names {word}"
                place = DefinedAt(name=word, certainty="resolved", file=one.file, line=one.line, stem=stem, why=why)
                found.setdefault(stem, place)
    return list(found.values())


def registering(tree: ConfiguredTree, driver: str) -> list[DefinedAt]:
    """Return the files of the image that register a driver of this name."""
    found: dict[str, DefinedAt] = {}
    for one in tree.index.with_detail(driver, "D"):
        for stem in tree.resolver.objects(one.file):
            place = DefinedAt(
                name=driver, certainty="resolved", file=one.file, line=one.line, stem=stem, why=f"defines {one.name}"
            )
            found.setdefault(stem, place)
    return list(found.values())
