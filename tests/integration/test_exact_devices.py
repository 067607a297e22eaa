# SPDX-License-Identifier: MIT
"""Rows of the table of devices, booted again: what it calls exact must be so with the QEMU that is here."""

from __future__ import annotations

import lzma
import shutil
import sys
import threading

import pytest

from bootlab.launch import emulator
from bootlab.launch.exact_devices import device_table
from bootlab.model.system import Machine
from bootlab.targets.qemu import QemuTarget
from tests.conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import exact_device_rows
import exact_devices

pytestmark = pytest.mark.qemu
# Those of Debian's cloud kernel, which the tests have.
IDS = ("nothing", "nvdimm", "fw_cfg", "virtio-blk", "nvme")


@pytest.fixture(scope="module")
def packages(debian_kernel, tmp_path_factory):
    """Return a folder as exact_devices.py wants it: kernel, modules, a static busybox."""
    unpacked = debian_kernel.parent / "unpacked"
    busybox = shutil.which("busybox")
    # Debian 13's packages have no /lib of their own.
    merged = (unpacked / "usr/lib/modules").is_dir()
    if not (merged or (unpacked / "lib/modules").is_dir()) or busybox is None:
        pytest.skip("no modules beside the kernel, or no busybox: make kernel, scripts/setup-debian.sh run")
    tree = tmp_path_factory.mktemp("packages") / "amd64"
    shutil.copytree(unpacked, tree, symlinks=True)
    if merged:
        (tree / "lib").symlink_to("usr/lib")
    # Debian packs its modules from 6.12 on; exact_devices.py, like BusyBox's insmod, wants them as they are.
    for packed in (tree / "lib/modules").rglob("*.ko.xz"):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
    (tree / "bin").mkdir(exist_ok=True)
    shutil.copy(busybox, tree / "bin/busybox")
    return tree.parent


@pytest.mark.parametrize("row_id", IDS)
def test_a_row_that_is_called_exact_boots_alike_again(packages, cache, tmp_path, row_id):
    program = shutil.which(Machine().architecture.emulator)
    row = next(row for row in exact_device_rows.ROWS if row.id == row_id)
    kept = next((r for r in device_table().rows if r.id == row_id), None)
    assert kept is not None
    numbers = emulator.find(Machine()).numbers
    assert kept.exact(numbers) or kept.needs_step(numbers), "the table calls it exact here"
    system = exact_devices.system_of(row, packages, exact_devices.prepared(tmp_path), str(program))
    target = QemuTarget(cache)
    plan = target.plan(system)
    boots = [target.boot(plan, tmp_path / f"boot-{n}", stop=threading.Event()) for n in range(2)]
    assert all(boot.ok for boot in boots), [boot.meta.reason for boot in boots]
    assert not [boot.find("insmod").text for boot in boots if boot.find("insmod")]
    assert exact_devices.difference(boots) == ""
