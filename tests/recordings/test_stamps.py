# SPDX-License-Identifier: MIT
"""The plugin's file, well made and hostile."""

from __future__ import annotations

import struct

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from bootlab.recordings.stamps import USER_MARK, StampFile
from tests.examples import examples

HEADER = struct.Struct("<8s10Q")


def stamp_file(
    rows,
    *,
    magic=b"BLSTAMP\0",
    version=3,
    count=None,
    stamped=0,
    pending=(0, 0),
    marks=None,
    lost=0,
    now=0,
    written=(0, 0, 0),
):
    head = HEADER.pack(magic, version, len(rows) if count is None else count, stamped, *pending, lost, now, *written)
    table = b"".join(struct.pack("<3Q", *(marks or {}).get(i, (0, 0, 0))) for i in range(163))
    return (head + table).ljust(4096, b"\0") + b"".join(struct.pack("<3q", *row) for row in rows)


@pytest.fixture
def read(tmp_path):
    def reading(raw: bytes, console_bytes: int = 100):
        path = tmp_path / "stamps.bin"
        path.write_bytes(raw)
        return StampFile(path).read(console_bytes)

    return reading


def test_bytes_have_the_time_of_the_stamp_that_covers_them(read):
    stamps = read(stamp_file([(3, 100, 10), (5, 200, 20)], stamped=5), 5)
    assert [stamps.at(i) for i in range(6)] == [(100, 10)] * 3 + [(200, 20)] * 2 + [None]


def test_what_is_not_settled_carries_the_pending_stamp(read):
    stamps = read(stamp_file([(3, 100, 10)], stamped=3, pending=(300, 30)), 8)
    assert stamps.at(2) == (100, 10)
    assert stamps.at(3) == stamps.at(7) == (300, 30)
    assert stamps.at(8) is None


def test_which_bytes_may_get_another_time_yet(read):
    newer = stamp_file([(3, 100, 10)], stamped=3, pending=(300, 30))
    last = stamp_file([(3, 100, 10)], stamped=3, pending=(100, 10))
    assert read(newer, 8).settled_bytes == 8, "read in front of the port write that brings them"
    assert read(last, 8).settled_bytes == 3, "it is the time of the byte before them"
    assert read(last, 3).settled_bytes == 3
    assert read(last, 2).settled_bytes == 2
    assert read(stamp_file([]), 5).settled_bytes == 0


def test_what_found_no_room_has_no_time(read):
    stamps = read(stamp_file([(3, 100, 10)], stamped=3, pending=(300, 30), lost=1), 8)
    assert stamps.lost
    assert stamps.at(2) == (100, 10)
    assert stamps.at(3) is None


def test_cut(read):
    stamps = read(stamp_file([(3, 100, 10), (5, 200, 20), (9, 300, 30)], stamped=9), 9).cut(4)
    assert list(stamps.ends) == [3, 5]


def test_marks(read):
    stamps = read(stamp_file([(1, 1, 1)], marks={0: (1, 500, 50), USER_MARK: (1, 900, 90)}))
    assert {n: m.ns for n, m in stamps.marks.items()} == {0: 500, USER_MARK: 900}


@pytest.mark.parametrize(
    "raw",
    [b"", b"BLSTAMP\0", stamp_file([])[:200], stamp_file([], magic=b"BLSTAMP1"), stamp_file([], version=1)],
    ids=["empty", "short", "no marks", "magic", "version"],
)
def test_what_is_no_stamp_file(read, raw):
    assert read(raw) is None


def test_no_file(tmp_path):
    assert StampFile(tmp_path / "no").read(1) is None
    assert StampFile(tmp_path / "no").progress() is None


@pytest.mark.parametrize("count", [3, 1 << 20, 1 << 40, (1 << 64) - 1])
def test_a_count_that_lies(read, count):
    stamps = read(stamp_file([(3, 100, 10)], count=count, stamped=3), 3)
    assert stamps.at(0) == (100, 10)
    assert len(stamps.ends) == 1


def test_half_a_row_at_the_end(read):
    assert list(read(stamp_file([(3, 100, 10)], count=2) + b"\1" * 11, 3).ends) == [3]


def test_pending_times_beyond_all_numbers(read):
    stamps = read(stamp_file([(3, 100, 10)], stamped=3, pending=((1 << 64) - 1, (1 << 64) - 1)), 9)
    assert stamps.at(8) is None


def test_progress(tmp_path):
    path = tmp_path / "s"
    path.write_bytes(stamp_file([], stamped=7, pending=(300, 0), now=200))
    assert StampFile(path).progress().stamped_bytes == 7
    assert StampFile(path).progress().now_ns == 300
    path.write_bytes(b"BLSTAMP\0")
    assert StampFile(path).progress() is None


@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=64), st.integers(0, 200))
def test_any_bytes_behind_the_magic(read, garbage, console_bytes):
    raw = bytearray(stamp_file([(3, 100, 10)]))
    raw[16 : 16 + len(garbage)] = garbage
    stamps = read(bytes(raw), console_bytes)
    for at in (-1, 0, console_bytes, 1 << 62):
        stamps.at(at)
    stamps.cut(console_bytes)
