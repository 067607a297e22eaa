# SPDX-License-Identifier: MIT
"""The agent inside a real kernel: what was read, what was not, and init as it would be without the agent."""

import threading
from pathlib import Path

import msgspec
import pytest

from bootlab.analysis.guest_clock import clock_notes, slept
from bootlab.collectors.agent import parse
from bootlab.collectors.agent_binary import agent_path
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, Outcome
from bootlab.model.system import Goal, Initramfs, Limits, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.targets.qemu import QemuTarget
from tests.lean_kernel import PARAMETERS, lean_kernel

pytestmark = pytest.mark.qemu

BUSYBOX = Path("/bin/busybox")

INIT = """#!/bin/sh
echo "init: pid $$ arguments $* environment ${BOOTLAB_INIT-none} ${KEPT-none}"
busybox cat "/data/read" "/data/odd name%ü" >/dev/null
busybox ls -l /data >/dev/null
busybox rm /data/removed
/bin/script
busybox cat /covered/read >/dev/null
busybox mount -t tmpfs tmpfs /covered
busybox mount -t tmpfs tmpfs /root
echo made > /data/made
echo "init: mounts here $(busybox ls -a / | busybox wc -l)"
busybox sleep 100000
"""


def text(content, mode=0o644):
    return Entry(kind="file", text=content, mode=mode)


@pytest.fixture
def system(debian_kernel):
    if not BUSYBOX.is_file():
        pytest.skip("no static busybox here: scripts/setup-debian.sh run")
    tree = {
        "/init": text(INIT, 0o755),
        "/bootlab-agent": Entry(kind="file", source=str(agent_path()), mode=0o755),
        "/bin/busybox": Entry(kind="file", source=str(BUSYBOX), mode=0o755),
        "/bin/sh": Entry(kind="symlink", target="busybox", mode=0o777),
        "/bin/script": text("#!/bin/sh\necho script\n", 0o755),
        "/bin/never": text("#!/bin/sh\necho never\n", 0o755),
        "/data/read": text("1"),
        "/data/odd name%ü": text("22"),
        "/data/listed": text("333"),
        "/data/removed": text("4444"),
        "/covered/read": text("55555"),
        "/covered/unread": text("666666"),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        "/zz/last": text("7777777"),
    }
    words = f"console=ttyS0 nokaslr {PARAMETERS} loglevel=1 initcall_debug log_buf_len=16M"
    return SystemDescription(
        name="agent",
        kernel=lean_kernel(debian_kernel),
        goal=Goal(console=r"^@BL1 end \d+"),
        initramfs=Initramfs(tree=FileTree.of(tree), compression="none"),
        cmdline=CommandLine.parse(
            f"{words} rdinit=/bootlab-agent BOOTLAB_INIT=/init BOOTLAB_WAIT_MS=3000 KEPT=yes -- one two"
        ),
        limits=Limits(virtual_s=60, stall_virtual_s=20, wall_s=180, stall_wall_s=60),
    )


# Without root= the kernel takes tmpfs where it has one; both keep access times, each in its own way.
@pytest.mark.parametrize("root", ["tmpfs", "ramfs"])
def test_the_agent(system, cache, tmp_path, root):
    system = msgspec.structs.replace(system, cmdline=system.cmdline.with_param("rootfstype", root))
    target = QemuTarget(cache)
    recording = target.boot(target.plan(system, "diagnostic"), tmp_path / "boot", stop=threading.Event())
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    report = parse(recording.console)
    assert report.complete
    read = {file.path: file.read for file in report.files}
    # /bin/busybox is in any case read; "removed" is gone, so nobody can tell any more, and it counts as read.
    assert read == {
        "/bin/busybox": True,
        "/bin/never": False,
        "/bin/script": True,
        "/covered/read": True,
        "/covered/unread": False,
        "/data/listed": False,
        "/data/odd name%ü": True,
        "/data/read": True,
        "/data/removed": True,
        "/init": True,
        "/zz/last": False,
    }
    assert {file.path: file.size_bytes for file in report.files}["/zz/last"] == 7
    assert report.log[0].startswith("[    0.000000] Linux version ")
    assert any("] calling  " in line for line in report.log)
    assert report.proc["cmdline"] == str(system.cmdline)
    assert "System RAM" in report.proc["iomem"]
    assert "MemTotal:" in report.proc["meminfo"]
    assert report.proc["cpuinfo"].startswith("processor\t: 0\n")
    assert "tmpfs /covered tmpfs" in report.proc["mounts"]
    assert ("size=" in report.proc["mounts"].splitlines()[0]) == (root == "tmpfs")
    assert "bootlab" not in report.proc["mounts"]
    assert recording.find("init: pid 1 arguments one two environment none yes")
    assert recording.find("script")
    if recording.meta.stamped:
        asked_ns, took_ns = slept(recording)
        assert asked_ns == 3_000_000_000
        assert 0 <= took_ns - asked_ns < 20_000_000, "the PC's timers are right"
        assert clock_notes(recording, Diagnosis(recording=recording)) == ()


def test_an_init_that_is_not_there(system, cache, tmp_path):
    line = system.cmdline.with_param("BOOTLAB_INIT", "/none").with_param("panic", "-1")
    system = msgspec.structs.replace(system, cmdline=line)
    target = QemuTarget(cache)
    recording = target.boot(target.plan(system, "diagnostic"), tmp_path / "boot", stop=threading.Event())
    assert recording.meta.outcome is not Outcome.GOAL
    assert recording.find("bootlab-agent: cannot start /none: No such file or directory")
