# SPDX-License-Identifier: MIT
"""What U-Boot is told: what it loads from where, and how much."""

import msgspec
import pytest

from bootlab.builders.loader.commands import Payload, environment, raw_script, raw_script_sector, rooms, script
from bootlab.builders.loader.options import has_environment, options_of
from bootlab.model.boot_loader import Loader, loader_board

BOARD = loader_board("orangepi-pc")
COMMAND = Loader(image="u-boot.bin", start="command")
PAYLOAD = Payload(cmdline="quiet", initramfs=True, kernel_bytes=70_000, tree_bytes=24_000, initramfs_bytes=65_536)


def test_the_environment_loads_files_and_starts_the_kernel():
    lines = dict(line.partition("=")[::2] for line in environment(BOARD, PAYLOAD, COMMAND).splitlines())
    assert lines["bootcmd"].split("; ") == [
        "load mmc 0:1 0x42000000 kernel",
        "load mmc 0:1 0x43000000 board.dtb",
        "load mmc 0:1 0x43300000 initramfs",
        "bootz 0x42000000 0x43300000:${filesize} 0x43000000",
    ]
    assert not {"fdt_high", "silent"} & lines.keys()
    other = msgspec.structs.replace(COMMAND, in_place=True, silent=True)
    text = environment(BOARD, PAYLOAD, other)
    assert "\nfdt_high=0xffffffff\ninitrd_high=0xffffffff\nsilent=1\nsilent_linux=no\n" in text


def test_a_header_is_loaded_in_front_of_where_the_kernel_is_to_be():
    legacy = msgspec.structs.replace(PAYLOAD, legacy=True, load=0x40008000)
    assert "bootm 0x42000000 " in environment(BOARD, legacy, COMMAND)
    in_place = msgspec.structs.replace(COMMAND, in_place=True)
    assert "bootm 0x40007fc0 " in environment(BOARD, legacy, in_place)


def test_raw_sectors_are_read_whole_or_as_far_as_they_hold_something():
    raw = msgspec.structs.replace(COMMAND, place="raw")
    kernel_room, _ = rooms(BOARD)
    whole = raw_script(BOARD, PAYLOAD, raw).splitlines()
    assert whole[:2] == ["mmc read 0x43000000 0x1000 0x80", f"mmc read 0x42000000 0x2000 {kernel_room // 512:#x}"]
    exact = raw_script(BOARD, PAYLOAD, msgspec.structs.replace(raw, exact=True)).splitlines()
    assert exact == [
        "mmc read 0x43000000 0x1000 0x80",
        "mmc read 0x42000000 0x2000 0x100",
        "mmc read 0x43300000 0x5000 0x80",
        "bootz 0x42000000 0x43300000:0x10000 0x43000000",
    ]
    assert f"mmc read 0x43100000 {raw_script_sector(BOARD):#x} 0x8; source 0x43100000" in environment(
        BOARD, PAYLOAD, raw
    )


def test_without_an_initramfs_there_is_none_to_load():
    bare = msgspec.structs.replace(PAYLOAD, initramfs=False)
    assert environment(BOARD, bare, COMMAND).splitlines()[0].endswith("bootz 0x42000000 - 0x43000000")
    raw = msgspec.structs.replace(COMMAND, place="raw", exact=True)
    assert len(raw_script(BOARD, bare, raw).splitlines()) == 3


def test_a_script_can_keep_all_in_its_place():
    text = script(BOARD, PAYLOAD, msgspec.structs.replace(COMMAND, start="script", in_place=True))
    assert text.splitlines()[1:3] == ["setenv fdt_high 0xffffffff", "setenv initrd_high 0xffffffff"]


@pytest.mark.parametrize(("start", "fallback", "own"), [("extlinux", "extlinux", False), ("falcon", "command", True)])
def test_only_a_boot_command_needs_an_environment(start, fallback, own):
    loader = Loader(image="u-boot.bin", start=start, fallback=fallback)
    assert has_environment(loader) is own
    assert ("USE_DEFAULT_ENV_FILE", "y") in options_of(loader, BOARD, 1000) or not own


def test_a_silent_boot_loader_s_spl_keeps_the_port_that_it_reads_a_key_from():
    quiet = dict(options_of(msgspec.structs.replace(COMMAND, silent=True), BOARD, 0))
    assert (quiet["SILENT_CONSOLE"], quiet["SPL_SERIAL"]) == ("y", "n")
    falcon = dict(options_of(msgspec.structs.replace(COMMAND, silent=True, start="falcon"), BOARD, 0))
    assert (falcon["SPL_BANNER_PRINT"], falcon.get("SPL_SERIAL")) == ("n", None)
