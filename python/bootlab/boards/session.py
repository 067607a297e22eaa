# SPDX-License-Identifier: MIT
"""One boot of a board: off, install, on, follow to the end, off."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from threading import Event

import msgspec

from bootlab.boards.command import CommandFailed
from bootlab.boards.connection import Connection
from bootlab.boards.faults import BoardWatch, board_ending, unreadable
from bootlab.boards.guarding import Guard
from bootlab.boards.installing import Installer
from bootlab.boards.left_on import BoardLeftOn
from bootlab.boards.power import PowerFailed, Switched
from bootlab.boards.reader import ConsoleReader, bytes_before
from bootlab.boards.switching import Switch
from bootlab.launch.ending import Clocks, Ending, judge
from bootlab.launch.target import Progress, ProgressSink
from bootlab.model.real_board import Board
from bootlab.model.recording import Outcome
from bootlab.model.system import SystemDescription

_POLL_S = 0.01
_PROGRESS_EVERY_S = 0.1
_RATES = (115_200, 1_500_000, 921_600, 57_600, 9_600, 38_400, 19_200, 230_400, 460_800, 3_000_000)
"""Rates that boards' consoles have, the usual ones first."""
_PROBE_S = 3.0
_PROBE_BYTES = 200
_PROBE_LEAST_BYTES = 24
_CLEAR = 0.05


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """How a boot ended. `skip_bytes`: of the console before power came; `said`: what went wrong besides."""

    ending: Ending
    watch: BoardWatch
    switched: Switched | None = None
    skip_bytes: int = 0
    said: tuple[str, ...] = ()


class Session:
    """A board's boot, from off to off."""

    def __init__(self, board: Board, system: SystemDescription, link: Connection, folder: Path, stop: Event) -> None:
        """Boot `system` on a board that is within reach. What is read goes into `folder`."""
        self._board = board
        self._system = system
        self._link = link
        self._folder = folder
        self._stop = stop
        self.how_read = ""

    def boot(self, installer: Installer, guard: Guard, progress: ProgressSink | None) -> Followed:
        """Boot once. The board is off afterwards, or the ending says that it may not be.

        Raise BoardLeftOn for a board that is left on by an error of another kind.
        """
        power = self._link.power
        guard.switch_off(power.guard, power.environment)
        installer.guarded(guard)
        link = self._link
        with ConsoleReader(link.device, link.baud or 0, self._folder, with_power=link.with_power) as reader:
            self.how_read = reader.how.scheduling
            switch = Switch(self._board.name, power, self._folder)
            try:
                followed = self._switched_on(switch, reader, installer, progress)
                if followed.ending.outcome is Outcome.GARBAGE and not self._stop.is_set():
                    followed = self._with_rate(followed, switch, reader)
            except BaseException as fault:
                if trouble := _switch_off(switch):
                    raise BoardLeftOn(f"the board {self._board.name} may still be on: {trouble}") from fault
                raise
            left_on = _switch_off(switch)
        trouble = installer.finish(ok=followed.ending.outcome is Outcome.GOAL)
        said = (f"after the boot: {trouble}",) if trouble else ()
        ending = _left_on(followed.ending, left_on) if left_on else followed.ending
        return msgspec.structs.replace(followed, ending=ending, said=said)

    def _switched_on(
        self, switch: Switch, reader: ConsoleReader, installer: Installer, progress: ProgressSink | None
    ) -> Followed:
        watch = BoardWatch(reader.console, self._system, kernels=self._board.limits.kernels)
        try:
            switch.off()
            installer.install()
            reader.power_comes()
            switched = switch.on()
        except PowerFailed as fault:
            ending = Ending(Outcome.POWER_FAILED, fault.message, host_limit=True)
            return Followed(ending=ending, watch=watch)
        except CommandFailed as fault:
            return Followed(ending=Ending(Outcome.NOT_INSTALLED, fault.message), watch=watch)
        skip = bytes_before(self._folder, switched.from_ns)
        watch.skip(skip)
        ending = self._follow(reader, watch, progress)
        return Followed(ending=ending, watch=watch, switched=switched, skip_bytes=skip)

    def _follow(self, reader: ConsoleReader, watch: BoardWatch, progress: ProgressSink | None) -> Ending:
        limits = self._board.limits
        began = grew = time.monotonic()
        goal_at: float | None = None
        told = 0.0
        start_bytes = watch.size_bytes
        while True:
            if self._stop.is_set():
                return Ending(Outcome.INTERRUPTED, "stopped from outside")
            grown = watch.poll()
            now = time.monotonic()
            grew = now if grown else grew
            goal_at = (goal_at or now) if watch.goal is not None else None
            clocks = Clocks(
                wall_s=now - began,
                quiet_wall_s=now - grew,
                since_goal=None if goal_at is None else (now - goal_at, 0),
            )
            found = board_ending(watch, quiet_s=now - grew, prompt_s=limits.prompt_s, baud=self._link.baud)
            found = found or self._judged(watch, clocks, reader, silent=watch.size_bytes == start_bytes)
            if found is not None:
                return found
            if not grown and (lost := reader.error or ("" if reader.alive else "the console's reader ended")):
                return Ending(Outcome.CONSOLE_LOST, lost, host_limit=True)
            if progress and now - told > _PROGRESS_EVERY_S:
                told = now
                progress(Progress(None, watch.size_bytes - start_bytes, watch.last_text))
            if not grown:
                self._stop.wait(_POLL_S)

    def _judged(self, watch: BoardWatch, clocks: Clocks, reader: ConsoleReader, *, silent: bool) -> Ending | None:
        found = judge(self._system, watch, clocks, exit_code=None, emulator_words=str)
        if found is None:
            return None
        if silent and found.outcome in {Outcome.HANG, Outcome.TIME_LIMIT}:
            found = Ending(Outcome.NO_CONSOLE, f"not one byte on the console in {clocks.wall_s:.0f} s")
        if found.outcome is Outcome.NO_CONSOLE and not (how := reader.how).opened:
            found = Ending(Outcome.NO_CONSOLE, f"{found.reason}: it did not come with the power ({how.missing})")
        return msgspec.structs.replace(found, host_limit=False)

    def _with_rate(self, followed: Followed, switch: Switch, reader: ConsoleReader) -> Followed:
        """Look for the rate at which the console is readable, and say it."""
        serial, baud = self._board.serial, self._link.baud
        asked = serial is None or serial.probe
        if baud is None or not asked or not reader.how.tty or followed.watch.readable_until:
            return followed
        found = self._rate(switch, reader, baud)
        why = followed.ending.reason
        why += f": the board speaks {found} baud" if found else ": at none of the usual rates either"
        return msgspec.structs.replace(followed, ending=Ending(Outcome.GARBAGE, why))

    def _rate(self, switch: Switch, reader: ConsoleReader, wrong: int) -> int | None:
        for rate in _RATES:
            if rate == wrong or self._stop.is_set():
                continue
            with contextlib.suppress(PowerFailed):
                switch.off()
                reader.set_baud(rate)
                before = reader.size_bytes
                reader.power_comes()
                switch.on()
                until = time.monotonic() + _PROBE_S
                while time.monotonic() < until and reader.size_bytes - before < _PROBE_BYTES:
                    self._stop.wait(_POLL_S)
                heard = _tail(reader.console, before)
                if len(heard) >= _PROBE_LEAST_BYTES and unreadable(heard) < _CLEAR:
                    return rate
        return None


def _switch_off(switch: Switch) -> str:
    """Switch off at the end. Return why that failed, or ""."""
    try:
        switch.off()
    except PowerFailed as fault:
        return fault.message
    return ""


def _left_on(ending: Ending, why: str) -> Ending:
    """Return the ending of a boot whose board may still be on; how it ended itself stands in the reason."""
    itself = f"the boot itself ended as {ending.outcome.value}" + (f": {ending.reason}" if ending.reason else "")
    return Ending(Outcome.LEFT_ON, f"the board may still be on: {why}; {itself}", host_limit=True)


def _tail(path: Path, offset: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(1 << 16)
    except OSError:
        return b""
