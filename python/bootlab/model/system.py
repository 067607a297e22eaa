# SPDX-License-Identifier: MIT
"""A system: everything that is booted, as one immutable value."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from bootlab.model.boot_loader import Loader
from bootlab.model.cmdline import CommandLine
from bootlab.model.costs import Costs
from bootlab.model.earlier import Earlier
from bootlab.model.machine import Clockwork, DiskBus, Firmware, Machine, Mode
from bootlab.model.processors import Processors
from bootlab.model.program import Program
from bootlab.model.real_board import Board
from bootlab.model.root import Root
from bootlab.model.shutdown import Shutdown
from bootlab.model.source_build import SourceBuild
from bootlab.model.steps import Step
from bootlab.model.storage import Storage
from bootlab.model.tree import Compression, FileTree

__all__ = ["Check", "Clockwork", "DiskBus", "Firmware", "Goal", "Initramfs", "Kernel", "KernelBuild", "Limits",
           "Machine", "Mode", "SystemDescription"]  # fmt: skip

TargetName = str
KernelForm = Literal["image", "vmlinux"]
FlashStart = Literal["in-place", "copied", "unpacked", "unpacked-in-place"]
"""How a loader in flash starts the kernel that lies beside it.

`in-place`: executed where it is (xipImage). `copied`: to RAM (Image). `unpacked`: a zImage is copied to RAM and unpacks
itself. `unpacked-in-place`: a zImage unpacks itself out of flash."""


# The kernel of Debian 12.
_DEBIAN_VERSION = "6.1"
_DEBIAN_SOURCE = re.compile(r"debian(?:-([0-9]+\.[0-9]+))?")

NO_GOAL = r"(?!)"
"""The pattern of a goal that no line reaches."""

_USUAL_INITS = ("/sbin/init", "/etc/init", "/bin/init", "/bin/sh")


class KernelBuild(SourceBuild, frozen=True, kw_only=True):
    """How a kernel is built.

    `image` is the make target. `variables` go to make (`KCFLAGS`). `compiler` is a prefix as CROSS_COMPILE takes it;
    None: Debian's. `device_tree` names the one of the build that the machine gets (`vexpress-v2p-ca9.dtb`). With
    `embed_initramfs` the system's initramfs becomes a part of the image; with `append_device_tree` the machine's device
    tree stands behind it (ARM). `late_modules_ms`: the build's modules go into the initramfs, and are loaded so long
    after user space has started. Without `modules` only the image is made, whatever the configuration has as a module.
    `prebuilt`: an image that somebody else built from this source with this configuration (a distribution); it is
    booted until a change takes it away, because then another kernel is asked for.
    """

    base: str = "allnoconfig"
    image: str | None = None
    variables: tuple[tuple[str, str], ...] = ()
    compiler: str | None = None
    device_tree: str | None = None
    embed_initramfs: bool = False
    append_device_tree: bool = False
    late_modules_ms: int | None = None
    modules: bool = True
    prebuilt: str | None = None

    def with_variables(self, variables: tuple[tuple[str, str], ...]) -> KernelBuild:
        """Return the build with make variables set."""
        return msgspec.structs.replace(self, variables=tuple((dict(self.variables) | dict(variables)).items()))


class Kernel(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel image, and its configuration where it lies beside it; or how it is built.

    With `build`, the other paths are empty until the builder has filled them in. `flash`: the machine starts from its
    flash, with bootlab's loader, the kernel and the initramfs in its first bank; None: the emulator loads the kernel.
    """

    image: str
    config: str | None = None
    symbols: str | None = None
    form: KernelForm = "image"
    vmlinux: str | None = None
    build: KernelBuild | None = None
    flash: FlashStart | None = None


class PackedArchive(msgspec.Struct, frozen=True, kw_only=True):
    """An initramfs that is there already. `content`: the digest of its tree; `compression`: of its last piece."""

    path: str
    content: str
    compression: Compression


class Initramfs(msgspec.Struct, frozen=True, kw_only=True):
    """The tree that bootlab packs, and how the archive is compressed. `level` None: the tool's best.

    `padding_bytes`: zero bytes behind the archive, which the kernel skips (init/initramfs.c: do_reset). `packed`: the
    archive that the tree was read from; it is what boots as long as neither tree nor compression is changed.
    """

    tree: FileTree = FileTree()
    compression: Compression = "gzip"
    level: int | None = None
    keep: tuple[str, ...] = ()
    padding_bytes: int = 0
    packed: PackedArchive | None = None

    @property
    def as_given(self) -> PackedArchive | None:
        """The archive that boots as it is; None where bootlab packs the tree."""
        packed = self.packed
        if packed is None or self.compression != packed.compression or self.level is not None:
            return None
        return packed if packed.content == self.tree.digest else None


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """First available use: the first console line that this regular expression finds."""

    console: str
    name: str = "goal"

    @property
    def sought(self) -> str:
        """The pattern that a line is compared with; "" for a boot that lasts until its console is quiet."""
        return "" if self.console == NO_GOAL else self.console


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What must still work.

    `console`: every pattern must be found; what its groups caught must equal the base's. `command`: a program and its
    arguments, run inside the booted system once the goal is there (in a boot of its own); its output and its exit
    status must equal the base's.
    """

    console: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


CHECK_S = 2.0
"""So many seconds after the goal a check's text may come unless a system says otherwise."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """When a boot is given up. Virtual limits decide alike on every machine; the wall limit is the safety net.

    `check_s`: how long after the goal the check's text may come, of virtual time where the clock is exact.
    """

    virtual_s: float = 120.0
    stall_virtual_s: float = 30.0
    check_s: float = CHECK_S
    wall_s: float = 180.0
    stall_wall_s: float = 60.0

    @classmethod
    def usual(cls, shift: int) -> Limits:
        """Return the usual limits at a shift: they leave room for as many instructions at every one above 1."""
        slower = 2 ** max(0, shift - 1)
        usual = cls()
        return cls(virtual_s=usual.virtual_s * slower, stall_virtual_s=usual.stall_virtual_s * slower)


_OF_THE_MACHINE = frozenset({"console", "root", "earlycon"})


class SystemDescription(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is booted. `marks` maps a name to the console pattern that sets it.

    `root`: what lies on a medium; an `initramfs` beside it is the one that mounts it. `programs` are built and put
    into the tree, with the shared libraries that they need. `initrd`: a file that goes in the initramfs's place as it
    is (the image of a RAM disk). `loader`: the machine starts from its card with a boot loader; None: the emulator
    loads the kernel. `steps` are for `bootlab steps` and change no boot of their own. `board`: the real one that boots
    it, instead of an emulator. `costs`: of a board that boots are judged for; no boot differs by them. `board_cmdline`:
    what the board's own loader passes, where the emulator's machine needs another root or console; no boot uses it.
    `earlier`: boots that it has behind it; None: what is measured is its first. `shutdown`: how it goes down is
    measured, not how it comes up.
    """

    name: str
    kernel: Kernel
    goal: Goal
    target: TargetName = "qemu"
    machine: Machine = Machine()
    clock: Clockwork = Clockwork()
    cmdline: CommandLine = CommandLine()
    initramfs: Initramfs | None = None
    root: Root | None = None
    programs: tuple[Program, ...] = ()
    initrd: str | None = None
    loader: Loader | None = None
    storage: Storage | None = None
    marks: tuple[tuple[str, str], ...] = ()
    check: Check = Check()
    limits: Limits = Limits()
    application: str | None = None
    application_arguments: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    path: str | None = None
    recordings: str | None = None
    board: Board | None = None
    costs: Costs | None = None
    board_cmdline: CommandLine | None = None
    earlier: Earlier | None = None
    shutdown: Shutdown | None = None

    @property
    def cmdline_to_pass(self) -> CommandLine:
        """What a boot loader has to pass on the board: its own command line with the changes, where it is known."""
        return self.board_cmdline if self.board_cmdline is not None else self.cmdline

    def with_cmdline(self, change: Callable[[CommandLine], CommandLine], sets: str = "") -> SystemDescription:
        """Return the system with a changed command line, and with the board's own changed alike.

        `sets`: the parameter that gets a value; a root or a console of the machine's is not set on the board.
        """
        own = self.board_cmdline
        if own is not None and sets not in _OF_THE_MACHINE:
            own = change(own)
        return msgspec.structs.replace(self, cmdline=change(self.cmdline), board_cmdline=own)

    @property
    def tree(self) -> FileTree | None:
        """The tree that the first program is started from; None where bootlab packs none."""
        if self.root is not None:
            return self.root.tree if self.root.image is None else None
        return None if self.initramfs is None else self.initramfs.tree

    @property
    def startup(self) -> FileTree | None:
        """The tree as far as it says how the system starts: all of it, or a part where the medium is ready made."""
        if self.root is not None and self.root.image is not None:
            return self.root.tree if self.root.given.entries else None
        return self.tree

    @property
    def processors(self) -> Processors:
        """How many processors it asks for, and whose time its clock is (without a `-smp` in `machine.extra`)."""
        if self.machine.cpus == 1 or self.clock.mode != "exact":
            return Processors(count=self.machine.cpus)
        quantum = self.clock.quantum_ns if self.clock.processors == "parallel" else None
        return Processors(count=self.machine.cpus, mode=self.clock.processors, quantum_ns=quantum)

    @property
    def keep(self) -> tuple[str, ...]:
        """Patterns of the files that are never left out of the tree."""
        place = self.root or self.initramfs
        return () if place is None else place.keep

    def with_tree(self, tree: FileTree) -> SystemDescription:
        """Return the system with another tree in the same place; one without a tree stays as it is."""
        if self.root is not None:
            packed = self.root.image is None or bool(self.root.given.entries)
            return msgspec.structs.replace(self, root=msgspec.structs.replace(self.root, tree=tree)) if packed else self
        if self.initramfs is not None:
            return msgspec.structs.replace(self, initramfs=msgspec.structs.replace(self.initramfs, tree=tree))
        return self

    @property
    def init_parameter(self) -> str:
        """The parameter that names the first program: `rdinit` of an initramfs, `init` of a mounted root."""
        return "init" if self.root is not None else "rdinit"

    @property
    def init_path(self) -> str:
        """The program that the kernel starts first (init/main.c:kernel_init())."""
        named = self.cmdline.value(self.init_parameter)
        if named:
            return named
        if self.root is None:
            return "/init"
        names = {path for path, _ in self.root.tree.entries} | {program.path for program in self.programs}
        return next((path for path in _USUAL_INITS if path in names), _USUAL_INITS[0])

    def with_init(self, path: str) -> SystemDescription:
        """Return the system with another first program."""
        return msgspec.structs.replace(self, cmdline=self.cmdline.with_param(self.init_parameter, path))


def debian_version(source: str) -> str | None:
    """Return the version of Debian's package linux-source-VERSION that `kernel.source` names; None: it is a path.

    "debian" is Debian 12's own, "debian-6.12" another one that Debian has.
    """
    found = _DEBIAN_SOURCE.fullmatch(source)
    return (found[1] or _DEBIAN_VERSION) if found else None
