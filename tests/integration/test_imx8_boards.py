# SPDX-License-Identifier: MIT
"""NXP's i.MX 8M kits with Debian's kernel for boards: exact on the QEMU that has them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bootlab.api import System
from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.qemu, pytest.mark.slow]


@pytest.mark.parametrize("board", ["imx8mp-evk", "imx8mm-evk"])
def test_a_board_of_today_repeats_and_names_its_model(board, tmp_path, monkeypatch):
    emulator = shutil.which("qemu-system-aarch64")
    listed = [emulator, "-M", "help"] if emulator else ["true"]
    if board not in subprocess.run(listed, capture_output=True, text=True, check=True).stdout:
        pytest.skip(f"this QEMU has no {board}: make qemu11")
    kernels, busybox = (os.environ.get(f"BOOTLAB_{name}", "") for name in ("KERNEL_BOARDS", "BUSYBOX_ARM64"))
    if not Path(kernels, "vmlinuz").is_file() or not busybox:
        pytest.skip("BOOTLAB_KERNEL_BOARDS and BOOTLAB_BUSYBOX_ARM64 name no files: make qemu11")
    monkeypatch.setenv("BOOTLAB_BUSYBOX", busybox)
    system = System.load(REPOSITORY / "examples" / f"arm64-{board}" / "system.toml", store=tmp_path)
    recordings, equality = system.repeat_recordings(2)
    assert equality.equal, equality.difference
    assert all(recording.ok for recording in recordings)
    model = {"imx8mp-evk": "NXP i.MX8MPlus EVK board", "imx8mm-evk": "FSL i.MX8MM EVK board"}[board]
    assert f"Machine model: {model}" in recordings[0].console.decode()
