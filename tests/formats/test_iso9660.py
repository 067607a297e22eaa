# SPDX-License-Identifier: MIT
"""ISO images are read by the names that the kernel shows: Rock Ridge's, else Joliet's, else small letters."""

from __future__ import annotations

import random

import pytest

from bootlab.errors import UserError
from bootlab.formats.disk_bytes import RawFile
from bootlab.formats.file_view import FileView
from bootlab.formats.iso9660 import IsoFiles
from bootlab.formats.superblock import identify
from tests.sources.iso_images import iso

FILES: dict[str, str | bytes] = {"boot/grub/grub.cfg": "menu", "a/b/c/d": b"x" * 5000} | {
    f"many/file-with-a-long-name-{number}": str(number) for number in range(120)
}


@pytest.mark.parametrize("names", ["rock ridge", "joliet", "bare"])
def test_files_are_found_by_their_names(tmp_path, names):
    image = iso(tmp_path / "x.iso", FILES, "MADE_1", names=names)
    view = FileView(IsoFiles(RawFile(image)))
    assert view.names("/") == ("a", "boot", "many")
    assert len(view.names("/many")) == 120
    assert view.text("/boot/grub/grub.cfg") == "menu"
    assert view.data("/a/b/c/d") == b"x" * 5000
    assert view.part("/a/b/c/d", 4000, 2000) == b"x" * 1000
    assert view.exists("/BOOT/GRUB/grub.cfg") == (names != "rock ridge")
    found = identify(RawFile(image))
    assert found is not None
    assert (found.fstype, found.label) == ("iso9660", "MADE_1")


def test_links_of_rock_ridge_are_followed(tmp_path):
    image = iso(tmp_path / "x.iso", {"live/kernel": "k"}, links={"boot/vmlinuz": "../live/kernel", "top": "/live"})
    view = FileView(IsoFiles(RawFile(image)))
    assert (view.link("/boot/vmlinuz"), view.link("/top")) == ("../live/kernel", "/live")
    assert view.text("/boot/vmlinuz") == view.text("/top/kernel") == "k"


def test_what_is_damaged_is_an_error_or_empty(tmp_path):
    data = iso(tmp_path / "x.iso", FILES).read_bytes()
    chance = random.Random(5)
    for _ in range(40):
        hurt = bytearray(data)
        for _ in range(8):
            hurt[chance.randrange(16 * 2048, len(data))] = chance.randrange(256)
        (tmp_path / "hurt").write_bytes(hurt)
        try:
            view = FileView(IsoFiles(RawFile(tmp_path / "hurt")))
            for name in view.names("/"):
                view.names(f"/{name}")
        except UserError:
            continue
