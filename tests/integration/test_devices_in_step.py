"""Disks that QEMU serves at the host's pace: in step with the instructions boots are equal, without it they are not."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from bootlab.model.system import Machine
from tests.bare_guests import Guest, boot, build_preload

pytestmark = pytest.mark.qemu

GUESTS = {
    "ide": Guest("x86_64", program="disk"),
    "virtio-mmio": Guest("arm64", program="disk"),
}
BOOTS = 4


@pytest.fixture(params=GUESTS)
def disk(request, tmp_path):
    """Return a program that reads a disk, and the machine with that disk."""
    guest = GUESTS[request.param]
    if guest.compiler is None or not shutil.which(Machine(arch=guest.arch).architecture.emulator):
        pytest.skip(f"no compiler or no emulator for {guest.arch}")
    image = tmp_path / "disk.img"
    image.write_bytes(bytes((n * 7 + n // 251) & 0xFF for n in range(1 << 21)) * 2)
    drive = f"file={image},format=raw,id=d,snapshot=on"
    words = {
        "ide": ("-drive", f"{drive},if=ide"),
        "virtio-mmio": ("-drive", f"{drive},if=none", "-device", "virtio-blk-device,drive=d"),
    }[request.param]
    return guest, msgspec.structs.replace(guest.machine, extra=(*guest.machine.extra, *words))


def test_boots_with_a_disk_are_equal(disk, tmp_path):
    guest, machine = disk
    image, preload = guest.build(tmp_path), build_preload(tmp_path)
    calm = boot(guest.arch, image, tmp_path / "calm", tmp_path, machine=machine)
    for number in range(BOOTS):
        again = boot(guest.arch, image, tmp_path / f"again{number}", tmp_path, machine=machine)
        assert again.facts == calm.facts
    for window in ("behind an access", "behind the halt"):
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
