# SPDX-License-Identifier: MIT
"""GRUB's disk: boot sector, core, files; the same each time; where the kernel is entered."""

import struct
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.images import tool
from bootlab.builders.loader import grub
from bootlab.builders.loader.partition import PcBoot
from bootlab.errors import UserError
from bootlab.formats import disk_image
from bootlab.formats.disk_bytes import Window
from bootlab.formats.fat import FatFiles
from bootlab.formats.partitions import read_partitions
from bootlab.model.boot_loader import Loader

FOLDER = Path("/usr/lib/grub/i386-pc")
MENU = Loader(grub=str(FOLDER), start="menu", wait_s=3)
COMMAND = msgspec.structs.replace(MENU, start="command")
ON_DISK = pytest.mark.skipif(
    not (FOLDER / "boot.img").is_file()
    or any(tool.path_of(name) is None for name in ("sfdisk", "mformat", "mcopy", "mmd", "grub-mkimage")),
    reason="needs GRUB, fdisk and mtools: scripts/setup-debian.sh loaders",
)


def bzimage(path: Path, *, relocatable: int = 1) -> Path:
    head = bytearray(0x400)
    head[0x202:0x206] = b"HdrS"
    struct.pack_into("<I", head, 0x214, 0x100000)
    head[0x234] = relocatable
    struct.pack_into("<Q", head, 0x258, 0x1000000)
    path.write_bytes(bytes(head) + b"code" * 1000)
    return path


@pytest.fixture
def parts(tmp_path):
    (tmp_path / "initramfs").write_bytes(b"cpio" * 1000)
    return PcBoot(
        kernel=bzimage(tmp_path / "kernel"),
        initramfs=tmp_path / "initramfs",
        cmdline="console=ttyS0 motto='it''s'",
    )


def files_of(path: Path) -> tuple[FatFiles, object]:
    medium = disk_image.opened(path)
    (partition,) = read_partitions(medium).partitions
    assert partition.start_bytes == grub.PARTITION_BYTES
    files = FatFiles(Window(medium, partition.start_bytes, partition.size_bytes))
    return files, files.root()


def read(path: Path, name: str) -> bytes:
    files, node = files_of(path)
    for part in name.split("/"):
        node = dict(files.entries(node))[part]
    return files.read(node, 0, node.size_bytes)


@ON_DISK
def test_the_menu_and_its_modules_lie_beside_the_kernel(parts, cache):
    path = grub.disk(MENU, parts, cache)
    data = path.read_bytes()
    assert data[:440] == (FOLDER / "boot.img").read_bytes()[:440]
    assert data[510:512] == b"\x55\xaa"
    assert read(path, "kernel") == parts.kernel.read_bytes()
    assert read(path, "initramfs") == parts.initramfs.read_bytes()
    assert read(path, "grub/i386-pc/linux.mod") == (FOLDER / "linux.mod").read_bytes()
    text = read(path, "grub/grub.cfg").decode()
    assert "set timeout=3" in text
    assert r"linux (hd0,msdos1)/kernel 'console=ttyS0' 'motto='\''it'\'''\''s'\'''" in text
    path.unlink()
    assert grub.disk(MENU, parts, cache).read_bytes() == data


@ON_DISK
def test_with_a_command_the_core_has_all_and_the_disk_no_menu(parts, cache):
    path = grub.disk(COMMAND, parts, cache)
    files, root = files_of(path)
    assert {name.lower() for name, _ in files.entries(root)} == {"kernel", "initramfs"}
    assert path.read_bytes() != grub.disk(MENU, parts, cache).read_bytes()
    # How many sectors the core has stands at the end of its first.
    (count,) = struct.unpack_from("<H", path.read_bytes(), 1024 - 4)
    assert count > 100


@pytest.mark.parametrize(("relocatable", "entry"), [(1, 0x1000000), (0, 0x100000)])
def test_where_the_kernel_is_entered(tmp_path, relocatable, entry):
    assert grub.kernel_entry(bzimage(tmp_path / "k", relocatable=relocatable)) == entry


def test_what_is_no_bzimage_has_no_entry(tmp_path):
    for data in (b"", b"\x7fELF" * 400, bytes(0x300)):
        (tmp_path / "k").write_bytes(data)
        assert grub.kernel_entry(tmp_path / "k") is None


def test_a_folder_without_grub_is_named(parts, cache, tmp_path):
    with pytest.raises(UserError) as found:
        grub.disk(Loader(grub=str(tmp_path), start="menu"), parts, cache)
    assert "boot.img" in found.value.message
    assert "grub-pc-bin" in found.value.hint
