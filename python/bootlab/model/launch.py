# SPDX-License-Identifier: MIT
"""A launch: the emulator with the machine in it, and all that the machine is given. One boot starts one launch.

The emulator's words are derived from it (:mod:`bootlab.launch.qemu_command`); nothing reads them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.model.architecture import Arch

MediumBus = Literal["virtio", "virtio-mmio", "pflash", "sd", "sd-device", "sdhci-pci", "nvdimm"]
"""What a medium is attached to: virtio on PCI, virtio on memory-mapped registers, a parallel flash bank, a card's slot
of the board's own."""

DEVICES_PLUGIN = "bootlab-devices.so"
"""What the plugin that keeps devices in step is handed over as."""

ImageFormat = Literal["raw", "qcow2"]


class Medium(msgspec.Struct, frozen=True, kw_only=True):
    """An image file that the machine has as a disk, a card or a flash bank."""

    file: str
    """Path of the image."""
    bus: MediumBus
    """What it is attached to."""
    format: ImageFormat = "raw"
    unit: int = 0
    """Its number on its bus."""
    holds: Literal["root", "start", "card"] | None = None
    """What bootlab put on it: the root file system; the start from flash, or from a card (loader, kernel, …)."""
    size_bytes: int = 0
    """Only for an NVDIMM: the memory that is set aside for it."""
    boots: int = 0
    """How many boots have written to it before."""
    kept: bool = False
    """What the machine writes stays in the file; else it is thrown away."""


class InstructionClock(msgspec.Struct, frozen=True, kw_only=True):
    """Time by executed instructions (exact mode)."""

    shift: int
    """One instruction takes 2^shift ns."""
    rtc_base: str
    """What the real-time clock shows at power-on."""
    seed: int
    """The seed of the emulator's random numbers."""
    recorded: bool = False
    """QEMU's record mode is on: without the plugin, its lock closes the first half of the race of the halt."""


class LoadedPlugin(msgspec.Struct, frozen=True, kw_only=True):
    """A TCG plugin of the emulator."""

    file: str
    """Path of the shared object."""
    arguments: tuple[str, ...] = ()
    """Each `NAME=VALUE`."""
    digest: str = ""
    """The digest of its sources and interface; empty if unknown."""
    carried_as: str = ""
    """The guest depends on it, so it is handed over with the system, under this name; empty: it only watches."""
    preloaded: bool = False
    """It is loaded before the emulator's own libraries as well, to count what the emulator writes."""


class InMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the emulator puts into the machine's memory before the machine starts."""

    file: str
    """Path of the file."""
    address: int
    """Where its first byte lies."""


class LoadedFirst(msgspec.Struct, frozen=True, kw_only=True):
    """A boot loader that the emulator starts without a medium, and what lies ready for it."""

    file: str
    """Path of the boot loader."""
    instead_of: Literal["firmware", "kernel"]
    """Whose place it takes: that of the board's firmware, or that of the kernel, which the firmware starts."""
    dtb: str | None = None
    """The device tree that it finds."""
    memory: tuple[InMemory, ...] = ()
    """What it finds in memory: its other parts, the kernel, the initramfs."""

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of all of it."""
        tree = (self.dtb,) if self.dtb is not None else ()
        return (self.file, *tree, *(part.file for part in self.memory))

    def renamed(self, names: Mapping[str, str]) -> LoadedFirst:
        """Return the same with other paths, by those that it has."""
        return LoadedFirst(
            file=names[self.file],
            instead_of=self.instead_of,
            dtb=None if self.dtb is None else names[self.dtb],
            memory=tuple(InMemory(file=names[part.file], address=part.address) for part in self.memory),
        )


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """What one boot starts. Paths are absolute, or relative to the folder of the boot."""

    emulator: str
    """The program, by its name in PATH or by its path."""
    arch: Arch
    machine: str
    """The board, as the emulator calls it."""
    machine_options: tuple[str, ...] = ()
    """Further properties of the board, each `NAME=VALUE`."""
    accel: str = "tcg"
    """`tcg` or `kvm`."""
    cpu: str
    """Model and flags, in the form of `-cpu`."""
    memory_mib: int
    """Memory in MiB."""
    processors: int = 1
    """How many processors."""
    firmware: str | None = None
    """One of the emulator's files, instead of the board's usual firmware."""
    mute: bool = False
    """The audio driver is named `none`."""
    console: str | None = "console.log"
    """The file that the serial port writes; null: the terminal."""
    console_port: int = 0
    """The number of the serial port that the console is on."""
    console_baud: int = 0
    """Bits a second at which the console is read; 0: it goes into the file at once."""
    monitor: str | None = None
    """The socket of the emulator's monitor; null: it has none."""
    clock: InstructionClock | None = None
    """Null: the host's clock (free mode)."""
    plugins: tuple[LoadedPlugin, ...] = ()
    """TCG plugins, in the order in which the emulator loads them."""
    media: tuple[Medium, ...] = ()
    """Disks, cards and flash banks."""
    devices: tuple[str, ...] = ()
    """The user's devices, each in the form of `-device`."""
    smbios: tuple[str, ...] = ()
    """What DMI says of the machine, each in the form of `-smbios`."""
    properties: tuple[str, ...] = ()
    """What differs from the emulator's defaults for all devices of a type, each `TYPE.NAME=VALUE`."""
    kernel: str | None
    """Path of the kernel. Null: a boot loader on one of the media loads it; then `cmdline` is what that passes on."""
    initramfs: str | None = None
    """Path of the initramfs; null: none, or a boot loader loads it."""
    dtb: str | None = None
    """The device tree for the machine."""
    cmdline: str = ""
    """The kernel's command line."""
    loader: LoadedFirst | None = None
    """The boot loader that the emulator starts; null: none, or it is on one of the media."""
    extra: tuple[str, ...] = ()
    """The user's own words. They come last, so that they override others."""

    @property
    def root(self) -> Medium | None:
        """The medium with the root file system that bootlab made."""
        return next((medium for medium in self.media if medium.holds == "root"), None)

    @property
    def devices_in_step(self) -> bool:
        """A plugin makes devices complete their work at the instruction that asks for it, not at the host's pace."""
        return any(plugin.carried_as == DEVICES_PLUGIN for plugin in self.plugins)

    @property
    def loader_files(self) -> tuple[str, ...]:
        """The paths of a boot loader that is started without a medium, and of what lies ready for it."""
        return self.loader.files if self.loader is not None else ()

    @property
    def preload(self) -> Path | None:
        """The plugin that is loaded before the emulator's own libraries, where one is."""
        return next((Path(plugin.file) for plugin in self.plugins if plugin.preloaded), None)

    def with_plugin(self, plugin: LoadedPlugin) -> Launch:
        """Return the launch with one plugin more, which the emulator loads before the others."""
        return msgspec.structs.replace(self, plugins=(plugin, *self.plugins))
