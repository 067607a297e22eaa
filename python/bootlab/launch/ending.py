# SPDX-License-Identifier: MIT
"""Decides whether a running boot is over, and how it ended. Pure: numbers in, verdict out."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from bootlab.launch.host_causes import cause_of_exit
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.recording import EndedBy, Outcome, Stopped
from bootlab.model.system import SystemDescription

# How long a check's text may come after the goal's on the host's clock, and a panic's last line after its first.
_CHECK_GRACE_WALL_S = 5.0
_LINE_GRACE_WALL_S = 0.3
LINE_GRACE_VIRTUAL_NS = 300_000_000
"""A line that stays open for longer counts as ended, and so does what a panic prints."""
CONSOLE_LIMIT_BYTES = 64 << 20
_FAILURES_SHOWN = 3
# init/main.c: run_init_process(), try_to_run_init_process().
_EXEC_ERROR = re.compile(
    r"(?:Failed to execute (?P<execute>\S{1,200})|Starting init: (?P<start>\S{1,200}) exists but couldn't execute it)"
    r" \(error -(?P<number>\d+)\)"
)
_KILLED_INIT_127 = re.compile(r"Attempted to kill init! exitcode=0x00007f00")
# include/uapi/asm-generic/errno-base.h, errno.h; what execve(2) means by them.
_ERRORS = {
    "2": "it, the interpreter of its #! line or its dynamic loader is not there",
    "8": "it is for another processor, damaged, or a script without a #! line",
    "13": "it is not executable, or a folder",
    "20": "a part of its path is not a folder",
    "40": "its symbolic links never end",
}
_WRONG_EXEC = re.compile(r"exec format error|\(error -8\)", re.IGNORECASE)


class Ending(msgspec.Struct, frozen=True):
    """How a boot ended, in one sentence, and the last initcall that did not return (when the log tells).

    `host_limit`: the host ended it, or may have: by its clock, a signal, a lack of memory, a crash of the emulator.
    `waited`: virtual time stood still and the emulator did not compute: it waited for something outside of the machine.
    """

    outcome: Outcome
    reason: str = ""
    last_initcall: str = ""
    host_limit: bool = False
    waited: bool = False
    ended_by: EndedBy = ""


class Decided(msgspec.Struct, frozen=True):
    """An ending, and the watch that saw the console up to it (`size_bytes`: how much of it counts).

    `end_ns`: the virtual time at which a machine stood that the host gave up. `known_ns`, `stopped`: as in `Meta`.
    """

    ending: Ending
    watch: ConsoleWatch
    end_ns: int | None = None
    known_ns: int | None = None
    stopped: Stopped = ""


class Clocks(msgspec.Struct, frozen=True, kw_only=True):
    """How long a boot has taken, in seconds of the host (`wall`) and in virtual nanoseconds (None: not known).

    `quiet`: since the console grew. `since_goal`: since the goal was seen, on both clocks. `still_wall_s`: since
    virtual time moved. `halted`: the emulator sleeps and says that no timer is armed, so that nothing can wake the
    machine. `waits`: no thread of the emulator has run for a while.
    """

    wall_s: float = 0.0
    quiet_wall_s: float = 0.0
    still_wall_s: float = 0.0
    virtual_ns: int | None = None
    quiet_virtual_ns: int | None = None
    since_goal: tuple[float, int] | None = None
    halted: bool = False
    waits: bool = False


def judge(
    system: SystemDescription,
    watch: ConsoleWatch,
    clocks: Clocks,
    *,
    exit_code: int | None,
    emulator_words: Callable[[], str],
) -> Ending | None:
    """Return the ending, or None while the boot goes on.

    In exact mode the host's clock ends nothing but a machine whose virtual time stands still, and a boot that is
    longer than `limits.wall_s`; both are said to be the host's doing.
    """
    exact = system.clock.mode == "exact" and clocks.virtual_ns is not None
    # In a halted machine no more bytes can come.
    line_over = clocks.halted or (
        (clocks.quiet_virtual_ns or 0) > LINE_GRACE_VIRTUAL_NS if exact else clocks.quiet_wall_s > _LINE_GRACE_WALL_S
    )
    if watch.goal and watch.checks_done and (not watch.goal_line_open or line_over):
        return Ending(Outcome.GOAL)
    if exit_code is not None:
        return _ended_by_itself(watch, exit_code, emulator_words())
    if watch.panic:
        # A machine that sits in its panic makes virtual time fly: no limit of virtual time may speak first.
        over = watch.panic_complete or line_over
        return _panicked(watch) if over else _given_up_by_host(system, watch, clocks, exact=exact)
    found = _given_up(system, watch, clocks, exact=exact)
    if found is None and clocks.halted:
        return _halted(watch)
    return found or _given_up_by_host(system, watch, clocks, exact=exact)


def _check_is_late(clocks: Clocks, limit_s: float, *, exact: bool) -> bool:
    if clocks.since_goal is None:
        return False
    wall_s, virtual_ns = clocks.since_goal
    return virtual_ns > limit_s * 1e9 or (not exact and wall_s > max(limit_s, _CHECK_GRACE_WALL_S))


def _given_up(system: SystemDescription, watch: ConsoleWatch, clocks: Clocks, *, exact: bool) -> Ending | None:
    limits = system.limits
    if _check_is_late(clocks, limits.check_s, exact=exact) and not watch.checks_done:
        late = "the goal was reached, but the text of the functional check is missing"
        return Ending(Outcome.CHECK_FAILED, late, host_limit=system.clock.mode == "exact" and not exact)
    if watch.size_bytes > CONSOLE_LIMIT_BYTES:
        return _hang(watch, f"more than {CONSOLE_LIMIT_BYTES >> 20} MiB printed without the goal")
    if watch.goal:
        return None
    if (clocks.quiet_virtual_ns or 0) / 1e9 > limits.stall_virtual_s:
        return _hang(
            watch, f"nothing printed for {limits.stall_virtual_s:g} s of virtual time", ended_by="virtual-time"
        )
    if (clocks.virtual_ns or 0) / 1e9 > limits.virtual_s:
        return _hang(watch, f"no goal within {limits.virtual_s:g} s of virtual time", ended_by="virtual-time")
    return None


def _given_up_by_host(system: SystemDescription, watch: ConsoleWatch, clocks: Clocks, *, exact: bool) -> Ending | None:
    limits = system.limits
    if exact and clocks.still_wall_s > limits.stall_wall_s:
        still = f"its virtual time stood still for {limits.stall_wall_s:g} s of host time"
        if clocks.waits:
            # A guest makes the emulator compute. Who does not compute waits for a file, a lock, another program.
            still += ", and QEMU did not compute: it waited for something outside of the machine"
        return msgspec.structs.replace(_hang(watch, still, host_limit=True), waited=clocks.waits)
    if watch.goal:
        return None
    if not exact and clocks.quiet_wall_s > limits.stall_wall_s:
        return _hang(watch, f"nothing printed for {limits.stall_wall_s:g} s of host time", host_limit=True)
    if clocks.wall_s > limits.wall_s:
        if watch.size_bytes == 0:
            return Ending(Outcome.NO_CONSOLE, f"not one byte on the console in {limits.wall_s:g} s", host_limit=True)
        return Ending(Outcome.TIME_LIMIT, f"no goal within {limits.wall_s:g} s of host time", host_limit=True)
    return None


def _halted(watch: ConsoleWatch) -> Ending:
    why = "the processor halted and no timer is armed, so that nothing can wake it"
    if watch.goal:
        return Ending(
            Outcome.CHECK_FAILED, f"the goal was reached, but the text of the functional check is missing: {why}"
        )
    return _hang(watch, why)


def _hang(watch: ConsoleWatch, why: str, *, host_limit: bool = False, ended_by: EndedBy = "") -> Ending:
    if watch.size_bytes == 0:
        reason = f"not one byte on the console: {why}"
        return Ending(Outcome.NO_CONSOLE, reason, host_limit=host_limit, ended_by=ended_by)
    reason = f"{why}; the last line was {watch.last_text.strip()[:200]!r}"
    return Ending(Outcome.HANG, reason, last_initcall=watch.pending_initcall, host_limit=host_limit, ended_by=ended_by)


def _panicked(watch: ConsoleWatch) -> Ending:
    outcome = Outcome.WRONG_ARCH if _WRONG_EXEC.search(watch.exec_failure) else Outcome.PANIC
    words = [watch.panic or "", *filter(None, map(_explained, watch.exec_failure.splitlines()[:_FAILURES_SHOWN]))]
    if _KILLED_INIT_127.search(watch.panic or ""):
        words.append("the first program ended with 127: it, a library or a program that it starts was not found")
    return Ending(outcome, "; ".join(words))


def _explained(line: str) -> str:
    """Say what the error number means with which the kernel could not start a program; "" when there is none."""
    found = _EXEC_ERROR.search(line)
    meaning = _ERRORS.get(found["number"]) if found else None
    if found is None or meaning is None:
        return ""
    path = found["execute"] or found["start"]
    return f"{path} (error -{found['number']}): {meaning}; `bootlab rootfs check SYSTEM.toml` names what is wrong"


def _ended_by_itself(watch: ConsoleWatch, code: int, words: str) -> Ending:
    if cause := cause_of_exit(code, words):
        outcome = Outcome.CANNOT_START if code > 0 and watch.size_bytes == 0 else Outcome.EMULATOR_DIED
        reason = f"QEMU was ended by {cause}. {_last_words(words)}".strip()
        return Ending(outcome, reason, host_limit=True, ended_by="outside")
    if watch.goal:
        return Ending(Outcome.CHECK_FAILED, "the machine ended after the goal, before the functional check's text")
    if watch.panic:
        return _panicked(watch)
    if code != 0:
        return _failed_by_itself(watch, code, _last_words(words))
    if watch.size_bytes == 0:
        return Ending(Outcome.NO_CONSOLE, "the machine ended without one byte on the console")
    return Ending(
        Outcome.NO_GOAL,
        f"the machine switched itself off or restarted before the goal; the last line was {watch.last_text[:200]!r}",
        last_initcall=watch.pending_initcall,
    )


def _failed_by_itself(watch: ConsoleWatch, code: int, last_words: str) -> Ending:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    if watch.size_bytes == 0 and code > 0:
        return Ending(Outcome.CANNOT_START, f"QEMU: {last_words or how}")
    # A crash is the guest's doing only if it comes again at the same place, which the bench looks at.
    return Ending(Outcome.EMULATOR_DIED, f"QEMU ended with {how}. {last_words}".strip(), host_limit=True)


def _last_words(words: str) -> str:
    # QEMU names itself in the line that says what is wrong; advice may follow.
    spoken = [x for x in words.splitlines() if x.startswith("qemu") and "warning:" not in x] or words.splitlines()
    return spoken[-1] if spoken else ""
