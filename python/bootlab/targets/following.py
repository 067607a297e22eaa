# SPDX-License-Identifier: MIT
"""Follows a running machine until its boot is over."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bootlab.launch import qemu_launch
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.ending import LINE_GRACE_VIRTUAL_NS, Clocks, Decided, Ending, judge
from bootlab.launch.process import EmulatorProcess
from bootlab.launch.target import Progress, ProgressSink
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.recording import Outcome
from bootlab.recordings.stamps import StampFile, Stamps
from bootlab.targets.so_far import SoFar

_POLL_S = 0.004
# A look costs the machine its processor for a moment: of a boot of seconds it may be late by a share of them.
_POLL_SHARE = 0.02
_POLL_MAX_S = 0.02
_PROGRESS_EVERY_S = 0.1
_AWAITED_S = 60.0
_STAMPS_S = 5.0
_ASLEEP_S = 1.0
# The thread that writes the clock down wakes 50 times a second: less, even where the host is loaded a hundredfold.
_IDLE_SHARE = 0.01
_CPU_CLOCK_S = 0.01
_HOLE = "bytes of the console could not be written"
# accel/tcg/icount-common.c, icount_start_warp_timer(): said once, when every processor sleeps and no timer is armed.
_NO_TIMER = "icount sleep disabled and no active timers"


class Follower:
    """Looks at one machine again and again. Its own clock is the host's; in exact mode that decides nothing.

    There it only says when to look closer: the console and its stamps then tell how the boot ended, in virtual time.
    """

    def __init__(
        self,
        plan: BootPlan,
        folder: Path,
        process: EmulatorProcess,
        stop: threading.Event,
        looked: Callable[[], None] = lambda: None,
    ) -> None:
        """Follow the machine whose console and stamps lie in a folder. `looked`: called behind each look."""
        self._looked = looked
        self._plan = plan
        self._process = process
        self._stop = stop
        self._console = folder / qemu_launch.CONSOLE_FILE
        self._stamps = StampFile(folder / qemu_launch.STAMP_FILE)
        self._awaited = folder / plan.awaited if plan.awaited else None
        self._watch = ConsoleWatch(self._console, plan.system)
        self._so_far = SoFar(self._console, plan.system)
        self._exact = plan.stamped and plan.system.clock.mode == "exact"
        self._began = self._grew = self._moved = time.monotonic()
        self._asleep_since: float | None = None
        self._unsettled_at_ns: int | None = None
        self._used: tuple[float, float] | None = None
        self._virtual_ns: int | None = None
        self._virtual_at_growth = 0
        self._goal_at: tuple[float, int] | None = None
        self._has_hole = False

    def follow(self, progress: ProgressSink | None) -> Decided:
        """Return the ending, with the watch that saw the console up to it."""
        if self._exact:
            # What judges the ending needs NumPy: loaded while the machine runs, neither before nor after.
            importlib.import_module("bootlab.launch.virtual_ending")
        told = 0.0
        while True:
            if self._stop.is_set():
                return Decided(Ending(Outcome.INTERRUPTED, "stopped from outside"), self._watch)
            code = self._process.exit_code
            grown = self._look()
            self._looked()
            now = time.monotonic()
            if self._has_hole:
                return Decided(Ending(Outcome.CONSOLE_INCOMPLETE, _HOLE, host_limit=True), self._watch)
            ending = judge(
                self._plan.system,
                self._watch,
                self._clocks(now),
                exit_code=code if not grown else None,
                emulator_words=self._process.words,
            )
            decided = self._decided(ending, code) if ending is not None else None
            if decided is not None:
                self._await_files(decided)
                return decided
            if progress and now - told > _PROGRESS_EVERY_S:
                told = now
                progress(Progress(self._virtual_ns, self._watch.size_bytes, self._watch.last_text, self._word(now)))
            if not grown:
                time.sleep(min(max(_POLL_S, _POLL_SHARE * (now - self._began)), _POLL_MAX_S))

    def _word(self, now: float) -> str:
        if self._watch.goal is not None or self._watch.panic:
            return ""
        quiet_ns = None if self._virtual_ns is None else self._virtual_ns - self._virtual_at_growth
        return self._so_far.word(now - self._began, now - self._grew, quiet_ns)

    def _look(self) -> bool:
        grown = self._watch.poll()
        now = time.monotonic()
        state = self._stamps.progress() if self._plan.stamped else None
        moved = state is not None and state.now_ns != self._virtual_ns
        if state is not None:
            self._virtual_ns, self._has_hole = state.now_ns, state.failed_bytes > 0
        # The trace is written in the midst of the goal's line, while the machine stands still.
        awaited, goal = self._awaited, self._watch.goal
        writing = awaited is not None and goal is not None and not awaited.exists()
        if grown or writing:
            self._grew, self._virtual_at_growth = now, self._virtual_ns or 0
        if grown or moved or writing:
            self._moved, self._used, self._asleep_since = now, None, None
        else:
            self._look_whether_it_sleeps(now)
        if goal is None:
            self._goal_at = None
        elif self._goal_at is None:
            self._goal_at = (now, self._virtual_ns or 0)
        return grown

    def _look_whether_it_sleeps(self, now: float) -> None:
        still = now - self._moved > _ASLEEP_S / 2
        states = self._process.thread_states if still else "R"
        if still and self._used is None:
            self._used = (now, self._process.cpu_s)
        if "T" in states:
            # Somebody stopped the emulator: no time passes for it.
            self._moved, self._used = now, None
        if states and set(states) == {"S"}:
            self._asleep_since = self._asleep_since or now
        else:
            self._asleep_since = None

    def _clocks(self, now: float) -> Clocks:
        virtual_ns, goal = self._virtual_ns, self._goal_at
        asleep = self._asleep_since is not None and now - self._asleep_since > _ASLEEP_S
        return Clocks(
            wall_s=now - self._began,
            quiet_wall_s=now - self._grew,
            still_wall_s=now - self._moved,
            virtual_ns=virtual_ns,
            quiet_virtual_ns=None if virtual_ns is None else virtual_ns - self._virtual_at_growth,
            since_goal=None if goal is None else (now - goal[0], (virtual_ns or 0) - goal[1]),
            halted=self._exact and asleep and _NO_TIMER in self._process.words(),
            waits=now - self._moved > self._plan.system.limits.stall_wall_s and self._waits(now),
        )

    def _waits(self, now: float) -> bool:
        """Tell whether QEMU has not computed since virtual time stands still, but for the plugin's clock."""
        if self._used is None:
            return False
        since, used_s = self._used
        return self._process.cpu_s - used_s < _IDLE_SHARE * (now - since) + _CPU_CLOCK_S

    def _decided(self, ending: Ending, code: int | None) -> Decided | None:
        """Return what virtual time says of the ending that the host's looks suggest; None: go on looking."""
        if not self._exact or (ending.host_limit and code is not None):
            return Decided(ending, self._watch, self._virtual_ns)
        from bootlab.launch.virtual_ending import decide  # noqa: PLC0415 - see follow()

        halted = self._clocks(time.monotonic()).halted
        state = self._stamps.progress()
        try:
            console = self._console.read_bytes()
        except OSError:
            console = b""
        stamps = self._stamps.read(len(console)) if state is not None else None
        if state is None or stamps is None:
            return Decided(ending, self._watch)
        if code is None and not halted and not self._settled(stamps, len(console), state.now_ns):
            return None
        decided = decide(
            self._plan.system,
            console,
            stamps,
            now_ns=state.now_ns,
            exit_code=code,
            halted=halted,
            emulator_words=self._process.words,
        )
        if decided is None and ending.host_limit:
            return Decided(ending, self._watch, state.now_ns)
        return decided

    def _settled(self, stamps: Stamps, console_bytes: int, now_ns: int) -> bool:
        """Tell whether every byte has its own time: ended now, the last one would keep that of the byte before it."""
        if stamps.lost or stamps.settled_bytes >= console_bytes:
            self._unsettled_at_ns = None
            return True
        # A console that no store writes to (virtio) gets its stamps when the guest idles, or never.
        if self._unsettled_at_ns is None:
            self._unsettled_at_ns = now_ns
        return now_ns - self._unsettled_at_ns > LINE_GRACE_VIRTUAL_NS

    def _await_files(self, decided: Decided) -> None:
        if decided.ending.outcome is not Outcome.GOAL:
            return
        # Elsewhere the instruction that writes a byte stamps it (qemu-plugin/bootlab-stamp.c).
        system = self._plan.system
        if self._plan.stamped and system.clock.mode == "free" and system.machine.arch != "x86_64":
            self._await_stamps(decided.watch.size_bytes)
        if self._awaited is not None:
            self._await(self._awaited)

    def _goes_on(self, until: float) -> bool:
        return self._process.exit_code is None and not self._stop.is_set() and time.monotonic() < until

    def _await(self, path: Path) -> None:
        part = path.with_name(f"{path.name}.new")  # qemu-plugin/trace-out.c
        size, until = -1, time.monotonic() + _AWAITED_S
        while not path.exists() and self._goes_on(until):
            grown = part.stat().st_size if part.exists() else -1
            if grown != size or "T" in self._process.thread_states:
                # A slow disk or a stopped emulator is no reason to do without it.
                size, until = grown, time.monotonic() + _AWAITED_S
            time.sleep(_POLL_S)

    def _await_stamps(self, size_bytes: int) -> None:
        until = time.monotonic() + _STAMPS_S
        while self._goes_on(until):
            state = self._stamps.progress()
            if state is not None and state.stamped_bytes >= size_bytes:
                return
            time.sleep(_POLL_S)
