# SPDX-License-Identifier: MIT
"""`[loader]` of a system file."""

import pytest

from bootlab.errors import SystemFileError
from bootlab.model.boot_loader import Loader
from bootlab.systemfile.loader import loads

FILE = """
name = "chain"
[machine]
arch = "arm"
type = "orangepi-pc"
[kernel]
source = "debian"
[goal]
console = "done"
[loader]
{loader}
"""


def read(tmp_path, loader: str):
    (tmp_path / "ready.bin").write_bytes(b"x")
    (tmp_path / "lean.config").write_text("# CONFIG_NET is not set\n")
    (tmp_path / "p.patch").write_text("--- a/x\n+++ b/x\n")
    (tmp_path / "tree").mkdir(exist_ok=True)
    return loads(FILE.format(loader=loader), path=str(tmp_path / "system.toml"), environ={}).loader


def test_an_image_for_a_card_and_a_ready_card(tmp_path):
    found = read(tmp_path, 'image = "ready.bin"\nstart = "script"\nwrapped = true')
    assert (found.image, found.start, found.wrapped) == (str(tmp_path / "ready.bin"), "script", True)
    found = read(tmp_path, 'card = "ready.bin"\nstart = "falcon"')
    assert (found.card, found.start) == (str(tmp_path / "ready.bin"), "falcon")


def test_a_boot_loader_that_is_built(tmp_path):
    found = read(
        tmp_path,
        'source = "tree"\ndefconfig = "orangepi_pc_defconfig"\nconfig = "lean.config"\npatches = ["p.patch"]\n'
        'options = { BOOTDELAY = 0, CONFIG_NET = false }\nstart = "falcon"\nfallback = "script"\nchecked = true',
    )
    build = found.build
    assert (build.source, build.base) == (str(tmp_path / "tree"), "orangepi_pc_defconfig")
    assert build.fragments == (str(tmp_path / "lean.config"),)
    assert build.options == (("BOOTDELAY", "0"), ("NET", "n"))
    assert build.patches[0].name == "p.patch"
    assert (found.start, found.fallback, found.checked, found.image) == ("falcon", "script", True, None)
    assert found.u_boot_start == "script"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "loader.image"),
        ('image = "ready.bin"\nstart = "fast"', "loader.start"),
        ('image = "ready.bin"\nstart = "falcon"', "loader.start"),
        ('card = "ready.bin"\nimage = "ready.bin"', "loader.image"),
        ('card = "ready.bin"\nwrapped = true', "loader.wrapped"),
        ('card = "no.bin"', "loader.card"),
        ('image = "ready.bin"\nbootdelay = 0', "loader.bootdelay"),
        ('source = "debian"', "loader.defconfig"),
        ('source = "nowhere"\ndefconfig = "x_defconfig"', "loader.source"),
        ('source = "debian"\ndefconfig = "x_defconfig"\ncard = "ready.bin"', "loader.card"),
        ('image = "ready.bin"\ndefconfig = "x_defconfig"', "loader.defconfig"),
        ('image = "ready.bin"\nstart = "command"', "loader.start"),
        ('image = "ready.bin"\nsilent = true', "loader.silent"),
        ('source = "debian"\ndefconfig = "x_defconfig"\nstart = "falcon"\nfallback = "falcon"', "loader.fallback"),
        ('source = "debian"\ndefconfig = "x_defconfig"\nstart = "falcon"\nfallback = "stub"', "loader.fallback"),
        ('source = "debian"\ndefconfig = "x_defconfig"\nchecked = true', "loader.checked"),
        ('source = "debian"\ndefconfig = "x_defconfig"\nplace = "raw"', "loader.place"),
        ('source = "debian"\ndefconfig = "x_defconfig"\nin_place = true', "loader.in_place"),
        ('source = "debian"\ndefconfig = "x_defconfig"\nsilent = true', "loader.silent"),
        ('image = "ready.bin"\nstart = "menu"', "loader.start"),
        ('image = "ready.bin"\nwait_s = 1', "loader.wait_s"),
        ('grub = "nowhere"', "loader.grub"),
        ('grub = "."\nstart = "extlinux"', "loader.start"),
        ('grub = "."\nwait_s = -1', "loader.wait_s"),
        ('grub = "."\nwrapped = true', "loader.wrapped"),
        ('grub = "."\nimage = "ready.bin"', "loader.image"),
        ('uefi = "no.fd"', "loader.uefi"),
        ('uefi = "ready.bin"\nstart = "extlinux"', "loader.start"),
        ('uefi = "ready.bin"\nprogram = "ready.bin"', "loader.program"),
        ('uefi = "ready.bin"\nstart = "menu"', "loader.program"),
        ('uefi = "ready.bin"\nstart = "unified"', "loader.program"),
        ('uefi = "ready.bin"\nwait_s = 1', "loader.wait_s"),
        ('uefi = "ready.bin"\nsilent = true', "loader.silent"),
        ('uefi = "ready.bin"\ngrub = "."', "loader.grub"),
        ('grub = "."\nprogram = "ready.bin"', "loader.program"),
    ],
)
def test_mistakes_name_the_key(tmp_path, text, key):
    with pytest.raises(SystemFileError) as caught:
        read(tmp_path, text)
    assert key in str(caught.value)
    assert caught.value.hint


def test_grub_has_a_menu_that_waits(tmp_path):
    assert read(tmp_path, 'grub = "."') == Loader(grub=str(tmp_path), start="menu", wait_s=5)
    quick = read(tmp_path, 'grub = "."\nstart = "command"\nwait_s = 0')
    assert (quick.start, quick.wait_s) == ("command", 0)


def test_a_uefi_starts_the_kernel_or_a_program(tmp_path):
    ready = str(tmp_path / "ready.bin")
    assert read(tmp_path, 'uefi = "ready.bin"') == Loader(uefi=ready, start="stub")
    menu = read(tmp_path, 'uefi = "ready.bin"\nprogram = "ready.bin"\nstart = "menu"\nwait_s = 0')
    assert menu == Loader(uefi=ready, program=ready, start="menu", wait_s=0)
