# SPDX-License-Identifier: MIT
"""Disks that QEMU serves at the host's pace: in step with the instructions boots are equal, without it they are not."""

from __future__ import annotations

import shutil

import pytest

from bootlab.model.system import Machine
from tests.bare_guests import DISK_WIDENED, DISKS, boot, build_preload, with_disk

pytestmark = pytest.mark.qemu

BOOTS = 4


@pytest.fixture(params=DISKS)
def disk(request, tmp_path):
    """Return a program that reads a disk, and the machine with that disk."""
    guest = DISKS[request.param]
    if guest.compiler is None or not shutil.which(Machine(arch=guest.arch).architecture.emulator):
        pytest.skip(f"no compiler or no emulator for {guest.arch}")
    return guest, with_disk(request.param, tmp_path / "disk.img")


@pytest.mark.telling("disks")
def test_boots_with_a_disk_are_equal(disk, tmp_path):
    guest, machine = disk
    image, preload = guest.build(tmp_path), build_preload(tmp_path)
    calm = boot(guest.arch, image, tmp_path / "calm", tmp_path, machine=machine)
    for number in range(BOOTS):
        again = boot(guest.arch, image, tmp_path / f"again{number}", tmp_path, machine=machine)
        assert again.facts == calm.facts
    for window in DISK_WIDENED:
        wide = boot(guest.arch, image, tmp_path / window, tmp_path, machine=machine, preload=preload, widened=window)
        assert wide.facts == calm.facts, window


def test_at_the_host_s_pace_they_differ(disk, tmp_path):
    """The test above can fail: the same program sees the host where nothing keeps the disk in step."""
    guest, machine = disk
    image = guest.build(tmp_path)
    seen = {
        boot(guest.arch, image, tmp_path / str(number), tmp_path, machine=machine, in_step=False).facts
        for number in range(BOOTS)
    }
    assert len(seen) > 1
