# SPDX-License-Identifier: MIT
"""What a kernel's source tree is known by."""

from __future__ import annotations

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
