# SPDX-License-Identifier: MIT
"""Writing archives: bytes that never change, read back by cpio(1), and what is refused."""

import io
import os
import shutil
import subprocess

import pytest

from bootlab.builders import cpio
from bootlab.errors import UserError
from bootlab.model.tree import Entry, FileTree


def packed(entries: dict[str, Entry]) -> bytes:
    out = io.BytesIO()
    size = cpio.write(FileTree.of(entries), out)
    assert size == len(out.getvalue())
    return out.getvalue()


def entries(tmp_path):
    (tmp_path / "source").write_bytes(b"\0\xff" * 700)
    return {
        "/bin/app": Entry(kind="file", source=str(tmp_path / "source"), mode=0o4755, uid=3, gid=4),
        "/bin/sh": Entry(kind="symlink", target="app"),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        "/dev/loop0": Entry(kind="block", mode=0o660, major=7, minor=300),
        "/etc/motd": Entry(kind="file", text="grüße\n", mode=0o644),
        "/etc/empty": Entry(kind="file", text="", mode=0o644),
        "/run/pipe": Entry(kind="fifo", mode=0o622),
        "/proc": Entry(kind="dir", mode=0o555),
    }


def test_one_small_archive_byte_by_byte():
    def record(fields: list[int], name: bytes, body: bytes = b"") -> bytes:
        head = b"070701" + b"".join(b"%08X" % field for field in [*fields, len(name) + 1, 0]) + name + b"\0"
        return head + bytes(-len(head) % 4) + body + bytes(-len(body) % 4)

    # ino, mode, uid, gid, nlink, mtime, filesize, devmajor, devminor, rdevmajor, rdevminor
    want = (
        record([1, 0o40755, 0, 0, 2, 0, 0, 0, 0, 0, 0], b"a")
        + record([2, 0o100644, 1, 2, 1, 0, 5, 0, 0, 0, 0], b"a/b", b"hello")
        + record([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], b"TRAILER!!!")
    )
    want += bytes(-len(want) % 512)
    assert packed({"/a/b": Entry(kind="file", text="hello", mode=0o644, uid=1, gid=2)}) == want


def test_the_order_of_the_tree_does_not_matter(tmp_path):
    items = list(entries(tmp_path).items())
    first, second = io.BytesIO(), io.BytesIO()
    cpio.write(FileTree(tuple(items)), first)
    cpio.write(FileTree(tuple(reversed(items))), second)
    assert first.getvalue() == second.getvalue()


def test_times_of_sources_do_not_matter(tmp_path):
    before = packed(entries(tmp_path))
    os.utime(tmp_path / "source", (1, 1))
    assert packed(entries(tmp_path)) == before


@pytest.mark.skipif(shutil.which("cpio") is None, reason="no cpio: scripts/setup-debian.sh test")
def test_cpio_reads_it(tmp_path):
    command = ["cpio", "-itv", "--numeric-uid-gid"]
    done = subprocess.run(command, input=packed(entries(tmp_path)), capture_output=True, check=True)
    listing = [line.split(maxsplit=3) for line in done.stdout.decode().splitlines()]
    assert [line[0] for line in listing] == [
        "drwxr-xr-x", "-rwsr-xr-x", "lrwxr-xr-x", "drwxr-xr-x", "crw-------", "brw-rw----", "drwxr-xr-x",
        "-rw-r--r--", "-rw-r--r--", "dr-xr-xr-x", "drwxr-xr-x", "prw--w--w-",
    ]  # fmt: skip
    assert "300" in done.stdout.decode()


def test_a_folder_comes_before_what_it_holds():
    names = [name for name, _ in cpio.plan(FileTree.of({"/a-b": Entry(kind="dir"), "/a/x": Entry(kind="fifo")}))]
    assert names == ["/a", "/a/x", "/a-b"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bin", "not an absolute path"),
        ("", "not an absolute path"),
        ("/", "root directory itself"),
        ("/.", "root directory itself"),
        ("/a/../b", r'"\.\."'),
        ("/a\0b", "NUL"),
        ("/" + "x" * 256, "longer than 255"),
        ("/" + "ü" * 128, "longer than 255"),
        ("/" + "/".join(["x" * 200] * 21), "longer than 4095"),
        ("/TRAILER!!!", "would end the archive"),
        ("/\udcff", "not UTF-8"),
    ],
)
def test_names_that_are_refused(name, message):
    with pytest.raises(UserError, match=message):
        packed({name: Entry(kind="dir")})


def test_the_longest_names_are_taken():
    assert packed({"/" + "x" * 255: Entry(kind="dir"), "/TRAILER!!!x": Entry(kind="fifo")})


def test_two_spellings_of_one_name():
    with pytest.raises(UserError, match="twice"):
        packed({"/a": Entry(kind="dir"), "/a/": Entry(kind="dir")})


def test_a_file_below_a_link():
    with pytest.raises(UserError, match="lies below /lib, which is a symlink"):
        packed({"/lib": Entry(kind="symlink", target="usr/lib"), "/lib/a/b": Entry(kind="dir")})


@pytest.mark.parametrize("target", ["", "x" * 4096, "a\0b", "\udcff"])
def test_targets_that_are_refused(target):
    with pytest.raises(UserError, match="target"):
        packed({"/a": Entry(kind="symlink", target=target)})


@pytest.mark.parametrize("owner", [-1, 1 << 32])
def test_an_owner_that_does_not_fit(owner):
    with pytest.raises(UserError, match="32 bits"):
        packed({"/a": Entry(kind="dir", uid=owner)})


def test_a_missing_source(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        packed({"/a": Entry(kind="file", source=str(tmp_path / "none"))})


def test_a_file_of_more_than_four_gigabytes(tmp_path):
    with (tmp_path / "big").open("wb") as file:
        file.truncate(1 << 32)
    with pytest.raises(UserError, match="up to 4294967295"):
        packed({"/a": Entry(kind="file", source=str(tmp_path / "big"))})


def test_a_source_that_grows_while_it_is_read():
    # /proc files say 0 bytes and have more: what a log that grows looks like.
    with pytest.raises(UserError, match="changed size"):
        packed({"/a": Entry(kind="file", source="/proc/self/status")})
