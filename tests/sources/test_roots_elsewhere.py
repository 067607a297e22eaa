# SPDX-License-Identifier: MIT
"""What a line names as the root is kept where an initrd knows it, or where it lies on another medium."""

from __future__ import annotations

import struct

import pytest
from benchmarks.first_contact_images import fat, initrd, kernel

from bootlab.errors import UserError
from bootlab.sources import updates
from tests.sources import images
from tests.sources.iso_images import iso
from tests.sources.test_unread import proposed, refused


def stick(tmp_path, line: str, early: bool = True):
    menu = f"DEFAULT a\nLABEL a\nKERNEL /k\n{'INITRD /i' if early else ''}\nAPPEND {line}\n"
    files: dict[str, str | bytes] = {"syslinux.cfg": menu, "k": kernel("taken"), "i": initrd("early")}
    return images.mbr(tmp_path / "d.img", [(0x0C, fat(tmp_path / "b", files))])


@pytest.mark.parametrize("root", ["ZFS=tank/root", "/dev/ram0", "live:LABEL=STICK", "overlay", "/dev/mapper/vg-root"])
def test_a_word_for_the_initrd_is_kept(tmp_path, root):
    found = proposed(tmp_path, stick(tmp_path, f"root={root} quiet"))
    assert f"root={root}" in found.cmdline


def test_a_mark_of_no_partition_is_kept_and_said(tmp_path):
    found = proposed(tmp_path, stick(tmp_path, "root=PARTLABEL=other rw"))
    assert "root=PARTLABEL=other" in found.cmdline
    assert found.root is None
    assert any("no partition of d.img is root=PARTLABEL=other: --from DISK too" in said for said in found.unknown)


def test_a_disk_s_name_becomes_this_machine_s(tmp_path):
    assert "root=/dev/vda" in proposed(tmp_path, stick(tmp_path, "root=/dev/sdc4 rw", early=False)).cmdline


def test_an_iso_image_is_attached_and_other_menus_are_named(tmp_path):
    line = "boot=live quiet"
    files: dict[str, str | bytes] = {"live/k": kernel("taken"), "live/i": initrd("early")}
    files["isolinux/isolinux.cfg"] = f"DEFAULT a\nLABEL a\nKERNEL /live/k\nAPPEND initrd=/live/i {line}\n"
    files["boot/grub/grub.cfg"] = f"menuentry 'b' {{\n linux /live/k {line} more\n initrd /live/i\n}}\n"
    found = proposed(tmp_path, iso(tmp_path / "x.iso", files))
    assert found.attached is not None
    assert found.root is None
    assert found.cmdline.startswith(line)
    assert any("/boot/grub/grub.cfg" in note and "BIOS, UEFI" in note for note in found.notes)


def test_an_iso_image_without_linux_is_refused_by_its_name(tmp_path):
    error = refused(tmp_path, iso(tmp_path / "x.iso", {"setup.exe": b"MZ"}))
    assert "an ISO image" in error.message


def test_the_first_file_of_an_update_names_its_images(tmp_path):
    text = 'software = { images: ( { filename = "root.ext4.gz"; device = "/dev/mmcblk0p2"; } ); }'
    head = b"070702".ljust(110, b"0") + b"sw-description\0\0" + text.encode()
    way = updates.of_swupdate(tmp_path / "u.swu", head)
    assert way.startswith("cpio -idv < ")
    assert "then --from root.ext4.gz" in way
    assert "give the image inside" in updates.of_swupdate(tmp_path / "u.swu", b"070702")


def test_a_bundle_that_cannot_be_read_has_a_way_too(tmp_path):
    data = (
        b"hsqs".ljust(40, b"\0") + struct.pack("<Q", 96) + bytes(48) + b"\x30\x82" + bytes(14) + struct.pack(">Q", 16)
    )
    (tmp_path / "u.raucb").write_bytes(data)
    error = refused(tmp_path, tmp_path / "u.raucb")
    assert isinstance(error, UserError)
    assert "unsquashfs -d update" in error.hint
    assert "manifest.raucm names them" in error.hint


def test_archives_and_kernels_of_an_update_are_given_together():
    text = "[image.kernel]\nfilename=fitImage-made\n[image.rootfs]\nfilename=root.tar.xz\n"
    way = updates._given("unpack", "update/", text)
    assert way.endswith("sudo tar -C root -xf update/root.tar.xz; then --from update/fitImage-made --from root")


@pytest.mark.parametrize("name", ["$(reboot).ext4", "`id`.ext4", "a|b.ext4", "-x.ext4", "a&b.ext4"])
def test_a_name_that_a_shell_would_run_is_in_no_command(name):
    assert updates._given("unpack", "update/", f"filename={name}\n") == ""
