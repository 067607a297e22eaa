# SPDX-License-Identifier: MIT
"""Reading archives: what was written comes back; what the kernel takes is taken; what is hostile is refused."""

import contextlib
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from bootlab.builders import cpio
from bootlab.builders.compress import available, compress
from bootlab.errors import UserError
from bootlab.formats import archive, segments
from bootlab.formats.archive import unpack
from bootlab.model.tree import Entry, FileTree
from tests.examples import examples

TREE = {
    "/bin": Entry(kind="dir"),
    "/bin/sh": Entry(kind="symlink", target="busybox", mode=0o777),
    "/dev": Entry(kind="dir", mode=0o700, uid=1, gid=2),
    "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
    "/dev/loop0": Entry(kind="block", mode=0o600, major=7, minor=0),
    "/empty": Entry(kind="file", text="", mode=0o644),
    "/pipe": Entry(kind="fifo", mode=0o644),
}


def packed(entries: dict[str, Entry]) -> bytes:
    out = io.BytesIO()
    cpio.write(FileTree.of(entries), out)
    return out.getvalue()


def text(content: str, mode: int = 0o644) -> Entry:
    return Entry(kind="file", text=content, mode=mode)


def squeezed(tmp_path, data: bytes, compression) -> bytes:
    (tmp_path / "plain").write_bytes(data)
    compress(tmp_path / "plain", tmp_path / "squeezed", compression)
    return (tmp_path / "squeezed").read_bytes()


def read(tmp_path, data: bytes) -> dict[str, Entry]:
    (tmp_path / "archive").write_bytes(data)
    return unpack(tmp_path / "archive", tmp_path / "store").as_dict()


def contents(entry: Entry) -> bytes:
    if entry.source is None:
        return (entry.text or "").encode()
    return Path(entry.source).read_bytes()


def raw(name: bytes, body: bytes = b"", *, mode=0o100644, inode=1, links=1, size=None, magic=b"070701", rdev=(0, 0)):
    size = len(body) if size is None else size
    numbers = (inode, mode, 0, 0, links, 0, size, 0, 0, *rdev, len(name) + 1, 0)
    head = magic + b"".join(b"%08x" % n for n in numbers) + name + b"\0"
    return head + bytes(-len(head) % 4) + body + bytes(-len(body) % 4)


END = raw(b"TRAILER!!!", mode=0)


def test_what_was_written_comes_back(tmp_path):
    got = read(tmp_path, packed({**TREE, "/bin/app": text("x" * 5000, 0o755)}))
    assert contents(got["/bin/app"]) == b"x" * 5000
    assert got.pop("/bin/app").mode == 0o755
    assert got == TREE


def test_a_second_time_nothing_is_unpacked_again(tmp_path, monkeypatch):
    first = read(tmp_path, packed({"/a": text("1")}))
    monkeypatch.setattr(archive, "_unpack_once", None)
    assert read(tmp_path, packed({"/a": text("1")})) == first


@pytest.mark.parametrize("compression", available())
def test_every_compression_with_an_archive_before_and_behind(tmp_path, compression):
    middle = squeezed(tmp_path, packed({"/b": text("2" * 100_000), "/a": text("new")}), compression)
    data = packed({"/a": text("old")}) + middle + bytes(-len(middle) % 4 + 8) + packed({"/c": text("3")})
    got = read(tmp_path, data)
    assert {name: contents(entry) for name, entry in got.items()} == {"/a": b"new", "/b": b"2" * 100_000, "/c": b"3"}


@pytest.mark.parametrize("compression", [c for c in available() if c != "none"])
def test_every_compression_cut_off(tmp_path, compression):
    data = squeezed(tmp_path, packed({"/b": text("2" * 100_000)}), compression)
    with pytest.raises(UserError):
        read(tmp_path, data[: len(data) // 2])


@pytest.mark.parametrize("compression", [c for c in available() if c != "none"])
def test_every_compression_damaged(tmp_path, compression):
    data = bytearray(squeezed(tmp_path, packed({"/b": text("2" * 100_000)}), compression))
    for index in range(12, len(data), 3):
        data[index] ^= 0x55
    with pytest.raises(UserError):
        read(tmp_path, bytes(data))


@pytest.mark.parametrize("compression", ["gzip", "xz", "zstd"])
def test_a_bomb(tmp_path, compression, monkeypatch):
    monkeypatch.setattr(archive, "SIZE_MAX_BYTES", 1 << 20)
    if compression not in available():
        pytest.skip(f"no program for {compression}")
    with pytest.raises(UserError, match="unpacks to more than"):
        read(tmp_path, squeezed(tmp_path, bytes(8 << 20), compression))
    assert not list((tmp_path / "store").iterdir())


def test_a_header_that_asks_for_four_gigabytes(tmp_path):
    # lzma: properties, dictionary size, unpacked size "unknown", and some data.
    head = b"\x5d" + b"\x00\x00\xff\xff" + b"\xff" * 8
    with pytest.raises(UserError, match="damaged"):
        read(tmp_path, head + bytes(range(200)))


@pytest.mark.skipif(shutil.which("cpio") is None, reason="no cpio: scripts/setup-debian.sh test")
def test_cpio_of_the_machine(tmp_path):
    root = tmp_path / "root"
    (root / "d").mkdir(parents=True)
    (root / "d" / "one").write_text("linked")
    (root / "d" / "two").hardlink_to(root / "d" / "one")
    (root / "three").write_text("alone")
    done = subprocess.run("find . | cpio -o -H newc --quiet", cwd=root, shell=True, capture_output=True, check=True)
    got = read(tmp_path, done.stdout)
    assert {name: contents(got[name]) for name in ("/d/one", "/d/two", "/three")} == {
        "/d/one": b"linked",
        "/d/two": b"linked",
        "/three": b"alone",
    }


def test_links_with_the_contents_first(tmp_path):
    got = read(tmp_path, raw(b"a", b"body", links=2, inode=7) + raw(b"b", links=2, inode=7) + END)
    assert contents(got["/a"]) == contents(got["/b"]) == b"body"


def test_later_ones_replace(tmp_path):
    got = read(tmp_path, raw(b"a", b"1") + raw(b"a", b"2") + END)
    assert contents(got["/a"]) == b"2"


def test_names_are_those_of_the_kernel(tmp_path):
    data = raw(b".", mode=0o40755) + raw(b"./a", b"1") + raw(b"/b", b"2") + raw(b"c//d", b"3") + END
    assert sorted(read(tmp_path, data)) == ["/a", "/b", "/c/d"]


def test_links_among_folders_are_followed(tmp_path):
    data = (
        raw(b"lib", b"usr/lib", mode=0o120777)
        + raw(b"abs", b"/lib/x", mode=0o120777)
        + raw(b"up", b"../../..", mode=0o120777)
        + raw(b"abs/y", b"1")
        + raw(b"up/z", b"2")
        + END
    )
    assert {"/usr/lib/x/y", "/z"} <= set(read(tmp_path, data))


def test_a_socket_is_left_out(tmp_path):
    data = raw(b"run", mode=0o40755) + raw(b"run/s", mode=0o140777) + raw(b"a", b"1", mode=0o100644) + END
    assert list(read(tmp_path, data)) == ["/a", "/run"]


def test_checksum_archives(tmp_path):
    assert contents(read(tmp_path, raw(b"a", b"1", magic=b"070702") + END)["/a"]) == b"1"


def test_without_a_trailer(tmp_path):
    assert set(read(tmp_path, raw(b"a", b"1"))) == {"/a"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"not an archive", "neither a newc archive"),
        (b"0123456789" * 20, "not start a newc header"),
        (b"070701" + b"0" * 20, "hexadecimal|ends inside"),
        (b"070701" + b"+0000001" * 13, "hexadecimal"),
        (b"070701" + b"0000 001" * 13, "hexadecimal"),
        (b"070707" + b"0" * 200, "a cpio archive in the old text format"),
        (raw(b"a", b"1", size=1000), "ends inside the file"),
        (raw(b"a", size=0xFFFF_FFFF), "ends inside the file"),
        (raw(b""), "has 1 bytes"),
        (raw(b"x" * 5000), "has 5001 bytes"),
        (raw(b"../a", b"1"), r'"\.\."'),
        (raw(b"a/../../b", b"1"), r'"\.\."'),
        (raw(b"\xff", b"1"), "not UTF-8"),
        (raw(b"n", mode=0), "unknown type"),
        (raw(b"l", b"", mode=0o120777), "target"),
        (raw(b"l", b"\xff", mode=0o120777), "not UTF-8"),
        (raw(b"l", b"x" * 5000, mode=0o120777), "too long"),
        (raw(b"l", b"l", mode=0o120777) + raw(b"l/x", b"1"), "loop of symbolic links"),
    ],
)
def test_what_is_refused(tmp_path, data, message):
    with pytest.raises(UserError, match=message):
        read(tmp_path, data)
    store = tmp_path / "store"
    assert not store.exists() or not list(store.iterdir())


def test_too_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "COUNT_MAX", 3)
    with pytest.raises(UserError, match="more than 3 files"):
        read(tmp_path, b"".join(raw(b"%d" % i) for i in range(4)))


def test_links_are_one_file(tmp_path):
    # What the last of them brought counts for all, but for a name that another file has taken since.
    data = [raw(name, body, links=3, inode=5) for name, body in [(b"a", b"1"), (b"b", b"2"), (b"c", b"")]]
    got = read(tmp_path, b"".join(data) + raw(b"a", b"other", inode=6) + END)
    assert {name: contents(entry) for name, entry in got.items()} == {"/a": b"other", "/b": b"2", "/c": b"2"}


def test_magics_are_those_of_the_compressors(tmp_path):
    for compression in available():
        if compression != "none":
            assert segments.compression_at(squeezed(tmp_path, b"data", compression), 0) == compression


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_is_survived(tmp_path, data):
    good = bytearray(packed({**TREE, "/bin/app": text("x" * 50)}))
    for _ in range(data.draw(st.integers(1, 6))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    shutil.rmtree(tmp_path / "store", ignore_errors=True)
    with contextlib.suppress(UserError):
        read(tmp_path, bytes(good))
