# SPDX-License-Identifier: MIT
"""A kernel that is executed in place, for real: built, put into flash, booted to user space."""

import os
import shutil

import pytest

from bootlab.api import System
from bootlab.builders.kbuild.source import debian_archive
from bootlab.experiments.xip import Xip
from tests.test_docs import REPOSITORY

pytestmark = [
    pytest.mark.qemu,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        not os.environ.get("BOOTLAB_BUILD_KERNELS"),
        reason="builds kernels: set BOOTLAB_BUILD_KERNELS=1 and run scripts/setup-debian.sh kernels",
    ),
]


def needs(variable, kernel, compiler):
    return pytest.mark.skipif(
        not os.environ.get(variable) or not debian_archive(kernel).is_file() or shutil.which(compiler) is None,
        reason=f"{variable}, linux-source-{kernel} or {compiler} is missing",
    )


@pytest.mark.parametrize(
    ("example", "busybox", "iomem_code"),
    [
        pytest.param(
            "arm-virt-flash",
            "BOOTLAB_BUSYBOX",
            "none in RAM",
            marks=needs("BOOTLAB_BUSYBOX", "6.1", "arm-linux-gnueabihf-gcc"),
        ),
        # The kernel fails to list its memory: its code is in one place and its data in another.
        pytest.param(
            "riscv-virt-flash",
            "BOOTLAB_BUSYBOX_RISCV64",
            None,
            marks=needs("BOOTLAB_BUSYBOX_RISCV64", "6.12", "riscv64-linux-gnu-gcc"),
        ),
    ],
)
def test_the_kernels_code_stays_in_flash_and_user_space_comes(tmp_path, monkeypatch, example, busybox, iomem_code):
    monkeypatch.setenv("BOOTLAB_BUSYBOX", os.environ[busybox])
    system = System.load(REPOSITORY / f"examples/{example}/system.toml", store=tmp_path)
    found = system.compare(Xip("in-place", "copied")).comparison
    assert found.sound
    in_place, copied = (row.values for row in found.rows)
    assert in_place["text_in_flash"]
    assert not copied["text_in_flash"]
    assert in_place["iomem_code"] == iomem_code
    assert copied["iomem_code"].endswith(": Kernel code")
    assert in_place["copy_ns"] == 0 < copied["copy_ns"]
    assert in_place["total_ns"] < copied["total_ns"]
    assert all(in_place[f"bench_{name}_ns"] for name in ("stat", "fork", "pipe", "context"))


@needs("BOOTLAB_BUSYBOX", "6.1", "arm-linux-gnueabihf-gcc")
def test_hot_functions_run_in_ram_and_the_rest_in_flash(tmp_path):
    system = System.load(REPOSITORY / "examples/arm-virt-flash/system.toml", store=tmp_path)
    found = system.compare(Xip("in-place", "partial")).comparison
    # Proved: the emulator has start_kernel() in flash and the hottest function that was moved in RAM.
    assert found.sound, [row.reason for row in (*found.rows, *found.left_out)]
    in_place, partial = (row.values for row in found.rows)
    assert 16 << 10 < partial["ram_code_bytes"] < 256 << 10
    assert 0.5 < partial["run_ram_share"] < 1
    assert partial["model_total_ns"] < in_place["model_total_ns"]
    assert in_place["ram_free_kib"] - 256 < partial["ram_free_kib"] < in_place["ram_free_kib"]
