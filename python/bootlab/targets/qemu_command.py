"""A system as a QEMU command line."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Machine, System

CONSOLE_FILE = "console.log"
STAMP_FILE = "stamps.bin"
# Documentation/x86/x86_64/mm.rst: user-space addresses end here with four-level page tables.
_USER_SPACE_END = 0x800000000000
_EXACT_CPU_FLAGS = ("rdrand", "rdseed")
_FIRMWARE_FILES = {"seabios": "bios-256k.bin", "qboot": "qboot.rom"}


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the command is made of besides the system. Paths may be absolute or relative to QEMU's folder."""

    emulator: str
    kernel: str
    initramfs: str | None
    accel: str
    plugin: str | None = None
    marks: tuple[tuple[str, int], ...] = ()
    folder: str = "."


def effective_cmdline(system: System) -> CommandLine:
    """Return the command line that is really booted: exact mode adds `nokaslr`, without which addresses move."""
    line = system.cmdline
    if system.clock.mode == "exact" and not line.has("nokaslr"):
        line = line.with_param("nokaslr")
    return line


def cpu_argument(system: System) -> str:
    """Return `-cpu`'s value: in exact mode without the random-number instructions, which differ in each boot."""
    words = system.machine.cpu.split(",")
    if system.clock.mode == "exact" and words[0] == "max":
        for flag in _EXACT_CPU_FLAGS:
            if not any(w.lstrip("+-").startswith(flag) for w in words[1:]):
                words.append(f"{flag}=off")
    return ",".join(words)


def _machine_argument(machine: Machine) -> str:
    # graphics=off makes SeaBIOS print on the serial line.
    return ",".join((machine.type, "graphics=off", *machine.options))


def build(system: System, parts: Parts) -> list[str]:
    """Return the argument list. The console goes to a file, which loses no byte and needs no reader to keep up."""
    machine, clock = system.machine, system.clock
    folder = Path(parts.folder)
    command = [parts.emulator, "-machine", _machine_argument(machine), "-accel", parts.accel]
    command += ["-cpu", cpu_argument(system), "-m", str(machine.memory_mib), "-smp", str(machine.cpus)]
    command += ["-nodefaults", "-display", "none", "-monitor", "none", "-no-reboot"]
    if machine.firmware != "default":
        command += ["-bios", _FIRMWARE_FILES[machine.firmware]]
    command += ["-chardev", f"file,id=console,path={_escape(folder / CONSOLE_FILE)}", "-serial", "chardev:console"]
    if clock.mode == "exact":
        command += ["-icount", f"shift={clock.shift},sleep=off,align=off"]
        command += ["-rtc", f"base={clock.rtc_base},clock=vm", "-seed", "1"]
    if parts.plugin:
        command += ["-plugin", _plugin_argument(system, parts)]
    for disk in machine.disks:
        # A boot must not change what the next one starts from.
        image = "qcow2" if disk.endswith(".qcow2") else "raw"
        command += ["-drive", f"file={_escape(Path(disk))},format={image},if=virtio,snapshot=on"]
    for device in machine.devices:
        command += ["-device", device]
    command += ["-kernel", parts.kernel]
    if parts.initramfs:
        command += ["-initrd", parts.initramfs]
    text = str(effective_cmdline(system))
    if len(text) > 2047:
        raise UserError(
            f"the kernel command line has {len(text)} characters; x86 kernels read 2047",
            hint="shorten cmdline in the system file (arch/x86/include/asm/setup.h: COMMAND_LINE_SIZE)",
        )
    command += ["-append", text]
    return [*command, *machine.extra]


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
    if "start-kernel" in names:
        first = names.index("start-kernel")
        after = names.index("run-init") if "run-init" in names else first
        words += [f"user={_USER_SPACE_END:#x}", f"user_from={first}", f"user_after={after}"]
    return ",".join(words)


def _escape(path: Path) -> str:
    # QEMU's option parser reads a comma as the end of the value; two stand for one.
    return str(path).replace(",", ",,")
