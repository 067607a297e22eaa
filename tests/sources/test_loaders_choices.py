# SPDX-License-Identifier: MIT
"""What loaders choose by: systemd-boot's order, U-Boot's two environments and sums, GRUB's words about a medium."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.first_contact_disks import environment
from benchmarks.first_contact_images import kernel, with_files

from bootlab.builders.cache import Cache
from bootlab.formats import uboot_environment
from bootlab.sources.look import Looker
from bootlab.sources.menus.grub import parse_grub
from bootlab.sources.menus.loader_order import EntryPlace, in_order, versions
from bootlab.sources.menus.raspberry import entries as of_firmware
from bootlab.sources.menus.uboot import parse_script
from bootlab.sources.menus.uboot_disk import calculated
from bootlab.systemfile.proposal import SystemProposal, propose
from bootlab.systemfile.written import written
from tests.sources import images
from tests.sources.test_unread import BTRFS


def proposed(tmp_path: Path, disk: Path, entry: str = "") -> SystemProposal:
    looker = Looker(tmp_path / "kept", Cache(tmp_path / "cache"), tmp_path / "store", entry)
    return propose(looker.look(disk), "x")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("122.1", "123~rc1-1"),
        ("123~rc1-1", "123"),
        ("123", "123-a"),
        ("123-a", "123-a.1"),
        ("123-a.1", "123-1"),
        ("123-1", "123-1.1"),
        ("123-3", "123^patch1"),
        ("123^patch1", "123.a"),
        ("123.a-1", "123.1-1"),
        ("6.9.9", "6.10.0"),
        ("arch-linux-fallback.efi", "arch-linux.efi"),
    ],
)
def test_versions_as_the_specification_orders_them(older: str, newer: str):
    # The first ten: uapi-group.org/specifications/specs/version_format_specification.
    assert (versions(older, newer), versions(newer, older), versions(newer, newer)) == (-1, 1, 0)


def test_entries_in_systemd_boot_s_order():
    places = [
        EntryPlace("z.conf"),
        EntryPlace("spent.efi", spent=True, sort_key="a"),
        EntryPlace("b-2.conf", sort_key="b", version="2"),
        EntryPlace("a-1.conf", sort_key="a", version="9"),
        EntryPlace("a-2.conf", sort_key="a", version="10"),
    ]
    assert [places[index].ident for index in in_order(places)] == [
        "a-2.conf", "a-1.conf", "b-2.conf", "z.conf", "spent.efi",
    ]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "taken"), [(1, 2, 1), (2, 1, 0), (255, 0, 1), (0, 255, 0), (7, 7, 0)])
def test_the_copy_of_the_environment_whose_counter_is_ahead(first: int, second: int, taken: int):
    copies = [environment({"a": str(number)}, 512, flag=flag) for number, flag in enumerate((first, second))]
    assert uboot_environment.newest(copies) == taken
    copies[taken] = copies[taken][:-1] + b"x"
    assert uboot_environment.newest(copies) == 1 - taken


def test_an_environment_is_found_among_other_bytes():
    data = bytes(1024) + environment({"bootcmd": "run a"}, 0x2000) + bytes(512)
    assert uboot_environment.stored_in(data, 0) is None
    assert uboot_environment.stored_in(data, 1024) == {"bootcmd": "run a"}


@pytest.mark.parametrize(
    ("words", "value"), [(["3", "-", "1"], "2"), (["0xa", "+", "10"], "1a"), (["5"], "5"), (["5", "%", "2"], "")]
)
def test_sums_are_hexadecimal(words: list[str], value: str):
    assert calculated(words) == value


def test_an_entry_has_its_words_and_what_matched():
    text = """
regexp --set 1:disk --set 2:number (.+),gpt(.+) hd0,gpt2
menuentry "Install" --id=install --class a kernel.img quiet { linux /$2 disk=$disk number=$number $3 }
"""
    (entry,) = parse_grub(text, "/boot/grub/grub.cfg")
    assert (entry.kernel, entry.cmdline) == ("/kernel.img", "disk=hd0 number=2 quiet")


def slots_of_barebox(folder: Path, key: str) -> Path:
    parts = []
    for slot in ("one", "two"):
        root = images.root_tree(folder / slot, systemd=False)
        (root / "boot/grub/grub.cfg").unlink()
        entry = f"title Box\noptions console=tty0 slot={slot}\nlinux /boot/own\n{key}"
        own = with_files(root, {"loader/entries/a.conf": entry})
        (own / "boot/own").write_bytes(kernel(slot))
        parts.append((0x83, images.ext(folder / f"{slot}.part", own, mib=8)))
    return images.mbr(folder / "d.img", parts)


def test_barebox_adds_the_root_of_the_partition_and_chooses_the_slot(tmp_path):
    disk = slots_of_barebox(tmp_path, "linux-appendroot true\n")
    found = proposed(tmp_path, disk)
    assert found.board_cmdline == "root=PARTUUID=1234abcd-01 console=tty0 slot=one"
    said = " ".join(found.notes)
    assert "barebox adds root= of its partition" in said
    assert "1 is booted, because its entry is taken here: barebox's environment or state chooses" in said
    assert "to boot partition 2 instead: --entry 'Box (partition 2)'" in said
    assert "may have other words or more (above)" in written(found, tmp_path)
    other = proposed(tmp_path, disk, "Box (partition 2)")
    assert other.board_cmdline == "root=PARTUUID=1234abcd-02 console=tty0 slot=two"
    assert other.root is not None
    assert other.root.partition == 2


def test_of_two_roots_of_one_size_none_is_called_the_largest(tmp_path):
    found = proposed(tmp_path, slots_of_barebox(tmp_path, ""))
    said = " ".join(found.notes)
    assert "1 is booted, because it is the first of those of the same size, and no menu that was read says" in said
    assert "barebox" not in said
    assert "what its own loader passes: results" in written(found, tmp_path)


def test_a_part_of_the_menu_that_cannot_be_read_is_said(tmp_path):
    menu = """
search --no-floppy --set extra --part-label EXTRA --hint "$root"
if [ -n "$extra" -a -f "($extra)/grub.cfg" ]; then source "($extra)/grub.cfg"; fi
menuentry "Box" { linux /own console=ttyS0 $more }
"""
    tree = with_files(tmp_path / "tree", {"EFI/BOOT/grub.cfg": menu})
    (tree / "own").write_bytes(kernel("own"))
    (tmp_path / "extra").write_bytes(BTRFS)
    boot = images.ext(tmp_path / "boot", tree, mib=8)
    disk = images.gpt(tmp_path / "d.img", [(b"e" * 16, "BOOT", boot), (b"x" * 16, "EXTRA", tmp_path / "extra")])
    found = proposed(tmp_path, disk)
    assert found.board_cmdline == "console=ttyS0"
    assert found.is_board_line_partial
    said = " ".join(found.notes)
    assert "also reads /grub.cfg of partition 2 (btrfs), which bootlab does not read: the command line may" in said


def test_a_board_s_own_name_is_none_of_those_that_a_script_compares():
    text = """
setenv disk mmcblk0p2
if test $board_name = BOX9; then setenv disk mmcblk1p2; fi
setenv bootargs root=/dev/${disk} rootwait
load mmc 0:1 ${kernel_addr_r} zImage
bootz ${kernel_addr_r} - ${fdt_addr_r}
"""
    found = parse_script(text, "/boot.scr", lambda path: b"k" if path == "/zImage" else None).entry
    assert found is not None
    assert found.cmdline == "root=/dev/mmcblk0p2 rootwait"
    assert found.is_partial
    assert any("compares $board_name, which the board's U-Boot sets" in note for note in found.notes)


@pytest.mark.parametrize(("before", "is_partial"), [("", True), ("setenv devnum 1\n", False)])
def test_the_number_of_a_disk_is_the_board_s(before: str, is_partial: bool):
    text = before + "setenv bootargs root=/dev/mmcblk${devnum}p2\nload mmc 0:1 ${kernel_addr_r} zImage\n"
    text += "bootz ${kernel_addr_r} - ${fdt_addr_r}\n"
    found = parse_script(text, "/boot.scr", lambda path: b"k" if path == "/zImage" else None).entry
    assert found is not None
    assert found.is_partial == is_partial
    assert any("the board's U-Boot says ($devnum): taken as 0" in note for note in found.notes) == is_partial


def test_the_firmware_s_parameters_are_named():
    texts = {"config.txt": "dtparam=i2c_arm=on\n[pi5]\ndtparam=other\n", "cmdline.txt": "root=/dev/mmcblk0p2"}
    names = frozenset({*texts, "kernel8.img", "bcm2711-rpi-4-b.dtb"})
    first = next(iter(of_firmware("/boot", names, texts.get)))
    assert any("(dtparam=i2c_arm=on), which is not done here" in note for note in first.notes)
