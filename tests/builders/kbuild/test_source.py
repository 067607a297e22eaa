# SPDX-License-Identifier: MIT
"""What a kernel's source tree is known by."""

from __future__ import annotations

import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import source
from tests.builders.kbuild.fake_tree import make_tree


def test_threads_that_see_a_tree_for_the_first_time_agree(tmp_path, monkeypatch):
    tree = make_tree(tmp_path / "linux")
    together = threading.Barrier(8, timeout=60)
    contents = source._contents

    def read(folder):
        found = contents(folder)
        together.wait()
        return found

    monkeypatch.setattr(source, "_contents", read)
    for number in range(10):
        cache = Cache(tmp_path / f"cache{number}")
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _thread, cache=cache: source.identity_of(tree, cache), range(8)))
        assert len(set(found)) == 1
        assert not list(cache.root.rglob("kernels/sources/.new*"))


def test_two_archives_are_unpacked_at_the_same_time(tmp_path, monkeypatch):
    """One half unpacked stays when another one begins, and what a killed call left of the same one goes."""
    archives = []
    for version in ("6.1", "6.12"):
        top = tmp_path / f"linux-source-{version}"
        top.mkdir()
        (top / "Makefile").write_text(f"# {version}\n")
        archives.append(tmp_path / f"linux-source-{version}.tar.xz")
        subprocess.run(["tar", "-C", tmp_path, "-cJf", archives[-1], top.name], check=True)
    cache = Cache(tmp_path / "cache")
    left = source.unpacked_place("a" * 64, cache).parent / f".new-{'a' * 16}-killed"
    left.mkdir(parents=True)
    plain, others = source.tar, []

    def slow(*words):
        if str(archives[0]) in words:
            others.append(source.unpacked(archives[1], "b" * 64, cache))
        return plain(*words)

    monkeypatch.setattr(source, "tar", slow)
    first = source.unpacked(archives[0], "a" * 64, cache)
    assert [(tree / "Makefile").read_text() for tree in (first, *others)] == ["# 6.1\n", "# 6.12\n"]
    assert not left.exists()
