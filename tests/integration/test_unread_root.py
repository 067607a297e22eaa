# SPDX-License-Identifier: MIT
"""A quiet system on a disk whose files bootlab does not read: what it gains is proved, and stacked."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments import campaign
from bootlab.experiments.bench import bench_for
from bootlab.experiments.selection import Selection
from bootlab.model.cmdline import CommandLine
from bootlab.model.root import Root
from bootlab.model.system import Goal, Initramfs, Kernel, Limits, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.model.verdict import Trial, Verdict

pytestmark = [pytest.mark.qemu, pytest.mark.slow]

BUSYBOX = "/bin/busybox"
LOADED = (
    "virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk", "libcrc32c",
    "erofs",
)  # fmt: skip
MOUNTS = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
for module in {modules}; do /bin/busybox insmod /lib/$module.ko; done
until /bin/busybox test -b /dev/vda; do /bin/busybox usleep 1000; done
/bin/busybox mount -t erofs -o ro /dev/vda /root
/bin/busybox mount --move /dev /root/dev
exec /bin/busybox switch_root /root /sbin/init
"""
INIT = "#!/bin/busybox sh\necho the sensor is ready\nexec /bin/busybox sleep 100000\n"


class Kept:
    """A journal that keeps the trials alone."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []

    def trial(self, trial: Trial) -> None:
        self.trials.append(trial)

    def __getattr__(self, name: str) -> Callable[[object], None]:
        return lambda _found: None


@pytest.fixture
def system(debian_kernel, tmp_path):
    folders = sorted(Path(debian_kernel).parent.glob("unpacked/lib/modules/*/kernel"))
    found = {path.stem: path for folder in folders for path in folder.rglob("*.ko") if path.stem in LOADED}
    if set(found) != set(LOADED) or not os.access(BUSYBOX, os.X_OK) or shutil.which("mkfs.erofs") is None:
        pytest.skip("no BusyBox, no mkfs.erofs, or no modules beside the kernel (scripts/fetch-kernel.sh)")
    root = tmp_path / "root"
    for name in ("bin", "sbin", "dev"):
        (root / name).mkdir(parents=True)
    shutil.copy(BUSYBOX, root / "bin/busybox")
    (root / "sbin/init").write_text(INIT)
    (root / "sbin/init").chmod(0o755)
    image = tmp_path / "root.img"
    subprocess.run(["mkfs.erofs", "--quiet", "-T0", str(image), str(root)], check=True)
    os.truncate(image, -(-image.stat().st_size // 4096) * 4096)
    carried = {f"/lib/{name}.ko": Entry(kind="file", source=str(path)) for name, path in found.items()}
    tree = {
        **carried,
        "/bin/busybox": Entry(kind="file", source=os.path.realpath(BUSYBOX), mode=0o755),
        "/init": Entry(kind="file", mode=0o755, text=MOUNTS.format(modules=" ".join(LOADED))),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        "/root": Entry(kind="dir"),
    }
    return SystemDescription(
        name="unread",
        kernel=Kernel(image=os.path.realpath(debian_kernel)),
        machine=Machine(type="q35", memory_mib=256),
        goal=Goal(console="the sensor is ready"),
        initramfs=Initramfs(tree=FileTree.of(tree)),
        root=Root(medium="disk", image=str(image)),
        cmdline=CommandLine.parse("console=ttyS0 quiet"),
        limits=Limits(virtual_s=60, stall_virtual_s=20, wall_s=1200, stall_wall_s=600),
    )


def test_what_a_quiet_console_cannot_show_is_stacked(system, tmp_path):
    journal = Kept()
    with bench_for(system, tmp_path / "store", Cache(default_folder()), jobs=2) as bench:
        found = campaign.stack(bench, system, Selection(ids=("crypto-selftests",)), journal)
    assert [trial.verdict for trial in journal.trials] == [Verdict.FASTER]
    assert [change.id for change in found.stacked.changes] == ["crypto-selftests"]
    proof = found.stacked.steps[0].effect
    assert proof is not None
    assert proof.evidence == "alg: self-tests disabled (console of a boot with loglevel=7)"
    assert "quiet" in found.stacked.recording.meta.cmdline.split()
