# SPDX-License-Identifier: MIT
"""Kernel images that were cut off are known by their headers; whole ones are not refused."""

from __future__ import annotations

import struct

import msgspec
import pytest

from bootlab import _core
from bootlab.formats.kernel_length import lacking_bytes


def portable_executable(end: int) -> bytes:
    """Return an image with an EFI stub whose last section ends there, as arm64 and RISC-V have it."""
    head = bytearray(b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40))
    head += b"PE\0\0" + struct.pack("<HHIIIHH", 0xAA64, 2, 0, 0, 0, 0, 0)
    for start, size in ((0x200, 0x100), (0x300, end - 0x300)):
        head += b".text\0\0\0" + struct.pack("<IIII", size, 0, size, start) + bytes(16)
    return bytes(head.ljust(end, b"\0"))


def test_an_image_with_an_efi_stub_ends_with_its_last_section():
    whole = portable_executable(0x1000)
    assert lacking_bytes({}, whole) == 0
    assert lacking_bytes({}, whole + b"appended") == 0
    assert lacking_bytes({}, whole[:0x900]) == 0x700


@pytest.mark.parametrize(
    ("facts", "data", "lacks"),
    [
        ({"arm_zimage": {"length_bytes": 100}}, bytes(90), 10),
        ({"arm_zimage": {"length_bytes": 100}}, bytes(130), 0),
        ({"elf": {"segments": [{"file_offset_bytes": 64, "file_size_bytes": 100}]}}, b"\x7fELF".ljust(150), 14),
        # The ELF file inside a packed image says nothing about the image.
        ({"elf": {"segments": [{"file_offset_bytes": 64, "file_size_bytes": 100}]}}, bytes(10), 0),
        (
            {"setup": {"protected_mode_offset_bytes": 10, "payload_offset_bytes": 5, "payload_length_bytes": 20}},
            bytes(30),
            5,
        ),
        ({"setup": None, "arm_zimage": None, "elf": None}, b"MZ", 0),
        ({}, portable_executable(0x1000)[:0x60], 0),
    ],
)
def test_headers_say_how_long_an_image_is(facts, data, lacks):
    assert lacking_bytes(facts, data) == lacks


def test_a_real_kernel_is_whole_and_its_half_is_not(debian_kernel):
    whole = debian_kernel.read_bytes()
    assert lacking_bytes(msgspec.json.decode(_core.kernel_inspect(whole)), whole) == 0
    half = whole[: len(whole) // 2]
    assert lacking_bytes(msgspec.json.decode(_core.kernel_inspect(half)), half) > len(whole) // 3
