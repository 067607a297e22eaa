# SPDX-License-Identifier: MIT
"""What cannot be written: the hint follows the system's error, from every place that writes."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from pathlib import Path

import pytest

from bootlab.builders import compress, cpio, kernelinfo
from bootlab.builders.cache import Cache
from bootlab.cli.files import write_file
from bootlab.errors import EnvironmentFault, UserError, cannot_write, write_hint
from bootlab.formats import archive
from bootlab.model.system import Kernel
from bootlab.model.tree import Entry, FileTree
from bootlab.results.file import write_atomically
from bootlab.store import runs

KINDS = [
    (errno.ENOSPC, "is there room? df -h"),
    (errno.EDQUOT, "is there room? df -h"),
    (errno.EROFS, "the file system is mounted read-only: findmnt -T"),
    (errno.EACCES, "may you write there? ls -ld"),
    (errno.EPERM, "may you write there? ls -ld"),
    (errno.EIO, "is there room, and may you write there? df -h"),
]


def fault(number):
    return OSError(number, os.strerror(number))


@pytest.mark.parametrize(("number", "hint"), KINDS)
def test_the_hint_follows_the_error(number, hint):
    error = cannot_write("/store/x cannot be written", fault(number), "/store", besides="--store takes another folder")
    assert isinstance(error, EnvironmentFault)
    assert error.message == f"/store/x cannot be written: {os.strerror(number)}"
    assert error.hint.startswith(f"{hint} /store")
    assert error.hint.endswith("   (--store takes another folder)")


def test_a_database_that_is_full_or_read_only():
    full, closed = sqlite3.OperationalError("database or disk is full"), sqlite3.OperationalError("readonly database")
    full.sqlite_errorcode, closed.sqlite_errorcode = sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY
    assert write_hint(full, "/c") == "is there room? df -h /c"
    assert write_hint(closed, "/c").startswith("the file system is mounted read-only")


def into_the_cache(folder, refuse):
    cache = Cache(folder)
    refuse()
    cache.file("ab", "", lambda path: path.parent.mkdir())


def into_a_new_cache(folder, refuse):
    refuse()
    Cache(folder / "new")


def results(folder, refuse):
    refuse()
    write_atomically(folder / "results.json", b"{}")


def a_run(folder, refuse):
    refuse()
    runs.create(folder, "boot", "demo")


def an_unpacked_archive(folder, refuse):
    packed = folder / "a.cpio"
    with packed.open("wb") as out:
        cpio.write(FileTree().put("/a", Entry(kind="file", text="a")), out)
    refuse()
    archive.unpack(packed, folder / "store")


def a_compressed_file(folder, refuse):
    (folder / "a").write_bytes(b"a")
    refuse()
    compress.compress(folder / "a", folder / "b", "gzip")


def facts_of_a_kernel(folder, refuse):
    image = folder / "Image"
    image.write_bytes(b"code")
    refuse()
    kernelinfo.inspect(Kernel(image=str(image)), folder / "cache", "0" * 64, bare=True)


WRITERS = (
    into_the_cache, into_a_new_cache, results, a_run, an_unpacked_archive, a_compressed_file, facts_of_a_kernel,
)  # fmt: skip


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(("number", "hint"), KINDS[:4])
def test_each_writer_tells_no_room_from_no_right(tmp_path, monkeypatch, write, number, hint):
    def refused(*args, **kwargs):
        raise fault(number)

    def refuse():
        monkeypatch.setattr(Path, "mkdir", refused)
        monkeypatch.setattr(tempfile, "mkstemp", refused)
        monkeypatch.setattr(compress, "_pump", refused)

    with pytest.raises(EnvironmentFault) as seen:
        write(tmp_path, refuse)
    assert os.strerror(number) in seen.value.message
    assert seen.value.hint.startswith(f"{hint} {tmp_path}"[: len(hint) + 1])
    assert str(tmp_path.parent) in seen.value.hint


def test_a_full_disk_is_no_unreadable_source(tmp_path):
    """The disk that an archive is written to is full: the file that was being packed is not to blame."""
    source = tmp_path / "busybox"
    source.write_bytes(os.urandom(1 << 20))
    tree = FileTree().put("/bin/busybox", Entry(kind="file", mode=0o755, source=str(source)))

    def make(path):
        with Path("/dev/full").open("wb", buffering=0) as out:
            cpio.write(tree, out)

    with pytest.raises(EnvironmentFault) as seen:
        Cache(tmp_path / "cache").file("ab", "", make)
    assert seen.value.exit_code == 3
    assert seen.value.message == f"the build cache {tmp_path / 'cache'} cannot be written: No space left on device"
    assert seen.value.hint == f"is there room? df -h {tmp_path / 'cache'}"


def test_a_file_that_the_user_named(tmp_path):
    with pytest.raises(UserError) as seen:
        write_file(Path("/dev/full"), b"text")
    assert seen.value.hint == "is there room? df -h /dev"
