"""The card: what lies where, the same each time, and what an update that was cut off leaves of it."""

import msgspec
import pytest

from bootlab.builders.boot_image import UIMAGE_MAGIC
from bootlab.builders.images import disk_image, tool
from bootlab.builders.images.disk_bytes import Window
from bootlab.builders.loader.card import CardParts, card
from bootlab.builders.loader.commands import Payload, script
from bootlab.model.boot_loader import Loader, loader_board
from bootlab.sources.fat import FatFiles
from bootlab.sources.partitions import read_partitions

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
