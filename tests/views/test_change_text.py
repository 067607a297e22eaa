# SPDX-License-Identifier: MIT
"""What a change does, in words and on the command line."""

from typing import get_args

from bootlab.model.change import (
    AddParam,
    Change,
    DropFiles,
    DropInitramfsFiles,
    DropParam,
    ExtendParam,
    MountRootByKernel,
    MountRootDirectly,
    MoveRoot,
    Op,
    PutFile,
    PutProgram,
    SetBusybox,
    SetCompression,
    SetFlashStart,
    SetInitArguments,
    SetKernelForm,
    SetLoader,
    SetLoaderOptions,
    SetMachine,
    SetParam,
    SetProgramBuild,
)
from bootlab.model.change_text import change_text, changed_cmdline, cmdline_diff, op_text
from bootlab.model.kernel_change import (
    AddKernelFragment,
    AddKernelPatch,
    LoadModulesLate,
    SetKernelImage,
    SetKernelOptions,
    SetKernelVariables,
)
from bootlab.model.program import Program
from bootlab.model.source_build import KernelPatch
from bootlab.model.tree import Entry


def test_a_change_in_words_and_on_the_command_line():
    change = Change(
        technique="t",
        ops=(DropParam("console", "tty0"), AddParam("quiet"), SetMachine(type="microvm", options=("a", "b"))),
    )
    assert change_text(change) == "drop console=tty0; add quiet; machine: type=microvm options=a,b"
    after = changed_cmdline("console=tty0 console=ttyS0 panic=-1", change)
    assert after == "console=ttyS0 panic=-1 quiet"
    fates = [(w.text, w.fate) for w in cmdline_diff("console=tty0 console=ttyS0 panic=-1", after)]
    assert fates == [
        ("console=tty0", "removed"), ("console=ttyS0", "same"), ("panic=-1", "same"), ("quiet", "added"),
    ]  # fmt: skip
    assert changed_cmdline('bad="quote', change) is None


def test_every_operation_has_words():
    entry = Entry(kind="file", text="x")
    ops = (
        SetParam("a", "1"), ExtendParam("initcall_blacklist", "b"), AddParam("c"), DropParam("d"),
        SetCompression("lz4", 9), DropFiles(("/a", "/b", "/c", "/d")), DropInitramfsFiles(("/a",)),
        MountRootDirectly(("/m.ko",), "ext4"), MountRootByKernel("/dev/vda1", "ext4"), PutFile("/init", entry),
        SetKernelForm("vmlinux"), SetMachine(firmware="qboot"),
        SetKernelOptions((("SMP", "n"), ("HZ_100", "y"))), AddKernelFragment("/f.config"),
        AddKernelPatch(KernelPatch(name="p.patch", text="")), SetKernelVariables((("KCFLAGS", "-g0"),)),
        SetKernelImage("xipImage", embed_initramfs=True), SetFlashStart("in-place"), SetFlashStart(None),
        MoveRoot(file_system="ext4", medium="sd"), MoveRoot(compression="lz4"),
        SetProgramBuild(cflags=("-Os",), link="static", libc="musl", strip=True),
        LoadModulesLate(after_ms=6000),
        PutProgram(Program(path="/bin/app")),
        SetLoader(start="falcon", checked=True), SetLoaderOptions((("BOOTDELAY", "0"),)),
        SetBusybox("/bin/busybox", ("sh",), (("FEATURE_EDITING", "n"),)),
        SetInitArguments(("-i", "a b")), SetInitArguments(),
    )  # fmt: skip
    assert {type(op) for op in ops} == set(get_args(Op))
    assert [op_text(op) for op in ops] == [
        "set a=1", "extend initcall_blacklist=b", "add c", "drop d", "initramfs: lz4 level 9",
        "root: 4 files left out (/a, /b, /c, …)", "initramfs: 1 files left out (/a)",
        "initramfs: only a program that mounts the root (ext4), and 1 modules",
        "no initramfs: the kernel mounts /dev/vda1 (ext4)",
        "root: put /init (file)", "kernel as vmlinux",
        "machine: firmware=qboot", "kernel: CONFIG_SMP=n CONFIG_HZ_100=y", "kernel: fragment /f.config",
        "kernel: patch p.patch", "kernel: make KCFLAGS=-g0", "kernel: xipImage, initramfs embedded",
        "start from flash: in-place", "start from flash: no",
        "root: ext4 on sd", "root: as initramfs, lz4", "programs: -Os static musl stripped",
        "kernel: modules loaded 6000 ms after user space has started",
        "programs: /bin/app added",
        "boot loader: start=falcon checked", "boot loader: CONFIG_BOOTDELAY=0",
        "root: /bin/busybox built with 1 applets, FEATURE_EDITING=n",
        "arguments of init: -i a b", "arguments of init: none",
    ]  # fmt: skip
