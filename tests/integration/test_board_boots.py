"""Folders of build systems described by looking at them, and booted: Debian's ARM kernel on the boards that QEMU has.

A boot takes a minute and more, so these are asked for: BOOTLAB_ARMHF_PACKAGES names a folder that
`scripts/fetch-packages.sh armhf FOLDER linux-image-armmp busybox-static` filled. tests/sources/test_build_folder.py
tests what is taken from the folders, without a boot.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bootlab.api.described import describe
from tests.integration.board_folders import BOARDS, BoardCase, buildroot, yocto

PACKAGES = os.environ.get("BOOTLAB_ARMHF_PACKAGES", "")
BY_NAME = {case.machine: case for case in BOARDS}
# sabrelite: QEMU lets nobody put a card into its slots. raspi2b: see below.
BOOTED = [
    ("vexpress-a9", buildroot),
    ("vexpress-a9", yocto),
    ("mcimx6ul-evk", buildroot),
    ("mcimx6ul-evk", yocto),
    ("sabrelite", buildroot),
    ("orangepi-pc", buildroot),
    ("orangepi-pc", yocto),
]
pytestmark = [
    pytest.mark.qemu,
    pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not there"),
    pytest.mark.skipif(not PACKAGES, reason="BOOTLAB_ARMHF_PACKAGES names no folder with Debian's ARM kernel"),
]


def described(machine: str, make: Callable[[Path, BoardCase, Path], Path], folder: Path):
    source = make(Path(PACKAGES), BY_NAME[machine], folder)
    return describe([source], folder / "board.toml", store=folder / "store")


@pytest.mark.parametrize(("machine", "make"), BOOTED, ids=[f"{name}-{make.__name__}" for name, make in BOOTED])
def test_a_folder_is_described_and_boots(machine, make, tmp_path):
    found = described(machine, make, tmp_path)
    assert not found.trouble
    assert found.proposal.machine == machine
    assert found.proposal.goals.sure
    assert found.proposal.goals.goal.pattern == "panel login:"
    assert found.recording is not None
    assert found.recording.find("panel: first picture ready") is not None
