# SPDX-License-Identifier: MIT
"""A patch that shortens a function's delays, or lets it sleep where it spins."""

from __future__ import annotations

import difflib
import re

import msgspec

from bootlab.errors import UserError
from bootlab.kernelsource.delay_calls import UNIT_NS, DelayCall, body_of

_US = 1_000
_MS = 1_000_000
# Documentation/timers/timers-howto.rst: usleep_range() from 10 us to 20 ms, msleep() from there.
_LEAST_SLEEP_NS = 10 * _US
_MSLEEP_FROM_NS = 20 * _MS
# arch/arm/include/asm/delay.h: udelay() of more than 2 ms does not link; 1 ms is safe on every architecture.
_MOST_UDELAY_NS = _MS
_NDELAY_BELOW_NS = _US
_SHOWN = 12


class PatchedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call as it was and as it is now. `line` counts from 1 in the file before the patch."""

    line: int
    before: str
    after: str


class DelayPatch(msgspec.Struct, frozen=True, kw_only=True):
    """The patch as a unified diff, what was asked for, and what it replaces. `kept`: delays that stay."""

    function: str
    file: str
    to_ns: int
    sleep: bool
    only: int | None
    replaced: tuple[PatchedCall, ...]
    kept: tuple[str, ...]
    text: str


def delay_patch(
    text: str, *, file: str, function: str, line: int, to_ns: int, sleep: bool = False, only: int | None = None
) -> DelayPatch:
    """Write a patch for one file. Delays that are as short already stay, unless `sleep` changes their kind.

    `to_ns`: how long each delay is to be. `only`: the number of one delay of the function, from 1. Raise UserError when
    the function has no such delay, or no call can wait that long.
    """
    body = body_of(text, function, line)
    if not body.delays:
        called = ", ".join(f"{name}()" for name in body.others[:_SHOWN]) or "nothing"
        more = f" and {len(body.others) - _SHOWN} more" if len(body.others) > _SHOWN else ""
        raise UserError(
            f"{function}() in {file} calls no delay function ({', '.join(UNIT_NS)})", hint=f"it calls: {called}{more}"
        )
    if only is not None and not 1 <= only <= len(body.delays):
        raise UserError(f"{function}() has no delay number {only}", hint=f"there are: {_listed(body.delays)}")
    replaced: list[PatchedCall] = []
    kept: list[str] = []
    out, at = [], 0
    for number, call in enumerate(body.delays, 1):
        shorter = call.ns is None or to_ns < call.ns
        kind = sleep and call.busy and (call.ns is None or to_ns <= call.ns)
        if only not in {None, number} or not (shorter or kind):
            kept.append(call.written)
            continue
        after = _call(call, to_ns, sleep=sleep)
        replaced.append(PatchedCall(line=call.line, before=call.written, after=after))
        out += [text[at : call.start], after]
        at = call.end
    if not replaced:
        raise UserError(
            f"no delay of {function}() is longer than {_shown(to_ns)}", hint=f"there are: {_listed(body.delays)}"
        )
    return DelayPatch(
        function=function,
        file=file,
        to_ns=to_ns,
        sleep=sleep,
        only=only,
        replaced=tuple(replaced),
        kept=tuple(kept),
        text=unified(text, "".join([*out, text[at:]]), file),
    )


def unified(before: str, after: str, file: str) -> str:
    """Return two texts' unified diff as `patch -p1` reads it. Only a line feed ends a line."""
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (before, after))
    rows = difflib.unified_diff(old, new, f"a/{file}", f"b/{file}")
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _call(call: DelayCall, to_ns: int, *, sleep: bool) -> str:
    if call.busy and not sleep:
        return _busy(to_ns)
    if to_ns < _LEAST_SLEEP_NS:
        raise UserError(
            f"{call.written}: the kernel cannot sleep for {_shown(to_ns)}", hint="a sleep takes 10us or more"
        )
    if call.name == "msleep_interruptible":
        # It has a value that may be used.
        return f"{call.name}({-(-to_ns // _MS)})"
    if to_ns >= _MSLEEP_FROM_NS:
        return f"msleep({-(-to_ns // _MS)})"
    microseconds = -(-to_ns // _US)
    return f"usleep_range({microseconds}, {microseconds + microseconds // 4})"


def _busy(to_ns: int) -> str:
    if to_ns < _NDELAY_BELOW_NS:
        return f"ndelay({to_ns})"
    if to_ns % _MS == 0:
        return f"mdelay({to_ns // _MS})"
    if to_ns < _MOST_UDELAY_NS and to_ns % _US == 0:
        return f"udelay({to_ns // _US})"
    raise UserError(
        f"no delay function can busy-wait for {_shown(to_ns)}",
        hint="give whole milliseconds, or whole microseconds below 1ms",
    )


def _listed(calls: tuple[DelayCall, ...]) -> str:
    rows = [f"{n}: {call.written} (line {call.line})" for n, call in enumerate(calls[:_SHOWN], 1)]
    return ", ".join(rows) + (f" and {len(calls) - _SHOWN} more" if len(calls) > _SHOWN else "")


def _shown(ns: int) -> str:
    for unit, size in (("ms", _MS), ("us", _US)):
        if ns >= size:
            return f"{ns / size:g} {unit}"
    return f"{ns} ns"
