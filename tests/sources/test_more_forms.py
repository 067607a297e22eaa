# SPDX-License-Identifier: MIT
"""Forms of images that people have and QEMU does not load: each is read, or named with what to do about it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import struct
import subprocess
import tarfile
import zlib
from pathlib import Path

import pytest

from bootlab.errors import UserError
from bootlab.model.system import Machine
from bootlab.sources.facts import ImageFacts, SourceFacts
from bootlab.sources.merge import merged
from bootlab.systemfile.proposal import propose
from tests.formats.test_foreign_file import uboot
from tests.mini_boards import mini_board_kernel
from tests.sources import images
from tests.sources.refusal import refused
from tests.sources.test_look_further import CPIO

PAGE = 2048


@pytest.fixture
def kernel(tmp_path) -> bytes:
    (tmp_path / "k").mkdir()
    mini_board_kernel(tmp_path / "k/zImage", Machine(arch="arm", type="vexpress-a9"), "x")
    return (tmp_path / "k/zImage").read_bytes()


@pytest.fixture
def root(tmp_path) -> Path:
    tree = tmp_path / "tree"
    (tree / "sbin").mkdir(parents=True)
    (tree / "etc").mkdir()
    (tree / "sbin/init").write_text("#!/bin/sh\n")
    return tree


def pages(data: bytes, page: int = PAGE) -> bytes:
    return data + bytes(-len(data) % page)


def android(
    kernel: bytes, ramdisk: bytes, tree: bytes = b"", version: int = 2, line: bytes = b"console=ttyAMA0"
) -> bytes:
    head = bytearray(PAGE if version < 3 else 4096)
    head[:8] = b"ANDROID!"
    struct.pack_into("<I", head, 40, version)
    if version >= 3:
        struct.pack_into("<II", head, 8, len(kernel), len(ramdisk))
        head[44 : 44 + len(line)] = line
        return bytes(head) + pages(kernel, 4096) + pages(ramdisk, 4096)
    struct.pack_into("<I", head, 8, len(kernel))
    struct.pack_into("<I", head, 16, len(ramdisk))
    struct.pack_into("<I", head, 36, PAGE)
    struct.pack_into("<I", head, 1648, len(tree) if version == 2 else 0)
    head[64 : 64 + len(line)] = line
    return bytes(head) + pages(kernel) + pages(ramdisk) + pages(tree)


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_an_android_boot_image(version, tmp_path, kernel, looker):
    path = tmp_path / "boot.img"
    tree = images.device_tree(images.BOARD)
    path.write_bytes(android(kernel, gzip.compress(CPIO), tree, version))
    found = looker.look(path)
    assert found.what.startswith(f"an Android boot image of version {version}, a kernel image")
    assert found.kernel is not None
    assert found.kernel.path.read_bytes() == kernel
    assert found.initramfs is not None
    assert found.initramfs.init == "/init"
    assert found.entry is not None
    assert found.entry.cmdline == "console=ttyAMA0"
    assert (found.device_tree is not None) == (version == 2)
    assert ("vendor" in found.lacks) == (version >= 3)
    path.write_bytes(path.read_bytes()[: PAGE + 5000])
    assert "is cut off" in refused(looker, path).message


def test_the_other_half_of_an_android_boot_image(tmp_path, kernel, looker):
    tree, ramdisk = images.device_tree(images.BOARD), gzip.compress(CPIO)
    head = bytearray(4096)
    head[:8] = b"VNDRBOOT"
    struct.pack_into("<II", head, 8, 4, 4096)
    struct.pack_into("<I", head, 24, len(ramdisk))
    head[28:40] = b"loglevel=7\0\0"
    struct.pack_into("<II", head, 2096, 2128, len(tree))
    (tmp_path / "vendor_boot.img").write_bytes(bytes(head) + pages(ramdisk, 4096) + pages(tree, 4096))
    (tmp_path / "boot.img").write_bytes(android(kernel, b"", version=4))
    assert "no kernel was found" in refused(looker, tmp_path / "vendor_boot.img").message
    found = merged([looker.look(tmp_path / "boot.img"), looker.look(tmp_path / "vendor_boot.img")])
    assert found.device_tree is not None
    assert propose(found, "x").machine == "sabrelite"
    # Since Android 13 the generic ramdisk has an image of its own; the loader puts the vendor's before it.
    (tmp_path / "init_boot.img").write_bytes(android(b"", ramdisk, version=4, line=b""))
    joined = looker.all([tmp_path / name for name in ("boot.img", "init_boot.img", "vendor_boot.img")])
    assert joined.entry is not None
    assert joined.entry.cmdline == "loglevel=7 console=ttyAMA0"
    assert joined.initramfs is not None
    assert joined.initramfs.path.read_bytes() == ramdisk + ramdisk


@pytest.mark.parametrize("length", [8, 100, 2000, 2128, 2500])
def test_an_android_boot_image_of_nonsense(length, tmp_path, looker):
    path = tmp_path / "boot.img"
    path.write_bytes(b"ANDROID!".ljust(length, b"\xff"))
    refused(looker, path)


def test_a_u_boot_image_of_several_parts(tmp_path, kernel, looker):
    tree, ramdisk = images.device_tree(images.BOARD), gzip.compress(CPIO)
    parts = [kernel, ramdisk, tree]
    data = b"".join(len(part).to_bytes(4, "big") for part in parts) + bytes(4)
    data += b"".join(part + bytes(-len(part) % 4) for part in parts)
    path = tmp_path / "uImage"
    path.write_bytes(uboot(4, data))
    found = looker.look(path)
    assert found.what.startswith("a U-Boot image of 3 parts")
    assert found.kernel is not None
    assert found.kernel.kind == "arm-zimage"
    assert found.initramfs is not None
    assert found.device_tree is not None
    path.write_bytes(uboot(4, bytes(4)))
    assert "no kernel was found" in refused(looker, path).message


def test_a_damaged_image_behind_u_boots_header(tmp_path, kernel, looker):
    image = bytearray(uboot(2, kernel))
    image[24:28] = zlib.crc32(kernel).to_bytes(4, "big")
    path = tmp_path / "uImage"
    path.write_bytes(image)
    assert not any("checksum" in note for note in looker.look(path).notes)
    image[24] ^= 1
    path.write_bytes(image)
    assert any("checksum of U-Boot's header" in note for note in looker.look(path).notes)


def test_a_kernel_that_qemu_does_not_unpack(tmp_path, kernel, looker):
    path = tmp_path / "zImage.xz"
    path.write_bytes(lzma.compress(gzip.compress(kernel)))
    found = looker.look(path)
    assert found.kernel is not None
    assert found.kernel.path.read_bytes() == kernel
    assert "zImage.xz: it was unpacked: QEMU does not load a kernel in xz, in gzip" in found.notes


def test_an_efi_program_that_unpacks_its_kernel(tmp_path, kernel, looker):
    packed = gzip.compress(kernel)
    head = bytearray(512)
    head[:2], head[4:8] = b"MZ", b"zimg"
    struct.pack_into("<II", head, 8, len(head), len(packed))
    path = tmp_path / "vmlinuz.efi"
    path.write_bytes(bytes(head) + packed)
    found = looker.look(path)
    assert found.kernel is not None
    assert found.kernel.path.read_bytes() == kernel
    assert any("an EFI program (zboot) and gzip" in note for note in found.notes)
    path.write_bytes(path.read_bytes()[:-20])
    assert "is cut off" in refused(looker, path).message


@pytest.fixture
def disk(tmp_path, root) -> Path:
    return images.mbr(tmp_path / "plain.img", [(0x83, images.ext(tmp_path / "root.ext4", root))])


@pytest.mark.parametrize(
    ("name", "pack"), [("d.img.xz", lzma.compress), ("d.img.gz", gzip.compress), ("d.img.bz2", bz2.compress)]
)
def test_a_packed_disk_is_unpacked(name, pack, tmp_path, disk, looker):
    path = tmp_path / name
    path.write_bytes(pack(disk.read_bytes()))
    found = looker.look(path)
    assert found.disk is not None
    assert found.disk.path.read_bytes() == disk.read_bytes()
    assert found.root is not None
    assert any(note.startswith(f"{name} was unpacked to") for note in found.notes)
    path.write_bytes(path.read_bytes()[:-30])
    # A block of bzip2 is unpacked as a whole or not at all, so that nothing tells what was in this one.
    said = "packed with bzip2, and neither" if name.endswith("bz2") else "cannot be unpacked"
    assert said in refused(looker, path).message


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not there")
def test_a_disk_packed_with_zstd(tmp_path, disk, looker):
    path = tmp_path / "d.wic.zst"
    subprocess.run(["zstd", "-q", str(disk), "-o", str(path)], check=True)
    assert looker.look(path).root is not None


def test_a_folder_with_a_disk_and_nothing_else(tmp_path, disk, looker):
    folder = tmp_path / "images"
    folder.mkdir()
    shutil.copyfile(disk, folder / "panel.img")
    assert looker.look(folder).disk is not None
    shutil.copyfile(disk, folder / "other.img")
    error = refused(looker, folder)
    assert "holds 2 disk images, and no kernel" in error.message
    assert "panel.img" in error.hint


def test_a_deploy_folder_with_a_packed_card(tmp_path, disk, kernel, looker):
    folder = tmp_path / "deploy"
    folder.mkdir()
    (folder / "zImage").write_bytes(kernel)
    (folder / "image.wic.gz").write_bytes(gzip.compress(disk.read_bytes()))
    found = looker.look(folder)
    assert found.disk is not None
    assert found.root is not None


def test_a_table_for_sectors_of_4096_bytes(tmp_path, root, looker):
    data = images.ext(tmp_path / "root.ext4", root).read_bytes()
    entries, head, first = bytearray(128 * 128), bytearray(92), bytearray(4096)
    struct.pack_into("<16s16sQQQ", entries, 0, bytes(range(16)), b"1" * 16, 256, 256 + len(data) // 4096 - 1, 0)
    facts = (b"EFI PART", 0x10000, 92, 0, 0, 1, 0, 6, 99, b"d" * 16, 2, 128, 128, zlib.crc32(entries))
    struct.pack_into("<8sIIIIQQQQ16sQIII", head, 0, *facts)
    struct.pack_into("<I", head, 16, zlib.crc32(head))
    first[450] = 0xEE
    struct.pack_into("<II", first, 454, 1, 0xFFFFFFFF)
    first[510:512] = b"\x55\xaa"
    path = tmp_path / "disk.img"
    path.write_bytes((bytes(first) + bytes(head).ljust(4096, b"\0") + bytes(entries)).ljust(1 << 20, b"\0") + data)
    error = refused(looker, path)
    assert "for sectors of 4,096 bytes" in error.message
    assert f"skip={1 << 20} count={len(data)}" in error.hint


def test_a_table_without_a_partition_and_a_disk_that_was_cut_off(tmp_path, disk, looker):
    empty = images.gpt(tmp_path / "empty.img", [])
    assert "has a partition table (GPT) without a partition" in refused(looker, empty).message
    disk.write_bytes(disk.read_bytes()[: (1 << 20) + 512])
    error = refused(looker, disk)
    assert "it is cut off" in error.message
    assert error.hint == "copy it again"


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"LUKS\xba\xbe\0\2", "it is encrypted (LUKS)"),
        (bytes(512) + b"LABELONE", "it is a part of a volume group (LVM)"),
        (bytes(4096) + b"\xfc\x4e\x2b\xa9", "it is a part of an array (MD RAID)"),
        (bytes(1024) + b"\x10\x20\xf5\xf2", "bootlab does not read the files of f2fs"),
        (b"", "what lies on it is of no kind that bootlab knows"),
    ],
    ids=["luks", "lvm", "raid", "f2fs", "nothing"],
)
def test_a_root_that_cannot_be_read_and_its_boot_partition(head, said, tmp_path, kernel, looker):
    (tmp_path / "root").write_bytes(head.ljust(5 << 20, b"\0"))
    bare = images.mbr(tmp_path / "bare.img", [(0x83, tmp_path / "root")])
    error = refused(looker, bare)
    assert f"partition 1: {said}" in error.message
    assert f"--from {bare}" in error.hint
    boot = tmp_path / "boot"
    (boot / "loader/entries").mkdir(parents=True)
    (boot / "grub2").mkdir()
    (boot / "vmlinuz-6.1").write_bytes(kernel)
    (boot / "initramfs-6.1.img").write_bytes(gzip.compress(CPIO))
    (boot / "grub2/grubenv").write_text("# GRUB Environment Block\nkernelopts=root=/dev/mapper/vg-root ro quiet\n####")
    (boot / "loader/entries/a.conf").write_text(
        "title Panel OS\nlinux /vmlinuz-6.1\ninitrd /initramfs-6.1.img\noptions $kernelopts $tuned_params\n"
    )
    parts = [(0x83, images.ext(tmp_path / "boot.ext4", boot)), (0x8E, tmp_path / "root")]
    found = looker.look(images.mbr(tmp_path / "disk.img", parts))
    assert found.root is None
    assert found.kernel is not None
    assert found.initramfs is not None
    assert found.entry is not None
    assert found.entry.cmdline == "root=/dev/mapper/vg-root ro quiet"
    if "LVM" in said or "LUKS" in said:
        assert "root=/dev/mapper/vg-root" in propose(found, "x").cmdline


def test_a_menu_that_leads_nowhere(tmp_path, root, kernel, looker):
    (root / "boot/grub").mkdir(parents=True)
    (root / "boot/vmlinuz-6.1").write_bytes(kernel)
    (root / "boot/grub/grub.cfg").write_text("menuentry 'x' {\n linux /vmlinuz-5.10 root=/dev/sda1\n}\n")
    found = looker.look(root)
    assert found.kernel is not None
    assert found.kernel.path.name == "vmlinuz-6.1"


def archive(path: Path, *names: str) -> Path:
    with tarfile.open(path, "w") as out:
        for name in names:
            out.addfile(tarfile.TarInfo(name))
    return path


@pytest.mark.parametrize(
    ("names", "what", "way"),
    [
        (("abc/layer.tar", "manifest.json"), "a container image of Docker's", "docker export"),
        (("oci-layout", "index.json"), "a container image (OCI)", "docker export"),
        (("panel.ovf", "panel.vmdk"), "a virtual machine (OVA)", "qemu-img convert"),
        (("./metadata.json", "./Vagrantfile"), "a box of Vagrant's", "box.img"),
        (("version", "manifest"), "an update for Mender", "tar -xf"),
        (("./etc/", "./etc/manifest.json"), "a tar archive, which", "tar -xpf"),
    ],
)
def test_what_a_tar_archive_is_of(names, what, way, tmp_path, looker):
    path = archive(tmp_path / "a.tar", *names)
    error = refused(looker, path)
    assert what in error.message
    assert way in error.hint
    packed = tmp_path / "a.tar.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert "packed with gzip" in refused(looker, packed).message


def pe_program() -> bytes:
    head = bytearray(64)
    head[:2], head[60:64] = b"MZ", (64).to_bytes(4, "little")
    return bytes(head) + b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 0, 0, 0, 0, 0, 0) + bytes(600)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pe_program(), "an EFI program without a kernel"),
        (b"QED\0" + bytes(600), "a QED image"),
        (b"QFI\xfb\0\0\0\1" + bytes(600), "a qcow image of version 1"),
        (b"conectix" + bytes(600), "a VHD image"),
        (b"# Disk DescriptorFile\nversion=1\n", "the description of a VMDK image"),
        (b"\x12\x34\x56\x78bootcmd=run x\0bootargs=quiet\0" + bytes(600), "U-Boot's environment"),
        (b"070707" + b"0" * 200, "a cpio archive in the old text format"),
        (lzma.compress(gzip.compress(CPIO)), "it is packed twice"),
        (CPIO[CPIO.rindex(b"070701") :], "an initramfs without a single file"),
        (b"\x7fELF\2\1\1".ljust(16, b"\0") + b"\4\0\x3e\0" + bytes(100), "a program that crashed"),
        (b'<?xml version="1.0" ?>\n<bmap version="2.0">\n</bmap>\n', "the block map of an image"),
        (b"<domain type='kvm'>\n</domain>\n", "a virtual machine of libvirt's"),
        (b"#cloud-config\nusers: []\n", "a configuration of cloud-init's"),
        (b"HDR0" + bytes(600), "an update for a router"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_boot_is_named(data, said, tmp_path, looker):
    path = tmp_path / "given"
    path.write_bytes(data)
    assert said in refused(looker, path).message


def test_an_initramfs_of_microcode_alone(tmp_path, looker):
    path = tmp_path / "ucode.img"
    path.write_bytes(CPIO.replace(b"init\0\0", b"code\0\0"))
    assert looker.look(path).notes == ("ucode.img has no /init: by itself it starts no user space",)


def test_a_packed_kernel_and_a_qcow2_image_that_were_cut_off(tmp_path, disk, kernel, looker):
    path = tmp_path / "zImage.lzma"
    path.write_bytes(lzma.compress(kernel * 3, format=lzma.FORMAT_ALONE)[:-40])
    assert "damaged or cut off" in refused(looker, path).message
    image = images.qcow2(tmp_path / "d.qcow2", disk.read_bytes())
    assert looker.look(image).root is not None
    image.write_bytes(image.read_bytes()[: 5 << 16])
    error = refused(looker, image)
    assert "it is cut off" in error.message
    assert error.hint == "copy it again"


def test_a_device_tree_beside_a_pc_s_kernel(tmp_path, looker):
    tree = tmp_path / "board.dtb"
    tree.write_bytes(images.device_tree(images.BOARD))
    pc = SourceFacts(
        source=tmp_path, what="", arch="x86_64", kernel=ImageFacts(path=tmp_path / "vmlinuz", arch="x86_64")
    )
    made = propose(merged([pc, looker.look(tree)]), "x")
    assert made.machine == "q35"
    assert "board.dtb is not used: a PC's kernel takes no device tree" in made.notes


def test_names_that_lead_nowhere(tmp_path, looker):
    assert "cannot be read: File name too long" in refused(looker, tmp_path / ("x" * 300)).message
    (tmp_path / "link").symlink_to("gone.img")
    assert "is a link to gone.img, which is not there" in refused(looker, tmp_path / "link").message
    (tmp_path / "loop").symlink_to("loop")
    assert "Too many levels of symbolic links" in refused(looker, tmp_path / "loop").message
    with pytest.raises(UserError, match="is not UTF-8, and a system file cannot hold it"):
        looker.look(tmp_path / "d\udcff.img")
    with pytest.raises(UserError, match="bootlab downloads nothing") as address:
        looker.look(Path("https://cloud.debian.org/debian-12.qcow2"))
    assert address.value.hint == "curl -LO https://cloud.debian.org/debian-12.qcow2"


def test_folders_that_are_something_else(tmp_path, looker):
    (tmp_path / "oci").mkdir()
    (tmp_path / "oci/oci-layout").write_text("{}")
    assert "is a container image" in refused(looker, tmp_path / "oci").message
    (tmp_path / "lxd/rootfs").mkdir(parents=True)
    assert "--from KERNEL --from" in refused(looker, tmp_path / "lxd").hint
