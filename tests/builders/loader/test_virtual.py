# SPDX-License-Identifier: MIT
"""U-Boot on the machine virt: how it and its kernel get in place, and where its parts are entered."""

import shutil
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.images import tool
from bootlab.builders.loader import virtual
from bootlab.errors import UserError
from bootlab.formats.device_tree import read_tree
from bootlab.model.boot_loader import Loader
from bootlab.model.launch import LoadedFirst
from bootlab.model.system import Goal, Kernel, Machine, SystemDescription
from tests.mini_boards import mini_board_kernel


def system(arch: str, machine_type: str = "virt") -> SystemDescription:
    return SystemDescription(
        name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), machine=Machine(arch=arch, type=machine_type)
    )


@pytest.fixture
def loader(tmp_path):
    (tmp_path / "u-boot.bin").write_bytes(b"U-Boot 2023.01")
    return Loader(image=str(tmp_path / "u-boot.bin"))


def test_on_aarch64_the_emulator_hands_the_kernel_on(cache, tmp_path, loader):
    kernel = mini_board_kernel(tmp_path / "kernel", Machine(arch="arm64"), "text")
    found = virtual.placed(system("arm64"), loader, kernel, None, "", "qemu", cache)
    assert found.first == LoadedFirst(file=loader.image, instead_of="firmware")
    assert found.loads_kernel
    assert found.entries == {"u-boot": 0}
    data = bytearray(kernel.read_bytes())
    data[24] = 8
    kernel.write_bytes(data)
    (tmp_path / "u-boot.bin").write_bytes(b"NOTICE:  Booting Trusted Firmware")
    found = virtual.placed(system("arm64"), loader, kernel, None, "", "qemu", cache)
    assert found.entries == {
        "tf-a": 0, "u-boot": 0x60000000, "kernel-entry": 0x40400000, "kernel-image": 0x40400000,
    }  # fmt: skip


def test_op_tee_in_the_image_is_entered_before_u_boot(cache, tmp_path, loader):
    kernel = mini_board_kernel(tmp_path / "kernel", Machine(arch="arm64"), "text")
    (tmp_path / "u-boot.bin").write_bytes(b"NOTICE:  Booting Trusted Firmware ... OP-TEE version: 4.5.0")
    found = virtual.placed(system("arm64"), loader, kernel, None, "", "qemu", cache)
    assert list(found.entries) == ["tf-a", "u-boot", "op-tee"]


@pytest.mark.skipif(
    shutil.which("qemu-system-riscv64") is None or tool.path_of("fdtput") is None,
    reason="needs qemu-system-riscv64 and fdtput: scripts/setup-debian.sh boards loaders",
)
def test_on_riscv_the_device_tree_says_where_the_kernel_waits(cache, tmp_path, loader):
    kernel = mini_board_kernel(tmp_path / "kernel", Machine(arch="riscv64"), "text")
    (tmp_path / "initramfs").write_bytes(b"cpio" * 100)

    def placed():
        return virtual.placed(
            system("riscv64"), loader, kernel, tmp_path / "initramfs", "console=ttyS0", "qemu-system-riscv64", cache
        )

    found = placed()
    assert not found.loads_kernel
    assert (found.first.file, found.first.instead_of) == (loader.image, "kernel")
    assert found.entries["kernel-entry"] != found.entries["u-boot"]
    path = found.first.dtb
    data = Path(path).read_bytes()
    tree = read_tree(data)
    assert tree.find("/config").properties["bootcmd"] == b"bootm 0x84000000 - ${fdtcontroladdr}\0"
    chosen = tree.find("/chosen").properties
    assert chosen["bootargs"] == b"console=ttyS0\0"
    assert int.from_bytes(chosen["riscv,kernel-start"], "big") == 0x84000000
    assert "rng-seed" not in chosen
    start, end = (int.from_bytes(chosen[f"linux,initrd-{name}"], "big") for name in ("start", "end"))
    assert end - start == 400
    Path(path).unlink()
    assert placed().first == found.first
    assert Path(path).read_bytes() == data


@pytest.mark.parametrize("fields", [{"start": "script"}, {"image": None}, {"wrapped": True}])
def test_another_start_is_refused(cache, tmp_path, loader, fields):
    with pytest.raises(UserError, match="by the emulator"):
        virtual.placed(
            system("arm64"), msgspec.structs.replace(loader, **fields), tmp_path / "k", None, "", "qemu", cache
        )


def test_which_machines():
    assert virtual.is_virtual(system("arm64", "virt-7.2"))
    assert virtual.is_virtual(system("riscv64"))
    assert not virtual.is_virtual(system("x86_64", "q35"))
    assert not virtual.is_virtual(system("arm", "orangepi-pc"))
