# SPDX-License-Identifier: MIT
"""Reading `board.toml`: how a real board is reached, switched, given another system, and measured."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bootlab.errors import SystemFileError
from bootlab.model.cmdline import CommandLine
from bootlab.model.real_board import (
    PARTS,
    Board,
    BoardLimits,
    Capture,
    Installation,
    LabgridPlace,
    RemoteHost,
    SerialPort,
)
from bootlab.model.system import Check, Clockwork, Goal, Kernel, Limits, Machine, SystemDescription
from bootlab.systemfile.board_power import power_of, without_driver_keys
from bootlab.systemfile.command_words import command, required
from bootlab.systemfile.patterns import NAME, check_of, marks_of, pattern_of
from bootlab.systemfile.place import Place
from bootlab.systemfile.problem import translate
from bootlab.systemfile.raw_board import (
    RawBoard,
    RawCapture,
    RawCommand,
    RawInstall,
    RawLabgrid,
    RawSerial,
    RawSsh,
)
from bootlab.systemfile.toml_text import read_table, read_text

_SOCKET_MAX_BYTES = 107
"""What fits into a socket's address (unix(7))."""
_DEVICE = re.compile(r"unix://[^\0]+|(?:tcp|telnet)://(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):\d{1,5}|/.+|\$.+|[^:]+")
_EDGE = re.compile(r".+:(?:rising|falling)")
_WAYS = ("serial", "labgrid", "ssh", "recordings")


class BoardFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a board file says: the board, and what it tells of a system that nobody described."""

    board: Board
    goal: Goal | None = None
    check: Check = Check()
    marks: tuple[tuple[str, str], ...] = ()

    def system(self, system: SystemDescription | None = None) -> SystemDescription:
        """Return the system as it boots on this board; without one, what is on the board already.

        Goal, check and marks of the board's file count instead of the system's: a board may say other words. Raise
        SystemFileError where nothing says when it is up.
        """
        board = self.board
        path = board.path or "board.toml"
        if system is None:
            if self.goal is None:
                raise SystemFileError(
                    "nothing says when the board is up",
                    path=path,
                    where="goal",
                    hint='add [goal] with console = "PATTERN", or give a system file together with --board',
                )
            machine = Machine(arch=board.arch) if board.arch else Machine()  # type: ignore[arg-type]
            words = CommandLine.parse(board.cmdline or "")
            kernel = Kernel(image="")
            system = SystemDescription(
                name=board.name, kernel=kernel, goal=self.goal, machine=machine, cmdline=words, path=path
            )
        elif board.cmdline is not None:
            system = msgspec.structs.replace(system, cmdline=CommandLine.parse(board.cmdline))
        limits = Limits(wall_s=board.limits.total_s, stall_wall_s=board.limits.stall_s)
        return msgspec.structs.replace(
            system,
            target=board.reach,
            board=board,
            goal=self.goal or system.goal,
            check=self.check if self.check != Check() else system.check,
            marks=self.marks or system.marks,
            clock=Clockwork(mode="free"),
            limits=limits,
        )


def load_board(path: str | Path, *, environ: Mapping[str, str] = os.environ) -> BoardFile:
    """Read a board file. Raise SystemFileError for everything that is wrong with it."""
    file, name = Path(path), str(path)
    text = read_text(file, kind="board file", most_mib=1, write="bootlab board new")
    table, driver_keys = without_driver_keys(read_table(text, name))
    try:
        raw = msgspec.convert(table, RawBoard)
    except msgspec.ValidationError as error:
        raise translate(error, root=RawBoard, value=table, path=name) from error
    return _board_file(raw, driver_keys, Place(path=name, folder=file.absolute().parent, environ=environ))


def _board_file(raw: RawBoard, driver_keys: Mapping[str, object], place: Place) -> BoardFile:
    if not NAME.fullmatch(raw.name):
        raise place.error(
            f'"{raw.name[:80]}" cannot be a name', "name", "letters, digits, dot, dash and underscore, 64 at most"
        )
    ways = [way for way in _WAYS if getattr(raw, way) is not None]
    if len(ways) != 1:
        said = f"it is reached in several ways: {', '.join(ways)}" if ways else "nothing says how the board is reached"
        raise place.error(said, "name", "give exactly one of [serial], [labgrid], [ssh], recordings")
    if raw.serial is not None and raw.power is None:
        raise place.error("[serial] needs [power]", "power", 'on = "COMMAND", off = "COMMAND", or driver = "NAME"')
    if raw.power is not None and raw.serial is None and raw.labgrid is None:
        raise place.error("[power] is for boards with a console", "power", "leave it out")
    if raw.cmdline is not None:
        CommandLine.parse(raw.cmdline)
    board = Board(
        name=raw.name,
        serial=_serial(raw.serial, place) if raw.serial is not None else None,
        power=power_of(raw.power, driver_keys, place) if raw.power is not None else None,
        labgrid=_labgrid(raw.labgrid, place) if raw.labgrid is not None else None,
        ssh=_ssh(raw.ssh, place) if raw.ssh is not None else None,
        recordings=place.directory(raw.recordings, "recordings") if raw.recordings is not None else None,
        install=_install(raw.install, place),
        capture=_capture(raw.capture, place) if raw.capture is not None else None,
        limits=BoardLimits(**msgspec.structs.asdict(raw.limits)),
        cmdline=raw.cmdline,
        arch=raw.arch,
        path=place.path,
    )
    goal = Goal(console=pattern_of(raw.goal.console, "goal.console", place), name=raw.goal.name) if raw.goal else None
    return BoardFile(board=board, goal=goal, check=check_of(raw.check, place), marks=marks_of(raw.marks, place))


def _serial(raw: RawSerial, place: Place) -> SerialPort:
    device = place.expand(raw.device, "serial.device")
    if not _DEVICE.fullmatch(device):
        raise place.error(
            f'"{device[:80]}" is not a device',
            "serial.device",
            "a path, unix://PATH, tcp://HOST:PORT or telnet://HOST:PORT",
        )
    if device.startswith("unix://"):
        path = place.resolve(device.removeprefix("unix://"), "serial.device")
        if len(os.fsencode(path)) > _SOCKET_MAX_BYTES:
            raise place.error(
                f"a socket's path has at most {_SOCKET_MAX_BYTES} bytes", "serial.device", "put it into /run or /tmp"
            )
        device = f"unix://{path}"
    if "://" not in device:
        device = place.resolve(raw.device, "serial.device")
    return SerialPort(**msgspec.structs.asdict(raw) | {"device": device})


def _labgrid(raw: RawLabgrid, place: Place) -> LabgridPlace:
    if not raw.place and not raw.reserve and raw.config is None:
        raise place.error("no board is named", "labgrid.place", 'place = "NAME", or reserve = { board = "camera" }')
    checked = {
        "coordinator": place.expand(raw.coordinator, "labgrid.coordinator"),
        "config": place.file(raw.config, "labgrid.config") if raw.config is not None else None,
        "reserve": tuple(sorted(raw.reserve.items())),
    }
    return LabgridPlace(**msgspec.structs.asdict(raw) | checked)


def _ssh(raw: RawSsh, place: Place) -> RemoteHost:
    host = place.expand(raw.host, "ssh.host")
    if not host or host.startswith("-"):
        raise place.error(f'"{host[:80]}" is not a host', "ssh.host", 'host = "root@board.local"')
    plain = RemoteHost(host=host, reboot=raw.reboot, ready=raw.ready)
    if raw.command is not None:
        plain = msgspec.structs.replace(plain, ssh=required(_split(raw.command, place), "ssh.command", place))
    if raw.collect is None:
        return plain
    for name in raw.collect:
        if "/" in name or name.startswith("."):
            raise place.error(
                f'"{name[:80]}" is not a file name', "ssh.collect", "the file is written into the recording's folder"
            )
    return msgspec.structs.replace(plain, collect=tuple(raw.collect.items()))


def _split(words: RawCommand, place: Place) -> RawCommand:
    """Split a text into words as a shell does: host and command are added to them, so no shell may stand between."""
    if not isinstance(words, str):
        return words
    try:
        return shlex.split(words)
    except ValueError as fault:
        raise place.error(f"{words[:80]!r}: {fault}", "ssh.command", 'command = "ssh -i KEY"') from fault


def _install(raw: RawInstall, place: Place) -> Installation:
    found = [(part, command(getattr(raw, part), f"install.{part}", place)) for part in PARTS]
    return Installation(
        parts=tuple((part, words) for part, words in found if words),
        once=command(raw.once, "install.once", place),
        confirm=command(raw.confirm, "install.confirm", place),
        roll_back=command(raw.roll_back, "install.roll_back", place),
        timeout_s=raw.timeout_s,
    )


def _capture(raw: RawCapture, place: Place) -> Capture:
    if "/" in raw.file or raw.file.startswith("."):
        raise place.error(
            f'"{raw.file[:80]}" is not a file name', "capture.file", "the file is written into the recording's folder"
        )
    for where, words in (("capture.shared", raw.shared), *((f"capture.marks.{n}", w) for n, w in raw.marks.items())):
        if not _EDGE.fullmatch(words):
            raise place.error(f'"{words[:80]}" is not an edge', where, "CHANNEL:rising or CHANNEL:falling")
    return Capture(
        command=command(raw.command, "capture.command", place),
        file=raw.file,
        marks=tuple(raw.marks.items()),
        shared=(raw.shared, raw.shared_mark),
    )
