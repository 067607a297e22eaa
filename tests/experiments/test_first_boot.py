# SPDX-License-Identifier: MIT
"""What a first boot tells: where user space begins, and whether the root that was given was ever mounted."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.experiments import first_boot
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Line, Mark, Meta, Recording
from bootlab.model.root import Root
from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription

SYSTEM = SystemDescription(
    name="x",
    kernel=Kernel(image="k"),
    goal=Goal(console="g"),
    cmdline=CommandLine.parse("root=/dev/vda"),
    initramfs=Initramfs(),
    root=Root(medium="disk", image="d"),
)


SHOWN = ("start-kernel", "user-space")


def recording(*lines: str, marks: tuple[str, ...] = SHOWN) -> Recording:
    """Return a recording of lines 10 ns apart; the kernel starts at 15 ns, user space at 25 ns."""
    times = {"start-kernel": 15, "user-space": 25, "switch-root": 35, "kexec": 32, "kernel-2": 45, "user-space-2": 55}
    return Recording(
        meta=Meta(),
        lines=tuple(Line(n + 1, text, n, first_ns=10 * n, last_ns=10 * n + 5) for n, text in enumerate(lines)),
        marks=tuple(Mark(name, times[name]) for name in marks),
    )


def test_user_space_begins_at_its_mark():
    console = ("Starting kernel ...", "loader", "first program", "next")
    assert first_boot.begin_of_user_space(recording(*console)) == 2
    assert first_boot.begin_of_user_space(recording(*console, marks=("start-kernel",))) == 1
    assert first_boot.begin_of_user_space(recording(*console, marks=())) == 0
    assert first_boot.begin_of_user_space(recording("only firmware")) == 1
    # Without stamps of its bytes a line is one speaker's.
    assert first_boot.begin_in_line(recording(*console)) == 0
    # A loader that is a Linux says much before the kernel that it starts by kexec.
    second = (*SHOWN, "kexec", "kernel-2", "user-space-2")
    assert first_boot.begin_of_user_space(recording(*console, "kernel", "init", marks=second)) == 5
    assert first_boot.begin_of_user_space(recording(*console, "kernel", "init", marks=second[:-2])) == 3
    assert first_boot.time_in(recording(*console))(2, 0) == 25


@pytest.mark.parametrize(
    ("lines", "marks", "never"),
    [
        (("a", "/ # "), ("start-kernel", "user-space"), True),
        (("a", "box login: "), ("start-kernel", "user-space", "switch-root"), False),
        (("VFS: Mounted root (ext4 filesystem) readonly",), ("start-kernel", "user-space"), False),
        (("[    5.1] kexec_core: Starting new kernel", "box login: "), ("start-kernel", "user-space"), False),
        # Without the kernel's symbols the switch would not be seen.
        (("a", "/ # "), ("user-space",), False),
    ],
)
def test_a_root_that_was_never_mounted(lines, marks, never):
    assert first_boot.never_mounted(recording(*lines, marks=marks), SYSTEM) is never
    alone = msgspec.structs.replace(SYSTEM, root=None)
    assert first_boot.never_mounted(recording(*lines, marks=marks), alone) is False
    without = msgspec.structs.replace(SYSTEM, cmdline=CommandLine.parse("quiet"))
    assert first_boot.never_mounted(recording(*lines, marks=marks), without) is False
