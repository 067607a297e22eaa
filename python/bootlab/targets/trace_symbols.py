"""The symbol file of the trace plugin (qemu-plugin/trace-file.h): which function an address belongs to."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bootlab.errors import UserError

BUCKETS = (
    "[firmware]",
    "[kernel set-up]",
    "[decompressor]",
    "[user space]",
    "[kernel, no symbol]",
    "[tasks]",
    "[interrupts]",
    "[cut]",
)
NO_SYMBOL = 4
RULES = 1
"""Counted up whenever the choice of functions changes."""

ENTRY, ENTRY_STUBS, IRQ, THUNK, RETURN_THUNK, SWITCH, FRESH, SPANS, MAIN, START, STOP, SUBTREE, NAMES = (
    1 << bit for bit in range(13)
)

_HEAD = struct.Struct("<8s4I")
_ROW = struct.Struct("<Q2I")
_CODE_KINDS = frozenset("tTwW")
# A function's cold half and its copies for constant arguments carry the name of the function before the dot.
_ENDS = frozenset({"_etext", "_einittext", "__entry_text_end"})
# Below are per-CPU offsets and constants; nobody knows the last function's length.
_LOWEST = 1 << 30
_LAST_BYTES = 4096
_HEX = re.compile(r"[0-9a-fA-F]{8,16}")
_PART = re.compile(r"\.cold(\.\d+)?$")

_RULES: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(pattern), flags)
    for pattern, flags in (
        (r"asm_(exc|xenpv_exc)_\w+|asm_int80_emulation|asm_exc_nmi", ENTRY),
        (r"asm_sysvec_\w+", ENTRY | IRQ),
        (r"(irq|spurious)_entries_start", ENTRY_STUBS | IRQ),
        (r"early_idt_handler_array", ENTRY_STUBS),
        (r"entry_(SYSCALL_64|SYSENTER_compat|SYSCALL_compat|INT80_compat)", ENTRY),
        (r"__x86_indirect_\w+|__SC[TK]__\w+", THUNK),
        (r"__x86_return_thunk|srso_\w*return_thunk|retbleed_return_thunk|its_return_thunk|__ret", RETURN_THUNK),
        (r"__switch_to_asm|cpu_switch_to", SWITCH),
        (r"ret_from_fork(_asm)?", FRESH | NAMES),
        (r"kthread", NAMES),
        (r"do_one_initcall", SPANS),
        (r"kernel_init", MAIN),
    )
)


class Symbols(msgspec.Struct, frozen=True):
    """Functions by number, and the address ranges that hold them."""

    names: tuple[str, ...]
    flags: tuple[int, ...]
    rows: tuple[tuple[int, int], ...]


def choose(table: Sequence[tuple[int, str, str]], extra: dict[str, int] | None = None) -> Symbols:
    """Give the functions of a table (address, kind, name) their numbers. `extra` adds flags to functions by name."""
    by_address: dict[int, str] = {}
    for address, kind, name in table:
        if kind not in _CODE_KINDS or address < _LOWEST:
            continue
        old = by_address.get(address)
        if old is None or _rank(name) < _rank(old):
            by_address[address] = name
    names = list(BUCKETS)
    flags = [0] * len(BUCKETS)
    whole: dict[str, int] = {}
    for _, name in sorted(by_address.items()):
        if name not in _ENDS and not _PART.search(name):
            whole.setdefault(name, len(names))
            names.append(name)
            flags.append(_flags_of(name) | (extra or {}).get(name, 0))
    rows: list[tuple[int, int]] = []
    number = len(BUCKETS)
    for address, name in sorted(by_address.items()):
        if name in _ENDS:
            rows.append((address, NO_SYMBOL))
        elif _PART.search(name):
            rows.append((address, whole.get(_PART.sub("", name), NO_SYMBOL)))
        else:
            rows.append((address, number))
            number += 1
    if rows:
        rows.append((rows[-1][0] + _LAST_BYTES, NO_SYMBOL))
    return Symbols(tuple(names), tuple(flags), tuple(rows))


def read_map(path: Path) -> list[tuple[int, str, str]]:
    """Read System.map or /proc/kallsyms: an address, a kind and a name a line; other lines are passed over."""
    table: list[tuple[int, str, str]] = []
    with path.open(encoding="ascii", errors="replace") as file:
        for line in file:
            words = line.split(maxsplit=3)
            if len(words) >= 3 and len(words[1]) == 1 and _HEX.fullmatch(words[0]):
                table.append((int(words[0], 16), words[1], words[2]))
    if not any(address for address, _, _ in table):
        raise UserError(
            f"{path} has no addresses",
            hint="/proc/kallsyms shows them to root when kernel.kptr_restrict is 0; or give the kernel's System.map",
        )
    return table


def encode(symbols: Symbols) -> bytes:
    """Return the file that the plugin maps."""
    raw = bytearray(_HEAD.pack(b"BLSYMS\0\0", 1, len(symbols.rows), len(symbols.names), 0))
    for address, number in symbols.rows:
        raw += _ROW.pack(address, number, 0)
    raw += struct.pack(f"<{len(symbols.flags)}I", *symbols.flags)
    return bytes(raw)


def _flags_of(name: str) -> int:
    for pattern, flags in _RULES:
        if pattern.fullmatch(name):
            return flags
    return 0


def _rank(name: str) -> tuple[bool, bool, bool, bool, int, str]:
    """Order the names of one address: known to the rules first, then without marks of the linker or compiler."""
    return (
        _flags_of(name) == 0,
        name in _ENDS,
        name.startswith(("__pfx_", "__cfi_", "_stext", "_text")),
        "." in name,
        len(name),
        name,
    )
