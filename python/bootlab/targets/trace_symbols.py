"""The symbol file of the trace plugin (qemu-plugin/trace-file.h): which function an address belongs to."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

import msgspec

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

ENTRY, ENTRY_STUBS, IRQ, THUNK, RETURN_THUNK, SWITCH, FRESH, SPANS, MAIN, START, STOP, SUBTREE, NAMES = (
    1 << bit for bit in range(13)
)

_HEAD = struct.Struct("<8s4I")
_ROW = struct.Struct("<Q2I")
_CODE_KINDS = frozenset("tTwW")
# A function's cold half and its copies for constant arguments carry the name of the function before the dot.
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

    @property
    def digest_words(self) -> tuple[int, int]:
        """Return the counts, for a key."""
        return len(self.names), len(self.rows)


def choose(table: Sequence[tuple[int, str, str]], extra: dict[str, int] | None = None) -> Symbols:
    """Number the functions of a symbol table (address, kind, name). `extra` adds flags to functions by name."""
    by_address: dict[int, str] = {}
    for address, kind, name in table:
        if kind in _CODE_KINDS and address >= 1 << 30 and (
            (old := by_address.get(address)) is None or _rank(name) < _rank(old)
        ):
            by_address[address] = name
    ends = [a for a, _, n in table if n in {"_etext", "_einittext", "__entry_text_end"} and a not in by_address]
    names = list(BUCKETS)
    flags = [0] * len(BUCKETS)
    first: dict[str, int] = {}
    rows: list[tuple[int, int]] = []
    for address, name in sorted(by_address.items()):
        if name in {"_etext", "_einittext", "__entry_text_end"}:
            rows.append((address, NO_SYMBOL))
            continue
        base = _PART.sub("", name)
        if base != name and base in first:
            rows.append((address, first[base]))
            continue
        first.setdefault(name, len(names))
        rows.append((address, len(names)))
        names.append(name)
        flags.append(_flags_of(name) | (extra or {}).get(name, 0))
    rows += [(address, NO_SYMBOL) for address in ends]
    rows.sort()
    # A cold half may lie before its function; give it the function's number now that all are known.
    numbers = {names[n]: n for n in range(len(names) - 1, len(BUCKETS) - 1, -1)}
    rows = [
        (a, numbers[base]) if n >= len(BUCKETS) and (base := _PART.sub("", names[n])) in numbers and base != names[n] else (a, n)
        for a, n in rows
    ]
    last = rows[-1][0] if rows else 0
    rows.append((last + 4096, NO_SYMBOL))
    return Symbols(tuple(names), tuple(flags), tuple(rows))


def write(symbols: Symbols, path: Path) -> None:
    """Write the file that the plugin maps."""
    raw = bytearray(_HEAD.pack(b"BLSYMS\0\0", 1, len(symbols.rows), len(symbols.names), 0))
    for address, number in symbols.rows:
        raw += _ROW.pack(address, number, 0)
    raw += struct.pack(f"<{len(symbols.flags)}I", *symbols.flags)
    path.write_bytes(raw)


def _flags_of(name: str) -> int:
    for pattern, flags in _RULES:
        if pattern.fullmatch(name):
            return flags
    return 0


def _rank(name: str) -> tuple[bool, bool, bool, int, str]:
    """Order the names of one address: known to the rules first, then without marks of the linker or compiler."""
    return (_flags_of(name) == 0, name.startswith(("__pfx_", "__cfi_", "_stext", "_text")), "." in name, len(name), name)
