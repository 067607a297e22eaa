# SPDX-License-Identifier: MIT
"""The ending of an exact boot, decided by its console and stamps alone: the same on a loaded machine and an idle one.

Whoever follows a machine sees it at instants that the host chooses. What is decided here depends on none of them: the
console is taken apart where a line ends or virtual time jumps, and each piece is judged at its own virtual time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from bootlab.launch.ending import CONSOLE_LIMIT_BYTES, LINE_GRACE_VIRTUAL_NS, Clocks, Decided, judge
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.recording import Outcome, Stopped
from bootlab.model.system import SystemDescription
from bootlab.recordings.stamps import Stamps

# Where the console says nothing of how long the machine went on.
_LIMITED = frozenset({Outcome.HANG, Outcome.NO_CONSOLE, Outcome.CHECK_FAILED})


class _Piece(msgspec.Struct, frozen=True):
    start: int
    end: int
    first_ns: int
    last_ns: int
    whole: bool


def decide(
    system: SystemDescription,
    console: bytes,
    stamps: Stamps,
    *,
    now_ns: int,
    exit_code: int | None,
    halted: bool,
    emulator_words: Callable[[], str],
) -> Decided | None:
    """Return how the boot ended, or None when it is not over at the virtual time `now_ns`.

    `now_ns` must have been read before the console: every byte up to then is in it. `exit_code`, `halted`: no byte
    will follow.
    """
    watch = ConsoleWatch(None, system)
    over = exit_code is not None or halted
    goal_ns: int | None = None
    printed_ns = 0

    def look(at_ns: int, quiet_ns: int, *, whole_ns: int | None = None, **end: object) -> Decided | None:
        since_goal = None if goal_ns is None else (0.0, at_ns - goal_ns)
        clocks = Clocks(virtual_ns=at_ns, quiet_virtual_ns=quiet_ns, since_goal=since_goal, halted="halted" in end)
        code = exit_code if "exited" in end else None
        ending = judge(system, watch, clocks, exit_code=code, emulator_words=emulator_words)
        if ending is None:
            return None
        if ending.outcome is Outcome.GOAL:
            return Decided(ending, watch)
        stopped: Stopped = "exited" if code == 0 else "halted" if "halted" in end else ""
        known_ns = at_ns if stopped else None
        if not stopped and ending.outcome in _LIMITED:
            known_ns = min(at_ns if whole_ns is None else whole_ns, _limit_ns(system, goal_ns, printed_ns))
        return Decided(ending, watch, known_ns=known_ns, stopped=stopped)

    virtual_limit_ns = int(system.limits.virtual_s * 1e9)
    for piece in _pieces(console, stamps, now_ns, virtual_limit_ns, over=over):
        quiet_ns = piece.first_ns - printed_ns
        watched = watch.goal is not None or bool(watch.panic)
        # A limit that falls into a piece leaves the whole of it out, whatever of it is there already.
        late = watched or quiet_ns > LINE_GRACE_VIRTUAL_NS or piece.last_ns > virtual_limit_ns
        if late and (found := look(piece.last_ns, quiet_ns, whole_ns=max(0, piece.first_ns - 1))) is not None:
            return found
        if not piece.whole:
            return None
        watch.feed(console[piece.start : piece.end])
        printed_ns = piece.last_ns
        if watch.goal is None:
            goal_ns = None
        elif goal_ns is None:
            goal_ns = piece.last_ns
        watched = watch.goal is not None or bool(watch.panic) or watch.size_bytes > CONSOLE_LIMIT_BYTES
        if watched and (found := look(piece.last_ns, 0)) is not None:
            return found
    found = look(max(now_ns, printed_ns), max(now_ns - printed_ns, 0))
    if found is None and exit_code is not None:
        found = look(max(now_ns, printed_ns), 0, exited=True)
    if found is None and halted:
        found = look(max(now_ns, printed_ns), 0, halted=True)
    return found


def _limit_ns(system: SystemDescription, goal_ns: int | None, printed_ns: int) -> int:
    """Return the first instant at which virtual time alone ends a boot that prints no more."""
    limits = system.limits
    if goal_ns is not None:
        return goal_ns + int(limits.check_s * 1e9) + 1
    return min(printed_ns + int(limits.stall_virtual_s * 1e9), int(limits.virtual_s * 1e9)) + 1


def _pieces(console: bytes, stamps: Stamps, now_ns: int, limit_ns: int, *, over: bool) -> Iterator[_Piece]:
    """Cut where a line ends, where nothing was printed for so long that it counts as ended, and at a limit."""
    size = len(console)
    lines = np.flatnonzero(np.frombuffer(console, dtype=np.uint8) == ord("\n")) + 1
    jumps = stamps.ends[:-1][np.diff(stamps.ns) > LINE_GRACE_VIRTUAL_NS] if len(stamps.ends) else stamps.ends
    in_time = int(np.searchsorted(stamps.ns, limit_ns, side="right"))
    limit = stamps.ends[in_time - 1 : in_time] if in_time else stamps.ends[:0]
    inside = np.concatenate([jumps, limit])
    # Not np.unique(): it loads numpy.ma, which takes longer than all of the rest.
    cuts = np.sort(np.concatenate([lines, inside[inside < size], [size] if size else []]).astype(int))
    cuts = cuts[np.diff(cuts, prepend=-1) > 0]
    starts = np.concatenate([[0], cuts[:-1]]).astype(int) if len(cuts) else cuts
    last = 0
    for start, end, first_at, last_at in zip(
        starts.tolist(), cuts.tolist(), _times(stamps, starts), _times(stamps, cuts - 1), strict=True
    ):
        first_ns = max(last, first_at)
        last = max(first_ns, last_at)
        ended = end < size or console[end - 1 : end] == b"\n" or now_ns - last > LINE_GRACE_VIRTUAL_NS
        ended = ended or last <= limit_ns < now_ns
        yield _Piece(start, end, first_ns, last, ended or over or size > CONSOLE_LIMIT_BYTES)


def _times(stamps: Stamps, offsets: NDArray[np.int64]) -> list[int]:
    """Return the virtual time of each byte; 0 for one that nothing stamped."""
    index = np.searchsorted(stamps.ends, offsets, side="right")
    known = np.concatenate([stamps.ns, np.zeros(1, dtype=np.int64)])
    return [int(ns) for ns in known[np.minimum(index, len(stamps.ns))]]
