# SPDX-License-Identifier: MIT
"""What is broken is named, with its file and what to do about it, as `bootlab new --from` would."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from bootlab.model.system import Machine
from tests.mini_boards import mini_board_kernel
from tests.sources import images
from tests.sources.refusal import refused

LARGE_BYTES = 3 << 40


def sparse(path: Path, head: bytes) -> Path:
    with path.open("wb") as file:
        file.write(head)
        file.truncate(LARGE_BYTES)
    return path


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"\xd0\x0d\xfe\xed" + b"\xff" * 36, "larger than any device tree"),
        (b"070701" + b"0" * 104, "larger than any initramfs"),
        (gzip.compress(b"x"), "packed with gzip, and neither a kernel nor an initramfs"),
    ],
    ids=["device-tree", "cpio", "gzip"],
)
def test_a_file_of_terabytes_is_not_read(head, said, tmp_path, looker):
    assert said in refused(looker, sparse(tmp_path / "large", head)).message


def test_a_kernel_cut_off_inside_its_header(tmp_path, looker):
    data = bytearray(0x300)
    data[0x1F1], data[0x1FE:0x200], data[0x202:0x206] = 4, b"\x55\xaa", b"HdrS"
    data[0x206:0x208], data[0x20E:0x210] = b"\x0f\x02", b"\x00\x70"
    path = tmp_path / "vmlinuz"
    path.write_bytes(data)
    # The version that the header points to lies behind the end.
    assert looker.look(path).kernel.release == ""


def test_a_damaged_gpt_is_named(tmp_path, looker):
    (tmp_path / "t/sbin").mkdir(parents=True)
    (tmp_path / "t/sbin/init").write_text("#!/bin/sh\n")
    root = images.ext(tmp_path / "root.ext4", tmp_path / "t")
    path = images.gpt(tmp_path / "disk.img", [(bytes(range(16)), "root", root)])
    assert "is damaged" not in refused(looker, path).message
    data = bytearray(path.read_bytes())
    data[512 + 20] ^= 1
    path.write_bytes(data)
    assert (
        f"its partition table (GPT) is damaged, so the kernel sees no partition: gdisk {path}"
        in refused(looker, path).message
    )


def test_a_damaged_initramfs_is_named_with_its_file(tmp_path, looker):
    path = tmp_path / "initrd"
    path.write_bytes(b"070701" + b"0" * 50)
    assert "ends inside the header" in refused(looker, path).message


def fit(path: Path, configuration: dict, images_: dict, default: str = "c") -> Path:
    path.write_bytes(
        images.device_tree({"images": images_, "configurations": {"default": default, "c": configuration}})
    )
    return path


@pytest.fixture
def kernel(tmp_path) -> bytes:
    (tmp_path / "k").mkdir()
    mini_board_kernel(tmp_path / "k/zImage", Machine(arch="arm", type="vexpress-a9"), "x")
    return (tmp_path / "k/zImage").read_bytes()


def test_a_fit_whose_kernel_has_no_bytes(tmp_path, looker):
    path = fit(tmp_path / "a.itb", {"kernel": "k"}, {"k": {"type": "kernel", "data-offset": 1 << 20, "data-size": 99}})
    assert "holds no bytes of its kernel k" in refused(looker, path).message


def test_a_fit_whose_device_tree_is_none(tmp_path, looker, kernel):
    parts = {"k": {"type": "kernel", "data": kernel}, "f": {"type": "flat_dt", "data": b"nothing"}}
    path = fit(tmp_path / "a.itb", {"kernel": "k", "fdt": "f"}, parts)
    assert "the device tree f: this is not a device tree" in refused(looker, path).message


def test_a_fit_that_names_what_it_has_not(tmp_path, looker, kernel):
    path = fit(tmp_path / "a.itb", {"kernel": "k", "fdt": "f"}, {"k": {"type": "kernel", "data": kernel}}, "other")
    notes = looker.look(path).notes
    assert "its default configuration other is not there; c was taken" in notes
    assert "configuration c names the device tree f, which is not among its images" in notes


def test_folders_in_which_nothing_boots(tmp_path, looker):
    def folder(name: str) -> Path:
        (tmp_path / name).mkdir()
        return tmp_path / name

    assert "is empty" in refused(looker, folder("bare")).message
    (folder("yocto") / "core-image-minimal.manifest").write_text("busybox\n")
    assert "bitbake" in refused(looker, tmp_path / "yocto").hint
    (folder("broken") / "zImage").write_bytes(b"\0\1\2\3 no kernel \xff\xfe")
    assert "zImage: it is not a kernel" in refused(looker, tmp_path / "broken").message
    (folder("link") / "zImage").symlink_to("zImage-6.1")
    assert "is a link to zImage-6.1, which is not there" in refused(looker, tmp_path / "link").message


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder: run the tests as a user")
def test_a_folder_that_may_not_be_read(tmp_path, looker):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0)
    assert "Permission denied" in refused(looker, folder).message
