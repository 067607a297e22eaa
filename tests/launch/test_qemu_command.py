# SPDX-License-Identifier: MIT
"""A system as QEMU's argument list."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.launch.qemu_command import medium_options
from bootlab.launch.qemu_command import words as words_of
from bootlab.launch.qemu_launch import Parts, cpu_argument, effective_cmdline, launch_of
from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.cmdline import CommandLine
from bootlab.model.launch import InMemory, LoadedFirst, Medium
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription

SYSTEM = SystemDescription(
    name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), cmdline=CommandLine.parse('console=ttyS0 a="b c"')
)
FREE = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
PARTS = Parts(emulator="qemu", kernel="/k", initramfs="/i", accel="tcg")


def build(system: SystemDescription, parts: Parts) -> list[str]:
    return list(words_of(launch_of(system, parts)))


def words(system=SYSTEM, **parts) -> str:
    return " ".join(build(system, msgspec.structs.replace(PARTS, **parts)))


def test_exact():
    assert build(SYSTEM, PARTS) == [
        "qemu", "-machine", "q35,graphics=off", "-accel", "tcg", "-cpu", "max,rdrand=off,rdseed=off", "-m", "256",
        "-smp", "1", "-nodefaults", "-display", "none", "-monitor", "none", "-no-reboot",
        "-chardev", "file,id=console,path=console.log", "-serial", "chardev:console",
        "-icount", "shift=1,sleep=off,align=off,rr=record,rrfile=/dev/null",
        "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-seed", "1",
        "-kernel", "/k", "-initrd", "/i", "-append", 'console=ttyS0 a="b c" nokaslr',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("machine", "plugin", "recorded"),
    [
        ({}, None, True),
        ({}, "/p.so", False),
        ({"disks": ("/d",)}, None, False),
        ({"devices": ("virtio-rng-pci",)}, None, False),
        ({"extra": ("-nic", "user")}, None, False),
        ({"cpus": 2}, None, False),
        ({"arch": "arm", "type": "vexpress-a9", "dtb": "/v.dtb"}, None, True),
    ],
)
def test_record_mode_stands_in_for_the_plugin(machine, plugin, recorded):
    system = msgspec.structs.replace(SYSTEM, machine=Machine(**machine))
    assert (",rr=record,rrfile=/dev/null -rtc" in words(system, plugin=plugin)) is recorded


@pytest.mark.parametrize(
    ("instead_of", "option", "handed"), [("firmware", "-bios", True), ("kernel", "-kernel", False)]
)
def test_a_boot_loader_that_the_emulator_starts(instead_of, option, handed):
    memory = (InMemory(file="/a,b", address=0x84000000),)
    loader = LoadedFirst(file="/u-boot", instead_of=instead_of, dtb="/tree", memory=memory)
    given = msgspec.structs.replace(PARTS, loader=loader, **({} if handed else {"kernel": None, "initramfs": None}))
    made = build(msgspec.structs.replace(FREE, machine=Machine(extra=("-nic", "user"))), given)
    assert made[-8:] == [
        option, "/u-boot", "-dtb", "/tree", "-device", "loader,file=/a,,b,addr=0x84000000,force-raw=on", "-nic", "user",
    ]  # fmt: skip
    assert ("-append" in made) is handed


def test_record_mode_leaves_boot_loaders_alone():
    loader = LoadedFirst(file="/u-boot", instead_of="firmware")
    assert "rr=record" not in words(plugin=None, loader=loader)


def test_an_audio_driver_where_the_emulator_wants_one():
    assert "-audio none" in words(mute=True)
    assert "-audio" not in words()


def test_free():
    assert build(FREE, msgspec.structs.replace(PARTS, initramfs=None, accel="kvm")) == [
        "qemu", "-machine", "q35,graphics=off", "-accel", "kvm", "-cpu", "max", "-m", "256",
        "-smp", "1", "-nodefaults", "-display", "none", "-monitor", "none", "-no-reboot",
        "-chardev", "file,id=console,path=console.log", "-serial", "chardev:console",
        "-kernel", "/k", "-append", 'console=ttyS0 a="b c"',
    ]  # fmt: skip


def test_machine():
    machine = Machine(
        type="pc", firmware="qboot", options=("hpet=off",), devices=("virtio-rng-pci",), disks=("/d,1.img", "/d.qcow2"),
        extra=("-rtc", "base=utc"), cpus=2, memory_mib=64, cpu="host",
    )  # fmt: skip
    text = words(msgspec.structs.replace(SYSTEM, machine=machine))
    assert "-machine pc,graphics=off,hpet=off -accel" in text
    assert "-cpu host -m 64 -smp 2" in text
    assert "-bios qboot.rom" in text
    assert "-device virtio-rng-pci" in text
    assert "-drive file=/d,,1.img,format=raw,if=virtio,snapshot=on" in text
    assert "-drive file=/d.qcow2,format=qcow2,if=virtio,snapshot=on" in text
    assert text.endswith("-rtc base=utc"), "what the user adds comes last, so that it wins"


def test_what_dmi_says_of_the_machine():
    named = msgspec.structs.replace(SYSTEM.machine, smbios=("type=1,manufacturer=ACME,product=Box", "type=3"))
    made = words(msgspec.structs.replace(SYSTEM, machine=named))
    assert " -smbios type=1,manufacturer=ACME,product=Box -smbios type=3 " in f"{made} "
    assert "-smbios" not in words()


def test_plugin_and_marks():
    marks = (("kernel-entry", 0x10200), ("start-kernel", 0xFF), ("run-init", 0xFFFF))
    text = words(plugin="/p.so", marks=marks, user_space_end=1 << 47)
    assert (
        "-plugin /p.so,con=console.log,out=stamps.bin,shift=1,mark=0x10200,mark=0xff,mark=0xffff,"
        "user=0x800000000000,user_from=1,user_after=2 " in text
    )
    assert "shift=" not in words(FREE, plugin="/p.so").split("-plugin ")[1].split()[0]
    assert "user" not in words(plugin="/p.so", marks=marks[:1])


def test_commas_in_paths_are_doubled():
    text = words(folder="/a,b", plugin="/c,d/p.so")
    assert "path=/a,,b/console.log" in text
    assert "/c,,d/p.so,con=/a,,b/console.log,out=/a,,b/stamps.bin" in text


@pytest.mark.parametrize(
    ("cpu", "exact"),
    [
        ("max", "max,rdrand=off,rdseed=off"),
        ("max,rdrand=on", "max,rdrand=on,rdseed=off"),
        ("max,-rdseed,+avx", "max,-rdseed,+avx,rdrand=off"),
        ("qemu64", "qemu64"),
    ],
)
def test_random_instructions(cpu, exact):
    system = msgspec.structs.replace(SYSTEM, machine=Machine(cpu=cpu))
    assert cpu_argument(system) == exact
    assert cpu_argument(msgspec.structs.replace(system, clock=Clockwork(mode="free"))) == cpu


def on(arch: str, **machine: object) -> SystemDescription:
    return msgspec.structs.replace(SYSTEM, machine=Machine(arch=arch, **machine), clock=Clockwork(shift=4))


def test_disks_of_a_machine_without_pci():
    system = msgspec.structs.replace(SYSTEM, machine=Machine(type="microvm", disks=("/d",)))
    assert "if=none,snapshot=on,id=disk0 -device virtio-blk-device,drive=disk0" in words(system)


def test_exact_on_a_vexpress():
    system = on("arm", type="vexpress-a9", dtb="/v.dtb", flash=("/a,b.img", "/c.img"), sd="/card.img", disks=("/d",))
    assert build(system, PARTS) == [
        "qemu", "-machine", "vexpress-a9", "-accel", "tcg", "-cpu", "cortex-a9", "-m", "256",
        "-smp", "1", "-nodefaults", "-display", "none", "-monitor", "none", "-no-reboot",
        "-chardev", "file,id=console,path=console.log", "-serial", "chardev:console",
        "-icount", "shift=4,sleep=off,align=off", "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-seed", "1",
        "-drive", "file=/d,format=raw,if=none,snapshot=on,id=disk0", "-device", "virtio-blk-device,drive=disk0",
        "-drive", "file=/a,,b.img,format=raw,if=pflash,snapshot=on,unit=0",
        "-drive", "file=/c.img,format=raw,if=pflash,snapshot=on,unit=1",
        "-drive", "file=/card.img,format=raw,if=sd,snapshot=on,index=0",
        "-kernel", "/k", "-initrd", "/i", "-dtb", "/v.dtb", "-append", 'console=ttyS0 a="b c"',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arch", "machine", "cpu", "line"),
    [
        ("arm", "virt", "cortex-a15", 'console=ttyS0 a="b c"'),
        ("arm64", "virt", "cortex-a72", 'console=ttyS0 a="b c" nokaslr'),
        ("riscv64", "virt", "rv64", 'console=ttyS0 a="b c"'),
    ],
)
def test_what_an_architecture_usually_has(arch, machine, cpu, line):
    command = build(on(arch), PARTS)
    assert command[2] == machine, "graphics=off is SeaBIOS's"
    assert command[command.index("-cpu") + 1] == cpu
    assert command[-1] == line, "nokaslr only where a kernel moves itself: init would get the word elsewhere"
    assert "-dtb" not in command


def test_init_gets_no_argument_of_exact_modes():
    """What looks for `nokaslr` splits at every space; the kernel knows quotes and drops a module's parameter."""
    line = CommandLine.parse('console=ttyS0 -- --play "a b" x=y')
    system = msgspec.structs.replace(on("x86_64"), cmdline=line)
    told = build(system, PARTS)[-1]
    assert told == 'console=ttyS0 bootlab.early=" nokaslr " -- --play "a b" x=y'
    assert "nokaslr" in told.split(" ")
    assert CommandLine.parse(told).init_args == ("--play", "a b", "x=y")
    assert not CommandLine.parse(told).has("nokaslr")


def test_flash_banks_and_disks_where_the_user_wants_them():
    text = words(on("riscv64", flash=("", "/xip.img"), disks=("/d",)))
    assert "unit=0" not in text
    assert "file=/xip.img,format=raw,if=pflash,snapshot=on,unit=1" in text
    assert "-drive file=/d,format=raw,if=virtio,snapshot=on" in text
    assert "virtio-blk-device" in words(on("riscv64", disks=("/d",), disk_bus="mmio"))


def test_a_board_whose_slot_takes_a_device_only():
    words = build(on("arm", type="sabrelite", sd="/card.img"), PARTS)
    assert "file=/card.img,format=raw,if=none,snapshot=on,id=card0" in words
    assert "sd-card,drive=card0" in words
    assert "sdhci-pci" not in words


def test_kvm_has_the_hosts_processor_only():
    assert cpu_argument(on("arm64"), "kvm") == "host"
    assert cpu_argument(on("arm64", cpu="max"), "kvm") == "max"
    assert cpu_argument(SYSTEM, "kvm").startswith("max")


def test_firmware_is_never_user_space():
    marks = (("start-kernel", 0xFF), ("run-init", 0xFFFF))
    text = words(on("riscv64"), plugin="/p.so", marks=marks, user_space_end=1 << 56)
    assert "user=0x100000000000000,user_from=0,user_after=1,firmware=0x80000000:0x80200000" in text
    assert "firmware=" not in words(on("arm64"), plugin="/p.so", marks=marks, user_space_end=1 << 52)


@pytest.mark.parametrize("arch", ["arm", "arm64", "riscv64", "x86_64"])
def test_the_longest_command_line_of_an_architecture(arch):
    limit = ARCHITECTURES[arch].cmdline_bytes
    base = msgspec.structs.replace(on(arch), cmdline=CommandLine.parse("nokaslr"))
    fits = msgspec.structs.replace(base, cmdline=CommandLine.parse("nokaslr " + "y" * (limit - 9)))
    assert len(build(fits, PARTS)[-1]) == limit - 1
    long = msgspec.structs.replace(base, cmdline=CommandLine.parse("nokaslr " + "y" * (limit - 8)))
    with pytest.raises(UserError, match=f"{arch} kernels read {limit - 1}"):
        build(long, PARTS)


def test_nokaslr_is_added_once():
    assert str(effective_cmdline(SYSTEM)).count("nokaslr") == 1
    twice = msgspec.structs.replace(SYSTEM, cmdline=effective_cmdline(SYSTEM))
    assert effective_cmdline(twice) == effective_cmdline(SYSTEM)


def test_a_command_line_that_no_kernel_reads():
    long = msgspec.structs.replace(SYSTEM, cmdline=CommandLine.parse("x=" + "y" * 2040))
    with pytest.raises(UserError, match="2047"):
        build(long, PARTS)


def test_a_paced_console_goes_to_the_standard_output():
    paced = msgspec.structs.replace(FREE, machine=Machine(console_baud=9600))
    assert "-chardev stdio,id=console,signal=on -serial chardev:console" in words(paced)


def test_only_what_is_kept_is_written():
    disk = Medium(file="/d.raw", bus="virtio")
    (kept,) = medium_options(msgspec.structs.replace(disk, kept=True))
    assert kept == ("-drive", "file=/d.raw,format=raw,if=virtio,cache=unsafe")
    assert "snapshot=on" in medium_options(disk)[0][1]
    plugged = Medium(file="/p.raw", bus="nvdimm", size_bytes=1 << 21)
    assert "share=off" in medium_options(plugged)[0][1]
    assert "share=on" in medium_options(msgspec.structs.replace(plugged, kept=True))[0][1]
