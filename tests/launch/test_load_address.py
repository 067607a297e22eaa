# SPDX-License-Identifier: MIT
"""Where kernels are entered that start from flash, and where user space ends below one that is executed in place."""

import pytest

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.launch.load_address import flash_entries, user_half_end, user_space_end
from bootlab.model.flash_layout import ARM_VIRT
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription

MACHINE = Machine(arch="arm", type="virt", memory_mib=128)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (None, {}),
        ("in-place", {"kernel-entry": 0x80000, "kernel-image": 0x80000}),
        ("copied", {"kernel-copy": ARM_VIRT.copy_mark, "kernel-entry": 0x40008000, "kernel-image": 0x40008000}),
        (
            "unpacked",
            {
                "kernel-copy": ARM_VIRT.copy_mark,
                "kernel-entry": 0x42000000,
                "decompression": 0x42000000,
                "kernel-image": 0x40008000,
            },
        ),
        ("unpacked-in-place", {"kernel-entry": 0x80000, "decompression": 0x80000, "kernel-image": 0x40008000}),
    ],
)
def test_each_way_has_its_marks(start, expected):
    system = SystemDescription(name="x", kernel=Kernel(image="i", flash=start), goal=Goal(console="g"), machine=MACHINE)
    assert flash_entries(system) == expected


@pytest.mark.parametrize("start_kernel", [0xC01E9A04, 0xBF2642CC])
def test_code_among_the_modules_is_the_kernels_too(start_kernel):
    info = KernelInfo(symbols={"start_kernel": start_kernel})
    assert user_half_end(info) == 0xC0000000
    assert user_space_end("arm", info) == 0xBF000000
