"""Decides whether a running boot is over, and how it ended. Pure: numbers in, verdict out."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from bootlab.model.recording import Outcome
from bootlab.model.system import System
from bootlab.targets.watch import ConsoleWatch

# How long a check's text may come after the goal's, and a panic's last line after its first.
_CHECK_GRACE_WALL_S = 5.0
_CHECK_GRACE_VIRTUAL_NS = 2_000_000_000
_LINE_GRACE_WALL_S = 0.3
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
    "20": "a part of its path is no folder",
    "40": "its symbolic links never end",
}
_WRONG_EXEC = re.compile(r"exec format error|\(error -8\)", re.IGNORECASE)


class Ending(msgspec.Struct, frozen=True):
    """How a boot ended, in one sentence, and the last initcall that did not return (when the log tells).

    `host_limit`: it was given up by the host's clock, which depends on what else the host does.
    """

    outcome: Outcome
    reason: str = ""
    last_initcall: str = ""
    host_limit: bool = False


def judge(
    system: System,
    watch: ConsoleWatch,
    *,
    exit_code: int | None,
    emulator_words: Callable[[], str],
    wall_s: float,
    quiet_wall_s: float,
    virtual_ns: int | None,
    quiet_virtual_ns: int | None,
    since_goal: tuple[float, int] | None,
) -> Ending | None:
    """Return the ending, or None while the boot goes on.

    `since_goal`: seconds of the host and virtual nanoseconds since the goal was seen.
    """
    if watch.goal and watch.checks_done and (not watch.goal_line_open or quiet_wall_s > _LINE_GRACE_WALL_S):
        return Ending(Outcome.GOAL)
    if exit_code is not None:
        return _ended_by_itself(watch, exit_code, emulator_words())
    if watch.panic:
        # A machine that sits in its panic makes virtual time fly: no other limit may speak first.
        over = watch.panic_complete or quiet_wall_s > _LINE_GRACE_WALL_S
        return _panicked(watch) if over else None
    # In exact mode a loaded host must not decide; a machine whose time stands still is ended all the same.
    exact = system.clock.mode == "exact" and virtual_ns is not None
    grace_wall_s = system.limits.stall_wall_s if exact else _CHECK_GRACE_WALL_S
    if (
        since_goal
        and not watch.checks_done
        and (since_goal[0] > grace_wall_s or since_goal[1] > _CHECK_GRACE_VIRTUAL_NS)
    ):
        return Ending(Outcome.CHECK_FAILED, "the goal came, the text of the functional check did not")
    return _given_up(system, watch, wall_s, quiet_wall_s, virtual_ns, quiet_virtual_ns)


def _given_up(
    system: System,
    watch: ConsoleWatch,
    wall_s: float,
    quiet_wall_s: float,
    virtual_ns: int | None,
    quiet_virtual_ns: int | None,
) -> Ending | None:
    limits = system.limits
    virtual_s = (virtual_ns or 0) / 1e9
    quiet_virtual_s = (quiet_virtual_ns or 0) / 1e9
    if watch.size_bytes > CONSOLE_LIMIT_BYTES:
        return _hang(watch, f"more than {CONSOLE_LIMIT_BYTES >> 20} MiB printed without the goal")
    if watch.goal:
        return None
    for passed, limit, what, host in (
        (quiet_virtual_s, limits.stall_virtual_s, "nothing printed for {} s of virtual time", False),
        (quiet_wall_s, limits.stall_wall_s, "nothing printed for {} s of the host's time", True),
        (virtual_s, limits.virtual_s, "no goal within {} s of virtual time", False),
    ):
        if passed > limit:
            return _hang(watch, what.format(f"{limit:g}"), host_limit=host)
    if wall_s > limits.wall_s:
        if watch.size_bytes == 0:
            return Ending(Outcome.NO_CONSOLE, f"not one byte on the console in {limits.wall_s:g} s", host_limit=True)
        return Ending(Outcome.TIME_LIMIT, f"no goal within {limits.wall_s:g} s of the host's time", host_limit=True)
    return None


def _hang(watch: ConsoleWatch, why: str, *, host_limit: bool = False) -> Ending:
    if watch.size_bytes == 0:
        return Ending(Outcome.NO_CONSOLE, f"not one byte on the console: {why}", host_limit=host_limit)
    last = watch.last_text.strip()[:200]
    said = f"{why}; the last line was {last!r}"
    return Ending(Outcome.HANG, said, last_initcall=watch.pending_initcall, host_limit=host_limit)


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
    if watch.goal:
        return Ending(Outcome.CHECK_FAILED, "the machine ended after the goal, before the functional check's text")
    if watch.panic:
        return _panicked(watch)
    # QEMU names itself in the line that says what is wrong; advice may follow.
    spoken = [x for x in words.splitlines() if x.startswith("qemu") and "warning:" not in x] or words.splitlines()
    last_words = spoken[-1] if spoken else ""
    if code != 0:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        if watch.size_bytes == 0 and code > 0:
            return Ending(Outcome.CANNOT_START, f"QEMU: {last_words or how}")
        return Ending(Outcome.EMULATOR_DIED, f"QEMU ended with {how}. {last_words}".strip())
    if watch.size_bytes == 0:
        return Ending(Outcome.NO_CONSOLE, "the machine ended without one byte on the console")
    return Ending(
        Outcome.NO_GOAL,
        f"the machine switched itself off or restarted before the goal; the last line was {watch.last_text[:200]!r}",
        last_initcall=watch.pending_initcall,
    )
