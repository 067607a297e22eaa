# SPDX-License-Identifier: MIT
"""The functional check's command: in a real machine, and what its verdict compares."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache, default_folder
from bootlab.collectors.agent import parse
from bootlab.collectors.diagnosis import AGENT, check_output, checking_system
from bootlab.experiments.base import establish, why_lost
from bootlab.experiments.bench import Bench
from bootlab.model.change import DropFiles
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Meta, Recording
from bootlab.model.system import Check, Goal, Initramfs, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.targets.qemu import QemuTarget
from tests.lean_kernel import PARAMETERS, lean_kernel

_INIT = """#!/bin/sh
/bin/busybox mount -t proc proc /proc
echo GOAL > /dev/ttyS0
while :; do /bin/busybox sleep 1000; done
"""


def small(kernel: str, command: tuple[str, ...]) -> SystemDescription:
    tree = {
        "/init": Entry(kind="file", text=_INIT),
        "/bin/busybox": Entry(kind="file", source="/bin/busybox"),
        "/bin/sh": Entry(kind="symlink", target="busybox"),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        "/dev/ttyS0": Entry(kind="char", mode=0o600, major=4, minor=64),
        "/proc": Entry(kind="dir"),
        "/etc/rare": Entry(kind="file", mode=0o644, text="used later\n"),
    }
    return SystemDescription(
        name="checked",
        kernel=lean_kernel(kernel),
        goal=Goal(console="GOAL"),
        cmdline=CommandLine.parse(f"console=ttyS0 {PARAMETERS} quiet"),
        initramfs=Initramfs(tree=FileTree.of(tree), compression="none"),
        check=Check(command=command),
    )


def test_a_system_without_a_command_has_no_check_boot():
    recording = Recording(meta=Meta(goal_ns=1), lines=(), marks=())
    assert checking_system(small("k", ()), recording) is None


def test_the_command_travels_in_a_file():
    recording = Recording(meta=Meta(goal_ns=2_000_000_000), lines=(), marks=())
    checking = checking_system(small("k", ("/bin/sh", "-c", "a; b")), recording)
    assert checking is not None
    assert checking.initramfs is not None
    carried = checking.initramfs.tree.get("/bootlab-check")
    assert carried is not None
    assert carried.text == "/bin/sh\n-c\na; b\n"
    assert checking.cmdline.value("rdinit") == AGENT
    assert checking.cmdline.value("BOOTLAB_CHECK") == "/bootlab-check"
    assert checking.cmdline.value("BOOTLAB_WAIT_MS") == "5000"


def test_output_is_read_back():
    report = parse(b"\n@BL1 begin\n@BL1 run one\n@BL1 run two%25\n@BL1 exit 3\n@BL1 end 3\n")
    assert (report.output, report.exit_status, report.complete) == (("one", "two%"), 3, True)


@pytest.mark.qemu
def test_a_lost_file_that_only_the_command_needs(debian_kernel: Path, tmp_path: Path):
    if shutil.which("busybox") is None:
        pytest.skip("no static busybox here: scripts/setup-debian.sh run")
    command = ("/bin/sh", "-c", "b=/bin/busybox; $b cat /etc/rare; $b head -n 1 /proc/1/comm; exit 3")
    system = small(str(debian_kernel), command)
    with Bench(QemuTarget(Cache(default_folder())), tmp_path / "store") as bench:
        base = establish(bench, system, diagnostic=False)
        assert base.output is not None
        assert base.output.lines == ("used later", "init")
        assert base.output.exit_status == 3
        slim = DropFiles(("/etc/rare",)).apply(system)
        lost = why_lost(bench, base, slim, bench.boot(slim, "slim"), "slim")
    assert "/etc/rare" in lost
    assert check_output(base.recording).exit_status is None, "a timing boot carries no report"
