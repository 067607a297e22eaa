# SPDX-License-Identifier: MIT
"""Images of other makers at first contact: what is taken is what their firmware and initrd would take."""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

import pytest
from benchmarks.first_contact import judge
from benchmarks.first_contact_devices import DEVICES
from benchmarks.first_contact_distributions import DISTRIBUTIONS
from benchmarks.first_contact_eighth import EIGHTH
from benchmarks.first_contact_eleventh_pcs import ELEVENTH
from benchmarks.first_contact_further import FURTHER
from benchmarks.first_contact_loaders import LOADERS
from benchmarks.first_contact_ninth_pcs import NINTH
from benchmarks.first_contact_others import OTHERS
from benchmarks.first_contact_seventh_pcs import SEVENTH
from benchmarks.first_contact_sixth import SIXTH
from benchmarks.first_contact_tenth import TENTH
from benchmarks.first_contact_twelfth import TWELFTH
from hypothesis import given
from hypothesis import strategies as st

from bootlab.formats import uboot_environment
from bootlab.model.cmdline import CommandLine
from bootlab.sources.menus.limine import parse_limine
from bootlab.systemfile import mapped_devices
from tests.examples import examples


@pytest.mark.parametrize(
    "name",
    [
        *OTHERS,
        *LOADERS,
        *FURTHER,
        *DISTRIBUTIONS,
        *DEVICES,
        *SIXTH,
        *SEVENTH,
        *EIGHTH,
        *NINTH,
        *TENTH,
        *ELEVENTH,
        *TWELFTH,
    ],
)
def test_what_the_firmware_would_boot_is_taken(name: str, tmp_path: Path):
    for tool in ("mkfs.erofs", "mkfs.btrfs", "mkfs.xfs", "mksquashfs", "zstd", "mformat"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not there")
    assert judge(name, tmp_path / "images").startswith("right")


@examples(200)
@given(st.binary(max_size=200))
def test_only_an_environment_with_its_checksum_is_one(data: bytes):
    assert (
        uboot_environment.read(data) is None
        or zlib.crc32(data[4:]) == int.from_bytes(data[:4], "little")
        or (zlib.crc32(data[5:]) == int.from_bytes(data[:4], "little"))
    )


@pytest.mark.parametrize("redundant", [False, True])
def test_variables_end_at_the_first_empty_one(redundant: bool):
    body = b"bootcmd=run a=b\0b=\0\0left=over\0"
    data = zlib.crc32(body).to_bytes(4, "little") + b"\1" * redundant + body
    assert uboot_environment.read(data) == {"bootcmd": "run a=b", "b": ""}


@examples(200)
@given(st.text(max_size=300))
def test_any_text_is_a_limine_menu_of_few_entries(text: str):
    found = parse_limine(text, "/limine.conf")
    assert not found or sum(entry.default for entry in found) >= 1


def test_limine_of_two_times():
    new = "default_entry: 2\n/+Old\nprotocol: linux\npath: boot():/a\n//Inner\nprotocol: linux\npath: guid(1):/b#ff\n"
    old = ":Arch\nPROTOCOL=linux\nKERNEL_PATH=boot:///vmlinuz\nKERNEL_CMDLINE=rw root=/dev/sda1\n"
    assert [(entry.title, entry.kernel, entry.default) for entry in parse_limine(new, "x")] == [
        ("Old", "/a", False), ("Inner", "/b", True),
    ]  # fmt: skip
    (entry,) = parse_limine(old, "x")
    assert (entry.kernel, entry.cmdline) == ("/vmlinuz", "rw root=/dev/sda1")


def test_tables_of_device_mapper_name_this_machine_s_partitions():
    notes: list[str] = []
    line = CommandLine.parse('dm-mod.create="v,,,ro,0 8 verity 1 /dev/sda2 /dev/sda3 4096 4096 1 1 sha256 aa bb"')
    there = mapped_devices.on_this_machine(line, "/dev/mmcblk0p", notes)
    assert "verity 1 /dev/mmcblk0p2 /dev/mmcblk0p3 4096" in str(there)
    assert notes
    assert mapped_devices.is_mapped("/dev/dm-0", line)
    assert not mapped_devices.is_mapped("/dev/dm-0", CommandLine.parse("quiet"))


@pytest.mark.parametrize(
    ("root", "made"),
    [
        ("/dev/mapper/root", True),
        ("/dev/dm-0", True),
        ("/dev/md127", True),
        ("/dev/md0p1", True),
        ("/dev/md/host:root", True),
        ("/dev/vg0/root", True),
        ("/dev/sda2", False),
        ("/dev/mmcblk0p2", False),
        ("/dev/disk/by-label/root", False),
        ("/dev/block/8:2", False),
        ("/dev/mtdblock3", False),
        ("UUID=1234", False),
    ],
)
def test_devices_that_an_initrd_makes_keep_their_names(root, made):
    assert mapped_devices.made_by_initrd(root) is made
