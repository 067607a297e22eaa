# SPDX-License-Identifier: MIT
"""Where the modules of a traced boot lay: their files against the code that the trace plugin saw outside of the kernel.

In exact mode a module lies at the same address in every boot, so what one traced boot saw names the functions of the
next. Nothing is read out of the guest: a function's bytes in the file, but for those that the kernel writes while it
loads the module (relocations), are looked for among the blocks that were executed. Layout:
crates/kernelimage/src/module.rs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.model.system import SystemDescription

_FILE = re.compile(r".*/([^/]+)\.ko(\.(gz|xz|zst))?")
_ALIASES = frozenset({"init_module", "cleanup_module"})
_PAGE_BYTES = 4096
# A function's first block must say this much, and so much of it must be as in the file: the kernel exchanges single
# instructions after loading too (alternatives, jump labels).
_FIXED_BYTES = 6
_SAME_SHARE = 0.9
# Of the blocks in a region found, so many must be as in the file.
_BLOCK_SHARE = 0.6

Code = tuple[int, bytes]
"""Address and first bytes of a block."""


class Region(msgspec.Struct, frozen=True):
    """A module's code at its place. `functions`: address and name, sorted; `kind`: `core` stays, `init` is freed."""

    module: str
    kind: str
    start: int
    size_bytes: int
    functions: tuple[tuple[int, str], ...]

    @property
    def end(self) -> int:
        """Return the first address behind it."""
        return self.start + self.size_bytes


class PlacedModules(msgspec.Struct, frozen=True):
    """The regions that were found, and how many blocks lie in none of them."""

    regions: tuple[Region, ...] = ()
    unknown_blocks: int = 0

    def table(self) -> list[tuple[int, str, str]]:
        """Return rows as kallsyms has them; a region ends with a row named `_etext`."""
        rows: list[tuple[int, str, str]] = []
        for region in self.regions:
            rows += [(address, "t", f"{name} [{region.module}]") for address, name in region.functions]
            rows.append((region.end, "t", "_etext"))
        return rows


class _Part(msgspec.Struct, frozen=True):
    module: str
    kind: str
    code: bytes
    fixed: bytes
    functions: list[tuple[int, str]]


def files(system: SystemDescription) -> list[tuple[str, Path]]:
    """Return the modules in a system's root tree: name by the file's name, and file."""
    if system.tree is None:
        return []
    found = []
    for path, entry in system.tree.entries:
        match = _FILE.fullmatch(path)
        if match and entry.kind == "file" and entry.source:
            found.append((match[1].replace("-", "_"), Path(entry.source)))
    return found


def place(modules: Iterable[tuple[str, Path]], code: Sequence[Code]) -> PlacedModules:
    """Find the modules among the code that was executed. A file that is no module is passed over."""
    by_offset: dict[int, list[Code]] = defaultdict(list)
    for row in code:
        by_offset[row[0] % _PAGE_BYTES].append(row)
    found: list[tuple[int, _Part, int]] = []
    for name, path in modules:
        for part in _parts(name, path):
            found += [(score, part, start) for start, score in _candidates(part, by_offset, code)]
    found.sort(key=lambda row: -row[0])
    regions: list[Region] = []
    for score, part, start in found:
        end = start + len(part.code)
        rivals = [r for r in found if r[2] == start and r[0] == score and r[1].module != part.module]
        taken = any(
            (r.start < end and start < r.end) or (r.module, r.kind) == (part.module, part.kind) for r in regions
        )
        # Two modules that look alike there: rather no name than the wrong one.
        if not rivals and not taken:
            functions = tuple((start + offset, text) for offset, text in part.functions)
            regions.append(Region(part.module, part.kind, start, len(part.code), functions))
    unknown = sum(not any(r.start <= at < r.end for r in regions) for at, _ in code)
    return PlacedModules(tuple(sorted(regions, key=lambda r: r.start)), unknown)


def _parts(name: str, path: Path) -> list[_Part]:
    try:
        said, core, init = _core.kernel_module(path.read_bytes())
    except (OSError, ValueError):
        return []
    name = said or name
    parts = (_Part(name, "core", *core), _Part(name, "init", *init))
    return [msgspec.structs.replace(part, functions=_named(part.functions)) for part in parts if part.functions]


def _named(functions: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Leave out the names that every module has, where the function has one of its own (module_init())."""
    own = {offset for offset, name in functions if name not in _ALIASES}
    return [(offset, name) for offset, name in functions if name not in _ALIASES or offset not in own]


def _candidates(part: _Part, by_offset: dict[int, list[Code]], code: Sequence[Code]) -> list[tuple[int, int]]:
    starts = {
        at - offset
        for offset, _ in part.functions
        for at, raw in by_offset.get(offset % _PAGE_BYTES, ())
        if at >= offset and _agrees(part, offset, raw)
    }
    found = []
    for start in starts:
        inside = [(at - start, raw) for at, raw in code if start <= at < start + len(part.code)]
        same = [raw for offset, raw in inside if _agrees(part, offset, raw, fixed_bytes=0)]
        if len(same) >= _BLOCK_SHARE * len(inside):
            found.append((start, sum(len(raw) for raw in same)))
    return found


def _agrees(part: _Part, offset: int, raw: bytes, fixed_bytes: int = _FIXED_BYTES) -> bool:
    there = part.code[offset : offset + len(raw)]
    fixed = part.fixed[offset : offset + len(raw)]
    if len(there) < len(raw):
        return False
    compared = sum(fixed)
    same = sum(f and a == b for a, b, f in zip(there, raw, fixed, strict=True))
    return compared >= fixed_bytes and same >= _SAME_SHARE * compared
