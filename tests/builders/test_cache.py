# SPDX-License-Identifier: MIT
"""The build cache: made once, whole or not at all, by whoever comes first."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache, key_of
from bootlab.errors import EnvironmentFault, UserError


def files(cache):
    return sorted(path.name for path in (cache.root / "files").iterdir())


def test_made_once(tmp_path):
    cache = Cache(tmp_path / "c")
    made = []

    def make(path):
        made.append(path)
        path.write_text("result")

    first = cache.file("ab", ".x", make)
    assert first.read_text() == "result"
    assert cache.file("ab", ".x", make) == first
    assert Cache(tmp_path / "c").file("ab", ".x", make) == first
    assert len(made) == 1
    assert not list((cache.root / "new").iterdir())


def test_a_failure_leaves_nothing(tmp_path):
    cache = Cache(tmp_path)

    def make(path):
        path.write_text("half")
        raise UserError("no", hint="yes")

    with pytest.raises(UserError):
        cache.file("ab", "", make)
    assert files(cache) == []
    assert not list((tmp_path / "new").iterdir())
    assert cache.file("ab", "", lambda path: path.write_text("whole") and None).read_text() == "whole"


def test_a_kill_leaves_no_half_file(tmp_path):
    script = (
        "import os, sys, pathlib\n"
        "from bootlab.builders.cache import Cache\n"
        "def make(path):\n"
        "    path.write_text('half')\n"
        "    os.kill(os.getpid(), 9)\n"
        "Cache(pathlib.Path(sys.argv[1])).file('ab', '', make)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -9
    cache = Cache(tmp_path)
    assert files(cache) == []
    assert cache.file("ab", "", lambda path: path.write_text("whole") and None).read_text() == "whole"
    (left,) = (tmp_path / "new").iterdir()
    old = time.time() - 2 * 24 * 3600
    os.utime(left, (old, old))
    Cache(tmp_path)
    assert not list((tmp_path / "new").iterdir())


def test_two_at_once_make_it_once(tmp_path):
    entered, go, made = threading.Event(), threading.Event(), []

    def make(path):
        made.append(path)
        entered.set()
        go.wait(30)
        path.write_text("x")

    threads = [threading.Thread(target=Cache(tmp_path).file, args=("ab", "", make)) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert entered.wait(30)
    go.set()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_digests_are_remembered_until_the_file_changes(tmp_path):
    cache = Cache(tmp_path / "c")
    file = tmp_path / "f"
    file.write_text("one")
    first = cache.digest(file)
    assert first == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    file.write_text("two!")
    assert cache.digest(file) != first


def test_a_digest_of_nothing(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
        Cache(tmp_path).digest(tmp_path / "none")


def test_keys_tell_lists_apart():
    assert key_of("a", "b") != key_of("ab") != key_of("a", ("b",))
    assert key_of("1") != key_of(1)
    assert key_of("a", None) == key_of("a", None)


def test_a_key_is_no_path(tmp_path):
    with pytest.raises(ValueError, match="not a key"):
        Cache(tmp_path).file("../x", "", lambda path: None)


def test_a_place_where_nothing_can_be_written():
    with pytest.raises(EnvironmentFault, match="build cache"):
        Cache(Path("/proc/none"))


@pytest.mark.parametrize("garbled", [b"resulT", b"", b"result and more"])
def test_a_garbled_file_is_told_and_made_again(tmp_path, caplog, garbled):
    made = []

    def make(path):
        made.append(path)
        path.write_bytes(b"result")

    first = Cache(tmp_path).file("ab", ".x", make)
    status = first.stat()
    first.write_bytes(garbled)
    os.utime(first, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Cache(tmp_path).file("ab", ".x", make).read_bytes() == b"result"
    assert len(made) == 2
    assert f"{first} is damaged" in caplog.text


def test_a_file_is_watched_while_the_process_runs(tmp_path):
    cache = Cache(tmp_path)
    first = cache.file("ab", ".x", lambda path: path.write_bytes(b"result") and None)
    status = first.stat()
    first.write_bytes(b"resulT")
    os.utime(first, ns=(status.st_atime_ns, status.st_mtime_ns))
    again = cache.file("ab", ".x", lambda path: path.write_bytes(b"result") and None)
    assert again.read_bytes() == b"result"


def test_a_file_without_its_digest_is_not_trusted(tmp_path):
    made = []

    def make(path):
        made.append(path)
        path.write_bytes(b"result")

    first = Cache(tmp_path).file("ab", ".x", make)
    (tmp_path / "digests" / first.name).unlink()
    first.write_bytes(b"resulT")
    assert Cache(tmp_path).file("ab", ".x", make).read_bytes() == b"result"
    assert len(made) == 2
    assert Cache(tmp_path).file("ab", ".x", make) == first
    assert len(made) == 2
