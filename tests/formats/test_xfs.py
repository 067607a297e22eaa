# SPDX-License-Identifier: MIT
"""XFS is read as mkfs.xfs wrote it, in every form that a kernel may leave, and damage ends."""

from __future__ import annotations

import contextlib
import shutil
import stat
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.formats.disk_bytes import RawFile
from bootlab.formats.file_view import FileView
from bootlab.formats.xfs import XfsFiles
from bootlab.sources import disk
from tests.examples import examples
from tests.sources import images
from tests.sources.test_readers import Held, _walk

LARGE = bytes(n * 7 + n // 251 & 0xFF for n in range(300_000))
NAMES = 400
pytestmark = pytest.mark.skipif(shutil.which("mkfs.xfs", path="/sbin:/usr/sbin") is None, reason="no mkfs.xfs here")


def prototype(folder: Path) -> list[str]:
    """Return the lines that tell mkfs.xfs what a folder holds."""
    lines = []
    for path in sorted(folder.iterdir()):
        facts = path.lstat()
        kind = "l" if path.is_symlink() else "d" if path.is_dir() else "-"
        line = f"{path.name} {kind}--{stat.S_IMODE(facts.st_mode) & 0o777:03o} 0 0"
        if kind == "l":
            line += f" {path.readlink()}"
        lines.append(line + (f" {path}" if kind == "-" else ""))
        lines += prototype(path) if kind == "d" else []
    return [*lines, "$"]


def xfs(path: Path, tree: Path, *options: str) -> Path:
    listed = path.with_suffix(".list")
    listed.write_text("\n".join(["-", "0 0", "d--755 0 0", *prototype(tree), ""]))
    path.touch()
    words = ["mkfs.xfs", "-q", "-f", "-d", f"file,name={path},size=300m", "-p", str(listed), *options]
    subprocess.run(words, check=True, capture_output=True, env={"PATH": "/sbin:/usr/sbin:/bin:/usr/bin"})
    return path


def beginning(image: Path, count: int) -> bytearray:
    """Read the first bytes: the first group has everything that was written, and the rest would take long to copy."""
    with image.open("rb") as file:
        return bytearray(file.read(count))


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    (folder / "deep/er").mkdir(parents=True)
    (folder / "deep/er/text").write_text("found")
    (folder / "deep/empty").write_text("")
    (folder / "large").write_bytes(LARGE)
    (folder / "short").symlink_to("/deep/er/text")
    (folder / "long").symlink_to("deep/" + "./" * 150 + "er/text")
    (folder / "many").mkdir()
    for number in range(NAMES):
        (folder / f"many/{number:04d}-with-a-longer-name").write_text(str(number))
    return folder


@pytest.fixture(scope="module")
def image(tree, tmp_path_factory) -> Path:
    return xfs(tmp_path_factory.mktemp("xfs") / "image", tree)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-b", "size=1024", "-i", "size=512"),
        ("-n", "size=16384"),
        ("-i", "nrext64=1"),
        ("-m", "crc=0"),
        ("-m", "crc=0", "-n", "ftype=0", "-b", "size=512"),
    ],
    ids=" ".join,
)
def test_xfs_is_read_as_it_was_written(tmp_path, tree, options):
    view = FileView(XfsFiles(RawFile(xfs(tmp_path / "fs", tree, *options))))
    assert view.data("/large", 1 << 20) == LARGE
    assert view.text("/deep/empty") == ""
    assert view.text("/short") == "found"
    assert view.link("/short") == "/deep/er/text"
    assert view.text("/many/0399-with-a-longer-name") == "399"
    assert len(view.names("/many")) == NAMES
    assert set(view.names("/")) == {path.name for path in tree.iterdir()}
    view.copy("/large", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == LARGE


def in_a_tree(image: bytearray, number: int) -> None:
    """Put the list of a file's blocks into a block of its own, as a kernel does when it no longer fits the inode."""
    at = image.index(b"IN\x81\xa4\x03\x02") - 512
    while True:
        at = image.index(b"IN\x81\xa4\x03\x02", at + 512)
        if struct.unpack_from(">Q", image, at + 152)[0] == number:
            break
    # di_flags2, XFS_DIFLAG2_NREXT64: the count is one of 64 bits, and elsewhere.
    many = struct.unpack_from(">Q", image, at + 120)[0] & 0x10
    (count,) = struct.unpack_from(">Q", image, at + 24) if many else struct.unpack_from(">I", image, at + 76)
    assert count
    record = bytes(image[at + 176 : at + 176 + 16 * count])
    free = len(image) // 4096 - 8
    blocks_of_group, log = struct.unpack_from(">I", image, 84)[0], image[124]
    place = (free // blocks_of_group) << log | free % blocks_of_group
    head = b"BMA3" + struct.pack(">HH", 0, count) + bytes(64)
    image[free * 4096 : free * 4096 + len(head) + len(record)] = head + record
    room = (512 - 176 - 4) // 16
    image[at + 5] = 3
    image[at + 82] = 0
    root = struct.pack(">HH", 1, 1) + bytes(8 * room) + struct.pack(">Q", place)
    image[at + 176 : at + 176 + len(root)] = root


@pytest.mark.parametrize("many", ["nrext64=0", "nrext64=1"])
def test_a_file_in_many_pieces(tree, tmp_path, many):
    data = beginning(xfs(tmp_path / "image", tree, "-i", many), 48 << 20)
    number = XfsFiles(Held(bytes(data)))
    node = FileView(number).find("/large")
    assert node is not None
    in_a_tree(data, int(node[1].key))
    assert FileView(XfsFiles(Held(bytes(data)))).data("/large", 1 << 20) == LARGE


def test_a_disk_s_root_may_be_xfs(tmp_path):
    root = images.root_tree(tmp_path / "root")
    found = disk.look(xfs(tmp_path / "disk", root))
    assert found.view is not None
    assert found.notes == ()
    assert found.view.text("/etc/hostname") == "box\n"


def test_features_of_later_kernels_are_refused(image):
    data = beginning(image, 1 << 20)
    struct.pack_into(">I", data, 216, 0x10001)
    with pytest.raises(UserError, match="does not know"):
        XfsFiles(Held(bytes(data)))


@pytest.fixture(scope="module")
def begin(image) -> bytes:
    return bytes(beginning(image, 4 << 20))


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(min_size=1, max_size=8)), max_size=12))
def test_damaged_xfs_ends(begin, where):
    data = bytearray(begin)
    for at, new in where:
        data[at : at + len(new)] = new
    with contextlib.suppress(UserError):
        _walk(FileView(XfsFiles(Held(bytes(data)))), "/")
