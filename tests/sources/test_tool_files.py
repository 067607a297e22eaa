# SPDX-License-Identifier: MIT
"""File systems that installed programs read: the right subvolume, nothing outside of a folder, an end in any case."""

from __future__ import annotations

import lzma
import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.builders.images import tool
from bootlab.errors import UserError
from bootlab.formats.disk_bytes import RawFile, Window
from bootlab.formats.private_copy import as_file
from bootlab.sources import btrfs, confined, disk, tool_files
from tests.examples import examples
from tests.sources import images

MIB = 1 << 20
# A Btrfs of 64 MiB (mkfs.btrfs -M -s 4096 -n 4096 -m single -d single; zstd) laid out as openSUSE's installer does it:
# the default subvolume is @/.snapshots/1/snapshot, a snapshot of it @/.snapshots/2/snapshot; an older root is @old.
SUBVOLUMES = Path(__file__).with_name("subvolumes.btrfs.xz")
ROOT = "@/.snapshots/1/snapshot"

needs_landlock = pytest.mark.skipif(not confined.is_possible(), reason="this kernel has no Landlock")
needs_btrfs = pytest.mark.skipif(tool.path_of("btrfs") is None, reason="btrfs-progs are not there")
needs_erofs = pytest.mark.skipif(
    tool.path_of("fsck.erofs") is None or tool.path_of("mkfs.erofs") is None, reason="erofs-utils are not there"
)


@pytest.fixture(scope="module")
def suse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    image = tmp_path_factory.mktemp("btrfs") / "part"
    image.write_bytes(lzma.decompress(SUBVOLUMES.read_bytes()))
    return image


@needs_landlock
@needs_btrfs
def test_the_default_subvolume_is_the_root_and_nothing_is_of_a_snapshot(suse, tmp_path):
    found = disk.look(images.mbr(tmp_path / "d.img", [(0x83, suse)]))
    view = found.view
    assert view is not None
    assert view.text("/etc/mark") == "now\n"
    assert view.link("/sbin") == "usr/sbin"
    assert view.find("/sbin/init")[2] == "/usr/lib/systemd"
    assert view.kind("/empty") == "dir"
    assert view.data("/boot/vmlinuz-6.1 (x)+.[a]", MIB) == b"k" * 20000
    assert view.size("/boot/vmlinuz-6.1 (x)+.[a]") == 20000
    assert f"subvolume {ROOT} is taken as the root: it is the default one" in found.notes[0]
    assert "of 1 snapshot nothing was read" in found.notes[0]
    # As GRUB names it, and what fstab mounts there.
    assert view.text(f"/{ROOT}/etc/mark") == "now\n"
    assert view.kind("/@/.snapshots/2/snapshot/etc/mark") is None
    assert view.kind("/@old") is None
    assert view.text("/boot/grub2/i386-pc/core") == "core\n"
    assert view.kind("/../../etc/passwd") is None


@needs_landlock
@needs_btrfs
@pytest.mark.parametrize(
    ("asked", "mark", "why"),
    [
        ("@old", "old\n", "subvolume @old is taken as the root: the kernel's line names it"),
        ("@/.snapshots/2/snapshot", "before\n", "the kernel's line names it"),
        ("@lost", "now\n", "it is the default one (the kernel's line names @lost, which has no root tree)"),
        ("@home", "now\n", "which has no root tree"),
    ],
)
def test_a_kernel_s_line_says_which_subvolume_is_the_root(suse, asked, mark, why):
    found = tool_files.read("btrfs", RawFile(suse), asked)
    assert found is not None
    assert disk.FileView(found.files).text("/etc/mark") == mark
    assert why in found.said


@needs_landlock
@needs_btrfs
def test_a_tree_without_subvolumes_is_read(tmp_path):
    if shutil.which("mkfs.btrfs") is None:
        pytest.skip("mkfs.btrfs is not there")
    tree = tmp_path / "tree"
    for path in ("etc/a/b", "usr/bin", "boot"):
        (tree / path).mkdir(parents=True)
    (tree / "etc/a/b/last").write_text("x")
    (tree / "usr/bin/sh").write_bytes(b"y" * 100_000)
    (tree / "boot/loop").symlink_to("loop")
    (tree / "boot/out").symlink_to("/../../../etc/passwd")
    (tree / "etc/passwd").write_text("own")
    image = tmp_path / "part"
    image.write_bytes(bytes(128 * MIB))
    subprocess.run(["mkfs.btrfs", "-q", "--rootdir", tree, image], check=True)
    view = disk.look(image).view
    assert view is None or view.text("/etc/passwd") == "own"
    found = tool_files.read("btrfs", RawFile(image))
    assert found is not None
    assert "subvolume" not in found.said
    view = disk.FileView(found.files)
    assert view.text("/etc/a/b/last") == "x"
    assert view.size("/usr/bin/sh") == 100_000
    assert view.kind("/boot/loop") is None
    assert view.text("/boot/out") == "own"


def crc32c(data: bytes) -> int:
    """Return the checksum of Btrfs's blocks (Castagnoli's polynomial, bits turned)."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def renamed(image: Path, old: bytes, new: bytes, node_bytes: int = 4096) -> None:
    """Give files of a Btrfs another name of the same length, and their blocks the right checksum."""
    assert len(old) == len(new)
    data = bytearray(image.read_bytes())
    own = bytes(data[0x10020:0x10030])
    at = data.find(old)
    while at >= 0:
        data[at : at + len(old)] = new
        start = at // node_bytes * node_bytes
        if data[start + 0x20 : start + 0x30] == own:
            struct.pack_into("<I", data, start, crc32c(bytes(data[start + 0x20 : start + node_bytes])))
        at = data.find(old)
    image.write_bytes(bytes(data))


@needs_landlock
@needs_btrfs
@pytest.mark.parametrize("name", [b"../../../xx", b"a/../../../", b"..\n/../../x"])
def test_a_name_that_leads_out_writes_nothing_outside(suse, tmp_path, monkeypatch, name):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "own" / "deep"))
    (tmp_path / "own" / "deep").mkdir(parents=True)
    image = tmp_path / "part"
    shutil.copy(suse, image)
    renamed(image, b"evil-name-x", name)
    found = disk.look(image)
    if found.view is not None:
        assert found.view.text("/etc/fstab") is None or found.view.text("/etc/mark") == "now\n"
    assert [
        path.name for path in tmp_path.rglob("*") if path.is_file() and path != image and "bootlab-" not in str(path)
    ] == []


@needs_landlock
@needs_btrfs
def test_a_damaged_one_is_said_with_the_way_on(suse, tmp_path):
    data = bytearray(suse.read_bytes())
    # All of its trees are lost.
    for at in range(0, len(data), 4096):
        if at != 0x10000 and data[at + 0x20 : at + 0x30] == data[0x10020:0x10030]:
            data[at + 0x30 : at + 0x80] = bytes(0x50)
    (tmp_path / "part").write_bytes(bytes(data))
    found = disk.look(tmp_path / "part")
    assert found.view is None
    assert "btrfs cannot read it" in found.notes[0]


@needs_landlock
@needs_btrfs
def test_a_damaged_file_is_said_by_its_name(suse, tmp_path, monkeypatch):
    shutil.copy(suse, tmp_path / "part")
    view = disk.look(tmp_path / "part").view
    assert view is not None
    monkeypatch.setattr(confined, "FILE_MAX_BYTES", 1000)
    with pytest.raises(
        UserError, match=r"/boot/vmlinuz-6\.1 \(x\)\+\.\[a\] of its Btrfs cannot be taken out: btrfs"
    ) as caught:
        view.data("/boot/vmlinuz-6.1 (x)+.[a]")
    assert "--from /mnt" in caught.value.hint


@needs_landlock
@needs_btrfs
def test_one_of_several_devices_is_not_put_together(suse, tmp_path):
    data = bytearray(suse.read_bytes())
    struct.pack_into("<Q", data, 0x10000 + 0x88, 2)
    (tmp_path / "part").write_bytes(bytes(data))
    found = disk.look(tmp_path / "part")
    assert found.view is None
    assert "it is one of 2 devices of a Btrfs" in found.notes[0]


@needs_landlock
@needs_erofs
@pytest.mark.parametrize("packer", [(), ("-zlz4",), ("-zlz4hc",)])
def test_erofs_is_read(tmp_path, packer):
    tree = tmp_path / "tree"
    (tree / "etc").mkdir(parents=True)
    (tree / "sbin").mkdir()
    (tree / "etc/hostname").write_text("box\n")
    (tree / "sbin/init").write_bytes(b"\x7fELF" * 50_000)
    (tree / "etc/out").symlink_to("../../../../etc/passwd")
    (tree / "up").symlink_to("..")
    subprocess.run(["mkfs.erofs", *packer, tmp_path / "part", tree], check=True, capture_output=True)
    found = disk.look(images.mbr(tmp_path / "d.img", [(0x83, tmp_path / "part")]))
    view = found.view
    assert view is not None
    assert "fsck.erofs took its files out" in found.notes[0]
    assert view.text("/etc/hostname") == "box\n"
    assert view.size("/sbin/init") == 200_000
    assert view.kind("/etc/out") is None
    assert view.text("/up/up/etc/hostname") == "box\n"


@needs_landlock
@needs_erofs
def test_a_damaged_erofs_is_said(tmp_path):
    (tmp_path / "part").write_bytes((bytes(1024) + b"\xe2\xe1\xf5\xe0").ljust(6 * MIB, b"\x7f"))
    found = disk.look(tmp_path / "part")
    assert found.view is None
    assert "fsck.erofs cannot read it" in found.notes[0]
    assert "a newer erofs-utils may read it" in found.notes[0]


def test_without_its_program_the_package_is_named(suse, monkeypatch):
    monkeypatch.setattr(tool, "path_of", lambda _: None)
    found = disk.look(suse)
    assert found.view is None
    assert "bootlab does not read the files of btrfs; btrfs would read it: " in found.notes[0]
    assert "btrfs-progs" in found.notes[0]


@needs_landlock
@pytest.mark.parametrize(
    "command",
    ["echo x > ../out", "echo x > {0}", "rm {1}", "mv {1} mine", "ln {1} mine && echo x > mine", "truncate -s 0 {1}"],
)
def test_a_program_writes_in_its_folder_only(tmp_path, command):
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "kept").write_text("kept")
    told = command.format(tmp_path / "out", tmp_path / "kept")
    with pytest.raises(UserError, match="sh cannot read it"):
        confined.run(["sh", "-ec", told], work)
    assert (tmp_path / "kept").read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "work"]
    assert confined.run(["sh", "-ec", "mkdir a; echo x > a/b; mv a/b a/c; cat a/c"], work) == b"x\n"


@needs_landlock
def test_a_program_that_does_not_end_is_stopped(tmp_path):
    with pytest.raises(UserError, match=r"did not end within 0\.3 s"):
        confined.run(["sh", "-c", "sleep 600 & sleep 600"], tmp_path, 0.3)


@needs_landlock
def test_a_program_that_fills_the_disk_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(confined, "ROOM_KEPT_BYTES", 1 << 60)
    with pytest.raises(UserError, match="nearly full"):
        confined.run(["sleep", "600"], tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(confined, "FILE_MAX_BYTES", 1000)
    with pytest.raises(UserError, match="cannot read it"):
        confined.run(["sh", "-ec", "head -c 5000 /dev/zero > big"], tmp_path)
    assert (tmp_path / "big").stat().st_size <= 1000


@needs_landlock
def test_a_program_that_prints_without_end_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(confined, "PRINTED_MAX_BYTES", 1000)
    with pytest.raises(UserError, match="printed more"):
        confined.run(["head", "-c", "5000", "/dev/zero"], tmp_path)


class _InAnotherForm:
    """Bytes that are no file's, as a qcow2 image's."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size_bytes = len(data)

    def read(self, offset: int, count: int) -> bytes:
        return self.data[offset : offset + count]


@pytest.mark.parametrize("form", ["raw", "other"])
def test_a_partition_is_copied_without_its_holes(tmp_path, form):
    image = tmp_path / "image"
    with image.open("wb") as out:
        out.write(b"a" * 5000)
        out.seek(40 * MIB)
        out.write(b"b" * 5000)
        out.truncate(64 * MIB)
    source = RawFile(image) if form == "raw" else _InAnotherForm(image.read_bytes())
    assert (as_file(source, tmp_path) == image.resolve()) is (form == "raw")
    work = tmp_path / "work"
    work.mkdir()
    copy = as_file(Window(source, MIB, 62 * MIB), work)
    assert copy.parent == work
    assert copy.read_bytes() == image.read_bytes()[MIB : 63 * MIB]
    assert copy.stat().st_blocks * 512 < 3 * MIB


def test_too_much_data_is_not_copied(tmp_path, monkeypatch):
    monkeypatch.setattr("bootlab.formats.private_copy.DATA_MAX_BYTES", 1000)
    (tmp_path / "image").write_bytes(b"a" * 3 * MIB)
    for source in (RawFile(tmp_path / "image"), _InAnotherForm(b"a" * 3 * MIB)):
        with pytest.raises(UserError, match=r"MiB of data would have to be copied .*TMPDIR names another folder"):
            as_file(Window(source, MIB, MIB), tmp_path)


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ("subvol=@", "@"),
        ('"compress=zstd,subvol=/@/root"', "@/root"),
        ("subvolid=258", "258"),
        ("noatime", ""),
        (None, ""),
        ("subvol=", ""),
    ],
)
def test_the_flags_of_a_line_name_a_subvolume(flags, named):
    assert btrfs.asked_by(flags) == named


names = st.text(st.characters(exclude_characters="/\0\n", exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda name: name not in {".", ".."} and "' => '" not in name
)


@examples(60)
@given(
    st.recursive(
        st.none() | st.text("ab/", min_size=1, max_size=5), lambda deeper: st.dictionaries(names, deeper, max_size=4)
    )
)
def test_any_tree_is_listed_as_it_is(tree):
    if not isinstance(tree, dict):
        return
    lines = ["This is a dry-run, no files are going to be restored"]
    expected: dict[str, dict[str, str]] = {"": {}}

    def say(folder: dict, path: str) -> None:
        for name, held in folder.items():
            below = f"{path}/{name}" if path else name
            expected[path][name] = "dir" if isinstance(held, dict) else "symlink" if held else "file"
            lines.append(f"SYMLINK: 'out/{below}' => '{held}'" if isinstance(held, str) else f"Restoring out/{below}")
            if isinstance(held, dict):
                expected[below] = {}
                say(held, below)
        lines.append(f"Done searching /{path}" if path else "Done searching ")

    say(tree, "")
    found = btrfs.listing("\n".join(lines))
    assert {path: {name: one.kind for name, one in held.items()} for path, held in found.items()} == expected


@examples(200)
@given(
    st.lists(
        st.sampled_from(
            ["Restoring out/", "Done searching /", "Reached the end of the tree searching", "SYMLINK: 'out/a' => 'b'"]
        ).flatmap(lambda head: st.text("a./", max_size=6).map(lambda tail: head + tail)),
        max_size=12,
    ).map("\n".join)
)
def test_no_listing_has_a_name_that_leads_out(text):
    try:
        found = btrfs.listing(text)
    except UserError:
        return
    for path, held in found.items():
        assert ".." not in path.split("/")
        assert not {"", ".", ".."} & set(held)


@examples(60)
@given(st.lists(names, min_size=1, max_size=4))
def test_the_expression_of_a_path_fits_it_alone(parts):
    path = "/".join(parts)
    if not path.isascii() or not path.isprintable() or shutil.which("grep") is None:
        return
    folders = ["/" + "/".join(parts[:depth]) for depth in range(len(parts) + 1)]
    shown = [*folders, f"/{path}x", f"/x{path}", f"/{path}/x"]
    done = subprocess.run(
        ["grep", "-Ex", btrfs.pattern(path, whole=False)],
        check=False,
        input="\n".join(shown).encode(),
        capture_output=True,
        env=os.environ | {"LC_ALL": "C"},
    )
    assert done.stdout.decode().splitlines() == folders
