# SPDX-License-Identifier: MIT
"""A second boot for real: it finds what the first one wrote, both repeat, and what is left is the same each time."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from bootlab.api import System
from bootlab.errors import TargetError
from bootlab.model.cmdline import CommandLine
from bootlab.model.earlier import Earlier
from bootlab.model.root import Root
from bootlab.model.shutdown import Shutdown
from bootlab.model.system import Goal, Initramfs, Kernel, Limits, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree

pytestmark = pytest.mark.qemu

DRIVERS = ("virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "virtio_blk")
MOUNT = f"""#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
for driver in {" ".join(DRIVERS)}; do /bin/busybox insmod /lib/$driver.ko; done
/bin/busybox mount -t ext4 /dev/vda /root
exec /bin/busybox switch_root /root /sbin/init
"""
INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
[ -s /etc/machine-id ] || $b tr -d - < /proc/sys/kernel/random/uuid > /etc/machine-id
[ -s /etc/key ] || $b dd if=/dev/zero bs=64k count=64 2>/dev/null | $b sha512sum > /etc/key
n=$($b cat /etc/boots 2>/dev/null || echo 0); n=$((n+1)); echo $n > /etc/boots
echo "ready boot=$n id=$($b cat /etc/machine-id) at $($b date +%H:%M)"
exec $b sleep 100000
"""


def text(content: str) -> Entry:
    return Entry(kind="file", text=content, mode=0o755)


@pytest.fixture(scope="module")
def first(debian_kernel) -> SystemDescription:
    """Return a system whose first boot makes an id and a key, on ext4 on a virtio disk."""
    busybox = shutil.which("busybox")
    modules = {path.stem: path for path in Path(debian_kernel).parent.rglob("*.ko") if path.stem in DRIVERS}
    if busybox is None or set(DRIVERS) - set(modules):
        pytest.skip("no busybox, or no modules beside the kernel: scripts/setup-debian.sh; make kernel")
    program = Entry(kind="file", source=busybox, mode=0o755)
    console = {"/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1), "/bin/busybox": program}
    drivers = {f"/lib/{name}.ko": Entry(kind="file", source=str(modules[name])) for name in DRIVERS}
    folders = {name: Entry(kind="dir", mode=0o755) for name in ("/root", "/proc", "/etc")}
    return SystemDescription(
        name="keys",
        kernel=Kernel(image=str(Path(debian_kernel).resolve())),
        machine=Machine(memory_mib=128),
        cmdline=CommandLine.parse("console=ttyS0 quiet cryptomgr.notests root=/dev/vda rw"),
        initramfs=Initramfs(tree=FileTree.of({"/init": text(MOUNT), **console, **drivers, **folders})),
        root=Root(tree=FileTree.of({"/sbin/init": text(INIT), **console, **folders}), medium="disk", size_mib=32),
        goal=Goal(console="ready boot="),
        limits=Limits(virtual_s=60, stall_virtual_s=90, wall_s=300, stall_wall_s=120),
    )


def said(recording) -> str:
    return next(line.text for line in recording.lines if "ready boot=" in line.text)


@pytest.mark.telling("boot", "disks")
def test_the_second_boot_finds_what_the_first_one_wrote(first, tmp_path):
    store = tmp_path / "store"
    one = System(first, store=store, cache=tmp_path / "cache").boot()
    second = msgspec.structs.replace(first, earlier=Earlier())
    opened = System(second, store=store, cache=tmp_path / "cache", jobs=1)
    recordings, equality = opened.repeat_recordings(2)
    assert equality.equal, equality.difference
    identity = said(one.recording).partition("id=")[2].split()[0]
    assert len(identity) == 32
    assert f"boot=1 id={identity} at 00:00" in said(one.recording)
    assert f"boot=2 id={identity} at 01:00" in said(recordings[0])
    assert one.recording.meta.goal_ns != recordings[0].meta.goal_ns
    assert "boot 1 left them (power-cut, 60 s" in " ".join(recordings[0].meta.notes)
    # What the first boot leaves is the same on another day, in another place.
    elsewhere = System(second, store=tmp_path / "other", cache=tmp_path / "other-cache").plan()
    medium = opened.plan().launch.media[0].file
    assert Path(elsewhere.launch.media[0].file).read_bytes() == Path(medium).read_bytes()
    assert elsewhere.key == opened.plan().key
    (kept,) = (tmp_path / "cache" / "left").iterdir()
    left = msgspec.json.decode((kept / "left.json").read_bytes())
    # Held step by step and with its writes kept, the first boot is what it was, to the instruction.
    assert left["goal_ns"] == one.recording.meta.goal_ns
    assert left["end_ns"] == left["goal_ns"] + 60_000_000_000


def test_keys_that_nobody_was_asked_about_restart_it_and_a_button_that_nobody_hears_is_named(first, tmp_path):
    def plan(end):
        earlier = Earlier(end=end, after_goal_s=8)
        limits = msgspec.structs.replace(first.limits, virtual_s=20)
        return System(msgspec.structs.replace(first, earlier=earlier, limits=limits), cache=tmp_path / "cache").plan()

    assert plan("ctrl-alt-del").launch.media[0].boots == 1
    with pytest.raises(TargetError, match=r"did not go down within 20 s of virtual time \(power-button, 8 s"):
        plan("power-button")


def test_the_way_down_is_measured_and_repeats(first, tmp_path):
    system = msgspec.structs.replace(first, shutdown=Shutdown(ask="ctrl-alt-del", after_goal_s=2))
    recordings, equality = System(system, store=tmp_path / "store", cache=tmp_path / "cache").repeat_recordings(2)
    assert equality.equal, equality.difference
    asked, *_, goal = recordings[0].marks
    assert (asked.name, asked.ns, goal.name) == ("asked", 0, "goal")
    # Nobody has asked for the keys: the kernel restarts at once.
    assert {mark.name for mark in recordings[0].marks} >= {"kernel_restart", "machine_restart"}
    assert 0 < recordings[0].meta.goal_ns < 1_000_000_000
