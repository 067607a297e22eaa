# SPDX-License-Identifier: MIT
"""Images made by Debian's programs: equal bytes twice, read back by the file systems' own tools, clear errors."""

import re
import shutil
import stat
import subprocess
import time
import zlib

import pytest

from bootlab.builders.images import erofs, ext, formats, squashfs, tool, ubifs
from bootlab.builders.images.members import content_of, root_of
from bootlab.errors import EnvironmentFault, ToolMissing, UserError
from bootlab.model.tree import Entry, FileTree
from tests.builders.images.trees import expected

SBIN = "/usr/local/sbin:/usr/sbin:/sbin"


def have(*programs: str) -> bool:
    return all(shutil.which(p) or shutil.which(p, path=SBIN) for p in programs)


needs_squashfs = pytest.mark.skipif(
    not have("mksquashfs", "unsquashfs"), reason="squashfs-tools is not installed: scripts/setup-debian.sh filesystems"
)
needs_ext = pytest.mark.skipif(
    not have("mke2fs", "debugfs", "e2fsck"), reason="e2fsprogs is not installed: scripts/setup-debian.sh filesystems"
)
needs_ubifs = pytest.mark.skipif(
    not have("mkfs.ubifs", "ubinize", "fakeroot"),
    reason="no mtd-utils or fakeroot: scripts/setup-debian.sh filesystems",
)
needs_erofs = pytest.mark.skipif(
    not have("mkfs.erofs", "fsck.erofs", "fakeroot"),
    reason="no erofs-utils or fakeroot: scripts/setup-debian.sh filesystems",
)


@pytest.fixture
def tree(tmp_path) -> FileTree:
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 100 + bytes(9000) + b"end")
    return FileTree.of(
        {
            "/bin/app": Entry(kind="file", source=str(tmp_path / "binary"), mode=0o4755, uid=3, gid=400),
            "/bin/same": Entry(kind="file", source=str(tmp_path / "binary"), mode=0o755),
            "/bin/sh": Entry(kind="symlink", target="app", mode=0o777),
            "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
            "/dev/sda": Entry(kind="block", mode=0o660, gid=6, major=8, minor=300),
            '/etc/a "quoted"  name': Entry(kind="file", text="grüße\n", mode=0o644),
            "/etc/<12>": Entry(kind="file", text="", mode=0o400),
            "/etc/loop": Entry(kind="symlink", target="loop", mode=0o777),
            "/run/pipe": Entry(kind="fifo", mode=0o622),
            "/tmp": Entry(kind="dir", mode=0o1777, uid=70000, gid=70001),
        }
    )


def said(*command: str) -> str:
    program = shutil.which(command[0]) or shutil.which(command[0], path=SBIN)
    assert program
    done = subprocess.run(
        [program, *command[1:]], capture_output=True, check=False, env={"LC_ALL": "C.UTF-8", "TZ": "UTC"}
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout.decode()


def twice(make, path):
    make(path)
    first = path.read_bytes()
    time.sleep(1.05)  # A second later: no clock may get into an image.
    make(path)
    assert path.read_bytes() == first


@needs_squashfs
@pytest.mark.parametrize("compressor", ["gzip", "lz4", "none"])
def test_squashfs_is_read_back(tree, tmp_path, compressor):
    image = tmp_path / "image"
    twice(lambda path: squashfs.write(tree, path, compressor=compressor), image)
    listed = {}
    for line in said("unsquashfs", "-lln", str(image)).splitlines():
        if "squashfs-root/" in line:
            left, _, path = line.partition(" squashfs-root/")
            words = left.split()
            listed["/" + path.split(" -> ")[0]] = (words[0], words[1], words[2].rstrip(","))
    members = {m.path: m for m in root_of(tree).walk()}
    assert listed.keys() == members.keys() - {"/"}
    for path, (mode, owner, size) in listed.items():
        member = members[path]
        assert mode == stat.filemode(member.mode)
        assert owner == f"{member.entry.uid}/{member.entry.gid}"
        if member.entry.kind == "file":
            assert int(size) == len(content_of(member))
            assert said("unsquashfs", "-cat", str(image), path).encode() if member.entry.text else True
    assert "squashfs-root/etc/<12>" in said("unsquashfs", "-lln", str(image))


@needs_ext
@pytest.mark.parametrize("kind", ["ext2", "ext3", "ext4"])
def test_ext_is_sound_and_read_back(tree, tmp_path, kind):
    image = tmp_path / "image"
    twice(lambda path: ext.write(tree, path, kind=kind, size_kib=4096), image)
    said("e2fsck", "-fn", str(image))
    for path, (mode, uid, gid, content, major, minor) in expected(tree).items():
        quoted = path.replace('"', '""')
        shown = said("debugfs", "-R", f'stat "{quoted}"', str(image))
        assert re.search(rf"Mode: +0*{mode & 0o7777:o} ", shown)
        assert f"User: {uid:5}   Group: {gid:5}" in shown
        if stat.S_ISREG(mode):
            said("debugfs", "-R", f'dump "{quoted}" {tmp_path / "out"}', str(image))
            assert (tmp_path / "out").read_bytes() == content
        elif stat.S_ISLNK(mode):
            assert f'"{content.decode()}"' in shown
        elif major:
            assert f"Device major/minor number: {major:02d}:{minor:02d}" in shown


@needs_ext
def test_an_ext_image_that_is_too_small_is_a_clear_error(tree, tmp_path):
    big = tree.put("/big", Entry(kind="file", text="0123456789abcdef" * 200_000))
    with pytest.raises(UserError, match=r"fit|space|allocate"):
        ext.write(big, tmp_path / "image", kind="ext2", size_kib=1024)


@needs_ext
def test_an_unclean_image_has_a_journal_to_replay_and_the_same_tree_afterwards(tree, tmp_path):
    image = tmp_path / "image"
    twice(lambda path: ext.write(tree, path, kind="ext4", size_kib=4096, replayed_kib=512), image)
    assert "needs_recovery" in said("dumpe2fs", "-h", str(image))
    program = shutil.which("e2fsck", path=SBIN)
    assert program
    done = subprocess.run([program, "-fy", str(image)], capture_output=True, check=False)
    assert b"recovering journal" in done.stdout
    said("e2fsck", "-fn", str(image))
    said("debugfs", "-R", f"dump /bin/same {tmp_path / 'out'}", str(image))
    assert (tmp_path / "out").read_bytes() == (tmp_path / "binary").read_bytes()


@needs_ext
def test_a_name_with_a_line_break_is_refused(tmp_path):
    broken = FileTree.of({"/a\nwrite /etc/shadow x": Entry(kind="file", text="")})
    with pytest.raises(UserError, match="control character"):
        ext.write(broken, tmp_path / "image", kind="ext2", size_kib=1024)


@needs_erofs
@pytest.mark.parametrize("compression", ["", "lz4hc"])
def test_erofs_is_sound(tree, tmp_path, compression):
    image = tmp_path / "image"
    twice(lambda path: erofs.write(tree, path, compression=compression), image)
    said("fsck.erofs", str(image))
    files = FileTree(tuple((p, e) for p, e in tree.entries if e.kind == "file"))
    erofs.write(files, image, compression=compression)
    said("fsck.erofs", f"--extract={tmp_path / 'out'}", "--no-preserve", str(image))
    for path, found in expected(files).items():
        if stat.S_ISREG(found[0]):
            assert (tmp_path / "out" / path[1:]).read_bytes() == found[3]


@needs_ubifs
def test_ubifs_repeats_and_every_block_has_its_header(tree, tmp_path):
    image = tmp_path / "image"
    twice(lambda path: ubifs.write(tree, path, erase_bytes=256 << 10, room_bytes=8 << 20), image)
    data = image.read_bytes()
    assert {data[at : at + 4] for at in range(0, len(data), 256 << 10)} == {b"UBI#"}
    filler = ubifs.filler(image, 256 << 10)
    assert filler[:64] == data[:64]
    assert filler[64:] == b"\xff" * (len(filler) - 64)
    nodes = 0
    at = data.find(b"\x31\x18\x10\x06")
    while at >= 0:
        length = int.from_bytes(data[at + 16 : at + 20], "little")
        if 24 < length <= len(data) - at:
            checksum = zlib.crc32(data[at + 8 : at + length]) ^ 0xFFFFFFFF
            assert data[at + 4 : at + 8] == checksum.to_bytes(4, "little")
            nodes += 1
        at = data.find(b"\x31\x18\x10\x06", at + 8)
    assert nodes > len(tree.entries)


def test_a_missing_program_is_named_with_its_package():
    with pytest.raises(ToolMissing, match=r"mkfs\.nonesuch") as caught:
        tool.find("mkfs.nonesuch", "nonesuch-utils", "to make images")
    assert "apt-get install nonesuch-utils" in caught.value.hint


def test_what_a_program_says_is_kept_in_the_error():
    with pytest.raises(EnvironmentFault, match="code 3: on fire"):
        tool.run(["/bin/sh", "-c", "echo on fire >&2; exit 3"])


def test_every_format_has_its_own_id():
    ids = [form.id for form in formats.FORMATS]
    assert len(ids) == len(set(ids))
