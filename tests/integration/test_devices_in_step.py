# SPDX-License-Identifier: MIT
"""Devices that QEMU serves at the host's pace: in step with the instructions boots are equal, else they differ."""

from __future__ import annotations

import shutil

import pytest

from bootlab.launch import devices
from bootlab.model.system import Machine
from tests.bare_guests import DISK_WIDENED, DISKS, DISPLAY, boot, build_preload, with_disk, with_display

pytestmark = pytest.mark.qemu

BOOTS = 4


@pytest.fixture(params=[*DISKS, "display"])
def device(request, tmp_path, monkeypatch):
    """Return a program that uses a device, and the machine with that device."""
    guest = DISKS.get(request.param, DISPLAY)
    if guest.compiler is None or not shutil.which(Machine(arch=guest.arch).architecture.emulator):
        pytest.skip(f"no compiler or no emulator for {guest.arch}")
    if guest is DISPLAY:
        # The table of devices has virtio-gpu behind PCI alone.
        monkeypatch.setattr(devices, "_needed", lambda *_: True)
        return guest, with_display()
    return guest, with_disk(request.param, tmp_path / "disk.img")


@pytest.mark.telling("disks")
def test_boots_with_such_a_device_are_equal(device, tmp_path):
    guest, machine = device
    image, preload = guest.build(tmp_path), build_preload(tmp_path)
    calm = boot(guest.arch, image, tmp_path / "calm", tmp_path, machine=machine)
    for number in range(BOOTS):
        again = boot(guest.arch, image, tmp_path / f"again{number}", tmp_path, machine=machine)
        assert again.facts == calm.facts
    for window in DISK_WIDENED:
        wide = boot(guest.arch, image, tmp_path / window, tmp_path, machine=machine, preload=preload, widened=window)
        assert wide.facts == calm.facts, window


def test_at_the_host_s_pace_they_differ(device, tmp_path):
    """The test above can fail: the same program sees the host where nothing keeps the device in step."""
    guest, machine = device
    image = guest.build(tmp_path)
    seen = {
        boot(guest.arch, image, tmp_path / str(number), tmp_path, machine=machine, in_step=False).facts
        for number in range(BOOTS)
    }
    assert len(seen) > 1
