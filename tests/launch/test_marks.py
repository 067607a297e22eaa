# SPDX-License-Identifier: MIT
"""Marks out of stamps and console."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from bootlab.builders.kernelinfo import KernelInfo, inspect
from bootlab.launch.load_address import user_space_end
from bootlab.launch.marks import kernel_marks, read_marks
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription
from bootlab.recordings.stamps import KERNEL_2_MARK, MAX_MARKS, USER_2_MARK, USER_MARK, StampedMark, Stamps

SYSTEM = SystemDescription(
    name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), marks=(("rc-scripts", "^rc"), ("application", "never"))
)
INFO = KernelInfo(unpacked_entry=0x1000000, pvh_entry=0x99, symbols={"start_kernel": 0xAA, "run_init_process": 0xBB})


def test_what_is_watched_in_an_image():
    marks, lacks = kernel_marks(SYSTEM, INFO)
    assert marks == {
        "kernel-entry": 0x10200, "decompression": 0x100000, "kernel-image": 0x1000000, "start-kernel": 0xAA,
        "run-init": 0xBB,
    }  # fmt: skip
    assert lacks == ()


@pytest.mark.parametrize(
    ("facts", "entry"),
    [
        # Debian's 6.1 and 6.12: startup_64() is the first function, and 0xb53 bytes behind the start.
        ({"setup": {"pref_address": 0x1000000}, "elf": {"entry": 0x1000000}}, 0x1000000),
        ({"setup": {"pref_address": 0x1000000}, "elf": {"entry": 0x1000B53}}, 0x1000B53),
        ({"setup": {"pref_address": 0x1000000}}, 0x1000000),
        ({"setup": {"pref_address": 0x1000000}, "elf": {"entry": 0}}, 0x1000000),
        ({"elf": {"entry": 0x1000000}}, None),
    ],
)
def test_where_the_unpacked_kernel_is_entered(facts, entry, tmp_path, monkeypatch):
    monkeypatch.setattr("bootlab._core.kernel_inspect", lambda _: json.dumps({"linux": {"release": "6"}, **facts}))
    image = tmp_path / "vmlinuz"
    image.write_bytes(b"x")
    assert inspect(Kernel(image=str(image)), tmp_path, "0" * 64).unpacked_entry == entry


def test_functions_beyond_the_plugins_marks_are_named():
    names = tuple(f"f{number}" for number in range(MAX_MARKS))
    info = msgspec.structs.replace(INFO, symbols=INFO.symbols | {name: 0x1000 + at for at, name in enumerate(names)})
    marks, lacks = kernel_marks(SYSTEM, info, names)
    assert len(marks) == MAX_MARKS
    missing = [name for name in names if name not in marks]
    assert lacks == (f"marks of {len(missing)} functions: the plugin takes {MAX_MARKS} ({', '.join(missing)})",)


def test_what_is_watched_in_a_vmlinux():
    marks, _ = kernel_marks(msgspec.structs.replace(SYSTEM, kernel=Kernel(image="k", form="vmlinux")), INFO)
    assert list(marks) == ["kernel-entry", "start-kernel", "run-init"]
    assert marks["kernel-entry"] == 0x99


ARM_SYMBOLS = {"_text": 0xC0008000, "start_kernel": 0xC0346A04}


@pytest.mark.parametrize(
    ("machine", "info", "entries"),
    [
        (Machine(arch="arm"), KernelInfo(symbols=ARM_SYMBOLS), (0x40010000, 0x40010000, 0x40008000)),
        (
            Machine(arch="arm", type="vexpress-a9"),
            KernelInfo(symbols=ARM_SYMBOLS),
            (0x60010000, 0x60010000, 0x60008000),
        ),
        # Debian's armmp: some platforms it serves keep the first 2 MiB for themselves.
        (
            Machine(arch="arm"),
            KernelInfo(symbols={"_stext": 0xC0300000, "start_kernel": 0xC1200C28}),
            (0x40010000, 0x40010000, 0x40208000),
        ),
        (
            Machine(arch="arm", type="virt-7.2"),
            KernelInfo(symbols={"_stext": 0x80008240, "start_kernel": 0x80346A04}),
            (0x40010000, 0x40010000, 0x40008000),
        ),
        # Not packed: bootlab's header has it copied to where it runs.
        (Machine(arch="arm"), KernelInfo(kind="uimage", symbols=ARM_SYMBOLS), (0x40008000, None, 0x40008000)),
        (Machine(arch="arm64"), KernelInfo(), (0x40200000, None, 0x40200000)),
        (Machine(arch="arm64"), KernelInfo(text_offset_bytes=0x80000), (0x40080000, None, 0x40080000)),
        (Machine(arch="riscv64"), KernelInfo(text_offset_bytes=0x200000), (0x80200000, None, 0x80200000)),
        (Machine(arch="arm", type="raspi2b"), KernelInfo(symbols=ARM_SYMBOLS), (0x10000, 0x10000, 0x8000)),
        (Machine(arch="arm64", type="raspi3b"), KernelInfo(), (0x200000, None, 0x200000)),
        (Machine(arch="arm", type="netduino2"), KernelInfo(symbols=ARM_SYMBOLS), (None, None, None)),
        (Machine(arch="riscv64", type="sifive_u"), KernelInfo(), (None, None, None)),
    ],
)
def test_where_other_architectures_start(machine, info, entries):
    marks, _ = kernel_marks(msgspec.structs.replace(SYSTEM, machine=machine), info)
    assert tuple(marks.get(name) for name in ("kernel-entry", "decompression", "kernel-image")) == entries


@pytest.mark.parametrize(
    ("arch", "start_kernel", "end"),
    [
        ("x86_64", 0xFFFFFFFF82000000, 0x800000000000),
        ("arm", 0xC0346A04, 0xBF000000),
        ("arm", 0x80346A04, 0x7F000000),
        ("arm64", 0xFFFF8000093909F4, 1 << 52),
        ("riscv64", 0xFFFFFFFF80184164, 1 << 56),
    ],
)
def test_where_user_space_ends(arch, start_kernel, end):
    assert user_space_end(arch, KernelInfo(symbols={"start_kernel": start_kernel})) == end


def test_free_mode_has_marks_where_no_kernel_moves():
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
    assert kernel_marks(msgspec.structs.replace(free, machine=Machine(arch="riscv64")), INFO)[0]
    assert kernel_marks(msgspec.structs.replace(free, machine=Machine(arch="arm64")), INFO)[0] == {}


def test_what_is_lacking_is_said():
    marks, lacks = kernel_marks(SYSTEM, KernelInfo())
    assert list(marks) == ["kernel-entry", "decompression"]
    assert "symbols could not be read" in lacks[0]
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
    assert kernel_marks(free, INFO)[0] == {}
    assert "nokaslr" in kernel_marks(free, INFO)[1][0]
    assert kernel_marks(msgspec.structs.replace(free, cmdline=CommandLine.parse("nokaslr")), INFO)[0]


def test_marks_in_order_of_time():
    ends = np.arange(1, 20)
    seen = {0: StampedMark(500, 50), 1: StampedMark(100, 10), USER_MARK: StampedMark(900, 90)}
    stamps = Stamps(ends=ends, ns=ends * 1000, insns=ends, marks=seen)
    marks = read_marks(SYSTEM, ("start-kernel", "kernel-entry"), stamps, b"boot\nrc: start\n")
    assert [(m.name, m.ns) for m in marks] == [
        ("power-on", 0), ("firmware", 0), ("kernel-entry", 100), ("start-kernel", 500), ("user-space", 900),
        ("rc-scripts", 7000),
    ]  # fmt: skip
    assert marks[-1].source == "console: ^rc"


def test_what_firmware_prints_is_no_start_of_user_space():
    system = msgspec.structs.replace(SYSTEM, marks=(("rc-scripts", "rc: "), ("banner", "rc: ")))
    raw = b"Booting from ROM..rc: firmware\nrc: start\n"
    ends = np.arange(1, len(raw) + 1)
    seen = {0: StampedMark(25_500, 50), USER_MARK: StampedMark(30_000, 90)}
    marks = read_marks(system, ("start-kernel",), Stamps(ends=ends, ns=ends * 1000, insns=ends, marks=seen), raw)
    assert {m.name: m.ns for m in marks} == {
        "power-on": 0, "firmware": 0, "banner": 22_000, "start-kernel": 25_500, "user-space": 30_000,
        "rc-scripts": 35_000,
    }  # fmt: skip


RAW = b"rc: of the loader\n[    1.0] Run /init as init process\nrc: start\n"


@pytest.mark.parametrize(
    ("seen", "user_ns"),
    [
        # A helper of the second kernel ran before it named its init.
        ({KERNEL_2_MARK: 19, USER_2_MARK: 25}, 53),
        ({KERNEL_2_MARK: 19, USER_2_MARK: 54}, 54),
        ({KERNEL_2_MARK: 19}, 53),
        # Nothing came of it.
        ({}, None),
    ],
)
def test_a_second_kernel_has_marks_of_its_own(seen, user_ns):
    ends = np.arange(1, len(RAW) + 1)
    times = {0: 2, USER_MARK: 3, 1: 18} | seen
    marked = {number: StampedMark(ns, ns) for number, ns in times.items()}
    marks = read_marks(SYSTEM, ("start-kernel", "kexec"), Stamps(ends=ends, ns=ends, insns=ends, marks=marked), RAW)
    found = {mark.name: mark.ns for mark in marks}
    assert (found["kexec"], found.get("kernel-2"), found.get("user-space-2")) == (18, seen.get(KERNEL_2_MARK), user_ns)
    # The scripts are the second system's.
    assert found["rc-scripts"] == RAW.index(b"rc: start") + len("rc")


def test_the_last_function_before_another_kernel_is_watched():
    info = msgspec.structs.replace(INFO, symbols=INFO.symbols | {"machine_kexec": 0xCC})
    assert kernel_marks(SYSTEM, info)[0]["kexec"] == 0xCC


def test_a_kernel_whose_initramfs_pivot_root_leaves():
    names = {"__x64_sys_chroot": 1, "__x64_sys_pivot_root": 2}
    system = msgspec.structs.replace(SYSTEM, cmdline=CommandLine.parse("root=/dev/vda1"), initrd="i")
    old, _ = kernel_marks(system, msgspec.structs.replace(INFO, symbols=INFO.symbols | names))
    new, _ = kernel_marks(
        system, msgspec.structs.replace(INFO, symbols=INFO.symbols | names | {"nullfs_fs_get_tree": 3})
    )
    assert ("pivot-root" in old, new["switch-root"], new["pivot-root"]) == (False, 1, 2)


@pytest.mark.parametrize(
    ("line", "chroot_ns", "switched_ns"),
    [
        # systemd says when it leaves: a service of the initrd called pivot_root() before, another chroot() later.
        (b"         Starting \x1b[0minitrd-switch-root.service\x1b[0m\n", 90, 50),
        # With `quiet` it does not: unknown.
        (b"rc is quiet\n", 90, None),
        # BusyBox leaves by chroot().
        (b"rc is quiet\n", 5, 5),
    ],
)
def test_when_an_initramfs_is_left(line, chroot_ns, switched_ns):
    found = {0: StampedMark(chroot_ns, chroot_ns), 1: StampedMark(10, 10)}
    stamps = Stamps(np.array([len(line)]), np.array([50]), np.array([50]), found)
    marks = read_marks(SYSTEM, ("switch-root", "pivot-root"), stamps, line)
    assert next((mark.ns for mark in marks if mark.name == "switch-root"), None) == switched_ns
