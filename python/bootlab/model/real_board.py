# SPDX-License-Identifier: MIT
"""A real board: how it is reached, switched, given another system, and measured."""

from __future__ import annotations

from typing import Literal

import msgspec

Command = tuple[str, ...]
"""Words of a program; a text of the user's is `("sh", "-c", TEXT)`. Empty: there is none."""

Part = Literal["cmdline", "kernel", "initramfs", "device_tree", "root"]
"""What of a system a board can be given anew."""

PARTS: tuple[Part, ...] = ("cmdline", "kernel", "initramfs", "device_tree", "root")


class SerialPort(msgspec.Struct, frozen=True, kw_only=True):
    """Where the console is read.

    `device`: a path of a tty or named pipe, `unix://PATH` or `tcp://HOST:PORT` (raw bytes), `telnet://HOST:PORT`.
    `probe`: find the right rate, with power cycles, when nothing readable comes. `with_power`: `power.on` makes the
    device (a virtual machine's socket), so that it is looked for only then.
    """

    device: str
    baud: int = 115_200
    probe: bool = True
    with_power: bool = False


class PowerSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """Commands that switch the board. `off_s`: how long it stays without power. `zero`: where time begins.

    `command`: when `on` is started, so that its run time is in the boot; `switched`: when it has returned, so that
    what the board did meanwhile is not; `console`: at the first byte of the console; `reported`: when `on` says that it
    switched, in a line of its own that also says how sure that is. `switches_while_it_runs`: where it prints none, it
    switched between its start and its end.
    """

    on: Command
    off: Command
    off_s: float = 1.0
    timeout_s: float = 30.0
    zero: Literal["command", "switched", "console", "reported"] = "switched"
    switches_while_it_runs: bool = False


class LabgridPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A place of a labgrid coordinator, or a labgrid environment file of one's own.

    `config`: the environment file; without it bootlab makes one of `place`. `state`: what the strategy of the
    environment is brought to before power is switched on. `reserve`: tags (`board=camera`) that a reservation is made
    by, where any such place will do.
    """

    place: str = ""
    coordinator: str = ""
    config: str | None = None
    role: str = "main"
    state: str = ""
    off_state: str = ""
    reserve: tuple[tuple[str, str], ...] = ()
    wait_s: float = 600.0
    console: str | None = None


class RemoteHost(msgspec.Struct, frozen=True, kw_only=True):
    """A host that is rebooted over ssh. `ssh`: the program and its options; `collect`: what is asked after the boot."""

    host: str
    ssh: Command = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5")
    reboot: str = "systemctl reboot"
    ready: str = "true"
    collect: tuple[tuple[str, str], ...] = (
        ("dmesg.txt", "dmesg"),
        ("boot_id.txt", "cat /proc/sys/kernel/random/boot_id"),
        ("systemd-times.txt", "systemd-analyze time; systemd-analyze blame --no-pager"),
        ("uptime.txt", "cat /proc/uptime /proc/stat | head -n 1"),
    )


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """How the board gets another system: a command a part, and what makes it safe.

    Run in this order: each part's command, `once` (boot it once, if the loader can), the boot; then `confirm` after a
    good boot, `roll_back` after a failed one.
    """

    parts: tuple[tuple[Part, Command], ...] = ()
    once: Command = ()
    confirm: Command = ()
    roll_back: Command = ()
    timeout_s: float = 300.0

    def command(self, part: Part) -> Command:
        """Return the command that delivers a part; empty: none does."""
        return dict(self.parts).get(part, ())


class Capture(msgspec.Struct, frozen=True, kw_only=True):
    """A logic analyser's capture of a boot, made by a command of the user's (`sigrok-cli … -o $BOARD_CAPTURE`).

    `marks`: mark name to `CHANNEL:rising` or `CHANNEL:falling`, the first such edge. `shared`: the edge that the
    console or the power switch shows too, as (`CHANNEL:edge`, mark name), by which both clocks are laid together.
    """

    command: Command = ()
    file: str = "capture.csv"
    marks: tuple[tuple[str, str], ...] = ()
    shared: tuple[str, str] = ("", "power-on")


class BoardLimits(msgspec.Struct, frozen=True, kw_only=True):
    """When a boot is given up. `stall_s`: nothing printed for so long; `prompt_s`: a loader's prompt, and silence.

    `kernels`: how often a kernel starts in one good boot (2 where the loader is a Linux itself). `wait_s`: how long to
    wait while another bootlab has the board.
    """

    total_s: float = 180.0
    stall_s: float = 60.0
    prompt_s: float = 5.0
    kernels: int = 1
    wait_s: float = 600.0


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """A board, as `board.toml` describes it. Exactly one of `serial`, `labgrid`, `ssh`, `recordings` says how."""

    name: str
    serial: SerialPort | None = None
    power: PowerSwitch | None = None
    labgrid: LabgridPlace | None = None
    ssh: RemoteHost | None = None
    recordings: str | None = None
    install: Installation = Installation()
    capture: Capture | None = None
    limits: BoardLimits = BoardLimits()
    cmdline: str | None = None
    arch: str = ""
    path: str | None = None

    @property
    def reach(self) -> Literal["serial", "labgrid", "ssh", "replay"]:
        """How the board is reached."""
        if self.serial is not None:
            return "serial"
        if self.labgrid is not None:
            return "labgrid"
        return "ssh" if self.ssh is not None else "replay"
