"""A system: everything that is booted, as one immutable value."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.cmdline import CommandLine
from bootlab.model.tree import Compression, FileTree

TargetName = str
Mode = Literal["exact", "free"]
Firmware = Literal["seabios", "qboot", "default"]
KernelForm = Literal["image", "vmlinux"]


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The emulated machine (QEMU's words).

    `options` are appended to `-machine TYPE,…`; `devices` become `-device …`; `extra` is passed on as it is.
    """

    arch: Literal["x86_64"] = "x86_64"
    type: str = "q35"
    cpu: str = "max"
    memory_mib: int = 256
    cpus: int = 1
    firmware: Firmware = "default"
    options: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    disks: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    emulator: str | None = None


class Clockwork(msgspec.Struct, frozen=True, kw_only=True):
    """How time runs. `exact`: one instruction takes 2**shift ns. `free`: the host's clock; `accel` says by what."""

    mode: Mode = "exact"
    shift: int = 1
    rtc_base: str = "2026-01-01T00:00:00"
    accel: Literal["auto", "tcg", "kvm"] = "auto"


class Kernel(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel image, and its configuration where it lies beside it."""

    image: str
    config: str | None = None
    symbols: str | None = None
    form: KernelForm = "image"


class Initramfs(msgspec.Struct, frozen=True, kw_only=True):
    """The tree that bootlab packs, and how the archive is compressed. `level` None: the tool's best."""

    tree: FileTree = FileTree()
    compression: Compression = "gzip"
    level: int | None = None
    keep: tuple[str, ...] = ()


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """First available use: the first console line that this regular expression finds."""

    console: str
    name: str = "goal"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What must still work.

    `console`: every pattern must be found; what its groups caught must equal the base's. `command`: a program and its
    arguments, run inside the booted system once the goal is there (in a boot of its own); its output and its exit
    status must equal the base's.
    """

    console: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """When a boot is given up. Virtual limits decide alike on every machine; the wall limit is the safety net."""

    virtual_s: float = 120.0
    stall_virtual_s: float = 30.0
    wall_s: float = 180.0
    stall_wall_s: float = 60.0


class System(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is booted. `marks` maps a name to the console pattern that sets it."""

    name: str
    kernel: Kernel
    goal: Goal
    target: TargetName = "qemu"
    machine: Machine = Machine()
    clock: Clockwork = Clockwork()
    cmdline: CommandLine = CommandLine()
    initramfs: Initramfs | None = None
    marks: tuple[tuple[str, str], ...] = ()
    check: Check = Check()
    limits: Limits = Limits()
    application: str | None = None
    path: str | None = None
    recordings: str | None = None
