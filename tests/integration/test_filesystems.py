# SPDX-License-Identifier: MIT
"""`bootlab fs` on a Debian kernel: the rows that need no flash boot, the others are left out with their reasons."""

import msgspec
import pytest

from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.filesystems import Filesystems
from bootlab.model.storage import Storage
from bootlab.targets.qemu import QemuTarget

pytestmark = pytest.mark.qemu


def test_initramfs_rows_boot_and_flash_is_left_out(small, tmp_path):
    cache = Cache(default_folder())
    system = msgspec.structs.replace(small, storage=Storage())
    wanted = Filesystems("initramfs-none", "initramfs-gzip", "cramfs-xip")
    with Bench(QemuTarget(cache), tmp_path / "store", cache=cache, jobs=2) as bench:
        first = compare(wanted, bench, system)
        again = compare(wanted, bench, system)
        assert bench.boots_made == 2
    assert [row.id for row in first.rows] == ["initramfs-none", "initramfs-gzip"]
    assert all(row.ok and row.proved for row in first.rows), first.rows
    assert first.rows[0].values["image_bytes"] > first.rows[1].values["image_bytes"]
    assert first.left_out[0].reason == "the machine has no flash: storage.flash_bank is not set"
    assert again == first
