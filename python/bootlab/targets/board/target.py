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

from bootlab.builders.artefacts import Artefacts, build, with_built_kernel
from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.builders.kernelinfo import KernelInfo, inspect
from bootlab.builders.programs import built_programs
from bootlab.model.board_parts import deliverable
from bootlab.model.real_board import Board, Part
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import System
from bootlab.targets import recording_dir
from bootlab.targets.base import BootPlan, ProgressSink, Purpose
from bootlab.targets.board import reader
from bootlab.targets.board.capture import CaptureRun, with_goal
from bootlab.targets.board.connection import Connection
from bootlab.targets.board.installing import Delivery, Installer
from bootlab.targets.board.marks import marks_of, printed_cmdline
from bootlab.targets.board.session import Followed, Session
from bootlab.targets.console import split_lines
from bootlab.targets.stamps import Stamps

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

    def plan(self, system: System, purpose: Purpose = "timing") -> BootPlan:
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
        with self._connect() as link:
            session = Session(self._board, plan.system, link, folder, stop)
            with CaptureRun(self._board.capture, folder) as capture:
                followed = session.boot(Installer(self._board, delivery, folder), progress)
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
        board, watch, ending = self._board, followed.watch, followed.ending
        raw = folder / reader.CONSOLE_FILE
        console = raw.read_bytes()[: watch.size_bytes] if raw.exists() else b""
        console = console[followed.skip_bytes :]
        stamps, uncertain = _stamps(board, folder, followed)
        goal_ns: int | None = None
        if watch.goal is not None:
            if ending.outcome in {Outcome.GOAL, Outcome.CHECK_FAILED}:
                end = max(watch.goal.line_end_bytes, watch.check_end_bytes) - followed.skip_bytes
                console = console[:end]
            at = stamps.at(watch.goal.match_end_bytes - 1 - followed.skip_bytes)
            goal_ns = at[0] if at else None
        stamps = stamps.cut(len(console))
        lines = split_lines(console, stamps)
        marks = capture.merged(marks_of(plan.system, console, lines, goal_ns=goal_ns))
        goal_ns = with_goal(marks, goal_ns)
        system = plan.system
        meta = Meta(
            key=plan.key,
            system_name=system.name,
            purpose=plan.purpose,
            mode="free",
            outcome=ending.outcome,
            reason=ending.reason,
            command=plan.command,
            cmdline=printed_cmdline(console) or str(system.cmdline),
            processors=plan.processors,
            accel=plan.accel,
            stamped=True,
            wall_s=round(wall_s, 3),
            goal_ns=goal_ns,
            goal_clock="wall",
            console_bytes=len(console),
            artefact_bytes=plan.sizes_bytes,
            artefact_sha256=plan.sha256,
            check_groups=tuple(g for g in watch.check_groups if g is not None),
            check_missing=tuple(p for p, g in zip(system.check.console, watch.check_groups, strict=True) if g is None),
            last_initcall=ending.last_initcall,
            host_limit=ending.host_limit,
            notes=(*notes, *uncertain, *followed.said, *capture.said),
            board=board.name,
        )
        for name in _OWN_FILES:
            (folder / name).unlink(missing_ok=True)
        recording_dir.save(folder, meta, marks, console, stamps)
        return recording_dir.load(folder)

    @functools.cached_property
    def _kernels(self) -> KernelBuilder:
        from bootlab.builders.kbuild import KernelBuilder  # noqa: PLC0415 - most boards have a kernel

        return KernelBuilder(self._cache, observer=self._builds)


def delivery_of(
    board: Board, system: System, cache: Cache, kernels: Callable[[], KernelBuilder]
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


def key_of(board: Board, system: System, delivery: Delivery, cache: Cache, purpose: Purpose) -> str:
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
    later = came.raw_ns[came.ends > followed.skip_bytes]
    if len(later) and (zero_of == "console" or int(later[0]) < zero_ns):
        # A switch that returns late must not make times negative.
        zero_ns = int(later[0])
    said = f"time begins with {_ZERO[zero_of]}; the switch took {(switched.to_ns - switched.from_ns) / 1e6:.1f} ms"
    return came.from_zero(zero_ns, followed.skip_bytes), (said,)


_ZERO = {
    "command": "the start of the power switch's command",
    "switched": "the end of the power switch's command",
    "console": "the first byte on the console",
}
