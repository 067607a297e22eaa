# SPDX-License-Identifier: MIT
"""The symbol file of the trace plugin (qemu-plugin/trace-file.h): which function an address belongs to."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.formats import symbol_list
from bootlab.tracing.rules import Rules

BUCKETS = (
    "[firmware]",
    "[kernel set-up]",
    "[decompressor]",
    "[user space]",
    "[kernel, no symbol]",
    "[tasks]",
    "[interrupts]",
    "[cut]",
    "[init]",
)
NO_SYMBOL = 4
_HEAD = struct.Struct("<8s4I")
_ROW = struct.Struct("<Q2I")
_CODE_KINDS = frozenset("tTwW")
# A function's cold half and its copies for constant arguments carry the name of the function before the dot.
_ENDS = frozenset({"_etext", "_einittext", "__entry_text_end"})
# Below are per-CPU offsets and constants; nobody knows the last function's length.
_LOWEST = 1 << 30
_LAST_BYTES = _PAGE_BYTES = 4096
# Marks of where ARM code, Thumb code and data begin (ELF for the Arm Architecture, 4.5.5; RISC-V psABI alike).
_MAPPING = re.compile(r"\$[atdx](\.|$)|\$x\w|\.L")
_PART = re.compile(r"\.cold(\.\d+)?(?=$| \[)")


class Symbols(msgspec.Struct, frozen=True):
    """Functions by number, and the ranges that hold them: start, number, whether the function starts elsewhere."""

    names: tuple[str, ...]
    flags: tuple[int, ...]
    rows: tuple[tuple[int, int, bool], ...]


def choose(table: Sequence[tuple[int, str, str]], arch: str, extra: dict[str, int] | None = None) -> Symbols:
    """Give the functions of a table (address, kind, name) their numbers. `extra` adds flags to functions by name."""
    rules = Rules(arch)
    wanted = extra or {}
    by_address: dict[int, str] = {}
    for address, kind, name in table:
        if kind not in _CODE_KINDS or address < _LOWEST or _MAPPING.match(name):
            continue
        old = by_address.get(address)
        if old is None or _rank(name, rules) < _rank(old, rules):
            by_address[address] = name
    slots: frozenset[str] = frozenset()
    if by_address:
        slots = _add_vectors(by_address, rules)
    ordered = sorted(by_address.items())
    names = list(BUCKETS)
    flags = [0] * len(BUCKETS)
    numbers: dict[str, int] = {}
    rows: list[tuple[int, int, bool]] = []
    for address, name in ordered:
        if name and name not in _ENDS and not _PART.search(name) and name not in rules.parts:
            slot = name in slots
            if not slot or name not in numbers:
                names.append(name)
                flags.append(rules.flags_of(name) | wanted.get(bare(name), 0))
                numbers.setdefault(name, len(names) - 1)
            rows.append((address, numbers[name] if slot else len(names) - 1, False))
        else:
            rows.append((address, NO_SYMBOL, False))
    for at, (address, name) in enumerate(ordered):
        if _PART.search(name) or name in rules.parts:
            rows[at] = (address, numbers.get(rules.parts.get(name) or _PART.sub("", name), NO_SYMBOL), True)
    if rows and rows[-1][1] != NO_SYMBOL:
        rows.append((rows[-1][0] + _LAST_BYTES, NO_SYMBOL, False))
    return Symbols(tuple(names), tuple(flags), tuple(rows))


def _add_vectors(by_address: dict[int, str], rules: Rules) -> frozenset[str]:
    """Add the entries of vector tables; return their names, each of which may stand at several addresses."""
    addresses = sorted(by_address)
    for at, name in rules.high_vectors:
        if not any(at <= address < at + _PAGE_BYTES for address in addresses):
            by_address.setdefault(at, name)
    addresses = sorted(by_address)
    slots: set[str] = set()
    for start, end in pairwise((*addresses, addresses[-1] + _LAST_BYTES)):
        by_address.update(found := dict(rules.slots(by_address[start], start, end)))
        slots.update(found.values())
    return frozenset(slots)


def bare(name: str) -> str:
    """Return a function's name without its module: `probe [ide]` is `probe`."""
    return name.partition(" [")[0]


def read_map(path: Path) -> list[tuple[int, str, str]]:
    """Read System.map or /proc/kallsyms. Raise UserError where no address is given."""
    table = list(symbol_list.lines(path))
    if not any(address for address, _, _ in table):
        raise UserError(
            f"{path} has no addresses",
            hint="/proc/kallsyms shows them to root when kernel.kptr_restrict is 0; or give the kernel's System.map",
        )
    return table


def encode(symbols: Symbols) -> bytes:
    """Return the file that the plugin maps."""
    raw = bytearray(_HEAD.pack(b"BLSYMS\0\0", 2, len(symbols.rows), len(symbols.names), 0))
    for address, number, part in symbols.rows:
        raw += _ROW.pack(address, number, part)
    raw += struct.pack(f"<{len(symbols.flags)}I", *symbols.flags)
    return bytes(raw)


def _rank(name: str, rules: Rules) -> tuple[bool, bool, bool, bool, int, str]:
    """Order the names of one address: known to the rules first, then without marks of the linker or compiler."""
    return (
        rules.flags_of(name) == 0,
        name in _ENDS,
        name.startswith(
            ("__pfx_", "__cfi_", "_stext", "_text", "_sinittext", "__idmap_text_", "__irqentry_", "__entry_text_")
        ),
        "." in name,
        len(name),
        name,
    )
