# SPDX-License-Identifier: MIT
"""Every instruction of a real boot belongs to a process, and watching them changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bootlab.api import System
from bootlab.collectors.processes import BEFORE_TASKS

pytestmark = pytest.mark.qemu
ARM_SYSTEM = """
name = "arm"
[machine]
arch = "arm"
memory_mib = 256
[kernel]
image = "{kernel}"
symbols = "{symbols}"
cmdline = "console=ttyAMA0 panic=-1 cryptomgr.notests"
[initramfs.files]
"/bin/busybox" = {{ source = "{folder}/bin/busybox", mode = "0755" }}
"/bin/sh" = {{ symlink = "busybox" }}
"/dev/console" = {{ char = [5, 1], mode = "0600" }}
"/init" = {{ mode = "0755", text = '''
#!/bin/sh
/bin/busybox md5sum /bin/busybox
echo "app: ready"
/bin/busybox sleep 100
''' }}
[goal]
console = "app: ready"
"""


def test_the_instructions_of_all_processes_are_those_of_the_boot(small, tmp_path):
    system = System(small, store=tmp_path / "store", jobs=1)
    found = {c.name: c for c in system.processes()}
    timing = system.boot().recording
    assert sum(c.insns for c in found.values()) == timing.meta.goal_insns
    assert {BEFORE_TASKS, "swapper/0", "kthreadd", "init"} <= set(found)
    user_space = timing.mark("user-space")
    assert user_space is not None
    assert found["init"].first_ns < user_space.ns + 1_000_000


@pytest.mark.timeout(900)
@pytest.mark.skipif(
    not os.environ.get("BOOTLAB_ARMHF_PACKAGES"),
    reason="BOOTLAB_ARMHF_PACKAGES names no folder that `scripts/fetch-packages.sh armhf FOLDER linux-image-armmp "
    "busybox-static` filled; SUITE=bullseye gives Linux 5.10, whose thread_info is on the stack",
)
def test_processes_are_told_on_32_bit_arm(tmp_path):
    folder = Path(os.environ["BOOTLAB_ARMHF_PACKAGES"]).resolve()
    kernel, symbols = (next(folder.glob(f"boot/{name}-*")) for name in ("vmlinuz", "System.map"))
    (tmp_path / "arm.toml").write_text(ARM_SYSTEM.format(kernel=kernel, symbols=symbols, folder=folder))
    system = System.load(tmp_path / "arm.toml", store=tmp_path / "store", jobs=1)
    found = {c.name: c for c in system.processes()}
    assert sum(c.insns for c in found.values()) == system.boot().recording.meta.goal_insns
    assert {BEFORE_TASKS, "swapper/0", "kthreadd", "init", "busybox"} <= set(found)
    assert found["busybox"].insns > max(10**6, found["init"].insns), "md5sum is the work"
