# SPDX-License-Identifier: MIT
"""The race of the halt: with its windows widened, boots are equal, and equal to an undisturbed one."""

from __future__ import annotations

import shutil

import pytest

from bootlab.launch import emulator
from bootlab.model.system import Machine
from tests.bare_guests import WIDENED, Guest, boot, build_preload

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
    return request.param


def test_a_widened_window_changes_nothing(guest, tmp_path):
    preload = build_preload(tmp_path)
    # A look at the stamps follows each halt and is 20 ms late: 500 of them would be late for a minute and a half.
    few = Guest(guest.arch, ("HALTS=50", *guest.defines[1:]))
    late = "before the stamp"
    for program, windows in ((guest, [window for window in WIDENED if window != late]), (few, [late])):
        image = program.build(tmp_path)
        calm = boot(guest.arch, image, tmp_path / f"calm {program.defines[0]}", tmp_path)
        for window in windows:
            wide = boot(guest.arch, image, tmp_path / window, tmp_path, preload=preload, widened=window)
            assert wide.facts == calm.facts, window


def test_no_period_of_a_timer_is_lost(tmp_path):
    """A tick every 1000 periods of the clock of 1 MHz, and a halt for each."""
    guest = Guest("arm", ("HALTS=500", "PERIODIC"))
    if guest.compiler is None or not shutil.which(Machine(arch="arm").architecture.emulator):
        pytest.skip("no compiler or no emulator for arm")
    clock = int(boot("arm", guest.build(tmp_path), tmp_path / "boot", tmp_path).console.split()[1], 16)
    assert 500_000 <= clock < 501_000


@pytest.mark.parametrize(
    ("guest", "window"),
    [
        (Guest("x86_64", ("HALTS=500",)), "behind the halt"),
        (Guest("arm", ("HALTS=500", "PERIODIC")), "before the timers"),
    ],
    ids=lambda v: v if isinstance(v, str) else v.arch,
)
def test_without_the_cure_a_widened_window_changes_the_clock(guest, window, tmp_path):
    """The test above can fail: what it looks for is there when nothing closes it."""
    if guest.compiler is None or not shutil.which(Machine(arch=guest.arch).architecture.emulator):
        pytest.skip(f"no compiler or no emulator for {guest.arch}")
    if window == "before the timers" and emulator.find(guest.machine).numbers >= (10,):
        pytest.skip("this window is open in QEMU 7.2; 10.0 keeps every tick of this program without the cure, too")
    image, preload = guest.build(tmp_path), build_preload(tmp_path)
    # Without the cure a busy host widens the window of a boot that is left alone, too: only a cured one is a measure.
    cured = boot(guest.arch, image, tmp_path / "cured", tmp_path)
    # The host decides here, so a busy one may close the window in a boot: one changed clock shows that it is open.
    assert any(
        boot(guest.arch, image, tmp_path / f"wide{n}", tmp_path, cured=False, preload=preload, widened=window).console
        != cured.console
        for n in range(10)
    )
