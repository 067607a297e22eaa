# SPDX-License-Identifier: MIT
"""The shape of `board.toml` as it is written: one struct a table, before commands and patterns are looked at."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from bootlab.model.architecture import Arch
from bootlab.model.real_board import SerialPort
from bootlab.systemfile.raw import RawCheck, RawGoal

RawCommand = str | list[str]
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]


class BoardTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the tables: a key that nobody knows is an error."""


class RawSerial(SerialPort, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[serial]`: the console that this machine can open."""

    baud: Annotated[int, msgspec.Meta(ge=50, le=4_000_000)] = 115_200


class RawPower(BoardTable, frozen=True):
    """`[power]`: commands that switch the board, or a driver's name beside the keys that only it knows."""

    on: RawCommand = []
    off: RawCommand = []
    driver: str = ""
    off_s: _Seconds = 1.0
    timeout_s: _Seconds = 30.0
    zero: Literal["command", "switched", "console", "reported"] = "switched"


class RawLabgrid(BoardTable, frozen=True):
    """`[labgrid]`: a place of a coordinator, or an environment file."""

    place: str = ""
    coordinator: str = ""
    config: str | None = None
    role: str = "main"
    state: str = ""
    off_state: str = ""
    reserve: dict[str, str] = {}
    wait_s: _Seconds = 600.0
    console: str | None = None


class RawSsh(BoardTable, frozen=True):
    """`[ssh]`: a host that is rebooted. `collect`: file name to the command whose output goes into it."""

    host: str
    command: RawCommand | None = None
    reboot: str = "systemctl reboot"
    ready: str = "true"
    collect: dict[str, str] | None = None


class RawInstall(BoardTable, frozen=True):
    """`[install]`: a command for each part of a system that the board can be given."""

    cmdline: RawCommand = []
    kernel: RawCommand = []
    initramfs: RawCommand = []
    device_tree: RawCommand = []
    root: RawCommand = []
    once: RawCommand = []
    confirm: RawCommand = []
    roll_back: RawCommand = []
    timeout_s: _Seconds = 300.0


class RawCapture(BoardTable, frozen=True, kw_only=True):
    """`[capture]`: a logic analyser beside the console."""

    command: RawCommand = []
    file: str = "capture.csv"
    shared: str
    shared_mark: str = "power-on"
    marks: dict[str, str]


class RawBoardLimits(BoardTable, frozen=True):
    """`[limits]`, in seconds of the host's clock."""

    total_s: _Seconds = 180.0
    stall_s: _Seconds = 60.0
    prompt_s: _Seconds = 5.0
    kernels: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1
    wait_s: Annotated[float, msgspec.Meta(ge=0)] = 600.0


class RawBoard(BoardTable, frozen=True, kw_only=True):
    """The whole file."""

    name: str
    arch: Arch | Literal[""] = ""
    cmdline: str | None = None
    serial: RawSerial | None = None
    power: RawPower | None = None
    labgrid: RawLabgrid | None = None
    ssh: RawSsh | None = None
    recordings: str | None = None
    goal: RawGoal | None = None
    check: RawCheck = RawCheck()
    marks: dict[str, str] = {}
    install: RawInstall = RawInstall()
    capture: RawCapture | None = None
    limits: RawBoardLimits = RawBoardLimits()
