# SPDX-License-Identifier: MIT
"""Trees that are hard to pack: odd names, hard links, holes, deep folders, loops. Right image or a clear error."""

import contextlib
import io
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

from bootlab.builders import cpio
from bootlab.builders.cache import Cache
from bootlab.builders.dirtree import read_directory
from bootlab.builders.images import cramfs, erofs, ext, formats, jffs2, romfs, squashfs, ubifs
from bootlab.builders.initramfs import build_initramfs
from bootlab.errors import BootlabError, UserError
from bootlab.formats.archive import unpack
from bootlab.model.storage import Storage
from bootlab.model.system import Initramfs
from bootlab.model.tree import Entry, FileTree
from tests.builders.images import test_cramfs, test_jffs2, test_romfs
from tests.builders.images.test_tools import have, needs_erofs, needs_ext, needs_squashfs, needs_ubifs, said
from tests.builders.images.trees import expected

ODD_NAMES = [
    "-rf",
    "--",
    "a  b",
    "a\tb",
    "quo\"te's",
    "back\\slash",
    "$HOME `x`",
    "*?[a]",
    "ä€😀",
    "\u202egnp",
    "a;b|c&d",
    "#x",
]
# What packs, and what shows what was packed.
PROGRAMS = {
    "squashfs": ("mksquashfs", "unsquashfs"),
    "erofs": ("mkfs.erofs", "dump.erofs", "fakeroot"),
    "ubifs": ("mkfs.ubifs", "ubinize", "fakeroot"),
    "ext": ("mke2fs", "debugfs"),
    "xfs": ("mkfs.xfs", "xfs_db"),
    "btrfs": ("mkfs.btrfs", "fakeroot"),
    "f2fs": ("mkfs.f2fs", "sload.f2fs", "fakeroot"),
}
LINE_BREAK = "line\nbreak"
GIB_4 = 4 << 30


def needs_programs_of(id_: str) -> None:
    """Skip a test on a machine that lacks a program of this format; bootlab packs the other formats itself."""
    missing = [p for kind, names in PROGRAMS.items() if id_.startswith(kind) for p in names if not have(p)]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed: scripts/setup-debian.sh filesystems")


@pytest.fixture
def folder(tmp_path):
    """A folder with everything but names that not all formats can hold."""
    root = tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    for name in ODD_NAMES:
        (root / "etc" / name).write_bytes(name.encode() * 3)
        (root / "etc" / f"{name}.link").symlink_to(name)
    (root / "bin").mkdir()
    (root / "bin/one").write_bytes(b"one file, three names" * 400)
    os.link(root / "bin/one", root / "bin/two")
    os.link(root / "bin/one", root / "etc/three")
    (root / "empty").write_bytes(b"")
    os.link(root / "empty", root / "empty too")
    (root / "nothing").mkdir()
    (root / "self").symlink_to("self")
    (root / "ping").symlink_to("pong")
    (root / "pong").symlink_to("./ping")
    (root / "up").symlink_to("../" * 40 + "etc")
    os.mkfifo(root / "fifo")
    deep = root
    for number in range(40):
        deep /= f"deeper{number}"
    deep.mkdir(parents=True)
    (deep / "file").write_bytes(b"down here")
    with (root / "holes").open("wb") as out:
        out.write(b"begin")
        out.seek(3 << 20)
        out.write(b"end")
        out.truncate(6 << 20)
    return root


@pytest.fixture
def tree(folder) -> FileTree:
    nodes = {
        "/dev/null": Entry(kind="char", major=1, minor=3, mode=0o666),
        "/dev/sda": Entry(kind="block", major=8, minor=0, mode=0o660),
    }
    return FileTree.of({**read_directory(folder).as_dict(), **nodes})


def on_disk(root) -> dict[str, tuple]:
    """What an unpacked tree holds: type and permissions, contents or target, how many names."""
    found = {}
    for path in root.rglob("*"):
        status = path.lstat()
        content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        names = status.st_nlink if stat.S_ISREG(status.st_mode) else 1
        found["/" + str(path.relative_to(root))] = (status.st_mode, content, names)
    return found


def wanted(tree: FileTree) -> dict[str, tuple]:
    names = {"/bin/one": 3, "/bin/two": 3, "/etc/three": 3, "/empty": 2, "/empty too": 2}
    return {path: (found[0], found[3], names.get(path, 1)) for path, found in expected(tree).items()}


def without_nodes(tree: FileTree) -> FileTree:
    return FileTree(tuple((p, e) for p, e in tree.entries if e.kind not in {"char", "block"}))


def test_a_folder_tells_its_hard_links(tree):
    entries = tree.as_dict()
    assert {p for p, e in entries.items() if e.linked == "/bin/one"} == {"/bin/one", "/bin/two", "/etc/three"}
    assert entries["/empty too"].linked == "/empty"
    assert not entries["/holes"].linked


def test_an_archive_is_read_back_with_its_hard_links_and_by_cpio(tree, tmp_path):
    tree = tree.put("/" + LINE_BREAK, Entry(kind="file", text="x", mode=0o600)).put("/" + "n" * 255, Entry(kind="dir"))
    archive = tmp_path / "archive"
    with archive.open("wb") as out:
        cpio.write(tree, out)
    back = unpack(archive, tmp_path / "store")
    assert expected(back) == expected(tree)
    assert {p: e.linked for p, e in back.entries if e.linked} == {p: e.linked for p, e in tree.entries if e.linked}
    if have("cpio"):
        (tmp_path / "out").mkdir()
        subprocess.run(
            ["cpio", "-idm", "--quiet", "--no-absolute-filenames"],
            input=archive.read_bytes(), cwd=tmp_path / "out", check=False, capture_output=True,
        )  # fmt: skip
        assert (tmp_path / "out/etc/three").stat().st_nlink == 3
    # The contents of three names are stored once.
    copies = FileTree(
        tuple((p, Entry(**{f: getattr(e, f) for f in e.__struct_fields__ if f != "linked"})) for p, e in tree.entries)
    )
    more = io.BytesIO()
    cpio.write(copies, more)
    assert len(more.getvalue()) - archive.stat().st_size > 2 * 8000


@pytest.mark.parametrize("module", [cramfs, romfs, jffs2], ids=["cramfs", "romfs", "jffs2"])
def test_formats_of_our_own_are_read_back(module, tree):
    tree = tree.put("/" + LINE_BREAK, Entry(kind="file", text="x"))
    test = {cramfs: test_cramfs, romfs: test_romfs, jffs2: test_jffs2}[module]
    image = test.packed(tree)
    read = test.unpacked(image)
    if module is not romfs:
        assert read == expected(tree)
    else:
        assert {path: found[2] for path, found in read.items()} == {p: found[3] for p, found in expected(tree).items()}
    # Holes and further names take no room; romfs knows no holes.
    content = sum(len(e.text or "") for _, e in tree.entries)
    assert len(image) < content + (6 << 20 if module is romfs else 0) + (300 << 10)


@needs_squashfs
def test_squashfs_keeps_links_and_holes(tree, tmp_path):
    tree = tree.put("/" + LINE_BREAK, Entry(kind="file", text="x", mode=0o640)).put("/" + "n" * 255, Entry(kind="dir"))
    size = squashfs.write(tree, tmp_path / "image")
    assert size < 100 << 10
    said("unsquashfs", "-q", "-n", "-d", str(tmp_path / "out"), str(tmp_path / "image"))
    assert on_disk(tmp_path / "out") == wanted(tree)


@needs_erofs
@pytest.mark.parametrize("compression", ["", "lz4hc"])
def test_erofs_keeps_links(tree, tmp_path, compression):
    tree = without_nodes(tree).put("/" + LINE_BREAK, Entry(kind="file", text="x", mode=0o640))
    erofs.write(tree, tmp_path / "image", compression=compression)
    # Its own checker unpacks no fifo and no second name of an empty file, so names are asked for one by one.
    assert re.search(r"Links: 3", said("dump.erofs", "--path=/bin/two", str(tmp_path / "image")))
    plain = FileTree(tuple((p, e) for p, e in tree.entries if e.kind in {"file", "dir"} and not e.linked))
    erofs.write(plain, tmp_path / "image", compression=compression)
    said("fsck.erofs", f"--extract={tmp_path / 'out'}", str(tmp_path / "image"))
    assert {p: f[1] for p, f in on_disk(tmp_path / "out").items()} == {p: f[1] for p, f in wanted(plain).items()}


@needs_ubifs
def test_ubifs_holds_every_name_and_counts_links(tree, tmp_path):
    tree = tree.put("/" + LINE_BREAK, Entry(kind="file", text="x"))
    ubifs.write(tree, tmp_path / "image", erase_bytes=256 << 10, room_bytes=16 << 20)
    data = (tmp_path / "image").read_bytes()
    names, links, at = set(), set(), data.find(b"\x31\x18\x10\x06")
    while at >= 0:
        kind, length = data[at + 20], int.from_bytes(data[at + 16 : at + 20], "little")
        if kind == 2:
            size = int.from_bytes(data[at + 50 : at + 52], "little")
            names.add(data[at + 56 : at + 56 + size].decode())
        elif kind == 0 and length >= 160:
            links.add(int.from_bytes(data[at + 92 : at + 96], "little"))
        at = data.find(b"\x31\x18\x10\x06", at + 8)
    assert names >= {path.rpartition("/")[2] for path, _ in tree.entries}
    assert {2, 3} <= links


@needs_ext
@pytest.mark.parametrize("kind", ["ext2", "ext4"])
def test_ext_keeps_links_and_holes(tree, tmp_path, kind):
    image = tmp_path / "image"
    tree = FileTree(tuple((p, e) for p, e in tree.entries if "\t" not in p))
    ext.write(tree, image, kind=kind, size_kib=formats.ext_kib(tree))
    said("e2fsck", "-fn", str(image))
    shown = said("debugfs", "-R", "stat /etc/three", str(image))
    assert re.search(r"Links: 3 ", shown)
    assert int(re.search(r"Blockcount: (\d+)", said("debugfs", "-R", "stat /holes", str(image)))[1]) < 64
    for path in ("/bin/two", "/etc/-rf", "/etc/ä€😀", "/holes", "/etc/back\\slash"):
        said("debugfs", "-R", f'dump "{path}" {tmp_path / "out"}', str(image))
        assert (tmp_path / "out").read_bytes() == expected(tree)[path][3]


@needs_ext
@pytest.mark.parametrize("kind", ["ext2", "ext3", "ext4"])
@pytest.mark.parametrize("entries", [{}, {"/init": Entry(kind="file", text="x")}], ids=["empty", "tiny"])
def test_the_smallest_trees(tmp_path, kind, entries):
    tree = FileTree.of(entries)
    ext.write(tree, tmp_path / "image", kind=kind, size_kib=formats.ext_kib(tree))
    said("e2fsck", "-fn", str(tmp_path / "image"))


@needs_ext
@pytest.mark.parametrize("kind", ["ext2", "ext4"])
def test_an_ext_image_of_many_groups_has_an_inode_for_every_file(tmp_path, kind):
    # 46 groups of blocks: mke2fs rounds the 465 inodes that are asked for down to 8 in each group.
    tree = FileTree.of({f"/{number}": Entry(kind="file", text="") for number in range(400)})
    ext.write(tree, tmp_path / "image", kind=kind, size_kib=46 << 13)
    said("e2fsck", "-fn", str(tmp_path / "image"))
    assert (
        len(re.findall(r"^/\d+/100755/", said("debugfs", "-R", "ls -p /", str(tmp_path / "image")), re.MULTILINE))
        == 400
    )


@pytest.mark.parametrize("form", formats.FORMATS, ids=lambda form: form.id)
def test_an_empty_tree(form, tmp_path):
    needs_programs_of(form.id)
    storage = Storage(root_kib=8192 if form.behind == "ubi" else 1 << 20)
    assert form.make(FileTree(), tmp_path / "image", storage) == (tmp_path / "image").stat().st_size


@pytest.mark.parametrize(
    "id_", ["squashfs-gzip", "erofs", "ext4", "jffs2", "cramfs", "romfs", "ubifs", "xfs", "btrfs", "f2fs"]
)
def test_a_file_that_vanishes(id_, tmp_path):
    needs_programs_of(id_)
    tree = FileTree.of({"/a": Entry(kind="file", source=str(tmp_path / "gone"))})
    with pytest.raises(UserError, match=r"gone.* cannot be read"):
        formats.BY_ID[id_].make(tree, tmp_path / "image", Storage())
    with pytest.raises(UserError, match=r"gone.* cannot be read"):
        build_initramfs(Initramfs(tree=tree), Cache(tmp_path / "cache"))


@pytest.mark.parametrize("id_", ["cramfs", "romfs", "jffs2", "ext2"])
def test_4_gb_of_holes_are_packed_or_refused_before_they_are_read(id_, tmp_path):
    needs_programs_of(id_)
    source = tmp_path / "large"
    with source.open("wb") as out:
        out.write(b"begin")
        out.truncate(GIB_4)
    tree = FileTree.of({"/large": Entry(kind="file", source=str(source))})
    form = formats.BY_ID[id_]
    if id_ == "ext2":
        assert form.make(tree, tmp_path / "image", Storage()) == 4 << 20
        assert f"Size: {GIB_4}" in said("debugfs", "-R", "stat /large", str(tmp_path / "image"))
    else:
        with pytest.raises(UserError, match=r"/large is 4294967296 bytes; \w+ allows"):
            form.make(tree, tmp_path / "image", Storage())
    with pytest.raises(UserError, match="an initramfs can hold files up to 4294967295"):
        build_initramfs(Initramfs(tree=tree), Cache(tmp_path / "cache"))


LONG_LINK = FileTree.of({"/long": Entry(kind="symlink", target="x" * 4000)})


@pytest.mark.parametrize("id_", ["squashfs-gzip", "erofs", "ext2", "ext4", "jffs2", "cramfs", "romfs", "ubifs"])
def test_long_targets_are_kept_or_refused(id_, tmp_path):
    needs_programs_of(id_)
    if id_.startswith("ext"):
        with pytest.raises(UserError, match="the target of /long is 4000 bytes"):
            formats.BY_ID[id_].make(LONG_LINK, tmp_path / "image", Storage())
        return
    formats.BY_ID[id_].make(LONG_LINK, tmp_path / "image", Storage())
    if id_ == "squashfs-gzip":
        assert "x" * 4000 in said("unsquashfs", "-ll", str(tmp_path / "image"))
    elif id_ in {"romfs", "cramfs", "jffs2"}:
        test = {"cramfs": test_cramfs, "romfs": test_romfs, "jffs2": test_jffs2}[id_]
        assert test.unpacked(test.packed(LONG_LINK)).keys() == {"/long"}
    elif id_ == "erofs":
        assert "Size: 4000" in said("dump.erofs", "--path=/long", str(tmp_path / "image"))


@pytest.mark.parametrize("id_", ["squashfs-gzip", "ext4", "ubifs"])
def test_a_name_of_255_bytes_is_kept(id_, tmp_path):
    needs_programs_of(id_)
    tree = FileTree.of({"/" + "n" * 255: Entry(kind="file", text="x")})
    formats.BY_ID[id_].make(tree, tmp_path / "image", Storage())
    assert b"n" * 255 in (tmp_path / "image").read_bytes() or id_ == "squashfs-gzip"


@pytest.mark.parametrize(("id_", "most"), [("cramfs", 252), ("romfs", 127), ("jffs2", 254), ("erofs", 254)])
def test_a_name_that_is_too_long_is_refused(id_, most, tmp_path):
    needs_programs_of(id_)
    for size in (most, most + 1):
        tree = FileTree.of({"/" + "n" * size: Entry(kind="file", text="x")})
        if size == most:
            formats.BY_ID[id_].make(tree, tmp_path / "image", Storage())
        else:
            with pytest.raises(UserError, match=f"names up to {most} bytes"):
                formats.BY_ID[id_].make(tree, tmp_path / "image", Storage())


def test_names_that_are_no_utf8_are_a_clear_error(tmp_path):
    (tmp_path / "root").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path / "root") + b"/caf\xe9")).touch()
    with pytest.raises(UserError, match=r"caf\\udce9' is not UTF-8"):
        read_directory(tmp_path / "root")


def test_every_format_says_what_it_cannot_hold_as_one_of_our_errors(tree, tmp_path):
    """Whatever a tree holds, nothing but bootlab's own errors comes out."""
    for form in formats.FORMATS:
        if form.id not in {"cramfs-xip", "jffs2-summary", "jffs2-raw", "squashfs-raw"} or not have("mksquashfs"):
            continue
        for path in ("/" + "x" * 255, "/a\x01b", "/" + "/".join("d" * 200 for _ in range(18))):
            with contextlib.suppress(BootlabError):
                form.make(tree.put(path, Entry(kind="file", text="x", uid=70000)), tmp_path / "image", Storage())
