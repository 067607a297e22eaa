# SPDX-License-Identifier: MIT
"""A machine that is followed to its goal, and on to an end that is asked for at a point of virtual time."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import msgspec

from bootlab.errors import MeasurementError, UserError
from bootlab.launch import qemu_launch
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.ending import Decided
from bootlab.launch.ends import ASKS_FILE, EndAfterGoal, Ends
from bootlab.launch.process import EmulatorProcess
from bootlab.launch.target import ProgressSink
from bootlab.model.recording import Outcome
from bootlab.model.system import Check
from bootlab.recordings.stamps import StampFile
from bootlab.targets.following import Follower

_POLL_S = 0.01


class AskedEnd(msgspec.Struct, frozen=True, kw_only=True):
    """What became of it: how the boot to the goal ended; when the end was asked for, and why it did not come.

    Times are virtual nanoseconds from power-on; 0 where it did not come to that. `host_limit`: the host gave it up.
    """

    decided: Decided
    how: str = ""
    goal_ns: int = 0
    asked_ns: int = 0
    asked_insns: int = 0
    trouble: str = ""
    host_limit: bool = False
    interrupted: bool = False


def require_end(plan: BootPlan) -> None:
    """Raise UserError for a boot that nothing ends at a point of virtual time."""
    if plan.system.clock.mode != "exact":
        raise UserError(
            "[earlier] and [shutdown] need exact mode: on the host's clock no boot ends at the same point twice",
            hint='set clock.mode = "exact" in the system file',
        )
    if not plan.stamped or plan.launch is None:
        raise UserError(
            f"nothing ends a boot at a point of virtual time here: {'; '.join(plan.lacks)}", hint="bootlab doctor"
        )
    if plan.processors.count != 1 and not plan.processors.alone:
        raise UserError(
            "boots are ended on one processor only",
            hint="set machine.cpus = 1; or leave the others off with maxcpus=1 on the command line",
        )


def follow_to_end(
    plan: BootPlan,
    asked: Ends,
    folder: Path,
    process: EmulatorProcess,
    stop: threading.Event,
    progress: ProgressSink | None = None,
) -> AskedEnd:
    """Follow a machine whose emulator has the plugin for it. Raise MeasurementError where it was not held in time."""
    system = msgspec.structs.replace(plan.system, check=Check())
    until = EndAfterGoal(folder / ASKS_FILE, asked)
    try:
        plan = msgspec.structs.replace(plan, system=system, awaited="")
        decided = Follower(plan, folder, process, stop, until).follow(progress)
        goal = decided.watch.goal
        if decided.ending.outcome is not Outcome.GOAL or goal is None:
            return AskedEnd(decided=decided, interrupted=decided.ending.outcome is Outcome.INTERRUPTED)
        stamps = StampFile(folder / qemu_launch.STAMP_FILE).read(decided.watch.size_bytes)
        at = stamps.at(goal.match_end_bytes - 1) if stamps is not None else None
        if at is None:
            raise MeasurementError(f"nothing stamped the goal of {system.name}", hint="is its console a UART?")
        end_ns = until.end(at[0])
        found = AskedEnd(decided=decided, how=asked.how, goal_ns=at[0], asked_ns=end_ns)
        found = _awaited(plan, asked, folder, process, stop, until, found)
        return found if found.trouble or found.interrupted else _told(plan, asked, until, found)
    finally:
        until.close()


def _awaited(
    plan: BootPlan,
    asked: Ends,
    folder: Path,
    process: EmulatorProcess,
    stop: threading.Event,
    until: EndAfterGoal,
    found: AskedEnd,
) -> AskedEnd:
    limits = plan.system.limits
    stamps = StampFile(folder / qemu_launch.STAMP_FILE)
    over_s = time.monotonic() + limits.wall_s
    while process.exit_code is None:
        if stop.is_set():
            return msgspec.structs.replace(found, interrupted=True)
        state = stamps.progress()
        if state is not None and until.done_ns and state.now_ns - until.done_ns > limits.virtual_s * 1e9:
            why = f"it did not go down within {limits.virtual_s:g} s of virtual time ({asked.text})"
            return msgspec.structs.replace(found, trouble=why)
        if time.monotonic() > over_s:
            why = f"it had not ended {limits.wall_s:g} s of host time after its goal ({asked.text})"
            return msgspec.structs.replace(found, trouble=why, host_limit=True)
        time.sleep(_POLL_S)
    if process.exit_code != 0:
        why = f"QEMU ended with {process.exit_code}: {process.words()[-300:]}"
        return msgspec.structs.replace(found, trouble=why, host_limit=True)
    return found


def _told(plan: BootPlan, asked: Ends, until: EndAfterGoal, found: AskedEnd) -> AskedEnd:
    """Return it with when it was asked for. Raise MeasurementError where that was not when it should have been."""
    if not until.done_ns:
        # It went down by itself before it was asked, at an instruction of its own.
        return msgspec.structs.replace(found, asked_ns=0) if asked.how != "power-cut" else found
    late_ns = until.done_ns - found.asked_ns
    # Each character that is typed comes a millisecond behind the last one.
    if late_ns < 0 or (asked.how != "typed" and late_ns >= 1 << plan.system.clock.shift):
        raise MeasurementError(
            f"{plan.system.name} was ended at {until.done_ns} ns of virtual time, not at {found.asked_ns}",
            hint="please report this system",
        )
    return msgspec.structs.replace(found, asked_ns=until.done_ns, asked_insns=until.done_insns)
