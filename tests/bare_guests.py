# SPDX-License-Identifier: MIT
"""Programs without a system (tests/guests/halts.c, team.c), booted by bootlab's own command line and plugin.

A boot takes half a second and halts a thousand times: cheap enough to be repeated hundreds of times, and enough to see
the race of the halt in each when its window is widened (tests/guests/widen.c).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import msgspec

from bootlab.launch import devices, emulator, plugin, processors, qemu_launch
from bootlab.launch.qemu_command import words
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription
from bootlab.recordings.stamps import StampFile, Stamps

SOURCES = Path(__file__).parent / "guests"
_FLAGS = (
    *("-O1", "-ffreestanding", "-nostdlib", "-static", "-fno-pic", "-no-pie", "-fno-stack-protector"),
    *("-fno-asynchronous-unwind-tables", "-fno-toplevel-reorder", "-Wall", "-Werror"),
    "-Wl,--build-id=none,-n,--no-warn-rwx-segments",
)
_TARGETS = {
    "x86_64": ("x86_64-linux-gnu-gcc", "-m32 -march=i686 -mno-sse -Wl,-Ttext=0x100000"),
    "arm": ("arm-linux-gnueabihf-gcc", "-marm -march=armv7-a -mfloat-abi=soft -Wl,-Ttext=0x60010000"),
    "arm64": ("aarch64-linux-gnu-gcc", "-mgeneral-regs-only -mno-outline-atomics -Wl,-Ttext=0x40080000"),
    "riscv64": (
        "riscv64-linux-gnu-gcc",
        "-march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -Wl,-Ttext=0x80000000",
    ),
}
_MACHINES = {
    "x86_64": Machine(type="pc", memory_mib=64, firmware="qboot"),
    "arm": Machine(arch="arm", type="vexpress-a9", memory_mib=64),
    "arm64": Machine(arch="arm64", type="virt", cpu="max", memory_mib=64),
    "riscv64": Machine(arch="riscv64", memory_mib=64, extra=("-bios", "none")),
}
# Of team.c: both Arm architectures on QEMU's board with PSCI, which starts the other processors.
_TEAM_TEXT = {"arm": "0x40010000"}
_TEAM_MACHINES = _MACHINES | {"arm": Machine(arch="arm", type="virt", memory_mib=64)}
# Each opens one place in which the host could decide (tests/guests/widen.c).
WIDENED = {
    "behind the halt": {"WIDEN_US": "300", "WIDEN_EVERY": "1", "WIDEN_POLL_NS": "200000"},
    "before the halt": {"WIDEN_BEFORE_US": "300", "WIDEN_POLL_NS": "200000"},
    "before the timers": {"WIDEN_LOCK_US": "250", "WIDEN_POLL_NS": "100000"},
    "before the stamp": {"WIDEN_STAMP_US": "20000"},
}
# Of disk.c: between the access and what a device leaves to the main loop.
DISK_WIDENED = {
    "behind an access": {"WIDEN_ACCESS_US": "300", "WIDEN_EVERY": "7", "WIDEN_POLL_NS": "100000"},
    "behind the halt": WIDENED["behind the halt"],
}
# A processor that waits for another leaves the generated code all the time: not each of these jumps is widened.
TEAM_WIDENED = {
    "behind some halts": {"WIDEN_US": "300", "WIDEN_EVERY": "997", "WIDEN_POLL_NS": "200000"},
    "before the halt": WIDENED["before the halt"],
    "before the timers": WIDENED["before the timers"],
}


class Guest(msgspec.Struct, frozen=True):
    """A program for one architecture; `defines` are of its source. `processors`: team.c for so many, else `program`."""

    arch: str
    defines: tuple[str, ...] = ()
    processors: int = 1
    program: str = "halts"

    @property
    def machine(self) -> Machine:
        """The machine that it is for."""
        if self.processors == 1:
            return _MACHINES[self.arch]
        return msgspec.structs.replace(_TEAM_MACHINES[self.arch], cpus=self.processors)

    @property
    def compiler(self) -> str | None:
        """The compiler's path, or None when it is not installed."""
        return shutil.which(_TARGETS[self.arch][0])

    def build(self, folder: Path) -> Path:
        """Compile it into the folder."""
        compiler, flags = _TARGETS[self.arch]
        team = self.processors > 1
        defines = (*self.defines, *((f"PROCESSORS={self.processors}",) if team else ()))
        made = folder / "-".join((self.program, self.arch, *(d.replace("=", "") for d in defines)))
        words = [compiler, *_FLAGS, *flags.split(), *(f"-D{d}" for d in defines)]
        if team and self.arch in _TEAM_TEXT:
            words.append(f"-Wl,-Ttext={_TEAM_TEXT[self.arch]}")
        source = SOURCES / ("team.c" if team else f"{self.program}.c")
        done = subprocess.run([*words, "-o", str(made), str(source)], check=False, capture_output=True, text=True)
        # A new compiler has new warnings: which one it was stands in the test's report.
        assert done.returncode == 0, done.stderr
        return made


DISKS = {"ide": Guest("x86_64", program="disk"), "virtio-mmio": Guest("arm64", program="disk")}
"""Programs that read a disk, by what it is attached to."""
DISPLAY = Guest("arm64", ("DISPLAY",), program="disk")
"""A program that asks a display on virtio, whose work QEMU 11 keeps apart from that of disks."""


def with_display() -> Machine:
    """Return the machine of `DISPLAY`."""
    words = ("-global", "virtio-mmio.force-legacy=false", "-device", "virtio-gpu-device")
    machine = DISPLAY.machine
    return msgspec.structs.replace(machine, extra=(*machine.extra, *words))


def with_disk(kind: str, image: Path) -> Machine:
    """Return the machine of one of `DISKS` with its disk, whose image is made."""
    image.write_bytes(bytes((n * 7 + n // 251) & 0xFF for n in range(1 << 21)) * 2)
    drive = f"file={image},format=raw,id=d,snapshot=on"
    virtio = ("-drive", f"{drive},if=none", "-device", "virtio-blk-device,drive=d")
    words = ("-drive", f"{drive},if=ide") if kind == "ide" else virtio
    machine = DISKS[kind].machine
    return msgspec.structs.replace(machine, extra=(*machine.extra, *words))


class BareBoot(msgspec.Struct, frozen=True):
    """What a boot printed, the time of each byte, and what it cost of the host's time. `said`: QEMU's own words."""

    console: bytes
    stamps: Stamps
    wall_s: float
    cpu_s: float
    said: str

    @property
    def facts(self) -> tuple[bytes, tuple[int, int] | None]:
        """What must be equal in each boot: the console, and time and instructions of its last byte."""
        return self.console, self.stamps.at(len(self.console) - 1)


def build_preload(folder: Path) -> Path:
    """Compile the library that widens the window of the race."""
    made = folder / "widen.so"
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(made), str(SOURCES / "widen.c"), "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return made


def boot(
    arch: str,
    image: Path,
    folder: Path,
    cache: Path,
    *,
    cured: bool = True,
    in_step: bool = True,
    preload: Path | None = None,
    widened: str = "behind the halt",
    emulators: str = "",
    limit_s: float = 300,
    machine: Machine | None = None,
    clock: Clockwork | None = None,
) -> BareBoot:
    """Boot until the line that ends with the word is out. `cured`: the plugin closes the race of the halt.

    `in_step`: devices work in step with the instructions, where the table of devices says that they need it.

    `preload`: the library that widens a window, `widened` which one. `emulators`: a folder with QEMU's programs, in
    front of the usual places. With a `machine` of several processors QEMU is ended in peace, so that the plugin
    reports. Raise RuntimeError when no word comes.
    """
    machine = machine or _MACHINES[arch]
    if emulators:
        machine = msgspec.structs.replace(machine, emulator=f"{emulators}/{machine.architecture.emulator}")
    found = emulator.find(machine)
    stamper = plugin.prepare(found, cache)
    if stamper.path is None:
        raise RuntimeError(stamper.reason)
    folder.mkdir(parents=True)
    system = SystemDescription(
        name="bare",
        kernel=Kernel(image=str(image)),
        goal=Goal(console="x"),
        machine=machine,
        clock=clock or Clockwork(),
        cmdline=CommandLine(),
    )
    several = processors.prepare(system, found, cache)
    reporting = several.plugin
    if reporting is not None:
        reporting = msgspec.structs.replace(reporting, arguments=(*reporting.arguments, "report=on"))
    parts = qemu_launch.Parts(
        emulator=found.path,
        mute=found.wants_audio,
        kernel=str(image),
        initramfs=None,
        accel="tcg",
        plugin=stamper.path,
        processors_plugin=reporting,
    )
    environment = dict(os.environ) | (
        {"LD_PRELOAD": str(preload), **(WIDENED | TEAM_WIDENED | DISK_WIDENED)[widened]} if preload else {}
    )
    if not cured:
        environment["BOOTLAB_HALT_WATCH"] = "off"
    console = folder / qemu_launch.CONSOLE_FILE
    launch = qemu_launch.launch_of(system, parts)
    if in_step:
        launch, refused = devices.in_step(launch, found, cache)
        if refused:
            raise RuntimeError(refused[0])
    command = words(launch)
    started = time.monotonic()
    with (folder / "emulator.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        while (
            not (printed := _last_bytes(console)).endswith(b"\n") or len(printed) < 34 or printed[-35:-34] not in b"\n"
        ):
            if process.poll() is not None or time.monotonic() - started > limit_s:
                said = (folder / "emulator.log").read_text(errors="replace")
                raise RuntimeError(f"no word after {time.monotonic() - started:.0f} s: {printed!r} {said}")
            time.sleep(0.01)
        _await_stamps(process, folder)
    finally:
        wall_s = time.monotonic() - started
        if process.returncode is None:
            process.send_signal(signal.SIGTERM if several.plugin else signal.SIGKILL)
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = -signal.SIGKILL
    text = console.read_bytes()
    stamps = StampFile(folder / qemu_launch.STAMP_FILE).read(len(text))
    assert stamps is not None
    said = (folder / "emulator.log").read_text(errors="replace")
    return BareBoot(text, stamps, wall_s, usage.ru_utime + usage.ru_stime, said)


def _await_stamps(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until the last byte has its stamp: behind a store to memory it comes a moment later."""
    while process.poll() is None:
        size = (folder / qemu_launch.CONSOLE_FILE).stat().st_size
        stamps = StampFile(folder / qemu_launch.STAMP_FILE).read(size)
        if stamps is not None and stamps.settled_bytes >= size:
            return
        time.sleep(0.001)


def _last_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 35))
            return file.read()
    except OSError:
        return b""
