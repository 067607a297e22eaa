# SPDX-License-Identifier: MIT
"""Files that stand where something else was wanted: each is named, with a command that leads to what boots."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.builders.kernelinfo import inspect
from bootlab.errors import SystemFileError, UserError
from bootlab.formats import foreign_file
from bootlab.formats.archive import unpack
from bootlab.model.system import Kernel

TAR = b"rootfs/".ljust(257, b"\0") + b"ustar\x0000".ljust(255, b"\0")
DISK = bytes(510) + b"\x55\xaa" + b"x" * 600
ELF_MODULE = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + b"\x01\0\x3e\0"


def uboot(kind: int, data: bytes = b"data") -> bytes:
    """Return U-Boot's header of a type, for ARM and Linux, with what stands behind it."""
    head = bytearray(64)
    head[:4] = b"\x27\x05\x19\x56"
    head[12:16] = len(data).to_bytes(4, "big")
    head[28:32] = bytes([5, 2, kind, 0])
    head[32:36] = b"test"
    return bytes(head) + data


FILES = [
    (b"!<arch>\ndebian-binary   ", "a Debian package", "dpkg-deb -x"),
    (b"\xed\xab\xee\xdb\3\0", "an RPM package", "rpm2cpio"),
    (b"PK\x03\x04rest", "a zip archive", "unzip"),
    (TAR, "a tar archive", "tar -xpf"),
    (gzip.compress(TAR), "a tar archive packed with gzip", "tar -xpf"),
    (bz2.compress(TAR), "a tar archive packed with bzip2", "tar -xpf"),
    (lzma.compress(TAR), "a tar archive packed with xz", "tar -xpf"),
    (gzip.compress(DISK), "a disk image packed with gzip", "gunzip -k"),
    (b"\x28\xb5\x2f\xfdrest", "packed with zstd", "unzstd"),
    (b"ANDROID!rest", "an Android boot image", "bootlab new"),
    (b"\x3a\xff\x26\xed\1\0", "an Android sparse image", "simg2img"),
    (bytes(0x8001) + b"CD001", "an ISO image, of an installation medium or a live system", "7z x"),
    (
        lzma.compress(bytes(0x8001) + b"CD001" + bytes(0x9000)),
        "an ISO image, of an installation medium or a live system, packed with xz",
        "unxz -k",
    ),
    (bytes(0x8001) + b"BEA01", "a UDF image, as of a DVD", "give the disk image of an installed system"),
    (b"UBI#\1", "an image of raw flash (UBI)", "[root] dir"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "a pointer that Git LFS left", "git lfs pull"),
    (b"<!DOCTYPE html>\n<html>404</html>\n", "a web page", "download it again"),
    (b"/* a board */\n/dts-v1/;\n/ { };\n", "the source of a device tree", "dtc -I dts"),
    (b"#\n# Linux/arm 6.1.0 Kernel Configuration\n#\nCONFIG_ARM=y\n", "a kernel's configuration", "give the kernel"),
    (
        b"#\n# Automatically generated file; DO NOT EDIT.\n# Linux/arm64 6.1.192 Kernel Configuration\n#\n",
        "a kernel's configuration",
        "give the kernel",
    ),
    (b'# mine\nname = "camera"\n[machine]\n', "a system file of bootlab's", "bootlab boot"),
    (ELF_MODULE, "a kernel module or an object file", "give the kernel"),
    (uboot(6), "a script of U-Boot's", ""),
    (b"070702".ljust(110, b"0") + b"sw-description\0", "an update for SWUpdate", "cpio -idv"),
    (bytes(4096), "nothing but zeros", "copy it again"),
]


@pytest.mark.parametrize(("data", "what", "way"), FILES, ids=[row[1] for row in FILES])
def test_what_boots_nothing_is_named_wherever_it_is_given(tmp_path, data, what, way):
    file = tmp_path / "given"
    file.write_bytes(data)
    found = foreign_file.named(file)
    assert found is not None
    assert found.what.startswith(what)
    assert way in found.hint(file)
    assert "{path}" not in found.hint(file)
    with pytest.raises(SystemFileError) as kernel:
        inspect(Kernel(image=str(file)), tmp_path / "cache", "0" * 32)
    assert what in kernel.value.message
    if found.kind == "packed" or found.what.endswith(("zeros", "SWUpdate")):
        return
    with pytest.raises(UserError) as initramfs:
        unpack(file, tmp_path / "unpacked")
    assert what in initramfs.value.message


def test_an_initramfs_behind_u_boots_header_has_a_way_out(tmp_path):
    file = tmp_path / "uInitrd"
    file.write_bytes(uboot(3, gzip.compress(b"070701")))
    with pytest.raises(UserError, match="with U-Boot's header") as caught:
        unpack(file, tmp_path / "unpacked")
    assert f"tail -c +65 {file}" in caught.value.hint


def test_what_is_right_in_its_place_is_not_called_foreign():
    assert foreign_file.named_by(b"") is None
    assert foreign_file.named_by(b"random \x01\x02\x03\x04\x05\x06\x07" * 9) is None
    for head, kind in (
        (bytes(0x202) + b"HdrS", "kernel"),
        (gzip.compress(b"070701" + b"0" * 104), "initramfs"),
        (b"\xd0\x0d\xfe\xed", "device tree"),
        (DISK, "medium"),
        (uboot(2), "kernel"),
    ):
        found = foreign_file.named_by(head)
        assert found is not None
        assert found.kind == kind


@given(st.binary(max_size=4096), st.sampled_from([row[0][:64] for row in FILES]))
def test_hostile_bytes_are_no_trouble(rest, head):
    foreign_file.named_by(head + rest)
    foreign_file.named_by(rest)


def test_a_file_that_cannot_be_read_is_nothing(tmp_path):
    assert foreign_file.named(tmp_path / "nothing") is None
    assert foreign_file.named(Path(tmp_path)) is None
