"""The race of the halt: with its window widened, boots are equal, and equal to an undisturbed one."""

from __future__ import annotations

import shutil

import pytest

from bootlab.model.system import Machine
from bootlab.targets.emulator import find
from tests.bare_guests import Guest, boot, build_preload

pytestmark = pytest.mark.qemu

GUESTS = [
    Guest("x86_64", ("HALTS=500",)),
    Guest("x86_64", ("HALTS=500", "HPET")),
    Guest("arm", ("HALTS=500",)),
    Guest("arm", ("HALTS=500", "PERIODIC")),
    Guest("arm64", ("HALTS=500",)),
    Guest("riscv64", ("HALTS=500",)),
]


@pytest.fixture(params=GUESTS, ids=lambda g: "-".join((g.arch, *g.defines[1:])))
def guest(request):
    if request.param.compiler is None or not shutil.which(Machine(arch=request.param.arch).architecture.emulator):
        pytest.skip(f"no compiler or no emulator for {request.param.arch}")
    if "PERIODIC" in request.param.defines and find(Machine(arch="arm")).numbers < (8,):
        pytest.skip(
            "open: QEMU 7.2 moves the clock in the callback of a periodic SP804 in some boots and not in others"
        )
    return request.param


def test_a_widened_window_changes_nothing(guest, tmp_path):
    image, preload = guest.build(tmp_path), build_preload(tmp_path)
    calm = boot(guest.arch, image, tmp_path / "calm", tmp_path)
    wide = [boot(guest.arch, image, tmp_path / f"wide{i}", tmp_path, preload=preload) for i in range(2)]
    assert {b.facts for b in wide} == {calm.facts}


def test_without_the_plugin_a_widened_window_changes_the_clock(tmp_path):
    """The test above can fail: what it looks for is there when nothing closes it."""
    guest = GUESTS[0]
    image, preload = guest.build(tmp_path), build_preload(tmp_path)
    calm = boot(guest.arch, image, tmp_path / "calm", tmp_path, cured=False)
    wide = boot(guest.arch, image, tmp_path / "wide", tmp_path, cured=False, preload=preload)
    assert wide.console != calm.console
