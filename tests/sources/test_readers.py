# SPDX-License-Identifier: MIT
"""Readers of media: what the tools wrote is read back, and nothing hostile ends them otherwise than by an error."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.formats import device_tree, disk_image
from bootlab.formats.disk_bytes import RawFile, Window
from bootlab.formats.ext import ExtFiles
from bootlab.formats.fat import FatFiles
from bootlab.formats.file_view import FileView
from bootlab.formats.partitions import read_partitions
from bootlab.formats.qcow2 import Qcow2
from bootlab.formats.superblock import identify
from bootlab.sources import disk
from tests.examples import examples
from tests.sources import images

LARGE = random.Random(7).randbytes(700_000)


class Held:
    """Bytes in memory, read like a medium."""

    def __init__(self, data: bytes):
        self._data, self.size_bytes = data, len(data)

    def read(self, offset: int, count: int) -> bytes:
        return self._data[offset : offset + count] if offset >= 0 else b""


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    (folder / "deep/er").mkdir(parents=True)
    (folder / "deep/er/text").write_text("found")
    (folder / "large").write_bytes(LARGE)
    (folder / "holes").write_bytes(bytes(200_000) + b"end")
    (folder / "short").symlink_to("/deep/er/text")
    (folder / "long").symlink_to("deep/" + "./" * 60 + "er/text")
    (folder / "loop").symlink_to("loop")
    (folder / "up").symlink_to("../../../../deep")
    for number in range(300):
        (folder / f"many-{number:04d}-with-a-longer-name").write_text(str(number))
    return folder


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("ext2", ("-b", "1024")),
        ("ext3", ("-b", "1024")),
        ("ext4", ()),
        ("ext4", ("-O", "64bit,metadata_csum", "-I", "256")),
        ("ext4", ("-O", "inline_data", "-I", "256")),
    ],
)
def test_ext_is_read_as_it_was_written(tmp_path, tree, kind, options):
    view = FileView(ExtFiles(RawFile(images.ext(tmp_path / "fs", tree, kind=kind, mib=8, options=options))))
    assert view.data("/large", 1 << 20) == LARGE
    assert view.data("/holes", 1 << 20) == bytes(200_000) + b"end"
    assert view.text("/short") == view.text("/long") == view.text("/up/er/text") == "found"
    assert view.link("/short") == "/deep/er/text"
    assert view.find("/loop") is None
    assert view.text("/many-0299-with-a-longer-name") == "299"
    assert set(view.names("/")) - {"lost+found"} == {path.name for path in tree.iterdir()}
    view.copy("/large", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == LARGE


def test_fat_is_read_with_long_names_whatever_their_case(tmp_path):
    path = images.fat16(tmp_path / "fat", {"zImage-with-a-long-name": LARGE, "cmdline.txt": b"console=ttyS0"})
    found = identify(RawFile(path))
    assert found is not None
    assert (found.fstype, found.uuid, found.label) == ("vfat", "1234-5678", "BOOT")
    view = FileView(FatFiles(RawFile(path)))
    assert view.data("/zimage-WITH-a-long-name", 1 << 20) == LARGE
    assert view.text("/CMDLINE.TXT") == "console=ttyS0"
    assert view.names("/") == ("cmdline.txt", "zImage-with-a-long-name")


@pytest.mark.parametrize("packed", [False, True])
def test_qcow2_reads_as_the_disk_that_it_holds(tmp_path, packed):
    raw = bytes(100_000) + LARGE + bytes(300_000) + b"tail"
    path = images.qcow2(tmp_path / "disk.qcow2", raw, packed=packed)
    assert disk_image.form_of(path) == "qcow2"
    found = disk_image.opened(path)
    assert found.size_bytes == len(raw)
    assert found.read(0, len(raw)) == raw
    assert found.read(99_990, 40) == raw[99_990:100_030]
    assert found.read(len(raw) - 2, 100) == b"il"
    disk_image.write_raw(found, 2 << 20, tmp_path / "raw")
    assert (tmp_path / "raw").read_bytes() == raw.ljust(2 << 20, b"\0")


def test_a_qcow2_that_needs_another_file_is_named(tmp_path):
    path = images.qcow2(tmp_path / "disk.qcow2", bytes(100_000))
    data = bytearray(path.read_bytes())
    data[8:16] = (512).to_bytes(8, "big")
    path.write_bytes(bytes(data))
    with pytest.raises(UserError, match="backing file") as caught:
        Qcow2(path)
    assert "qemu-img convert" in caught.value.hint


def test_partition_tables(tmp_path):
    part = tmp_path / "part"
    part.write_bytes(b"x" * 3000)
    table = read_partitions(RawFile(images.mbr(tmp_path / "mbr", [(0x0C, part), (0x83, part)])))
    assert table is not None
    assert [(p.number, p.start_bytes, p.kind, p.partuuid) for p in table.partitions] == [
        (1, 1 << 20, "fat", "1234abcd-01"),
        (2, 2 << 20, "", "1234abcd-02"),
    ]
    kind = bytes.fromhex("e3bc684fcde8b14d96e7fbcaf984b709")
    table = read_partitions(RawFile(images.gpt(tmp_path / "gpt", [(kind, "system", part)])))
    assert table is not None
    assert (table.kind, table.partitions[0].kind, table.partitions[0].name) == ("gpt", "root", "system")
    assert read_partitions(Held(bytes(512))) is None


def test_logical_partitions_are_numbered_from_five(tmp_path):
    part = tmp_path / "part"
    part.write_bytes(bytes(3 << 20))
    path = images.mbr(tmp_path / "mbr", [(0x83, part), (0x05, part)])
    data = bytearray(path.read_bytes())
    at = 4 << 20
    data[at + 446 : at + 462] = bytes([0, 0, 0, 0, 0x83, 0, 0, 0]) + (2048).to_bytes(4, "little") * 2
    data[at + 510 : at + 512] = b"\x55\xaa"
    path.write_bytes(bytes(data))
    table = read_partitions(RawFile(path))
    assert table is not None
    assert [(p.number, p.start_bytes) for p in table.partitions] == [(1, 1 << 20), (5, (4 << 20) + (1 << 20))]


def test_a_disk_s_root_is_found_with_what_fstab_mounts(tmp_path):
    root = images.root_tree(tmp_path / "root")
    boot = tmp_path / "boot"
    (boot / "sub").mkdir(parents=True)
    (boot / "on-the-other").write_text("yes")
    files = images.ext(
        tmp_path / "boot.ext2", boot, kind="ext2", options=("-U", "11111111-2222-3333-4444-555555555555")
    )
    (root / "etc/fstab").write_text("UUID=11111111-2222-3333-4444-555555555555 /boot ext2 defaults 0 2\n")
    path = images.mbr(tmp_path / "disk", [(0x83, files), (0x83, images.ext(tmp_path / "root.ext4", root, mib=8))])
    found = disk.look(path)
    assert found.facts.root == 2
    assert found.view is not None
    assert found.view.text("/boot/on-the-other") == "yes"
    assert found.view.text("/sbin/../boot/on-the-other") is None
    assert found.view.text("/usr/../boot/on-the-other") == "yes"


def test_a_root_that_cannot_be_read_is_said(tmp_path):
    path = tmp_path / "btrfs"
    data = bytearray(0x20000)
    data[0x10040:0x10048] = b"_BHRfS_M"
    path.write_bytes(bytes(data))
    found = disk.look(path)
    assert found.view is None
    assert found.facts.root == 0
    assert "btrfs" in found.notes[0]


def test_device_tree_facts(tmp_path):
    path = tmp_path / "board.dtb"
    path.write_bytes(images.device_tree(images.BOARD))
    facts = device_tree.facts_of(path)
    assert facts.compatible == ("fsl,imx6q-sabrelite", "fsl,imx6q")
    assert facts.memory_mib == 1024
    assert facts.stdout == "/soc/serial@21e8000"
    assert facts.stdout_alias == 1
    assert facts.stdout_compatible[0] == "fsl,imx6q-uart"
    assert facts.bootargs == "console=ttymxc1 quiet"
    assert facts.processors == 2


# Hostile media. Whatever is wrong with them, a reader ends soon, with an answer or with a UserError.

BROKEN = examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _walk(view: FileView, path: str, depth: int = 0) -> int:
    count = 0
    for name in view.names(path)[:50]:
        here = f"{path.rstrip('/')}/{name}"
        count += 1
        if view.kind(here) == "dir" and depth < 3:
            count += _walk(view, here, depth + 1)
        else:
            view.data(here, 4096)
            view.link(here)
    return count


@pytest.fixture(scope="module")
def small_ext(tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("small")
    (folder / "tree/sub").mkdir(parents=True)
    (folder / "tree/sub/file").write_bytes(LARGE[:30_000])
    (folder / "tree/link").symlink_to("sub/file")
    return images.ext(folder / "fs", folder / "tree", mib=1, kind="ext2").read_bytes()


@pytest.fixture(scope="module")
def small_fat(tmp_path_factory) -> bytes:
    return images.fat16(tmp_path_factory.mktemp("fat") / "fat", {"a-long-name.txt": LARGE[:3000]}).read_bytes()


changes = st.lists(st.tuples(st.integers(0, 9000), st.binary(min_size=1, max_size=8)), max_size=12)


def _changed(data: bytes, where: list[tuple[int, bytes]]) -> bytes:
    out = bytearray(data)
    for at, new in where:
        out[at % len(out) : at % len(out) + len(new)] = new
    return bytes(out[: len(data)])


@BROKEN
@given(changes)
def test_damaged_ext_ends(small_ext, where):
    with contextlib.suppress(UserError):
        _walk(FileView(ExtFiles(Held(_changed(small_ext, [(1024 + at, new) for at, new in where])))), "/")


@BROKEN
@given(changes)
def test_damaged_fat_ends(small_fat, where):
    with contextlib.suppress(UserError):
        _walk(FileView(FatFiles(Held(_changed(small_fat, where)))), "/")


@BROKEN
@given(changes)
def test_damaged_device_trees_end(where):
    data = _changed(images.device_tree(images.BOARD), where)
    with contextlib.suppress(UserError):
        device_tree.read_tree(data)


@BROKEN
@given(changes)
def test_damaged_qcow2_ends(tmp_path, where):
    path = images.qcow2(tmp_path / "disk", LARGE[:200_000], bits=12)
    path.write_bytes(_changed(path.read_bytes(), where))
    with contextlib.suppress(UserError):
        found = Qcow2(path)
        for start in range(0, min(found.size_bytes, 1 << 20), 4096):
            found.read(start, 4096)


@BROKEN
@given(st.binary(max_size=2000), st.integers(0, 3))
def test_rubbish_is_no_medium(tmp_path, data, kind):
    heads = (b"", bytes(510) + b"\x55\xaa", bytes(1024 + 56) + b"\x53\xef", b"QFI\xfb")
    medium = Held(heads[kind] + data)
    read_partitions(medium)
    identify(medium)
    for reader in (ExtFiles, FatFiles):
        with contextlib.suppress(UserError):
            _walk(FileView(reader(Window(medium, 0, 1 << 30))), "/")
