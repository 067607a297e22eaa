"""A system as a QEMU command line."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Machine, System
from bootlab.targets.load_address import RISCV_FIRMWARE_RANGE

CONSOLE_FILE = "console.log"
STAMP_FILE = "stamps.bin"
_EXACT_CPU_FLAGS = ("rdrand", "rdseed")
# hw/arm/vexpress.c: virtio sits behind memory-mapped registers only.
_WITHOUT_PCI = frozenset({"vexpress-a9", "vexpress-a15"})
_FIRMWARE_FILES = {"seabios": "bios-256k.bin", "qboot": "qboot.rom"}


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the command is made of besides the system. Paths may be absolute or relative to QEMU's folder."""

    emulator: str
    kernel: str
    initramfs: str | None
    accel: str
    plugin: str | None = None
    marks: tuple[tuple[str, int], ...] = ()
    user_space_end: int | None = None
    folder: str = "."
    mute: bool = False
    """Name the audio driver `none`, for emulators that want one named (`Emulator.wants_audio`)."""


def effective_cmdline(system: System) -> CommandLine:
    """Return the command line that is really booted: exact mode adds `nokaslr` where the kernel could move itself.

    Elsewhere the word would be handed to init as an argument.
    """
    line = system.cmdline
    if system.clock.mode == "exact" and system.machine.architecture.kaslr and not line.has("nokaslr"):
        line = line.with_param("nokaslr")
    return line


def added_words(system: System) -> tuple[str, ...]:
    """Return the words of the booted command line that the system's own does not have."""
    own = {str(param) for param in system.cmdline.params}
    return tuple(str(param) for param in effective_cmdline(system).params if str(param) not in own)


def cpu_argument(system: System, accel: str = "tcg") -> str:
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


def _machine_argument(machine: Machine) -> str:
    # graphics=off makes SeaBIOS print on the serial line; elsewhere nobody asks for it.
    serial_firmware = ("graphics=off",) if machine.arch == "x86_64" else ()
    return ",".join((machine.type, *serial_firmware, *machine.options))


def _storage_arguments(machine: Machine) -> list[str]:
    words: list[str] = []
    mmio = machine.disk_bus == "mmio" or (machine.disk_bus is None and machine.type in _WITHOUT_PCI)
    for number, disk in enumerate(machine.disks):
        if mmio:
            words += ["-drive", f"{_drive(disk, 'none')},id=disk{number}"]
            words += ["-device", f"virtio-blk-device,drive=disk{number}"]
        else:
            words += ["-drive", _drive(disk, "virtio")]
    for unit, bank in enumerate(machine.flash):
        if bank:
            words += ["-drive", f"{_drive(bank, 'pflash')},unit={unit}"]
    if machine.sd is not None:
        words += ["-drive", f"{_drive(machine.sd, 'sd')},index=0"]
    return words


def _drive(file: str, interface: str) -> str:
    # A boot must not change what the next one starts from.
    image = "qcow2" if file.endswith(".qcow2") else "raw"
    return f"file={_escape(Path(file))},format={image},if={interface},snapshot=on"


def build(system: System, parts: Parts) -> list[str]:
    """Return the argument list. The console goes to a file, which loses no byte and needs no reader to keep up."""
    machine, clock = system.machine, system.clock
    folder = Path(parts.folder)
    command = [parts.emulator, "-machine", _machine_argument(machine), "-accel", parts.accel]
    command += ["-cpu", cpu_argument(system, parts.accel), "-m", str(machine.memory_mib), "-smp", str(machine.cpus)]
    command += ["-nodefaults", "-display", "none", "-monitor", "none", "-no-reboot"]
    if parts.mute:
        command += ["-audio", "none"]
    if machine.firmware != "default":
        command += ["-bios", _FIRMWARE_FILES[machine.firmware]]
    command += ["-chardev", f"file,id=console,path={_escape(folder / CONSOLE_FILE)}", "-serial", "chardev:console"]
    if clock.mode == "exact":
        command += ["-icount", f"shift={clock.shift},sleep=off,align=off{'' if parts.plugin else _recorded(machine)}"]
        command += ["-rtc", f"base={clock.rtc_base},clock=vm", "-seed", str(clock.seed)]
    if parts.plugin:
        command += ["-plugin", _plugin_argument(system, parts)]
    command += _storage_arguments(machine)
    for device in machine.devices:
        command += ["-device", device]
    command += ["-kernel", parts.kernel]
    if parts.initramfs:
        command += ["-initrd", parts.initramfs]
    if machine.dtb is not None:
        command += ["-dtb", machine.dtb]
    text = str(effective_cmdline(system))
    facts = machine.architecture
    if len(text.encode()) >= facts.cmdline_bytes:
        raise UserError(
            f"the kernel command line has {len(text.encode())} bytes; {facts.name} kernels read "
            f"{facts.cmdline_bytes - 1}",
            hint=f"shorten cmdline in the system file ({facts.cmdline_source}: COMMAND_LINE_SIZE)",
        )
    command += ["-append", text]
    return [*command, *machine.extra]


def _recorded(machine: Machine) -> str:
    """Return what closes the race of the halt without the plugin: the lock of QEMU's record mode.

    It is made for one processor, and disks behave differently in it.
    """
    storage = machine.disks or machine.sd or any(machine.flash)
    plain = machine.cpus == 1 and not (storage or machine.devices or machine.extra)
    return ",rr=record,rrfile=/dev/null" if plain else ""


def _plugin_argument(system: System, parts: Parts) -> str:
    folder = Path(parts.folder)
    words = [
        _escape(Path(str(parts.plugin))),
        f"con={_escape(folder / CONSOLE_FILE)}",
        f"out={_escape(folder / STAMP_FILE)}",
    ]
    if system.clock.mode == "exact":
        words.append(f"shift={system.clock.shift}")
    words += [f"mark={address:#x}" for _, address in parts.marks]
    names = [name for name, _ in parts.marks]
    if "start-kernel" in names and parts.user_space_end is not None:
        first = names.index("start-kernel")
        after = names.index("run-init") if "run-init" in names else first
        words += [f"user={parts.user_space_end:#x}", f"user_from={first}", f"user_after={after}"]
        if system.machine.arch == "riscv64":
            low, high = RISCV_FIRMWARE_RANGE
            words.append(f"firmware={low:#x}:{high:#x}")
    return ",".join(words)


def _escape(path: Path) -> str:
    # QEMU's option parser reads a comma as the end of the value; two stand for one.
    return str(path).replace(",", ",,")
