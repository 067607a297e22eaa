# SPDX-License-Identifier: MIT
"""What loaders choose by: systemd-boot's order, U-Boot's two environments and sums, GRUB's words about a medium."""

from __future__ import annotations

import pytest
from benchmarks.first_contact_disks import environment

from bootlab.formats import uboot_environment
from bootlab.sources.menus.grub import parse_grub
from bootlab.sources.menus.loader_order import EntryPlace, in_order, versions
from bootlab.sources.menus.uboot_disk import calculated


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
