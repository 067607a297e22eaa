# SPDX-License-Identifier: MIT
"""A failed boot's hint is what its console says."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.hints.failure import hint_for
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Line, Meta, Outcome, Recording
from bootlab.model.system import NO_GOAL, Goal, Kernel, SystemDescription


def ended(*lines: str, outcome: Outcome = Outcome.HANG, **meta: object) -> Recording:
    texts = ("[    0.000000] Linux version 6.1", *lines)
    return Recording(
        meta=Meta(outcome=outcome, **meta), lines=tuple(Line(n, t, 0) for n, t in enumerate(texts, 1)), marks=()
    )


def wants(goal: str) -> SystemDescription:
    return SystemDescription(name="s", kernel=Kernel(image="/k"), goal=Goal(console=goal))


@pytest.mark.parametrize(
    ("lines", "outcome", "said"),
    [
        (
            ("[    1.200000] Waiting for root device /dev/mmcblk0p2...",),
            Outcome.HANG,
            "waits for /dev/mmcblk0p2, which",
        ),
        (
            ('[    1.200000] VFS: Cannot open root device "vda1" or unknown-block(0,0): error -6',
             "[    1.300000] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)"),
            Outcome.PANIC, "no driver provides the root device vda1",
        ),
        (
            ("[    1.300000] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(254,1)",),
            Outcome.PANIC, "is its file system built in",
        ),
        (('[    1.200000] VFS: Cannot open root device "" or unknown-block(0,0): error -6',), Outcome.PANIC, "neither"),
        (
            ("[    1.200000] Kernel panic - not syncing: No working init found.",),
            Outcome.PANIC,
            "no first program could run",
        ),
        (
            ('[    1.200000] VFS: Cannot open root device "sda" or unknown-block(0,0): error -6',
             '[    1.200000] Please append a correct "root=" boot option; here are the available partitions:',
             "[    1.200000] fe00           16384 vda ",
             "[    1.200000]  driver: virtio_blk",
             "[    1.200000] fe01           15360 vda1 0815-01",
             "[    1.300000] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)"),
            Outcome.PANIC, "there is no sda; the kernel has /dev/vda, /dev/vda1: correct root=",
        ),
        (
            ("[    1.200000] Run /init as init process", "sh\r: applet not found",
             "[    1.300000] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00007f00"),
            Outcome.PANIC, "ended with status 127; the last line before: 'sh\\r: applet not found': it must keep",
        ),
        (
            ("[    1.300000] Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b",),
            Outcome.PANIC, "the first program ended by signal 11: it must keep running",
        ),
        (
            ("[    1.200000] Initramfs unpacking failed: invalid magic at start",),
            Outcome.PANIC,
            "invalid magic at start",
        ),
        (("ALERT!  UUID=1 does not exist.  Dropping to a shell!",), Outcome.HANG, "initrd did not find the root"),
        (("/bin/sh: can't access tty; job control turned off",), Outcome.NO_GOAL, "machine is in a shell"),
    ],
)  # fmt: skip
def test_what_the_kernel_said(lines, outcome, said):
    found = hint_for(ended(*lines, outcome=outcome))
    assert said in found
    assert found != outcome.hint


def test_a_goal_in_another_case_or_with_another_letter():
    lines = ("[    2.000000] Run /init", "camera: Frame 1 ready")
    assert "line 3 has the goal in different case" in hint_for(ended(*lines), wants("camera: frame 1 ready"))
    assert "line 3 is nearly the goal" in hint_for(ended(*lines), wants("camera: Frane 1 ready"))
    assert "said last 'camera: Frame 1 ready'" in hint_for(ended(*lines), wants("network is up and running"))
    assert hint_for(ended("[    2.000000] nothing more"), wants("network is up and running")) == Outcome.HANG.hint


def test_a_boot_without_a_goal_is_told_none():
    found = hint_for(ended("[    2.000000] Run /init", "camera: Frame 1 ready"), wants(NO_GOAL))
    assert "(?!)" not in found


def test_programs_that_print_on_a_screen():
    asked = msgspec.structs.replace(wants("ready"), cmdline=CommandLine.parse("console=ttyS0,115200 console=tty0"))
    assert hint_for(ended(), asked) == (
        "programs print on tty0, the last console= of the command line, and bootlab reads ttyS0: put it last"
    )
    right = msgspec.structs.replace(asked, cmdline=CommandLine.parse("console=tty0 console=ttyS0,115200"))
    assert hint_for(ended(), right) == Outcome.HANG.hint


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("QEMU: qemu-system-x86_64: unsupported machine type", "-machine help"),
        ("QEMU: Invalid SMP CPUs 8. The max CPUs supported by machine 'vexpress-a9' is 4", "lower machine.cpus"),
        ("QEMU: something else", Outcome.CANNOT_START.hint),
    ],
)
def test_machines_that_qemu_refuses(reason, said):
    assert said in hint_for(ended(outcome=Outcome.CANNOT_START, reason=reason))


def test_an_initcall_that_did_not_return():
    found = hint_for(ended("[    1.000000] calling  slow_init+0x0/0x10 @ 1", last_initcall="slow_init+0x0/0x10"))
    assert "initcall_blacklist=slow_init" in found


def test_a_high_shift():
    hint = hint_for(ended(shift=10, ended_by="virtual-time", outcome=Outcome.NO_CONSOLE))
    assert "clock.shift = 10 makes each instruction 1024 ns" in hint
    assert hint_for(ended(shift=1, ended_by="virtual-time")) == Outcome.HANG.hint


def test_a_boot_that_reached_its_goal_needs_none():
    assert hint_for(ended("Waiting for root device /dev/vda...", outcome=Outcome.GOAL)) == ""


def test_a_board_that_falls_silent():
    found = hint_for(ended("camera is up", board="camera"))
    assert "[goal] of the board's file" in found
    assert "limits.stall_s" in found
