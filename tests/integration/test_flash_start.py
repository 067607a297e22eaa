"""A kernel that is executed in place, for real: built, put into flash, booted to user space."""

import os
import shutil

import pytest

from bootlab.api import System
from bootlab.builders.kbuild.source import DEBIAN_ARCHIVE
from tests.test_docs import REPOSITORY

pytestmark = [
    pytest.mark.qemu,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        not os.environ.get("BOOTLAB_BUILD_KERNELS")
        or not os.environ.get("BOOTLAB_BUSYBOX")
        or not DEBIAN_ARCHIVE.is_file()
        or shutil.which("arm-linux-gnueabihf-gcc") is None,
        reason="BOOTLAB_BUILD_KERNELS and BOOTLAB_BUSYBOX (for arm) are not set, or Debian's kernel source is not here",
    ),
]


def test_the_kernels_code_stays_in_flash_and_user_space_comes(tmp_path):
    system = System.load(REPOSITORY / "examples/arm-virt-flash/system.toml", store=tmp_path)
    table = system.xip("in-place", "copied")
    in_place, copied = table.rows
    assert in_place.text_in_flash
    assert not copied.text_in_flash
    assert in_place.iomem_code == ""
    assert copied.iomem_code.endswith(": Kernel code")
    assert in_place.copy_ns == 0 < copied.copy_ns
    assert in_place.total_ns < copied.total_ns
    assert set(in_place.bench_ns) == {"stat", "fork", "pipe", "context"}
