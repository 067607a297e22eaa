# SPDX-License-Identifier: MIT
"""The target of real boards with a console: serial, or a place of labgrid."""

from __future__ import annotations

import functools
import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.boards import reader
from bootlab.boards.capture import CaptureRun, with_goal
from bootlab.boards.connection import Connection
from bootlab.boards.guarding import Guard
from bootlab.boards.installing import Delivery, Installer
from bootlab.boards.lock import BoardLock
from bootlab.boards.marks import marks_of, printed_cmdline
from bootlab.boards.session import Followed, Session
from bootlab.builders.artefacts import Artefacts, build, with_built_kernel
from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo, inspect
from bootlab.builders.programs import built_programs
from bootlab.launch.boot_plan import BootPlan, Purpose
from bootlab.launch.ending import Decided, Ending
from bootlab.launch.target import Progress, ProgressSink
from bootlab.launch.whole_console import held_to_what_was_written
from bootlab.model.board_parts import deliverable
from bootlab.model.real_board import Board, Part
from bootlab.model.recording import Line, Outcome, Recording
from bootlab.model.system import SystemDescription
from bootlab.recordings import assembly
from bootlab.recordings.assembly import Heard
from bootlab.recordings.console import split_lines
from bootlab.recordings.stamps import Stamps

if TYPE_CHECKING:
    from bootlab.builders.kbuild import KernelBuilder

_OWN_FILES = (reader.CONSOLE_FILE, reader.STAMPS_FILE, "reader.json", "reader.log", "reader.error")


class BoardTarget:
    """Boots a real board whose console can be read."""

    def __init__(
        self, board: Board, cache: Cache, connect: Callable[[], Connection], builds: BuildObserver | None = None
    ) -> None:
        """`connect` gives the way to the board, anew for each boot; `builds` is told of kernels that are built."""
        self._board = board
        self._cache = cache
        self._connect = connect
        self._builds = builds

    def plan(self, system: SystemDescription, purpose: Purpose = "timing") -> BootPlan:
        """Build what the board can be given, and say what would be done."""
        delivery, artefacts, info = delivery_of(self._board, system, self._cache, lambda: self._kernels)
        return BootPlan(
            system=system,
            purpose=purpose,
            action=(self._board.reach, self._board.name, *(f"install {part}" for part in delivery.parts)),
            key=key_of(self._board, system, delivery, self._cache, purpose),
            info=info,
            sizes_bytes=artefacts.sizes_bytes if artefacts else {},
            sha256=artefacts.sha256 if artefacts else {},
            accel="none",
            processors=system.processors,
            stamped=True,
        )

    def boot(
        self, plan: BootPlan, folder: Path, *, stop: threading.Event, progress: ProgressSink | None = None
    ) -> Recording:
        """Boot once into an empty folder. Raise TargetError where the board cannot be reached."""
        folder.mkdir(parents=True, exist_ok=True)
        delivery, _, _ = delivery_of(self._board, plan.system, self._cache, lambda: self._kernels)
        started = time.monotonic()
        told = (lambda text: progress(Progress(None, 0, text))) if progress else None
        with (
            BoardLock(self._board, stop, told) as lock,
            Guard(self._board.name, lock.descriptor) as guard,
            self._connect() as link,
        ):
            link.take(guard)
            session = Session(self._board, plan.system, link, folder, stop)
            with CaptureRun(self._board.capture, folder) as capture:
                followed = session.boot(Installer(self._board, delivery, folder), guard, progress)
            notes = (*link.notes, *capture.notes)
        wall_s = time.monotonic() - started
        heard = (
            f"console bytes are stamped as they arrive at this machine (scheduling of the reader: {session.how_read})"
        )
        return self._record(plan, folder, followed, wall_s, (heard, *notes), capture)

    def _record(
        self,
        plan: BootPlan,
        folder: Path,
        followed: Followed,
        wall_s: float,
        notes: tuple[str, ...],
        capture: CaptureRun,
    ) -> Recording:
        board = self._board
        raw = folder / reader.CONSOLE_FILE
        console = raw.read_bytes() if raw.exists() else b""
        decided = held_to_what_was_written(
            Decided(followed.ending, followed.watch), plan.system, reader.written(folder), len(console)
        )
        watch, ending = decided.watch, decided.ending
        console = console[: watch.size_bytes]
        console = console[followed.skip_bytes :]
        stamps, uncertain = _stamps(board, folder, followed)
        goal_ns: int | None = None
        if watch.goal is not None:
            if ending.outcome in {Outcome.GOAL, Outcome.CHECK_FAILED, Outcome.LEFT_ON}:
                end = max(watch.goal.line_end_bytes, watch.check_end_bytes) - followed.skip_bytes
                console = console[:end]
            at = stamps.at(watch.goal.match_end_bytes - 1 - followed.skip_bytes)
            goal_ns = at[0] if at else None
        stamps = stamps.cut(len(console))
        ending = _not_off(split_lines(console, stamps), followed) or ending
        marks = capture.merged(marks_of(plan.system, console, stamps, goal_ns=goal_ns))
        goal_ns = with_goal(marks, goal_ns)
        heard = Heard(console=console, stamps=stamps, marks=marks, goal_ns=goal_ns, goal_clock="wall")
        meta = assembly.meta_of(
            plan,
            ending,
            heard,
            watch.check_groups,
            mode="free",
            cmdline=printed_cmdline(console) or str(plan.system.cmdline),
            wall_s=wall_s,
            notes=(*notes, *uncertain, *followed.said, *capture.said, *watch.notes),
            board=board.name,
        )
        for name in _OWN_FILES:
            (folder / name).unlink(missing_ok=True)
        return assembly.write(folder, meta, heard)

    @functools.cached_property
    def _kernels(self) -> KernelBuilder:
        from bootlab.builders.kbuild import KernelBuilder  # noqa: PLC0415 - most boards have a kernel

        return KernelBuilder(self._cache, observer=self._builds)


def delivery_of(
    board: Board, system: SystemDescription, cache: Cache, kernels: Callable[[], KernelBuilder]
) -> tuple[Delivery, Artefacts | None, KernelInfo]:
    """Build what a board can be given of a system; nothing is built for parts that it cannot."""
    parts = deliverable(board)
    cmdline = str(system.cmdline) if "cmdline" in parts and system.cmdline.params else None
    kernel = system.kernel
    if not parts - {"cmdline"} or not (kernel.image or kernel.build):
        return Delivery(cmdline=cmdline), None, KernelInfo()
    system, _ = built_programs(system, cache)
    if system.kernel.build is not None:
        system = with_built_kernel(system, cache, kernels())
    artefacts = build(system, cache)
    made: dict[Part, str | None] = {
        "kernel": str(artefacts.kernel),
        "initramfs": str(artefacts.initramfs) if artefacts.initramfs else None,
        "device_tree": system.machine.dtb,
        "root": str(artefacts.root) if artefacts.root else None,
    }
    files = {part: path for part, path in made.items() if path is not None and part in parts}
    info = inspect(system.kernel, cache.root, cache.digest(Path(system.kernel.image)))
    return Delivery(files=files, cmdline=cmdline), artefacts, info


def key_of(board: Board, system: SystemDescription, delivery: Delivery, cache: Cache, purpose: Purpose) -> str:
    """Return the digest of everything of ours that can change a board's recording."""
    files = {part: cache.digest(Path(path)) for part, path in sorted(delivery.files.items())}
    reached = msgspec.structs.replace(board, path=None)
    facts = (reached, files, delivery.cmdline, system.goal, system.check, system.marks, purpose)
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:32]


def _stamps(board: Board, folder: Path, followed: Followed) -> tuple[Stamps, tuple[str, ...]]:
    """Return the console's stamps from power-on, and how sure that instant is."""
    came, switched = reader.arrivals(folder), followed.switched
    if switched is None:
        return came.from_zero(0, 0), ()
    zero_of = board.power.zero if board.power is not None else "switched"
    zero_ns = switched.from_ns if zero_of == "command" else switched.to_ns
    begins = _ZERO[zero_of]
    if switched.reported is not None:
        zero_ns = switched.reported.at_ns
        begins += f", sure to {switched.reported.scatter_ns / 1e6:.1f} ms to either side"
    later = came.raw_ns[came.ends > followed.skip_bytes]
    if len(later) and (zero_of == "console" or int(later[0]) < zero_ns):
        # A switch that returns late must not make times negative.
        begins = _ZERO["console"] + ("" if zero_of == "console" else f", which came before {begins}")
        zero_ns = int(later[0])
    said = f"time begins with {begins}; the switch took {(switched.to_ns - switched.from_ns) / 1e6:.1f} ms"
    return came.from_zero(zero_ns, followed.skip_bytes), (said,)


def _not_off(lines: tuple[Line, ...], followed: Followed) -> Ending | None:
    """Return the ending of a boot that was none: its kernel's clock was ahead of the time since power came."""
    first = next((line for line in lines if line.printk_ns is not None and line.first_ns is not None), None)
    switched = followed.switched
    if first is None or first.printk_ns is None or first.first_ns is None or switched is None:
        return None
    since_ns = first.first_ns + switched.to_ns - switched.from_ns
    if followed.ending.outcome is Outcome.LEFT_ON or first.printk_ns - since_ns < _AHEAD_NS:
        return None
    at = f"at {first.printk_ns / 1e9:.3f} s {since_ns / 1e9:.3f} s after power-on"
    reason = f"the board was not off before this boot: its kernel's clock was {at}; power.off or power.on does nothing"
    return Ending(Outcome.POWER_FAILED, reason, host_limit=True)


_AHEAD_NS = 2_000_000_000
"""A kernel's clock begins at power-on or later; so much may a clock that nothing has set yet be wrong."""

_ZERO = {
    "command": "the start of the power switch's command",
    "switched": "the end of the power switch's command",
    "console": "the first byte on the console",
    "reported": "the instant at which the power switch says that it switched",
}
