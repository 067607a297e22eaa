# SPDX-License-Identifier: MIT
"""A FIT image with its data behind the tree: what an SPL reads of it."""

import shutil
import zlib

import pytest

from bootlab.builders.loader.fit import FitImage, fit
from bootlab.formats.device_tree import read_tree

pytestmark = pytest.mark.skipif(shutil.which("dtc") is None, reason="needs dtc: scripts/setup-debian.sh loaders")

FIRMWARE = FitImage(name="opensbi", kind="firmware", os="opensbi", load=0x80100000, data=b"sbi" * 7)
LINUX = FitImage(name="linux", kind="standalone", os="u-boot", load=0x1_80200000, data=b"Linux" * 99)


def test_the_data_is_where_the_tree_says(tmp_path):
    path = tmp_path / "linux.itb"
    fit(FIRMWARE, LINUX, arch="riscv", path=path)
    data = path.read_bytes()
    tree = read_tree(data)
    # common/spl/spl_fit.c: spl_simple_fit_read() looks for the data behind the tree, at the next word.
    behind = -(-int.from_bytes(data[4:8], "big") // 4) * 4
    chosen = tree.find("/configurations/c").properties
    for name, part in (("firmware", FIRMWARE), ("loadables", LINUX)):
        node = tree.find(f"/images/{chosen[name].rstrip(bytes(1)).decode()}").properties
        start, size = (int.from_bytes(node[key], "big") for key in ("data-offset", "data-size"))
        assert start % 4 == 0
        assert data[behind + start : behind + start + size] == part.data
        assert int.from_bytes(node["load"], "big") == part.load
        assert node["os"] == part.os.encode() + b"\0"


def test_the_checksum_of_everything_stands_behind_it(tmp_path):
    path = tmp_path / "linux.itb"
    fit(FIRMWARE, LINUX, arch="riscv", path=path)
    data = path.read_bytes()
    size = int.from_bytes(read_tree(data).properties["bytes"], "big")
    assert size == len(data) - 4
    assert zlib.crc32(data[:size]) == int.from_bytes(data[size:], "big")
    first = data
    fit(FIRMWARE, LINUX, arch="riscv", path=path)
    assert path.read_bytes() == first
