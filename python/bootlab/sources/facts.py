# SPDX-License-Identifier: MIT
"""What was found in what people have: plain values, each with the place it was read from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from bootlab.formats.bundle import Half
from bootlab.formats.device_tree import DeviceTreeFacts
from bootlab.formats.partitions import Partition
from bootlab.formats.superblock import FileSystem
from bootlab.model.architecture import Arch
from bootlab.model.fstab import MountLine

if TYPE_CHECKING:
    # The readers of logs are no part of a boot, which looks at boards by what is said here.
    from bootlab.logs.log_facts import LogFacts

InitKind = Literal[
    "systemd", "busybox", "sysvinit", "openrc", "runit", "s6", "dinit", "finit", "upstart", "android", "other"
]


class ImageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel image. `config`: values by `CONFIG_X`; empty when nothing tells. `modules`: names the root has."""

    path: Path
    arch: str = ""
    kind: str = ""
    release: str = ""
    config: dict[str, str] = {}
    config_path: Path | None = None
    config_source: str = ""
    symbols_path: Path | None = None

    def option(self, name: str) -> str | None:
        """Return `y`, `m` or `n` of an option; None when the configuration is not known."""
        return self.config.get(f"CONFIG_{name}", "n") if self.config else None


class InitramfsFacts(msgspec.Struct, frozen=True, kw_only=True):
    """An initramfs. `maker`: initramfs-tools, dracut, mkinitcpio, or ""; `modules`: names as the kernel has them.

    `keys`: files that open an encrypted root.
    """

    path: Path
    compression: str = "none"
    maker: str = ""
    files: int = 0
    modules: frozenset[str] = frozenset()
    releases: tuple[str, ...] = ()
    init: str = ""
    keys: tuple[str, ...] = ()


class BootEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a boot loader's menu; paths as they stand in the medium's root. `source`: the file that says so.

    `overlays`: what the loader would merge into the device tree. `partition`: the number of the partition that it names
    for the kernel, 0 where it names none. `configuration`: which one of a FIT image, which profile of a unified one; ""
    for the usual one. `addons`: programs whose lines a unified image appends to its own.
    `says_line`: the menu is where the whole line stands, so that an empty one is known to be empty.
    `inside`: the image file on the medium that it takes kernel and initrd from. `notes`: what is not certain about it.
    `asks_tree`: what is said where no device tree is found: who knows which one it is. `is_partial`: the loader's line
    may have other words, or more: something it depends on was not read. `chosen_by`: what chooses between the entries
    of several roots, where that was not read.
    """

    title: str = ""
    kernel: str = ""
    initrds: tuple[str, ...] = ()
    device_tree: str = ""
    cmdline: str = ""
    source: str = ""
    default: bool = False
    overlays: tuple[str, ...] = ()
    partition: int = 0
    configuration: str = ""
    addons: tuple[str, ...] = ()
    inside: str = ""
    says_line: bool = False
    asks_tree: str = ""
    is_partial: bool = False
    chosen_by: str = ""
    notes: tuple[str, ...] = ()


class UnitFacts(msgspec.Struct, frozen=True):
    """A systemd unit that the tree enables, what its `Description=` says, and the program of its `ExecStart=`."""

    name: str
    description: str
    program: str = ""


class MappedLine(msgspec.Struct, frozen=True):
    """A line of /etc/crypttab (crypttab(5)): the name below /dev/mapper, what it is made of, its key and options."""

    name: str
    device: str
    key: str = ""
    options: tuple[str, ...] = ()


class RootFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A root tree. `units`: services enabled for multi-user or graphical use. `releases`: folders of /lib/modules.

    `mapped`: the devices that /etc/crypttab makes. `foreign`: the processor of its programs, where bootlab has no
    machine with it.
    """

    name: str = ""
    version: str = ""
    hostname: str = ""
    init: str = ""
    init_kind: InitKind = "other"
    mounts: tuple[MountLine, ...] = ()
    mapped: tuple[MappedLine, ...] = ()
    units: tuple[UnitFacts, ...] = ()
    gettys: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    entries: tuple[BootEntry, ...] = ()
    arch: Arch | None = None
    foreign: str = ""
    built_in: frozenset[str] = frozenset()


class PartitionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A partition, or a whole medium (`number` 0), and what lies on it. `is_read`: its files could be read."""

    partition: Partition
    file_system: FileSystem | None = None
    is_read: bool = False

    @property
    def number(self) -> int:
        """The kernel's number of it; 0: the whole medium."""
        return self.partition.number


class DiskFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A disk or card image. `form`: raw or qcow2. `root`: the number of the partition that holds the root tree.

    `roots`: all partitions with a root tree: two of a system that is updated by turns.
    """

    path: Path
    form: str
    size_bytes: int
    table: str = ""
    partitions: tuple[PartitionFacts, ...] = ()
    root: int | None = None
    roots: tuple[int, ...] = ()

    @property
    def is_iso(self) -> bool:
        """Tell whether the whole medium is an ISO 9660 file system, with or without a partition table before it."""
        whole = self.of(0)
        return whole is not None and whole.file_system is not None and whole.file_system.fstype == "iso9660"

    def of(self, number: int | None) -> PartitionFacts | None:
        """Return a partition by its number."""
        return next((part for part in self.partitions if part.number == number), None)


class SourceFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found in one source. `what`: it in a few words. `unknown`: what was looked for and not found.

    `no_kernel`: why it has no kernel; another source may have one. `machine`: QEMU's machine, where the build system
    names it. `kernels_there`: where none is taken, the paths of each kernel in it and of the
    initrd beside it. `way_on`: the next command where none is taken and the medium tells what
    it is for. `half`: it is one of Android's two halves. `lacks`: where the parts are that it has not, by part.
    `no_line`: what is said where nothing at all names a command line.
    """

    source: Path
    what: str
    arch: Arch | None = None
    kernel: ImageFacts | None = None
    device_tree: DeviceTreeFacts | None = None
    initramfs: InitramfsFacts | None = None
    disk: DiskFacts | None = None
    root: RootFacts | None = None
    tree: Path | None = None
    entry: BootEntry | None = None
    entries: tuple[BootEntry, ...] = ()
    log: LogFacts | None = None
    machine: str = ""
    half: Half = ""
    lacks: dict[str, str] = {}
    no_kernel: str = ""
    kernels_there: tuple[tuple[str, ...], ...] = ()
    way_on: str = ""
    no_line: str = ""
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
