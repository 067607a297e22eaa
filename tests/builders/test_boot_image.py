# SPDX-License-Identifier: MIT
"""What a machine loads: headers and appended trees, byte for byte."""

import struct
import zlib

import msgspec
import pytest

from bootlab import _core
from bootlab.builders.boot_image import bootable, legacy_header
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild.built import BuildFacts, BuiltKernel
from bootlab.errors import UserError
from bootlab.model.system import Machine

VEXPRESS = Machine(arch="arm", type="vexpress-a9")


@pytest.fixture
def kernel(tmp_path):
    def make(image: str, arch: str = "arm") -> BuiltKernel:
        (tmp_path / image).write_bytes(b"code" * 100)
        (tmp_path / "System.map").write_text("c0008000 T _text\nc0100000 T start_kernel\n")
        (tmp_path / "board.dtb").write_bytes(b"\xd0\x0d\xfe\xed tree")
        facts = BuildFacts(arch=arch, image=image, source="6.1.9", compiler="gcc", sizes_bytes={})
        return BuiltKernel(folder=tmp_path, facts=facts)

    return make


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


def test_the_header_is_one_that_boot_loaders_take():
    header = legacy_header(b"abc", load=0x60008000, arch="arm", name="Linux 6.1.9")
    fields = struct.unpack(">IIIIIIIBBBB32s", header)
    assert len(header) == 64
    assert fields[0] == 0x27051956
    assert fields[3:7] == (3, 0x60008000, 0x60008000, zlib.crc32(b"abc"))
    assert fields[7:11] == (5, 2, 2, 0)
    assert fields[11].rstrip(b"\0") == b"Linux 6.1.9"
    assert fields[1] == zlib.crc32(header[:4] + bytes(4) + header[8:])
    read = msgspec.json.decode(_core.kernel_inspect(header + b"abc"))
    assert read["uimage"]["load"] == 0x60008000


def test_an_uncompressed_arm_kernel_lies_where_it_runs(kernel, cache):
    made = bootable(kernel("Image"), VEXPRESS, cache).read_bytes()
    assert struct.unpack(">II", made[16:24]) == (0x60008000, 0x60008000)
    assert made[64:] == b"code" * 100
    assert made[31] == 0


def test_a_packed_riscv_kernel_gets_a_header_that_says_so(kernel, cache):
    made = bootable(kernel("Image.gz", "riscv64"), Machine(arch="riscv64"), cache).read_bytes()
    assert struct.unpack(">I", made[16:20]) == (0x80200000,)
    assert (made[29], made[31]) == (26, 1)


@pytest.mark.parametrize(("image", "arch"), [("zImage", "arm"), ("Image", "arm64"), ("Image", "riscv64")])
def test_others_are_loaded_as_they_are(kernel, cache, image, arch):
    built = kernel(image, arch)
    assert bootable(built, Machine(arch=arch), cache) == built.image


def test_a_board_that_is_not_known(kernel, cache):
    with pytest.raises(UserError, match="netduino2"):
        bootable(kernel("Image"), Machine(arch="arm", type="netduino2"), cache)


def test_a_tree_stands_behind_the_image(kernel, cache, tmp_path):
    made = bootable(kernel("zImage"), VEXPRESS, cache, device_tree=tmp_path / "board.dtb")
    assert made.read_bytes() == b"code" * 100 + b"\xd0\x0d\xfe\xed tree"
    with pytest.raises(UserError, match="zImage only"):
        bootable(kernel("Image"), VEXPRESS, cache, device_tree=tmp_path / "board.dtb")
    with pytest.raises(UserError, match="not a device tree blob"):
        bootable(kernel("zImage"), VEXPRESS, cache, device_tree=tmp_path / "System.map")
