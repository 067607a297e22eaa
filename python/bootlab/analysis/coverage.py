# SPDX-License-Identifier: MIT
"""Which functions of the kernel never ran up to the goal, rolled up to objects, folders and Kconfig symbols.

A function that was put into its callers has no row of its own, so its code counts for the callers. What never ran up to
the goal may run later, or when something fails: that is no proof that it can go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from bootlab.analysis.call_tree import FunctionTrace
from bootlab.kernelsource.levers import Levers
from bootlab.tracing.symbols import BUCKETS, Symbols

_LONGEST_BYTES = 64 << 10
_SET_UP = frozenset({"early_initcall", "pure_initcall", "core_initcall", "arch_initcall", "rootfs_initcall"})
"""Initcalls of these levels set things up that others use, rather than say that a driver or a format is there."""


class FunctionCover(msgspec.Struct, frozen=True, kw_only=True):
    """One function of the image. `object` and `symbol` are "" where they are unknown, `initcall` for what is none.

    `bytes` is 0 for one at the end of a section, whose end no symbol marks.
    """

    function: str
    bytes: int
    executed: bool
    object: str = ""
    symbol: str = ""
    initcall: str = ""


class Cover(msgspec.Struct, frozen=True, kw_only=True):
    """An object, folder or Kconfig symbol: text in it, and text of functions that never ran."""

    name: str
    bytes: int
    never_bytes: int
    functions: int
    never: int
    ran: Literal["nothing", "partly", "all"]
    only_registered: bool = False
    """What ran of it are initcalls and nothing else: it told the kernel that it is there."""


def functions(trace: FunctionTrace, symbols: Symbols, levers: Sequence[Levers] = ()) -> list[FunctionCover]:
    """Return every function of the image in the order of addresses. `levers`: one for each, in the same order.

    Raise ValueError when the symbols are not those of the trace.
    """
    if symbols.names != trace.names[: len(symbols.names)]:
        raise ValueError("the symbols are those of another kernel")
    size = np.zeros(len(symbols.names), dtype=np.int64)
    for (address, number, _), (end, _, _) in zip(symbols.rows, symbols.rows[1:], strict=False):
        # What stands before a gap (the next section is aligned to pages) has no known end.
        size[number] += end - address if end - address <= _LONGEST_BYTES else 0
    ran = np.zeros(len(trace.names), dtype=bool)
    ran[trace.function[(trace.nodes["count"] > 0) | (trace.self_insns > 0)]] = True
    out = []
    for number in range(len(BUCKETS), len(symbols.names)):
        found = levers[number - len(BUCKETS)] if levers else None
        out.append(
            FunctionCover(
                function=symbols.names[number],
                bytes=int(size[number]),
                executed=bool(ran[number]),
                object=f"{found.place.stem}.o" if found and found.place.stem else "",
                symbol=found.levers[0].symbol if found and found.levers else "",
                initcall=found.initcall if found else "",
            )
        )
    return out


def executed(trace: FunctionTrace) -> frozenset[str]:
    """Return the functions that a trace saw."""
    insns = _insns(trace)
    return frozenset(name for number, name in enumerate(trace.names) if insns[number] > 0)


def executed_after(whole: FunctionTrace, beginning: FunctionTrace) -> frozenset[str]:
    """Return the functions that ran after the instant where a trace of the same boot ends that was cut off sooner.

    Raise ValueError when the two have other functions.
    """
    if whole.names != beginning.names:
        raise ValueError("the traces are those of different kernels")
    more = _insns(whole) - _insns(beginning)
    return frozenset(name for number, name in enumerate(whole.names) if more[number] > 0)


def _insns(trace: FunctionTrace) -> npt.NDArray[np.float64]:
    insns = np.bincount(trace.function, weights=trace.self_insns, minlength=len(trace.names))
    return insns.astype(np.float64)


def by_object(covered: Sequence[FunctionCover]) -> list[Cover]:
    """Roll up to object files."""
    return _rolled(covered, lambda row: row.object)


def by_folder(covered: Sequence[FunctionCover]) -> list[Cover]:
    """Roll up to the folders of the objects."""
    return _rolled(covered, lambda row: row.object.rpartition("/")[0])


def by_symbol(covered: Sequence[FunctionCover]) -> list[Cover]:
    """Roll up to the nearest Kconfig symbol of each object."""
    return _rolled(covered, lambda row: row.symbol)


def whole(covered: Sequence[FunctionCover]) -> Cover:
    """Return the sum."""
    rows = _rolled(covered, lambda _: "kernel")
    return rows[0] if rows else Cover(name="kernel", bytes=0, never_bytes=0, functions=0, never=0, ran="nothing")


def _rolled(covered: Sequence[FunctionCover], name: Callable[[FunctionCover], str]) -> list[Cover]:
    groups: dict[str, list[FunctionCover]] = {}
    for row in covered:
        key = name(row)
        if key:
            groups.setdefault(key, []).append(row)
    out = []
    for key, rows in groups.items():
        never = [row for row in rows if not row.executed]
        out.append(
            Cover(
                name=key,
                bytes=sum(row.bytes for row in rows),
                never_bytes=sum(row.bytes for row in never),
                functions=len(rows),
                never=len(never),
                ran="all" if not never else "nothing" if len(never) == len(rows) else "partly",
                only_registered=len(never) < len(rows) and all(_registers(row) for row in rows if row.executed),
            )
        )
    out.sort(key=lambda row: (-row.never_bytes, row.name))
    return out


def _registers(row: FunctionCover) -> bool:
    return bool(row.initcall) and row.initcall not in _SET_UP
