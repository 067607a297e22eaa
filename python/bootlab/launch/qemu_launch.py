# SPDX-License-Identifier: MIT
"""A system as a launch of QEMU."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from bootlab.errors import UserError
from bootlab.launch.exactness import one_runs
from bootlab.launch.load_address import RISCV_FIRMWARE_RANGE
from bootlab.model.board import board
from bootlab.model.cmdline import CommandLine
from bootlab.model.launch import InstructionClock, Launch, LoadedFirst, LoadedPlugin, Medium, MediumBus
from bootlab.model.system import Machine, SystemDescription

CONSOLE_FILE = "console.log"
STAMP_FILE = "stamps.bin"
_EXACT_CPU_FLAGS = ("rdrand", "rdseed")
# hw/arm/vexpress.c, hw/i386/microvm.c: virtio sits behind memory-mapped registers only.
_WITHOUT_PCI = frozenset({"vexpress-a9", "vexpress-a15", "microvm"})
# hw/arm/bcm2836.c, bcm2838.c: the chip on the board says how many of its processors start with power on.
_CHIPS = {"raspi2b": "bcm2836", "raspi3ap": "bcm2837", "raspi3b": "bcm2837", "raspi4b": "bcm2838"}
# hw/arm/sabrelite.c takes no `-drive if=sd`. A card as a device finds the slot that was made last: SD4.
_PUTS_NO_CARD_IN = frozenset({"sabrelite"})
_FIRMWARE_FILES = {"seabios": "bios-256k.bin", "qboot": "qboot.rom"}


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What a launch is made of besides the system. Paths may be absolute or relative to QEMU's folder."""

    emulator: str
    kernel: str | None
    initramfs: str | None
    accel: str
    plugin: str | None = None
    plugin_digest: str = ""
    processors_plugin: LoadedPlugin | None = None
    """What gives each of several processors its own time."""
    marks: tuple[tuple[str, int], ...] = ()
    codes: tuple[tuple[str, str], ...] = ()
    """Marks of code that is known by its first bytes; they follow those of addresses."""
    user_space_end: int | None = None
    folder: str = "."
    mute: bool = False
    """Name the audio driver `none`, for emulators that want one named (`Emulator.wants_audio`)."""
    root: str | None = None
    """The medium that bootlab made for the root; the machine names it among its own."""
    start: str | None = None
    """The flash bank that bootlab filled; the machine names it too."""
    card: str | None = None
    """The card with a boot loader that bootlab made; the machine names it too, and nothing is loaded beside it."""
    loader: LoadedFirst | None = None
    """The boot loader that the emulator starts without a card."""


_HIDDEN = ("bootlab.early", " nokaslr ")
"""The word as it never comes to init, which would take it for an argument before its own.

What looks for it before the kernel runs at its address (arch/x86/boot/compressed/cmdline.c, arm64's idreg-override.c)
knows no quotes; the kernel drops a parameter of a module that is not there (init/main.c: unknown_bootoption()).
"""


def effective_cmdline(system: SystemDescription) -> CommandLine:
    """Return the command line that is really booted: exact mode adds `nokaslr` where the kernel could move itself.

    Elsewhere the word would be handed to init as an argument.
    """
    line = system.cmdline
    if system.clock.mode == "exact" and system.machine.architecture.kaslr and not line.has("nokaslr"):
        line = line.with_param(*_HIDDEN) if line.init_args else line.with_param("nokaslr")
    return line


def added_words(system: SystemDescription) -> tuple[str, ...]:
    """Return the words of the booted command line that the system's own does not have."""
    own = {str(param) for param in system.cmdline.params}
    return tuple(str(param) for param in effective_cmdline(system).params if str(param) not in own)


def cpu_argument(system: SystemDescription, accel: str = "tcg") -> str:
    """Return `-cpu`'s value: in exact mode without the random-number instructions, which differ in each boot.

    KVM on ARM and RISC-V has the host's own processor and no other.
    """
    facts = system.machine.architecture
    if accel == "kvm" and facts.name != "x86_64" and system.machine.cpu == facts.cpu:
        return "host"
    words = system.machine.cpu.split(",")
    if system.clock.mode == "exact" and words[0] == "max" and system.machine.arch == "x86_64":
        for flag in _EXACT_CPU_FLAGS:
            if not any(w.lstrip("+-").startswith(flag) for w in words[1:]):
                words.append(f"{flag}=off")
    return ",".join(words)


def launch_of(system: SystemDescription, parts: Parts) -> Launch:
    """Return what boots a system. Raise UserError for a command line that is longer than the kernel reads."""
    machine = system.machine
    return Launch(
        emulator=parts.emulator,
        arch=machine.arch,
        machine=machine.type,
        machine_options=_machine_options(machine),
        accel=parts.accel,
        cpu=cpu_argument(system, parts.accel),
        memory_mib=machine.memory_mib,
        processors=machine.cpus,
        firmware=_FIRMWARE_FILES[machine.firmware] if machine.firmware != "default" else None,
        mute=parts.mute,
        console=str(Path(parts.folder) / CONSOLE_FILE),
        console_port=machine.console_port,
        console_baud=machine.console_baud,
        clock=_clock(system, parts),
        plugins=_plugins(system, parts),
        media=_media(machine, parts),
        devices=machine.devices,
        smbios=machine.smbios,
        kernel=parts.kernel,
        initramfs=parts.initramfs or None,
        dtb=machine.dtb if parts.card is None else None,
        cmdline=_cmdline(system),
        loader=parts.loader,
        properties=_left_off(system),
        extra=machine.extra,
    )


def _left_off(system: SystemDescription) -> tuple[str, ...]:
    """Return the property that keeps the processors off which the kernel leaves alone.

    Those of a Raspberry Pi would run QEMU's start code, which polls a mailbox, and take turns with the first one.
    """
    chip = _CHIPS.get(system.machine.type)
    if chip is None or system.clock.mode != "exact" or not one_runs(system):
        return ()
    return (f"{chip}.enabled-cpus=1",)


def _machine_options(machine: Machine) -> tuple[str, ...]:
    # graphics=off makes SeaBIOS print on the serial line; elsewhere nobody asks for it.
    serial_firmware = ("graphics=off",) if machine.arch == "x86_64" else ()
    return (*serial_firmware, *(("nvdimm=on",) if machine.pmem else ()), *machine.options)


def _clock(system: SystemDescription, parts: Parts) -> InstructionClock | None:
    clock = system.clock
    if clock.mode != "exact":
        return None
    recorded = not parts.plugin and parts.loader is None and _can_record(system.machine)
    return InstructionClock(shift=clock.shift, rtc_base=clock.rtc_base, seed=clock.seed, recorded=recorded)


def _can_record(machine: Machine) -> bool:
    """Tell whether the lock of QEMU's record mode can close the race of the halt, where no plugin does.

    It is made for one processor, and disks behave differently in it.
    """
    storage = machine.disks or machine.sd or any(machine.flash) or machine.pmem
    return machine.cpus == 1 and not (storage or machine.devices or machine.extra)


def _media(machine: Machine, parts: Parts) -> tuple[Medium, ...]:
    mmio = machine.disk_bus == "mmio" or (machine.disk_bus is None and machine.type in _WITHOUT_PCI)
    disks = [_medium(file, "virtio-mmio" if mmio else "virtio", at, parts) for at, file in enumerate(machine.disks)]
    banks = [_medium(file, "pflash", at, parts) for at, file in enumerate(machine.flash) if file]
    # q35 and virt have no slot of their own.
    slot: MediumBus = "sdhci-pci" if machine.arch == "x86_64" or board(machine) == "virt" else "sd"
    if machine.type in _PUTS_NO_CARD_IN:
        slot = "sd-device"
    cards = [_medium(machine.sd, slot, 0, parts)] if machine.sd is not None else []
    plugged = [
        msgspec.structs.replace(_medium(file, "nvdimm", at, parts), size_bytes=Path(file).stat().st_size)
        for at, file in enumerate(machine.pmem)
    ]
    return (*disks, *banks, *cards, *plugged)


def _medium(file: str, bus: MediumBus, unit: int, parts: Parts) -> Medium:
    made: tuple[tuple[str | None, Literal["root", "start", "card"]], ...]
    made = ((parts.root, "root"), (parts.start, "start"), (parts.card, "card"))
    holds = {place: what for place, what in made if place is not None}
    return Medium(
        file=file,
        bus=bus,
        format="qcow2" if file.endswith(".qcow2") else "raw",
        unit=unit,
        holds=holds.get(file),
    )


def _cmdline(system: SystemDescription) -> str:
    text = str(effective_cmdline(system))
    facts = system.machine.architecture
    if len(text.encode()) >= facts.cmdline_bytes:
        raise UserError(
            f"the kernel command line has {len(text.encode())} bytes; {facts.name} kernels read "
            f"{facts.cmdline_bytes - 1}",
            hint=f"shorten cmdline in the system file ({facts.cmdline_source}: COMMAND_LINE_SIZE)",
        )
    return text


def _plugins(system: SystemDescription, parts: Parts) -> tuple[LoadedPlugin, ...]:
    stamper = _stamp_plugin(system, parts, parts.plugin) if parts.plugin else None
    return tuple(plugin for plugin in (parts.processors_plugin, stamper) if plugin is not None)


def _stamp_plugin(system: SystemDescription, parts: Parts, file: str) -> LoadedPlugin:
    folder = Path(parts.folder)
    words = [f"con={folder / CONSOLE_FILE}", f"out={folder / STAMP_FILE}"]
    if system.clock.mode == "exact":
        words.append(f"shift={system.clock.shift}")
    words += [f"mark={address:#x}" for _, address in parts.marks]
    words += [f"code={known}" for _, known in parts.codes]
    names = [name for name, _ in parts.marks]
    if "start-kernel" in names and parts.user_space_end is not None:
        first = names.index("start-kernel")
        after = names.index("run-init") if "run-init" in names else first
        words += [f"user={parts.user_space_end:#x}", f"user_from={first}", f"user_after={after}"]
        if "kexec" in names:
            words.append(f"kexec={names.index('kexec')}")
        if system.machine.arch == "riscv64":
            low, high = RISCV_FIRMWARE_RANGE
            words.append(f"firmware={low:#x}:{high:#x}")
    return LoadedPlugin(file=file, arguments=tuple(words), digest=parts.plugin_digest, preloaded=True)
