# SPDX-License-Identifier: MIT
"""Device trees in containers, GRUB's devices, U-Boot's comparisons, flash: what is found, and what any bytes give."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.formats import board_trees
from bootlab.sources import raw_flash
from bootlab.sources.menus.grub_devices import search_of
from bootlab.sources.menus.uboot_disk import calculated, compared
from tests.examples import examples
from tests.sources import images

ONE, TWO = (images.device_tree(images.BOARD | {"model": f"Made {word}"}) for word in ("one", "two"))


@examples(200)
@given(st.sampled_from([b"RSCE", b"QCDT\1\0\0\0", b"", b"\x1f\x8b\x08"]), st.binary(max_size=600))
def test_any_bytes_have_few_device_trees(start: bytes, data: bytes):
    for found in (board_trees.of_container(start + data, "x"), board_trees.behind_kernel(start + data, "x")):
        assert not found.tree or found.tree in data


def test_one_tree_is_taken_and_several_are_named():
    assert board_trees.of_container(ONE + ONE, "dtb.img").tree == ONE
    several = board_trees.of_container(ONE + bytes(8) + TWO, "dtb.img")
    assert not several.tree
    assert "2 device trees lie in dtb.img (Made one, Made two)" in several.note


def test_a_table_of_trees_of_version_3():
    head = struct.pack("<4sII", b"QCDT", 3, 1) + struct.pack("<10I", 1, 2, 3, 4, 5, 6, 7, 8, 1024, len(ONE))
    assert board_trees.of_container(head.ljust(1024, b"\0") + ONE, "boot.img").tree == ONE


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("search --no-floppy --fs-uuid --set=root ab-cd", ("uuid", "ab-cd", "root")),
        ("search --set=boot_fs --label made", ("label", "made", "boot_fs")),
        ("search --set root --file /.mark", ("file", "/.mark", "root")),
        ("search.fs_uuid ab-cd root hd0,gpt2", ("uuid", "ab-cd", "root")),
        ("search --fs-uuid --hint hd0,gpt1 --set=dev ab-cd", ("uuid", "ab-cd", "dev")),
    ],
)
def test_what_a_search_looks_for(words: str, told: tuple[str, str, str]):
    found = search_of(words.split())
    assert found is not None
    assert (found.kind, found.name, found.variable) == told


def test_numbers_of_u_boot_are_hexadecimal():
    assert compared(["a", "-eq", "0xA"])
    assert compared(["10", ">", "f"])
    assert not compared(["board", "==", "other"])
    assert calculated(["sub", "-v2", "", "made-v2"]) == "made"


@examples(100)
@given(st.binary(max_size=9000))
def test_any_bytes_are_a_dump_of_few_parts(data: bytes):
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "flash.bin"
        place.write_bytes(data + b"hsqs")
        assert len(list(raw_flash.parts_of(place))) <= 6
