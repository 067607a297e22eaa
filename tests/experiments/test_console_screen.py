# SPDX-License-Identifier: MIT
"""What a screen costs beside a serial line: rows out of boots that are sums."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.console_screen import ConsoleScreen
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Mark, Meta, Outcome
from bootlab.model.system import Machine
from bootlab.recordings import recording_dir
from tests.experiments.fake_bench import MS, SYSTEM, FakeTarget

PC = msgspec.structs.replace(SYSTEM, cmdline=CommandLine.parse("console=tty0 console=ttyS0,115200 a=1"))


class Screen(FakeTarget):
    """A kernel that takes 100 ms, and 2 ms more for each line that goes to a screen too."""

    def __init__(self, *, says: bool = True) -> None:
        super().__init__(lambda _params: 0)
        self.says = says

    def plan(self, system, purpose="timing"):
        plan = super().plan(system, purpose)
        return msgspec.structs.replace(plan, key=plan.key + "".join(system.machine.devices))

    def boot(self, plan, folder, *, stop, progress=None):
        folder.mkdir(parents=True)
        words = str(plan.system.cmdline)
        self.booted.append(f"{'VGA' in plan.system.machine.devices} {words}")
        lines = [b"[    0.000001] one", b"[    0.000002] two"]
        if "tty0" in words and self.says:
            lines.append(b"[    0.000003] printk: console [tty0] enabled")
        if "vga=" in words:
            lines += [b"[    0.000004] Console: colour dummy device 80x25"]
            lines += [b"[    0.000005] Console: switching to colour frame buffer device 100x37"]
        if "quiet" in words:
            lines = []
        kernel_ns = (100 + (2 * len(lines) if "tty0" in words else 0)) * MS
        goal_ns = 10 * MS + kernel_ns
        console = b"".join(line + b"\r\n" for line in lines)
        meta = Meta(key=plan.key, outcome=Outcome.GOAL, goal_ns=goal_ns, cmdline=words, console_bytes=len(console))
        marks = (Mark("start-kernel", 10 * MS, 1, ""), Mark("user-space", 10 * MS + kernel_ns, 2, ""))
        recording_dir.save(folder, meta, marks, console, None)
        return recording_dir.load(folder)


def run(tmp_path, target, system=PC):
    with Bench(target, tmp_path / "store", cache=Cache(tmp_path / "cache"), jobs=1) as bench:
        return compare(ConsoleScreen(), bench, system)


def test_the_screen_is_compared_with_the_same_machine_without_a_console_on_it(tmp_path):
    target = Screen()
    found = run(tmp_path, target)
    rows = {row.id: row for row in found.rows}
    assert list(rows) == ["serial", "unused", "screen", "serial-quiet", "unused-quiet", "screen-quiet"]
    assert target.booted == [
        "False console=ttyS0,115200 a=1",
        "True console=ttyS0,115200 a=1",
        "True console=tty0 console=ttyS0,115200 a=1",
        "False console=ttyS0,115200 a=1 quiet",
        "True console=ttyS0,115200 a=1 quiet",
        "True console=tty0 console=ttyS0,115200 a=1 quiet",
    ]
    assert rows["screen"].ns("screen_ns") == 6 * MS
    assert rows["screen"].ns("a_line_ns") == 2 * MS
    assert rows["screen"].proof == "console [tty0] enabled"
    assert rows["unused"].ns("screen_ns") is None
    assert rows["screen-quiet"].ns("screen_ns") == 0
    assert all(row.proved for row in found.rows)


def test_a_kernel_without_a_screen_s_driver_is_not_one_with_it(tmp_path):
    rows = {row.id: row for row in run(tmp_path, Screen(says=False)).rows}
    assert not rows["screen"].proved
    assert rows["unused"].proved


def test_what_is_no_pc_is_refused(tmp_path):
    board = msgspec.structs.replace(PC, machine=Machine(arch="arm"))
    with pytest.raises(UserError, match="is not a PC"):
        run(tmp_path, Screen(), board)
    with pytest.raises(UserError, match="has no console="):
        run(tmp_path, Screen(), SYSTEM)


def test_a_mode_of_the_screen_is_asked_for_only_where_there_is_one(tmp_path):
    target = Screen()
    pixels = msgspec.structs.replace(PC, cmdline=CommandLine.parse("console=ttyS0 vga=0x314"))
    rows = {row.id: row for row in run(tmp_path, target, pixels).rows}
    assert [("vga=" in words) == words.startswith("True") for words in target.booted] == [True] * 6
    assert rows["screen"].proof.startswith("Console: switching to colour frame buffer device 100x37")
