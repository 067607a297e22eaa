# SPDX-License-Identifier: MIT
"""Folders of build systems described by looking at them, booted, and made faster: Debian's kernels on QEMU's boards.

A boot takes a minute and more, so these are asked for: BOOTLAB_ARMHF_PACKAGES names a folder that
`scripts/fetch-packages.sh armhf FOLDER linux-image-armmp busybox-static` filled; BOOTLAB_ARMEL_PACKAGES one with
linux-image-rpi (armel), BOOTLAB_ARM64_PACKAGES one with linux-image-arm64 (arm64), for Raspberry Pis.
tests/sources/test_build_folder.py tests what is taken from the folders, without a boot.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bootlab.api.described import describe
from tests.integration.board_folders import BOARDS, BoardCase, buildroot, yocto

PACKAGES = {
    arch: os.environ.get(f"BOOTLAB_{arch.upper()}_PACKAGES", "") for arch in sorted({case.arch for case in BOARDS})
}
EMULATORS = {"armhf": "qemu-system-arm", "armel": "qemu-system-arm", "arm64": "qemu-system-aarch64"}
Make = Callable[[Path, BoardCase, Path], Path]
EACH = pytest.mark.parametrize(
    ("case", "make"),
    [(case, make) for case in BOARDS for make in (buildroot, yocto)],
    ids=[f"{case.machine}-{make.__name__}" for case in BOARDS for make in (buildroot, yocto)],
)
pytestmark = pytest.mark.qemu


def described(case: BoardCase, make: Make, folder: Path):
    packages = PACKAGES[case.arch]
    if not packages:
        pytest.skip(f"BOOTLAB_{case.arch.upper()}_PACKAGES names no folder with Debian's kernel for it")
    if shutil.which(EMULATORS[case.arch]) is None:
        pytest.skip(f"{EMULATORS[case.arch]} is not there")
    source = make(Path(packages), case, folder)
    return describe([source], folder / "board.toml", store=folder / "store")


def bootlab(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bootlab.cli", *words, "--jobs", "1", "--store", "store"],
        cwd=folder, env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@EACH
def test_a_folder_is_described_and_boots(case, make, tmp_path):
    found = described(case, make, tmp_path)
    assert not found.trouble
    assert found.proposal.machine == case.machine
    assert found.proposal.goals.sure
    assert found.proposal.goals.goal.pattern == "panel login:"
    assert found.recording is not None
    assert found.recording.find("panel: first picture ready") is not None


@pytest.mark.timeout(7200)
@pytest.mark.slow
@EACH
def test_its_boots_are_equal_and_a_stack_makes_it_faster(case, make, tmp_path):
    described(case, make, tmp_path)
    assert "3 of 3 boots equal" in bootlab(tmp_path, "boot", "board.toml", "--repeat", "3")
    said = bootlab(tmp_path, "stack", "board.toml", "crypto-selftests")
    assert "times as fast" in said
    assert (tmp_path / "board.toml").exists()
