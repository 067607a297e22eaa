# SPDX-License-Identifier: MIT
"""XFS, Btrfs and F2FS: equal bytes twice, in any folder; sound and read back by their own tools; a log to replay."""

import contextlib
import filecmp
import os
import re
import stat
import struct
import subprocess
import time

import pytest

from bootlab.builders.images import btrfs, f2fs, f2fs_inodes, formats, steady, tool, xfs, xfs_log
from bootlab.builders.images.members import root_of
from bootlab.errors import EnvironmentFault, UserError
from bootlab.model.storage import Storage
from bootlab.model.tree import Entry, FileTree
from tests.builders.images.test_tools import have, said
from tests.builders.images.trees import expected

needs_xfs = pytest.mark.skipif(
    not have("mkfs.xfs", "xfs_db", "xfs_logprint", "cc"),
    reason="no xfsprogs or gcc: scripts/setup-debian.sh filesystems",
)
needs_btrfs = pytest.mark.skipif(
    not have("mkfs.btrfs", "fakeroot", "cc"),
    reason="no btrfs-progs, fakeroot or gcc: scripts/setup-debian.sh filesystems",
)
needs_f2fs = pytest.mark.skipif(
    not have("mkfs.f2fs", "sload.f2fs", "fakeroot"),
    reason="no f2fs-tools or fakeroot: scripts/setup-debian.sh filesystems",
)


@pytest.fixture
def tree(tmp_path) -> FileTree:
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 100 + b"end of it")
    return FileTree.of(
        {
            "/bin/app": Entry(kind="file", source=str(tmp_path / "binary"), mode=0o4755, uid=3, gid=400),
            "/bin/sh": Entry(kind="symlink", target="app", mode=0o777),
            "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
            "/dev/sda": Entry(kind="block", mode=0o660, gid=6, major=8, minor=300),
            "/etc/grüße": Entry(kind="file", text="grüße\n", mode=0o2640),
            "/etc/empty": Entry(kind="file", text="", mode=0o400),
            "/run/pipe": Entry(kind="fifo", mode=0o622),
            "/tmp": Entry(kind="dir", mode=0o1777, uid=70000, gid=70001),
        }
    )


def twice(make, tmp_path):
    """Make an image a second later in another folder: neither clock nor place nor inode numbers may get into it."""
    other = tmp_path / "a folder" / "deeper"
    other.mkdir(parents=True)
    make(tmp_path / "image")
    time.sleep(1.05)
    make(other / "image")
    assert filecmp.cmp(tmp_path / "image", other / "image", shallow=False)
    assert (tmp_path / "image").stat().st_blocks * 512 < 16 << 20, "an image that is mostly empty takes no room"


def stored(image) -> bytes:
    """Return what an image holds between its holes."""
    parts, end = [], 0
    with image.open("rb", buffering=0) as stream, contextlib.suppress(OSError):
        # Behind the last data there is none to be found, which is an error.
        while True:
            start = os.lseek(stream.fileno(), end, os.SEEK_DATA)
            end = os.lseek(stream.fileno(), start, os.SEEK_HOLE)
            parts.append(os.pread(stream.fileno(), end - start, start))
    return b"".join(parts)


@needs_xfs
@pytest.mark.slow
def test_xfs_repeats_and_is_read_back(tree, tmp_path):
    image = tmp_path / "image"
    twice(lambda path: xfs.write(tree, path), tmp_path)
    said("xfs_repair", "-n", str(image))
    assert image.stat().st_size == 300 << 20
    fields = ("mode", "uid", "gid", "size")
    for path, (mode, uid, gid, content, major, minor) in expected(tree).items():
        show = [word for field in fields for word in ("-c", f"p core.{field}")]
        shown = said("xfs_db", "-r", "-c", f"path {path}", *show, "-c", "p u3", str(image))
        found = dict(re.findall(r"core\.(\w+) = (\w+)", shown))
        assert (int(found["mode"], 8), int(found["uid"]), int(found["gid"])) == (mode, uid, gid), path
        if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
            assert int(found["size"]) == len(content), path
        if major:
            # sysv_encode_dev: 18 bits of the minor number.
            assert int(re.search(r"u3.dev = (\w+)", shown)[1], 0) == major << 18 | minor
    assert (tmp_path / "binary").read_bytes() in stored(image)


@needs_xfs
@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"/a b": Entry(kind="file", text="x")}, "allows no spaces in names"),
        ({"/a\nb": Entry(kind="file", text="x")}, "allows no spaces in names"),
        ({"/:": Entry(kind="file", text="x")}, "cannot be put"),
        ({"/$": Entry(kind="dir")}, "cannot be put"),
        ({"/a": Entry(kind="symlink", target="b c")}, "cannot be put"),
        ({"/a": Entry(kind="symlink", target="x" * 337)}, "337 bytes"),
    ],
)
def test_what_a_prototype_cannot_say_is_refused(entries, words, tmp_path):
    with pytest.raises(UserError, match=words):
        xfs.write(FileTree.of(entries), tmp_path / "image")


def test_xfs_has_room_for_a_file_in_one_piece(tmp_path):
    with (tmp_path / "large").open("wb") as out:
        out.truncate(1 << 30)
    tree = FileTree.of({"/large": Entry(kind="file", source=str(tmp_path / "large"))})
    assert xfs.size_kib(tree) > 4 << 20
    with (tmp_path / "large").open("wb") as out:
        out.truncate(xfs.FILE_MAX_BYTES + 1)
    if have("mkfs.xfs", "xfs_db"):
        with pytest.raises(UserError, match="files below 2 GiB"):
            xfs.write(tree, tmp_path / "image")


@needs_xfs
@pytest.mark.slow
def test_an_unclean_log_holds_blocks_of_the_image_as_they_are(tree, tmp_path):
    image = tmp_path / "image"
    twice(lambda path: xfs.write(tree, path, replayed_kib=512), tmp_path)
    printed = said("xfs_logprint", "-t", str(image))
    blocks = re.findall(r"start blkno:(0x[0-9a-f]+)\s+len:(\d+)\s+bmap size:1", printed)
    assert len(blocks) == 512 // 4
    assert printed.count("TRANS:") == 32
    data, magics = stored(image), set()
    with image.open("rb") as stream:
        for place, length in blocks:
            stream.seek(int(place, 16) * 512)
            block = stream.read(int(length) * 512)
            magics.add(block[:4])
            # The log has another word at the start of each sector.
            in_both = [part for part in (block[:24], block[24:56]) if data.count(part) >= 2]
            assert in_both, "once in its place and once in the log"
    assert magics == {b"AB3B", b"AB3C", b"IAB3", b"FIB3"}


@needs_xfs
def test_xfs_log_refuses_what_is_no_xfs(tmp_path):
    path = tmp_path / "image"
    path.write_bytes(bytes(4096))
    with pytest.raises(EnvironmentFault, match="without a superblock"):
        xfs_log.leave_unclean(path, 4096)
    xfs.write(FileTree(), path)
    with path.open("r+b") as image:
        image.seek(512)
        image.write(b"none")
    with pytest.raises(EnvironmentFault, match="unexpected layout"):
        xfs_log.leave_unclean(path, 4096)


def test_the_checksum_is_castagnolis():
    # RFC 3720, B.4.
    assert xfs_log.crc32c(bytes(32)) == 0x8A9136AA
    assert xfs_log.crc32c(b"\xff" * 32) == 0x62A8AB43


@needs_btrfs
def test_btrfs_repeats_and_is_read_back(tree, tmp_path):
    image = tmp_path / "image"
    (tmp_path / "root").mkdir()
    (tmp_path / "root/one").write_bytes(b"two names")
    os.link(tmp_path / "root/one", tmp_path / "root/two")
    for name in ("one", "two"):
        tree = tree.put(f"/{name}", Entry(kind="file", text="two names", linked="/one"))
    twice(lambda path: btrfs.write(tree, path), tmp_path)
    said("btrfs", "check", str(image))
    dumped = said("btrfs", "inspect-internal", "dump-tree", "-t", "fs", str(image))
    modes = re.findall(r"mode (\d+) links (\d+) uid (\d+) gid (\d+)", dumped)
    wanted = {(m.mode, 1 if m.entry.kind == "dir" else m.names, m.entry.uid, m.entry.gid) for m in root_of(tree).walk()}
    assert {(int(mode, 8), int(links), int(uid), int(gid)) for mode, links, uid, gid in modes} == wanted
    assert len(modes) == len(tree.entries) + 1 + 4 - 1, "folders above, and one inode less than names"
    (tmp_path / "out").mkdir()
    said("btrfs", "restore", "-S", str(image), str(tmp_path / "out"))
    for path, (mode, _, _, content, _, _) in expected(tree).items():
        if stat.S_ISREG(mode):
            assert (tmp_path / "out" / path[1:]).read_bytes() == content
    assert not set(re.findall(r"[acmo]time (\d+)\.", dumped)) - {"0"}


def f2fs_inodes_of(image) -> dict[str, bytes]:
    with image.open("rb") as stream:
        stream.seek(1024)
        (main,) = struct.unpack_from("<I", stream.read(128), 92)
        inodes = f2fs_inodes._inodes(stream, main * 4096)
    return {path: inodes[number][-1].block for path, number in f2fs_inodes._numbers(inodes, 3).items()}


@needs_f2fs
def test_f2fs_repeats_and_is_sound(tree, tmp_path):
    image = tmp_path / "image"
    twice(lambda path: f2fs.write(tree, path), tmp_path)
    shown = said("fsck.f2fs", "--dry-run", str(image))
    assert "ERR" not in shown.upper(), shown
    inodes = int(re.search(r"valid_inode_count matched with CP\s+\[Ok..\] \[0x(\w+)\]", shown)[1], 16)
    assert inodes == len(list(root_of(tree).walk()))
    numbers = f2fs_inodes_of(image)
    for path, (mode, uid, gid, content, major, minor) in expected(tree).items():
        inode = numbers[path]
        assert struct.unpack_from("<HxxII", inode) == (mode, uid, gid), path
        if stat.S_ISREG(mode):
            assert struct.unpack_from("<Q", inode, 16) == (len(content),)
        if major:
            assert struct.unpack_from("<II", inode, 360) == (0, major << 8 | minor & 0xFF | minor >> 8 << 20)
    data = stored(image)
    assert (tmp_path / "binary").read_bytes()[:4096] in data
    assert b"Linux version" not in data


@pytest.mark.parametrize(
    ("id_", "least", "words"), [("xfs", 300, "XFS"), ("btrfs", 128, "Btrfs"), ("f2fs", 64, "F2FS")]
)
def test_a_partition_that_is_too_small_is_said_before_anything_is_made(id_, least, words, tmp_path):
    with pytest.raises(UserError, match=rf"the {words} image of this tree is {least << 10} KiB"):
        formats.BY_ID[id_].make(FileTree(), tmp_path / "image", Storage())


def test_a_library_that_is_not_preloaded_is_an_error(tmp_path):
    with pytest.raises(EnvironmentFault, match="makes its image reproducible"):
        tool.run(["/bin/sh", "-c", "true"], environ={"LD_PRELOAD": "nonesuch-steady.so"})


@pytest.mark.skipif(not have("cc"), reason="no C compiler: scripts/setup-debian.sh build")
def test_files_are_numbered_as_they_are_met_and_have_no_times(tmp_path):
    paths = steady.search_paths("to test it")
    (tmp_path / "x.c").write_text(
        "#include <stdio.h>\n#include <sys/stat.h>\n#include <dirent.h>\n#include <time.h>\n"
        "int main(int c, char **v) { struct stat s; for (int i = 1; i < c; i++) { lstat(v[i], &s);"
        ' printf("%lu %ld\\n", (unsigned long)s.st_ino, (long)s.st_mtime); }'
        " struct dirent **d; int n = scandir(v[1], &d, 0, 0);"
        ' for (int i = 0; i < n; i++) puts(d[i]->d_name); printf("%ld\\n", (long)time(0)); }'
    )
    subprocess.run(["cc", "-o", str(tmp_path / "x"), str(tmp_path / "x.c")], check=True)
    folder = tmp_path / "folder"
    folder.mkdir()
    names = [f"f{number}" for number in range(1500)]
    for name in reversed(names):
        (folder / name).touch()
    files = [str(folder / name) for name in names]
    told = tool.run([str(tmp_path / "x"), str(folder), *files, files[0]], environ=paths).splitlines()
    assert told[:1501] == [f"{number} 0" for number in range(1, 1502)]
    assert told[1501] == "2 0", "the same file again"
    assert told[1502:-1] == sorted([".", "..", *names])
    assert told[-1] == "0"


FORMATS = [
    pytest.param(xfs, marks=needs_xfs),
    pytest.param(btrfs, marks=needs_btrfs),
    pytest.param(f2fs, marks=needs_f2fs),
]


@pytest.mark.parametrize("form", FORMATS)
def test_odd_names_are_kept(form, tmp_path):
    names = ["n" * 255, "-rf", "--", "quo\"te's", "back\\slash", "$HOME", "*?[a]", "ä€😀", "a;b|c&d", "#x", "a:b"]
    if form is not xfs:
        names += ["a  b", "a\tb", "line\nbreak"]
    form.write(FileTree.of({f"/{name}": Entry(kind="file", text=name) for name in names}), tmp_path / "image")
    data = stored(tmp_path / "image")
    for name in names:
        assert data.count(name.encode()) >= 2, name


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_vanishes(form, tmp_path):
    tree = FileTree.of({"/a": Entry(kind="file", source=str(tmp_path / "gone"))})
    with pytest.raises(UserError, match=r"gone.* cannot be read"):
        form.write(tree, tmp_path / "image")
