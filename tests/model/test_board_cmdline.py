# SPDX-License-Identifier: MIT
"""The command line of a board whose emulator needs another root and console: changes reach both."""

from __future__ import annotations

from bootlab.model.change import AddParam, Change, DropParam, ExtendParam, SetParam
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Goal, Kernel, SystemDescription

MACHINE = CommandLine.parse("console=ttyAMA0,115200 root=/dev/vda1 splash a=1")
BOARD = CommandLine.parse("console=ttyS2,1500000 root=/dev/mmcblk1p2 rootwait splash a=1")


def test_the_board_s_own_root_and_console_stay():
    system = SystemDescription(
        name="x", kernel=Kernel(image="k"), goal=Goal(console="g"), cmdline=MACHINE, board_cmdline=BOARD
    )
    change = Change(
        technique="t",
        ops=(
            SetParam("quiet"),
            SetParam("root", "/dev/pmem0"),
            AddParam("console", "ttyS9"),
            DropParam("splash"),
            ExtendParam("initcall_blacklist", "f"),
        ),
    )
    after = change.apply(system)
    assert str(after.cmdline) == ("console=ttyAMA0,115200 root=/dev/pmem0 a=1 quiet console=ttyS9 initcall_blacklist=f")
    assert str(after.cmdline_to_pass) == (
        "console=ttyS2,1500000 root=/dev/mmcblk1p2 rootwait a=1 quiet initcall_blacklist=f"
    )
    alone = SystemDescription(name="x", kernel=Kernel(image="k"), goal=Goal(console="g"), cmdline=MACHINE)
    assert change.apply(alone).cmdline_to_pass == after.cmdline
