# SPDX-License-Identifier: MIT
"""Further forms of what people have: unified images, U-Boot's headers, kernel trees, the tops of build systems."""

from __future__ import annotations

import gzip
import os
import shutil
import struct
from pathlib import Path

import pytest

from bootlab.errors import UserError
from bootlab.formats import unified_image
from bootlab.model.system import Machine
from bootlab.sources.merge import merged
from bootlab.systemfile.proposal import propose
from tests.formats.test_foreign_file import ELF_MODULE, uboot
from tests.mini_boards import mini_board_kernel
from tests.sources import images

CPIO = (
    b"070701"
    + b"".join(b"%08X" % n for n in (1, 0o100755, 0, 0, 1, 0, 2, 0, 0, 0, 0, 5, 0))
    + b"init\0\0x\n\0\0"
    + b"070701"
    + b"".join(b"%08X" % n for n in (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 0))
    + b"TRAILER!!!\0\0\0\0"
)


@pytest.fixture
def kernel(tmp_path) -> Path:
    (tmp_path / "k").mkdir()
    mini_board_kernel(tmp_path / "k/zImage", Machine(arch="arm", type="vexpress-a9"), "x")
    return tmp_path / "k/zImage"


def unified(sections: dict[str, bytes]) -> bytes:
    """Return an EFI program with sections, each at a multiple of 512 bytes, as ukify writes them."""
    table, body, at = bytearray(), bytearray(), 1024
    for name, data in sections.items():
        size = -(-len(data) // 512) * 512
        table += struct.pack("<8sIIII16x", name.encode(), len(data), 0x1000, size, at)
        body += data.ljust(size, b"\0")
        at += size
    head = bytearray(64)
    head[:2] = b"MZ"
    head[60:64] = (64).to_bytes(4, "little")
    head += b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, len(sections), 0, 0, 0, 0, 0) + table
    return bytes(head.ljust(1024, b"\0") + body)


def test_a_unified_kernel_image(tmp_path, kernel, looker):
    image = tmp_path / "linux.efi"
    sections = {
        ".osrel": b'PRETTY_NAME="Panel OS 3"\n',
        ".cmdline": b"root=UUID=1 quiet\n\0",
        ".linux": kernel.read_bytes(),
        ".initrd": gzip.compress(CPIO),
    }
    image.write_bytes(unified(sections))
    found = looker.look(image)
    assert "unified kernel image of Panel OS 3" in found.what
    assert found.kernel is not None
    assert found.kernel.path.read_bytes() == kernel.read_bytes()
    assert found.initramfs is not None
    assert found.initramfs.init == "/init"
    assert found.entry is not None
    assert found.entry.cmdline == "root=UUID=1 quiet"
    image.write_bytes(image.read_bytes()[:-500])
    with pytest.raises(UserError, match=r"is cut off: its section \.initrd"):
        looker.look(image)


def test_an_efi_program_without_a_kernel_is_none():
    assert not unified_image.is_unified(unified({".text": b"code"}))
    for length in range(0, 200, 7):
        unified_image.is_unified(unified({".linux": b"x"})[:length])


def test_u_boots_headers_are_cut_off(tmp_path, kernel, looker):
    (tmp_path / "uImage").write_bytes(uboot(2, kernel.read_bytes()))
    (tmp_path / "uInitrd").write_bytes(uboot(3, gzip.compress(CPIO)))
    found = merged([looker.look(tmp_path / "uImage"), looker.look(tmp_path / "uInitrd")])
    assert found.kernel is not None
    assert found.kernel.kind == "arm-zimage"
    assert found.initramfs is not None
    made = propose(found, "board")
    assert sum("header was cut off" in note for note in made.notes) == 2
    (tmp_path / "uInitrd").write_bytes(uboot(3, gzip.compress(CPIO))[:80])
    with pytest.raises(UserError, match="is cut off: only 16 of"):
        looker.look(tmp_path / "uInitrd")


def test_a_kernel_s_tree(tmp_path, kernel, looker):
    tree = tmp_path / "linux"
    (tree / "arch/arm/boot").mkdir(parents=True)
    (tree / "Kconfig").touch()
    (tree / "Makefile").touch()
    with pytest.raises(UserError, match="without a built kernel"):
        looker.look(tree)
    shutil.copyfile(kernel, tree / "arch/arm/boot/zImage")
    (tree / ".config").write_text("CONFIG_ARM=y\nCONFIG_SMP=y\n")
    found = looker.look(tree)
    assert found.kernel is not None
    assert found.kernel.option("SMP") == "y"
    assert found.kernel.config_path == tree / ".config"
    (tree / "arch/arm64/boot").mkdir(parents=True)
    shutil.copyfile(kernel, tree / "arch/arm64/boot/zImage")
    with pytest.raises(UserError, match="kernels for 2 architectures"):
        looker.look(tree)


def test_the_top_of_buildroot_and_of_yocto(tmp_path, kernel, looker):
    output = tmp_path / "buildroot/output/images"
    output.mkdir(parents=True)
    shutil.copyfile(kernel, output / "zImage")
    (output / "rootfs.cpio.gz").write_bytes(gzip.compress(CPIO))
    (tmp_path / "buildroot/.config").write_text('BR2_arm=y\nBR2_TARGET_GENERIC_GETTY_PORT="ttyAMA0"\n')
    found = looker.look(tmp_path / "buildroot")
    assert found.what == "Buildroot's output folder"
    assert found.initramfs is not None
    deploy = tmp_path / "build/tmp/deploy/images"
    for machine in ("qemuarm", "panel"):
        (deploy / machine).mkdir(parents=True)
        shutil.copyfile(kernel, deploy / machine / "zImage")
        (deploy / machine / "core-image-minimal.manifest").write_text("busybox\n")
    for top in (tmp_path / "build", deploy):
        with pytest.raises(UserError, match=r"images for 2 machines: .*panel.*qemuarm") as caught:
            looker.look(top)
        assert "--from" in caught.value.hint
    shutil.rmtree(deploy / "panel")
    assert looker.look(tmp_path / "build").what == "Yocto's deploy folder"


def test_what_is_nothing_to_boot_says_what_it_is(tmp_path, kernel, looker):
    node = {"fragment@0": {"target-path": [0], "__overlay__": {}}}
    rows = {
        "over.dtbo": (images.device_tree(node), "is an overlay"),
        "ext4.ko": (ELF_MODULE, "a kernel module or an object file, which bootlab does not boot"),
        "busybox": (b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + b"\x02\0\x3e\0".ljust(600, b"\0"), "not a kernel"),
        "page.img": (b"<html><body>404 Not Found</body></html>", "a web page"),
        "root.tar.gz": (gzip.compress(b"a".ljust(257, b"\0") + b"ustar".ljust(255, b"\0")), "a tar archive packed"),
    }
    for name, (data, said) in rows.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UserError, match=said) as caught:
            looker.look(tmp_path / name)
        assert caught.value.hint, name
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match="is a pipe"):
        looker.look(tmp_path / "pipe")
    # A kernel's log is text as well, and stays what it is.
    (tmp_path / "boot.log").write_text(
        "[    0.000000] Linux version 6.1.0 (gcc) #1\n[    0.1] Kernel command line: a\n" * 3
    )
    assert looker.look(tmp_path / "boot.log").log is not None


def test_a_card_that_was_cut_off_says_so(tmp_path, looker):
    (tmp_path / "tree").mkdir()
    part = images.ext(tmp_path / "part", tmp_path / "tree", mib=8)
    card = images.mbr(tmp_path / "card.img", [(0x83, part)])
    with card.open("r+b") as file:
        file.truncate(3 << 20)
    with pytest.raises(UserError, match="it is cut off: 3,145,728 of at least 9,437,184 bytes"):
        propose(looker.look(card), "card")
