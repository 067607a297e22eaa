# SPDX-License-Identifier: MIT
"""A machine that is followed to its goal, and on to an end that is asked for at a point of virtual time."""

from __future__ import annotations

import re
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
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.recording import Outcome
from bootlab.model.shutdown import SOFT_REBOOT
from bootlab.model.system import Check
from bootlab.recordings.stamps import KERNEL_2_MARK, StampFile, Stamps
from bootlab.targets.following import Follower

_POLL_S = 0.01
_SOFT_REBOOT = re.compile(SOFT_REBOOT.encode())


class AskedEnd(msgspec.Struct, frozen=True, kw_only=True):
    """What became of it: how the boot to the goal ended; when the end was asked for, and why it did not come.

    Times are virtual nanoseconds from power-on; 0 where it did not come to that. `again_bytes`: how many bytes of the
    console there were with the goal's second match, where that is the end. `host_limit`: the host gave it up.
    """

    decided: Decided
    how: str = ""
    goal_ns: int = 0
    asked_ns: int = 0
    asked_insns: int = 0
    again_bytes: int = 0
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
    again = _Again(plan, folder, found) if plan.system.shutdown and plan.system.shutdown.until == "goal" else None
    over_s = time.monotonic() + limits.wall_s
    while process.exit_code is None:
        if stop.is_set():
            return msgspec.structs.replace(found, interrupted=True)
        if again is not None and until.done_ns and (seen := again.seen(until.done_ns)):
            return msgspec.structs.replace(found, again_bytes=seen)
        state = stamps.progress()
        if state is not None and until.done_ns and state.now_ns - until.done_ns > limits.virtual_s * 1e9:
            what = "did not come to its goal again" if again is not None else "did not go down"
            why = f"it {what} within {limits.virtual_s:g} s of virtual time ({asked.text})"
            return msgspec.structs.replace(found, trouble=why)
        if time.monotonic() > over_s:
            why = f"it had not ended {limits.wall_s:g} s of host time after its goal ({asked.text})"
            return msgspec.structs.replace(found, trouble=why, host_limit=True)
        time.sleep(_POLL_S)
    if process.exit_code != 0:
        why = f"QEMU ended with {process.exit_code}: {process.words()[-300:]}"
        return msgspec.structs.replace(found, trouble=why, host_limit=True)
    return found


class _Again:
    """Looks for the goal once more, behind a restart: a shell prompts again before the system goes down."""

    def __init__(self, plan: BootPlan, folder: Path, found: AskedEnd) -> None:
        self._system, self._folder = plan.system, folder
        self._from_bytes = self._heard_from = found.decided.watch.size_bytes
        self._heard = b""
        self._watch = ConsoleWatch(None, plan.system)

    def seen(self, asked_ns: int) -> int:
        """Return how many bytes there were with the end of the goal's text behind the restart; 0: not yet."""
        with (self._folder / qemu_launch.CONSOLE_FILE).open("rb") as file:
            file.seek(self._heard_from + len(self._heard))
            new = file.read()
        self._heard += new
        self._watch.feed(new)
        goal = self._watch.goal
        # A line that is still open may grow, and the match with it; a prompt's line stays open.
        if goal is None or (new and self._watch.goal_line_open):
            return 0
        found_bytes = self._from_bytes + goal.match_end_bytes
        stamps = StampFile(self._folder / qemu_launch.STAMP_FILE).read(self._heard_from + len(self._heard))
        at = stamps.at(found_bytes - 1) if stamps is not None else None
        if stamps is None or at is None:
            return 0
        restart_ns = self._restart_ns(stamps)
        if restart_ns is not None and asked_ns <= restart_ns <= at[0]:
            return found_bytes
        self._from_bytes += goal.line_end_bytes
        self._watch = ConsoleWatch(None, self._system)
        self._watch.feed(self._heard[self._from_bytes - self._heard_from :])
        return 0

    def _restart_ns(self, stamps: Stamps) -> int | None:
        """Return when the second kernel began, or systemd said that it starts user space anew; None: not yet."""
        if (kernel := stamps.marks.get(KERNEL_2_MARK)) is not None:
            return kernel.ns
        said = _SOFT_REBOOT.search(self._heard)
        at = stamps.at(self._heard_from + said.end() - 1) if said is not None else None
        return at[0] if at is not None else None


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
