# SPDX-License-Identifier: MIT
"""Which timers delayed a boot: the sleeps of the delay census that a timer ends, by who asked for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from bootlab.analysis.delay_census import DelayWait

# kernel/time/{timer,hrtimer,sleep_timeout}.c: nothing but the timer ends these.
_SLEEP = re.compile(r"m?sleep(_interruptible)?|ssleep|usleep_range\w*|fsleep|(hrtimer|do)_nanosleep")
# A timer ends these only when what is waited for does not come.
_TIMEOUT = re.compile(r"schedule_(hr)?timeout\w*|\w+_timeout(_\w+)?|io_schedule_timeout")


class TimerWait(msgspec.Struct, frozen=True, kw_only=True):
    """Waits on timers that one function asked for.

    `kind`: a `sleep` lasts as long as it was asked to; a `timeout` ends early when what it waits for comes.
    `time_ns` from entry to exit, `idle_ns` of it the processor stood still with init waiting. `on_path`: see `Wait`.
    """

    kind: Literal["sleep", "timeout"]
    caller: str
    function: str
    chain: tuple[str, ...]
    count: int
    time_ns: int
    idle_ns: int
    on_path: bool | None


def timer_waits(waits: Iterable[DelayWait]) -> list[TimerWait]:
    """Return the waits on timers, those that delay init first, then by idle time and time."""
    found: dict[tuple[Literal["sleep", "timeout"], str, str, bool | None], TimerWait] = {}
    for wait in waits:
        kind = _kind(wait)
        if kind is None:
            continue
        caller = wait.chain[-2] if len(wait.chain) > 1 else wait.function
        key = (kind, caller, wait.function, wait.on_path)
        known = found.get(key)
        found[key] = TimerWait(
            kind=kind,
            caller=caller,
            function=wait.function,
            chain=known.chain if known else wait.chain,
            count=wait.count + (known.count if known else 0),
            time_ns=wait.time_ns + (known.time_ns if known else 0),
            idle_ns=wait.idle_ns + (known.idle_ns if known else 0),
            on_path=wait.on_path,
        )
    return sorted(found.values(), key=lambda w: (w.on_path is not True, -w.idle_ns, -w.time_ns, w.caller))


def _kind(wait: DelayWait) -> Literal["sleep", "timeout"] | None:
    if wait.kind != "sleep":
        return None
    if _SLEEP.fullmatch(wait.function):
        return "sleep"
    return "timeout" if _TIMEOUT.fullmatch(wait.function) else None
