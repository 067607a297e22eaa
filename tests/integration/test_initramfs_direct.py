# SPDX-License-Identifier: MIT
"""An initramfs of scripts that mounts a root on an NVDIMM, and the one program that takes its place, for real."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from bootlab import techniques
from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments.base import diagnosis_of, establish
from bootlab.experiments.bench import bench_for
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Outcome
from bootlab.model.root import Root
from bootlab.model.system import Check, Goal, Initramfs, Kernel, Limits, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.techniques.base import Answer, Evidence

pytestmark = pytest.mark.qemu

BUSYBOX = "/bin/busybox"
# virtio_blk rests on other modules, and no device of the machine needs them.
LOADED = ("virtio_ring", "virtio", "virtio_blk", "libnvdimm", "nd_btt", "nfit", "nd_pmem")
MOUNTS = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
for module in {modules}; do /bin/busybox insmod /lib/modules/*/$module.ko; done
until /bin/busybox test -b /dev/pmem0; do /bin/busybox usleep 1000; done
/bin/busybox mount -t ext4 -o ro /dev/pmem0 /root
for word in $(/bin/busybox cat /proc/cmdline); do case $word in init=*) init=${{word#init=}} ;; esac; done
/bin/busybox umount /proc
/bin/busybox mount --move /dev /root/dev
exec /bin/busybox switch_root /root ${{init:-/sbin/init}} "$@"
"""
INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
echo "goal $(/bin/busybox cat /proc/sys/kernel/ostype) $* $(/bin/busybox grep -c pmem0 /proc/mounts)"
exec /bin/busybox sleep 100000
"""


def _file(source: Path | str) -> Entry:
    return Entry(kind="file", source=os.path.realpath(source), mode=0o755)


@pytest.fixture(scope="module")
def system(debian_kernel):
    folders = sorted(Path(debian_kernel).parent.glob("unpacked/lib/modules/*/kernel"))
    found = {path.stem: path for folder in folders for path in folder.rglob("*.ko") if path.stem in LOADED}
    if set(found) != set(LOADED) or not os.access(BUSYBOX, os.X_OK):
        pytest.skip("no BusyBox, or no modules beside the kernel (scripts/fetch-kernel.sh)")
    common = {
        "/bin/busybox": _file(BUSYBOX),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        "/proc": Entry(kind="dir"),
    }
    init = Entry(kind="file", mode=0o755, text=MOUNTS.format(modules=" ".join(LOADED)))
    carried = {f"/lib/modules/{folders[0].parent.name}/{name}.ko": _file(path) for name, path in found.items()}
    return SystemDescription(
        name="pmem",
        kernel=Kernel(image=os.path.realpath(debian_kernel)),
        machine=Machine(memory_mib=256),
        goal=Goal(console="goal Linux"),
        initramfs=Initramfs(tree=FileTree.of({**common, **carried, "/init": init, "/root": Entry(kind="dir")})),
        root=Root(
            medium="pmem",
            tree=FileTree.of({**common, "/sbin/init": Entry(kind="file", mode=0o755, text=INIT)}),
        ),
        cmdline=CommandLine.parse("root=/dev/pmem0 ro console=ttyS0 quiet cryptomgr.notests"),
        check=Check(console=("goal (Linux .*)",)),
        limits=Limits(virtual_s=60, stall_virtual_s=20, wall_s=600, stall_wall_s=300),
    )


def test_one_program_mounts_the_root(system, tmp_path):
    technique = techniques.get("initramfs-direct")
    with bench_for(system, tmp_path / "store", Cache(default_folder()), jobs=1) as bench:
        base = establish(bench, system)
        answer = technique.applies(base.context)
        assert answer.answer is Answer.YES, answer
        assert "virtio" not in answer.evidence, "a medium of another kind"
        (change,) = technique.changes(base.context)
        direct = change.apply(system)
        boot = bench.boot(direct, "direct")
        assert boot.meta.outcome is Outcome.GOAL, boot.meta.reason
        assert boot.meta.check_groups == base.recording.meta.check_groups
        after = Evidence(system=direct, recording=boot, diagnosis=diagnosis_of(bench, direct, boot, "direct"))
        effect = technique.took_effect(base.evidence, after)
        assert effect.shown, effect
        assert boot.meta.goal_ns < base.recording.meta.goal_ns
        # A root that never comes: the program says so, and the kernel panics.
        named = direct.cmdline.with_param("root", "LABEL=bootlab-none").with_param("rootdelay", "1")
        lost = msgspec.structs.replace(direct, cmdline=named)
        failed = bench.boot(lost, "no such label")
        assert failed.meta.outcome is Outcome.PANIC, failed.meta.reason
        assert any("no root LABEL=bootlab-none: No such device" in line.text for line in failed.lines)
