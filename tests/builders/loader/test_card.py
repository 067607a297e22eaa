# SPDX-License-Identifier: MIT
"""The card: what lies where, the same each time, and what an update that was cut off leaves of it."""

import msgspec
import pytest

from bootlab.builders.boot_image import UIMAGE_MAGIC
from bootlab.builders.images import tool
from bootlab.builders.loader import falcon
from bootlab.builders.loader.card import CardParts, card
from bootlab.builders.loader.commands import Payload, raw_script_sector, rooms, script
from bootlab.errors import UserError
from bootlab.formats import disk_image
from bootlab.formats.disk_bytes import Window
from bootlab.formats.fat import FatFiles
from bootlab.formats.partitions import read_partitions
from bootlab.model.boot_loader import Loader, loader_board

BOARD = loader_board("orangepi-pc")

pytestmark = pytest.mark.skipif(
    any(tool.path_of(name) is None for name in ("sfdisk", "mformat", "mcopy", "mmd")),
    reason="needs fdisk and mtools: scripts/setup-debian.sh loaders",
)


@pytest.fixture
def parts(tmp_path):
    (tmp_path / "loader").write_bytes(b"SPL" * 5000)
    (tmp_path / "kernel").write_bytes(b"zImage" * 10_000)
    (tmp_path / "initramfs").write_bytes(b"cpio" * 1000)
    tree = tmp_path / "board.dtb"
    tree.write_bytes(bytes.fromhex("d00dfeed") + bytes(60))
    return CardParts(
        image=tmp_path / "loader",
        kernel=tmp_path / "kernel",
        tree=tree,
        initramfs=tmp_path / "initramfs",
        cmdline='console=ttyS0 quiet="no"',
        ram_start=0x40000000,
        arch="arm",
        legacy=False,
    )


def file_of(card_image, name: str) -> bytes:
    """Read a file of the first partition with bootlab's own reader."""
    medium = disk_image.opened(card_image)
    (partition,) = read_partitions(medium).partitions
    files = FatFiles(Window(medium, partition.start_bytes, partition.size_bytes))
    node = files.root()
    for part in name.split("/"):
        node = dict(files.entries(node))[part]
    return files.read(node, 0, node.size_bytes)


def test_a_card_holds_the_loader_and_the_files_and_is_the_same_each_time(parts, cache):
    path = card(Loader(image="u-boot.bin"), BOARD, parts, cache)
    data = path.read_bytes()
    assert len(data) == 64 << 20
    assert data[8192 : 8192 + 15_000] == b"SPL" * 5000
    assert file_of(path, "kernel") == parts.kernel.read_bytes()
    assert file_of(path, "initramfs") == parts.initramfs.read_bytes()
    text = file_of(path, "extlinux/extlinux.conf").decode()
    assert " initrd /initramfs" in text
    assert f" append {parts.cmdline}" in text
    path.unlink()
    assert card(Loader(image="u-boot.bin"), BOARD, parts, cache).read_bytes() == data


def test_a_boot_script_says_what_the_command_does(parts, cache):
    data = file_of(card(Loader(image="u-boot.bin", start="script"), BOARD, parts, cache), "boot.scr")
    assert data.startswith(UIMAGE_MAGIC)
    assert int.from_bytes(data[64:68], "big") == len(data) - 72
    text = data[72:].decode()
    assert text.splitlines()[0] == f"setenv bootargs '{parts.cmdline}'"
    assert text.splitlines()[-1] == "bootz 0x42000000 0x43300000:${filesize} 0x43000000"


def test_a_wrapped_kernel_is_started_by_bootm(parts, cache):
    wrapped = msgspec.structs.replace(parts, legacy=True)
    path = card(Loader(image="u-boot.bin", start="script", wrapped=True), BOARD, wrapped, cache)
    kernel = file_of(path, "kernel")
    assert kernel.startswith(UIMAGE_MAGIC)
    assert int.from_bytes(kernel[16:20], "big") == 0x40008000
    assert kernel[64:] == parts.kernel.read_bytes()
    assert b"\nbootm 0x42000000 " in file_of(path, "boot.scr")


def test_a_command_line_with_quotes_reaches_the_kernel_as_it_is():
    text = script(BOARD, Payload(cmdline="a='b c' $d", initramfs=False))
    assert text.splitlines()[0] == "setenv bootargs 'a='\\''b c'\\'' $d'"
    assert text.splitlines()[-1] == "bootz 0x42000000 - 0x43000000"


FALCON = Loader(image="u-boot.bin", start="falcon", fallback="script")


def falcon_parts(parts, tmp_path):
    tree = tmp_path / "falcon.dtb"
    tree.write_bytes(bytes.fromhex("d00dfeed") + b"arguments")
    goes = falcon.place(BOARD, parts.kernel, parts.initramfs, span_bytes=None)
    return msgspec.structs.replace(parts, falcon=goes, falcon_tree=tree)


def test_a_falcon_card_has_arguments_and_image_in_sectors_and_the_files_for_its_fallback(parts, cache, tmp_path):
    path = card(FALCON, BOARD, falcon_parts(parts, tmp_path), cache)
    data = path.read_bytes()
    at = BOARD.arguments_bytes
    assert data[at : at + 4 + 9] == bytes.fromhex("d00dfeed") + b"arguments"
    assert data[BOARD.raw_bytes :].startswith(UIMAGE_MAGIC)
    image = data[BOARD.raw_bytes : BOARD.partition_bytes]
    assert parts.kernel.read_bytes() in image
    assert parts.initramfs.read_bytes() in image
    assert file_of(path, "kernel") == parts.kernel.read_bytes()
    assert b"bootz" in file_of(path, "boot.scr")


def test_an_appended_tree_stands_behind_the_kernel_and_nowhere_else(parts, cache, tmp_path):
    loader = msgspec.structs.replace(FALCON, appended=True)
    data = card(loader, BOARD, falcon_parts(parts, tmp_path), cache).read_bytes()
    assert parts.kernel.read_bytes() + bytes.fromhex("d00dfeed") + b"arguments" in data[BOARD.raw_bytes :]
    assert not any(data[BOARD.arguments_bytes : BOARD.raw_bytes])


def test_raw_sectors_hold_all_and_the_partition_nothing(parts, cache):
    loader = Loader(image="u-boot.bin", start="command", place="raw", exact=True)
    path = card(loader, BOARD, parts, cache)
    data = path.read_bytes()
    script_at = raw_script_sector(BOARD) * 512
    assert data[script_at : script_at + 4] == UIMAGE_MAGIC
    assert b"mmc read 0x42000000 0x2000 0x80\n" in data[script_at : script_at + 4096]
    room, _ = rooms(BOARD)
    assert data[BOARD.raw_bytes :].startswith(parts.kernel.read_bytes())
    assert data[BOARD.raw_bytes + room :].startswith(parts.initramfs.read_bytes())
    with pytest.raises(KeyError):
        file_of(path, "kernel")


def test_what_has_no_room_is_refused_with_a_way_out(parts, cache):
    parts.kernel.write_bytes(bytes(rooms(BOARD)[0] + 1))
    with pytest.raises(UserError, match=r"kernel: .* left for it") as caught:
        card(Loader(image="u-boot.bin", start="command", place="raw"), BOARD, parts, cache)
    assert 'place = "fat"' in caught.value.hint
