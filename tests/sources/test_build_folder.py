# SPDX-License-Identifier: MIT
"""Folders of build systems, for the five boards: which files are taken, and which machine and medium they become."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bootlab.model.system import Machine
from bootlab.systemfile import load
from bootlab.systemfile.proposal import propose
from bootlab.systemfile.written import written
from tests.integration.board_folders import BOARDS, BoardCase, buildroot, yocto
from tests.mini_boards import mini_board_kernel
from tests.sources import images

COMPATIBLE = {
    "vexpress-a9": ["arm,vexpress,v2p-ca9", "arm,vexpress"],
    "mcimx6ul-evk": ["fsl,imx6ul-14x14-evk", "fsl,imx6ul"],
    "sabrelite": ["fsl,imx6q-sabrelite", "fsl,imx6q"],
    "orangepi-pc": ["xunlong,orangepi-pc", "allwinner,sun8i-h3"],
    "raspi0": ["raspberrypi,model-zero", "brcm,bcm2835"],
    "raspi2b": ["raspberrypi,2-model-b", "brcm,bcm2836"],
    "raspi3b": ["raspberrypi,3-model-b", "brcm,bcm2837"],
}
CONFIG = """\
CONFIG_MMC=y
CONFIG_MMC_BLOCK=y
CONFIG_EXT4_FS=m
CONFIG_REGULATOR_FIXED_VOLTAGE=y
CONFIG_MMC_ARMMMCI=m
CONFIG_MMC_SDHCI_ESDHC_IMX=m
CONFIG_MMC_SUNXI=m
CONFIG_MMC_BCM2835=m
"""


@pytest.fixture(params=BOARDS, ids=lambda case: case.machine)
def case(request) -> BoardCase:
    return request.param


@pytest.fixture
def packages(tmp_path, case) -> Path:
    """A tree as Debian's packages leave it, with as little in it as can be."""
    folder = tmp_path / "packages"
    for name in ("boot", "bin", "usr/lib/linux-image-6.1", "lib/modules/6.1/kernel"):
        (folder / name).mkdir(parents=True)
    wide = case.arch == "arm64"
    machine = Machine(arch="arm64") if wide else Machine(arch="arm", type="vexpress-a9")
    mini_board_kernel(folder / "boot/vmlinuz-6.1", machine, "x")
    (folder / "boot/config-6.1").write_text(CONFIG)
    kind, number = (2, 0xB7) if wide else (1, 0x28)
    (folder / "bin/busybox").write_bytes(bytes((*b"\x7fELF", kind, 1, 1)).ljust(18, b"\0") + bytes((number, 0)))
    for name in ("ext4", *case.modules):
        (folder / f"lib/modules/6.1/kernel/{name}.ko").write_bytes(b"\0depends=\0")
    # The console of that tree is a port of its own board.
    names = {} if case.machine == "sabrelite" else {"chosen": {}, "aliases": {}, "soc": {}}
    node = {**images.BOARD, **names, "compatible": COMPATIBLE[case.machine], "memory@0": {"reg": [0, 1 << 30]}}
    (folder / f"usr/lib/linux-image-6.1/{case.tree}").write_bytes(images.device_tree(node))
    return folder


def test_buildroot_s_output(tmp_path, packages, case, looker):
    found = looker.look(buildroot(packages, case, tmp_path))
    assert found.what == "Buildroot's output folder"
    assert found.initramfs is not None
    assert found.initramfs.path.name == "rootfs.cpio.gz"
    assert found.root is not None
    assert found.root.init_kind == "busybox"
    assert case.port in found.root.gettys
    made = propose(found, "board")
    assert made.machine == case.machine
    assert made.board.port == case.port
    assert f"console={case.port}" in made.cmdline
    assert ("initcall_blacklist=bcm2835_power_driver_init" in made.cmdline) is (case.machine == "raspi0")
    assert any("would crash before it prints" in note for note in made.cmdline_notes) is (case.machine == "raspi0")
    assert made.root is None
    assert made.config is not None
    assert made.config.name == ".config"
    (tmp_path / "board.toml").write_text(written(made, tmp_path))
    assert load(tmp_path / "board.toml", unpack_dir=tmp_path / "unpacked").machine.type == case.machine


def test_yocto_s_deploy_folder(tmp_path, packages, case, looker):
    found = looker.look(yocto(packages, case, tmp_path))
    assert found.what == "Yocto's deploy folder"
    assert found.kernel is not None
    assert found.kernel.path.name == case.image
    assert found.disk is not None
    assert found.disk.root == 2
    made = propose(found, "board")
    assert made.machine == case.machine
    assert made.root is not None
    assert (made.root.medium, made.root.partition, made.root.lacking) == ("sd", 2, "")
    # The kernel's drivers are modules, which the initramfs has.
    assert made.initramfs is not None
    assert any("goes with it" in note for note in made.notes)
    assert f"root={made.board.card_name}p2" in made.cmdline
    (tmp_path / "board.toml").write_text(written(made, tmp_path))
    loaded = load(tmp_path / "board.toml", unpack_dir=tmp_path / "unpacked")
    assert loaded.kernel.config == str(tmp_path / "deploy/kernel-config-6.1")


def test_a_card_whose_power_no_driver_switches(tmp_path, packages, case, looker):
    if "gpio_mxc" not in case.modules:
        pytest.skip("no board of i.MX")
    (packages / "boot/config-6.1").write_text(CONFIG + "CONFIG_GPIO_MXC=m\n")
    assert propose(looker.look(yocto(packages, case, tmp_path / "whole")), "board").root.lacking == ""
    without = replace(case, modules=tuple(name for name in case.modules if name != "gpio_mxc"))
    made = propose(looker.look(yocto(packages, without, tmp_path / "lacking")), "board")
    assert made.root is not None
    assert "gpio_mxc (CONFIG_GPIO_MXC) is module only" in made.root.lacking
