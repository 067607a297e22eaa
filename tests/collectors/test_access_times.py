# SPDX-License-Identifier: MIT
"""Access times of a tree: marks, marker files, times; clocks that were right and wrong."""

import os

import pytest

from bootlab.collectors import access_times
from bootlab.errors import UserError

YEAR_NS = 365 * 86_400 * 1_000_000_000


@pytest.fixture
def tree(tmp_path):
    for name in ("bin/app", "etc/used", "etc/odd\nname", "etc/unused"):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 100)
    (tmp_path / "root/bin/sh").symlink_to("app")
    return tmp_path / "root"


def touch(path, atime_ns, mtime_ns=0):
    os.utime(path, ns=(atime_ns, mtime_ns), follow_symlinks=False)


def used(found):
    return {access.path for access in found.accesses.seen}


@pytest.mark.parametrize("clock_ns", [5_000_000, 40 * YEAR_NS, 55 * YEAR_NS], ids=["1970", "2010", "2025"])
def test_a_mark_needs_no_clock(tree, clock_ns):
    assert access_times.mark(tree).names == 7
    touch(tree / "etc/used", clock_ns)
    touch(tree / "bin/sh", clock_ns)
    found = access_times.read(tree)
    assert used(found) == {"/etc/used", "/bin/sh"}
    assert (found.way, found.unused_files, found.unused_bytes) == ("mark", 3, 300)
    assert {a.kind for a in found.accesses.seen} == {"read", "followed"}


def test_looking_at_a_marked_tree_twice_says_the_same(tree):
    access_times.mark(tree)
    assert used(access_times.read(tree)) == used(access_times.read(tree)) == set()


def test_file_systems_that_keep_whole_seconds(tree):
    for path in reversed(list(tree.rglob("*"))):
        touch(path, 1_000_000_000)
    touch(tree / "etc/used", 3_000_000_000)
    assert used(access_times.read(tree)) == {"/etc/used"}


def test_without_a_mark_nothing_is_said(tree):
    with pytest.raises(UserError, match="has bootlab's mark"):
        access_times.read(tree)


def test_a_marker_file_of_a_board_whose_clock_begins_in_1970(tree):
    for path in reversed(list(tree.rglob("*"))):
        touch(path, 0)
    (tree / "marker").write_bytes(b"")
    touch(tree / "marker", 2_000_000, mtime_ns=2_000_000)
    touch(tree / "etc/used", 3_000_000)
    found = access_times.read(tree, newer="/marker")
    assert used(found) == {"/etc/used", "/marker"}
    with pytest.raises(UserError, match=r"the marker .* cannot be read"):
        access_times.read(tree, newer="nothing")


def test_a_time_with_a_wrong_clock_is_doubted(tree):
    for path in reversed(list(tree.rglob("*"))):
        touch(path, 3_000_000)
    found = access_times.read(tree, since_ns=50 * YEAR_NS)
    assert used(found) == set()
    assert "clock wrong" in found.warnings[-1]
    touch(tree / "etc/used", 51 * YEAR_NS)
    found = access_times.read(tree, since_ns=50 * YEAR_NS)
    assert used(found) == {"/etc/used"}
    assert "before the year 2000" in found.warnings[-1]


def test_no_folder(tree):
    with pytest.raises(UserError, match="cannot be read"):
        access_times.read(tree / "nowhere")
    with pytest.raises(UserError, match="is not a folder"):
        access_times.read(tree / "bin/app")
