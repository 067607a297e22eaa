# SPDX-License-Identifier: MIT
"""What the SPL loads in falcon mode: where it goes, and that every byte is where the device tree says."""

import struct
import zlib

import msgspec
import pytest

from bootlab.builders.boot_image import legacy_header
from bootlab.builders.images import tool
from bootlab.builders.loader import falcon
from bootlab.builders.loader.device_tree import prepared
from bootlab.builders.loader.options import arguments_bytes, options_of
from bootlab.errors import UserError
from bootlab.formats.device_tree import read_tree
from bootlab.model.boot_loader import Loader, loader_board

BOARD = loader_board("orangepi-pc")
LOADER = Loader(image="u-boot.bin", start="falcon")
ZIMAGE = b"zImage" * 1000
ARCHIVE = b"cpio" * 2000


@pytest.fixture
def files(tmp_path):
    plain = b"Image!" * 1000
    (tmp_path / "zImage").write_bytes(ZIMAGE)
    (tmp_path / "Image").write_bytes(legacy_header(plain, load=0x40008000, arch="arm") + plain)
    (tmp_path / "initramfs").write_bytes(ARCHIVE)
    return tmp_path


def fields(image: bytes) -> tuple[int, int, int, int]:
    """Return size, load address, entry and checksum of a legacy header, which must be whole itself."""
    magic, check, _, size, load, entry, data = struct.unpack_from(">7I", image)
    assert magic == 0x27051956
    assert check == zlib.crc32(image[:4] + bytes(4) + image[8:64])
    return size, load, entry, data


def test_the_initramfs_of_a_packed_kernel_lies_before_it(files):
    found = falcon.place(BOARD, files / "zImage", files / "initramfs", span_bytes=None)
    assert found.entry == BOARD.kernel_address
    image = falcon.image(found, ZIMAGE, ARCHIVE, b"TREE", arch="arm")
    size, load, entry, check = fields(image)
    body = image[64:]
    assert (size, check) == (len(body), zlib.crc32(body))
    assert body[entry - load :] == ZIMAGE + b"TREE"
    start, end = found.initramfs
    assert body[start - load : end - load] == ARCHIVE
    assert load % 4096 == 0


def test_the_initramfs_of_a_plain_kernel_lies_behind_its_variables(files):
    found = falcon.place(BOARD, files / "Image", files / "initramfs", span_bytes=9000)
    image = falcon.image(found, (files / "Image").read_bytes(), ARCHIVE, None, arch="arm")
    _, load, entry, _ = fields(image)
    assert load == entry == 0x40008000
    start, end = found.initramfs
    assert start == load + 12288
    assert image[64 + start - load : 64 + end - load] == ARCHIVE
    assert image[64 : 64 + 6000] == b"Image!" * 1000


def test_a_kernel_without_initramfs_is_all_that_is_loaded(files):
    found = falcon.place(BOARD, files / "zImage", None, span_bytes=None)
    assert falcon.image(found, ZIMAGE, None, None, arch="arm")[64:] == ZIMAGE
    assert found.initramfs is None


def test_a_plain_kernel_whose_end_is_not_known_is_refused(files):
    with pytest.raises(UserError, match="where the kernel ends"):
        falcon.place(BOARD, files / "Image", files / "initramfs", span_bytes=None)
    found = falcon.place(BOARD, files / "Image", files / "initramfs", span_bytes=100)
    with pytest.raises(UserError, match="longer than its symbols"):
        falcon.image(found, (files / "Image").read_bytes(), ARCHIVE, None, arch="arm")


def test_a_tree_is_sealed_with_its_checksum_at_the_next_word():
    assert falcon.sealed(b"abcde") == b"abcde\0\0\0" + zlib.crc32(b"abcde").to_bytes(4, "big")


def test_only_what_the_tree_takes_is_read_where_that_is_asked_for():
    asked = dict(options_of(LOADER, BOARD, 24_000))
    assert asked["SYS_MMCSD_RAW_MODE_ARGS_SECTORS"] == "0x80"
    exact = msgspec.structs.replace(LOADER, exact=True, checked=True)
    asked = dict(options_of(exact, BOARD, 24_570))
    assert asked["SYS_MMCSD_RAW_MODE_ARGS_SECTORS"] == "0x38"
    assert asked["SPL_LEGACY_IMAGE_CRC_CHECK"] == "y"
    assert arguments_bytes(exact, BOARD, 24_570) >= 24_570 + 8
    appended = dict(options_of(msgspec.structs.replace(LOADER, appended=True), BOARD, 24_000))
    assert appended["SYS_MMCSD_RAW_MODE_ARGS_SECTOR"] == "0x0"
    assert "SYS_MMCSD_RAW_MODE_ARGS_SECTORS" not in appended


@pytest.mark.skipif(
    tool.path_of("fdtput") is None, reason="needs device-tree-compiler: scripts/setup-debian.sh loaders"
)
def test_a_prepared_tree_says_what_a_boot_loader_would_have_written(tmp_path, cache):
    tree = tmp_path / "board.dtb"
    source = (
        '/dts-v1/; / { model = "test"; #address-cells = <1>; #size-cells = <1>; chosen { stdout-path = "serial0"; }; };'
    )
    tool.run(["dtc", "-O", "dtb", "-o", str(tree)], source=source.encode())
    line = "console=ttyS0,115200 x='a b'"
    made = prepared(tree, line, cache, memory=(0x40000000, 1 << 30), initramfs=(0x41000000, 0x41000123))
    root = read_tree(made.read_bytes())
    chosen = root.find("/chosen")
    assert chosen.text("bootargs") == line
    assert chosen.number("linux,initrd-start", 0) == 0x41000000
    assert chosen.number("linux,initrd-end", 0) == 0x41000123
    memory = root.find("/memory@40000000")
    assert memory.text("device_type") == "memory"
    assert memory.properties["reg"] == struct.pack(">II", 0x40000000, 1 << 30)
    assert root.text("model") == "test"
    assert chosen.text("stdout-path") == "serial0"
    data = made.read_bytes()
    made.unlink()
    again = prepared(tree, line, cache, memory=(0x40000000, 1 << 30), initramfs=(0x41000000, 0x41000123))
    assert again.read_bytes() == data
