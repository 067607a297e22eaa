# SPDX-License-Identifier: MIT
"""Disks whose EFI partition has unified kernel images, as systemd-boot finds them: which one starts, and its parts."""

from __future__ import annotations

import gzip
import uuid
from pathlib import Path

import pytest

from bootlab.model.system import Machine
from bootlab.sources.facts import SourceFacts
from bootlab.systemfile.proposal import propose
from tests.mini_boards import mini_board_kernel
from tests.sources import images
from tests.sources.test_look_further import CPIO, unified

EFI = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b").bytes_le
ROOT = uuid.UUID("4f68bce3-e8cd-4db1-96e7-fbcaf984b709").bytes_le
OLD, NEW = "debian-6.9.0.efi", "debian-6.12.0.efi"


@pytest.fixture
def kernel(tmp_path) -> bytes:
    mini_board_kernel(tmp_path / "zImage", Machine(arch="arm", type="vexpress-a9"), "x")
    return (tmp_path / "zImage").read_bytes()


@pytest.fixture
def look(tmp_path, kernel, looker):
    """Return what looks at a disk with an EFI partition of these texts, unified images among them, and a root tree."""

    def looked(texts: dict[str, str], *, menu: bool = False, kernel_in_root: bool = False) -> SourceFacts:
        esp = tmp_path / "esp"
        (esp / "EFI/Linux").mkdir(parents=True)
        for name in (OLD, NEW):
            parts = {".cmdline": f"root=/dev/x {name}".encode(), ".linux": kernel, ".initrd": gzip.compress(CPIO)}
            (esp / "EFI/Linux" / name).write_bytes(unified(parts))
        for name, text in texts.items():
            (esp / name).parent.mkdir(parents=True, exist_ok=True)
            (esp / name).write_text(text)
        root = images.root_tree(tmp_path / "root", kernel=kernel)
        (root / "etc/fstab").write_text("PARTLABEL=root / ext4 ro 0 1\n")
        if not menu:
            (root / "boot/grub/grub.cfg").unlink()
            (root / "boot/grub").rmdir()
        if not kernel_in_root:
            (root / "boot/vmlinuz-6.1.0-1-amd64").unlink()
        parts = [(EFI, "esp", images.ext(tmp_path / "esp.img", esp)),
                 (ROOT, "root", images.ext(tmp_path / "root.img", root, mib=8))]  # fmt: skip
        return looker.look(images.gpt(tmp_path / "disk.img", parts))

    return looked


def started(found: SourceFacts) -> str:
    assert found.kernel is not None
    assert found.entry is not None
    return found.entry.cmdline


def test_the_newest_is_taken_apart(look, kernel):
    found = look({})
    assert started(found) == f"root=/dev/x {NEW}"
    assert found.kernel.path.read_bytes() == kernel
    assert found.initramfs is not None
    assert found.initramfs.init == "/init"
    assert found.entry.source == f"/boot/EFI/Linux/{NEW}"


def test_the_loader_s_own_choice_counts(look):
    assert started(look({"loader/loader.conf": "timeout 3\ndefault debian-6.9*\n"})) == f"root=/dev/x {OLD}"


def test_kernels_in_the_root_do_not_hide_the_efi_partition(look):
    found = look({"EFI/systemd/systemd-bootx64.efi": "loader"}, menu=True, kernel_in_root=True)
    assert started(found) == f"root=/dev/x {NEW}"


def test_without_the_loader_another_loader_s_menu_comes_first(look):
    assert started(look({}, menu=True, kernel_in_root=True)) == "root=/dev/sda1 ro quiet"


def test_a_root_that_cannot_be_read_leaves_the_unified_image(tmp_path: Path, kernel, looker):
    (tmp_path / "esp/EFI/Linux").mkdir(parents=True)
    sections = {".cmdline": b"root=PARTLABEL=root quiet", ".linux": kernel}
    (tmp_path / "esp/EFI/Linux" / NEW).write_bytes(unified(sections))
    (tmp_path / "f2fs").write_bytes((bytes(1024) + b"\x10\x20\xf5\xf2").ljust(5 << 20, b"\0"))
    parts = [(EFI, "esp", images.ext(tmp_path / "esp.img", tmp_path / "esp")), (ROOT, "root", tmp_path / "f2fs")]
    found = looker.look(images.gpt(tmp_path / "disk.img", parts))
    assert found.root is None
    assert started(found) == "root=PARTLABEL=root quiet"
    proposal = propose(found, "it")
    # Nobody can tell whether it has systemd, which would keep silent about its units.
    assert proposal.cmdline.startswith("root=PARTLABEL=root quiet ")
    assert "systemd.show_status=1" in proposal.cmdline
    assert proposal.root is not None
    assert "is unknown" in proposal.root.reason
