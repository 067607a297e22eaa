# SPDX-License-Identifier: MIT
"""A host that is rebooted over ssh: how long until it answers again, and what it says of its own boot.

There is no console, so there are no lines: the kernel's and systemd's own times are collected as files, and the goal is
the moment at which the host answers (`ready` succeeds).
"""

from __future__ import annotations

import hashlib
import subprocess
import threading
import time
from pathlib import Path

import msgspec

from bootlab.boards.command import CommandFailed
from bootlab.boards.guarding import Guard
from bootlab.boards.installing import Delivery, Installer
from bootlab.boards.lock import BoardLock
from bootlab.boards.marks import printed_cmdline
from bootlab.boards.target import delivery_of
from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.ending import Ending
from bootlab.launch.target import Progress, ProgressSink
from bootlab.model.real_board import Board, RemoteHost
from bootlab.model.recording import Mark, Outcome, Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings import assembly
from bootlab.recordings.assembly import Heard

_BOOT_ID = "cat /proc/sys/kernel/random/boot_id"
_ASK_S = 20.0
_PAUSE_S = 0.1
_COLLECT_S = 60.0
_OUTPUT_MAX_BYTES = 32 << 20
_DMESG = "dmesg.txt"


class RemoteHostTarget:
    """Reboots a host and waits for it."""

    def __init__(self, board: Board, remote: RemoteHost, cache: Cache, builds: BuildObserver | None = None) -> None:
        """Use the ssh program that the board's file names."""
        self._board = board
        self._remote = remote
        self._cache = cache
        self._builds = builds

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        """Build what the host can be given, and say what would be done."""
        delivery, artefacts, info = self._delivery(system)
        reached = msgspec.structs.replace(self._board, path=None)
        files = {part: self._cache.digest(Path(path)) for part, path in sorted(delivery.files.items())}
        facts = (reached, files, delivery.cmdline, purpose)
        return BootPlan(
            system=system,
            purpose=purpose,
            action=("ssh", self._remote.host, self._remote.reboot, *(f"install {p}" for p in delivery.parts)),
            key=hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:32],
            info=info,
            sizes_bytes=artefacts,
            sha256={},
            accel="none",
        )

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Reboot once. The host counts as up when its boot's id is another one and `ready` succeeds."""
        folder.mkdir(parents=True, exist_ok=True)
        delivery, _, _ = self._delivery(plan.system)
        installer = Installer(self._board, delivery, folder)
        began = time.monotonic()
        marks: list[Mark] = []
        told = (lambda text: progress(Progress(None, 0, text))) if progress else None
        with (
            BoardLock(self._board, stop, told) as lock,
            Guard(self._board.name, lock.descriptor) as guard,
        ):
            installer.guarded(guard)
            ending = self._reboot(installer, marks, stop, progress)
            lacks = self._collect(folder) if ending.outcome is Outcome.GOAL else ()
            trouble = installer.finish(ok=ending.outcome is Outcome.GOAL)
        goal_ns = next((mark.ns for mark in marks if mark.name == "goal"), None)
        log = folder / _DMESG
        console = log.read_bytes() if log.exists() else b""
        heard = Heard(console=console, marks=tuple(marks), goal_ns=goal_ns, goal_clock="wall")
        meta = assembly.meta_of(
            plan,
            ending,
            heard,
            mode="free",
            cmdline=printed_cmdline(console),
            wall_s=time.monotonic() - began,
            lacks=(
                "the times of console lines: ssh gives the kernel's log afterwards, with the kernel's stamps",
                *lacks,
            ),
            notes=(
                "time begins with the reboot; the way down is a stage of its own; the goal is the first answer",
                *((f"after the boot: {trouble}",) if trouble else ()),
            ),
            board=self._board.name,
        )
        return assembly.write(folder, meta, heard)

    def _delivery(self, system: SystemDescription) -> tuple[Delivery, dict[str, int], KernelInfo]:
        from bootlab.builders.kbuild import KernelBuilder  # noqa: PLC0415 - most hosts have a kernel

        found, artefacts, info = delivery_of(
            self._board, system, self._cache, lambda: KernelBuilder(self._cache, observer=self._builds)
        )
        return found, artefacts.sizes_bytes if artefacts else {}, info

    def _reboot(
        self, installer: Installer, marks: list[Mark], stop: threading.Event, progress: ProgressSink | None
    ) -> Ending:
        code, before = self._ask(_BOOT_ID)
        if code != 0:
            return Ending(
                Outcome.CANNOT_START,
                f"{self._remote.host} does not answer before the reboot: {before}",
                host_limit=True,
            )
        try:
            installer.install()
        except CommandFailed as fault:
            return Ending(Outcome.NOT_INSTALLED, fault.message)
        zero = time.monotonic_ns()
        marks.append(Mark("power-on", 0, source=f"ssh {self._remote.host} {self._remote.reboot}"))
        code, said = self._ask(self._remote.reboot)
        if code not in {0, 255}:
            # 255: the connection was cut, as it should be.
            return Ending(Outcome.POWER_FAILED, f"`{self._remote.reboot}` ended with {code}: {said}", host_limit=True)
        return self._wait(before, zero, marks, stop, progress)

    def _wait(
        self, before: str, zero: int, marks: list[Mark], stop: threading.Event, progress: ProgressSink | None
    ) -> Ending:
        limit_ns = round(self._board.limits.total_s * 1e9)
        down_ns: int | None = None
        answered = False
        while True:
            if stop.is_set():
                return Ending(Outcome.INTERRUPTED, "stopped from outside")
            asked = time.monotonic_ns() - zero
            code, said = self._ask(_BOOT_ID)
            now = time.monotonic_ns() - zero
            if code != 0 and down_ns is None and not answered:
                # The question may wait for its limit; what it was asked of was gone before.
                down_ns = asked
            elif code == 0 and said == before:
                # A network or a server that was away for a moment: the same boot runs on.
                down_ns = None
            elif code == 0:
                if not answered:
                    answered = True
                    marks += _way_down(down_ns)
                    marks.append(Mark("application", now, source="the host answers again"))
                ready, _ = self._ask(self._remote.ready)
                if ready == 0:
                    now = time.monotonic_ns() - zero
                    marks.append(Mark("goal", now, source=f"`{self._remote.ready}` succeeds"))
                    return Ending(Outcome.GOAL)
            if now > limit_ns:
                return self._late(down=down_ns is not None, answered=answered)
            if progress:
                progress(Progress(None, 0, "up" if answered else "down" if down_ns is not None else "going down"))
            stop.wait(_PAUSE_S)

    def _late(self, *, down: bool, answered: bool) -> Ending:
        host, limit = self._remote.host, f"{self._board.limits.total_s:g} s"
        if answered:
            why = f"{host} answers, but `{self._remote.ready}` did not succeed within {limit}"
        elif down:
            why = f"{host} went down and did not answer again within {limit}"
        else:
            # The same boot's id: there is no other boot whose time could be told.
            why = f"{host} did not reboot within {limit}: it answers with the boot id that it had"
            return Ending(Outcome.POWER_FAILED, f"{why} (`{self._remote.reboot}`)")
        return Ending(Outcome.TIME_LIMIT, why)

    def _collect(self, folder: Path) -> tuple[str, ...]:
        """Ask for everything that is to be kept. Return what could not be had."""
        lacks = []
        for name, command in self._remote.collect:
            code, said = self._ask(command, timeout_s=_COLLECT_S, whole=folder / name)
            if code != 0:
                lacks.append(f"{name}: `{command}` ended with {code}: {said[:120]}")
        return tuple(lacks)

    def _ask(self, command: str, *, timeout_s: float = _ASK_S, whole: Path | None = None) -> tuple[int, str]:
        """Run a command there. Return its exit code (255: no connection) and its first words; `whole` keeps all."""
        try:
            done = subprocess.run(
                [*self._remote.ssh, self._remote.host, command],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 255, "no answer"
        except OSError as fault:
            return 255, f"{self._remote.ssh[0]}: {fault.strerror}"
        if whole is not None and done.returncode == 0:
            whole.write_bytes(done.stdout[:_OUTPUT_MAX_BYTES])
        said = done.stdout if done.returncode == 0 else done.stderr
        return done.returncode, said.decode("utf-8", "replace").strip()[:400]


def _way_down(down_ns: int | None) -> list[Mark]:
    """Return the marks of the way down; where nobody saw the host down, down and up are one."""
    if down_ns is None:
        return [Mark("restart", 0, source="the host was not seen down")]
    source = "the host does not answer any more"
    return [Mark("reboot", 0, source="the command"), Mark("down", down_ns, source=source)]
