# SPDX-License-Identifier: MIT
"""Console bytes become lines, whatever the bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.recordings import console
from bootlab.recordings.console import split_lines, text_of
from bootlab.recordings.stamps import Stamps


def texts(raw: bytes) -> list[str]:
    return [line.text for line in split_lines(raw)]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        (b"\x1b[1;31mred\x1b[0m \x1b[?25lx\x1b[2J", "red x"),
        (b"\x1bcreset", "reset"),
        (b"a\r\r", "a"),
        (b"\x1bM\r\x1b[K[FAILED] Failed to start a.service.\r\r", "[FAILED] Failed to start a.service."),
        (b"a\rb", "a\rb"),
        (b"a\0b", "a\0b"),
        (b"\xff\xfe ok", "\ufffd\ufffd ok"),
        ("é".encode(), "é"),
        (b"\x1b[", "\x1b["),
    ],
)
def test_one_line(raw, text):
    assert text_of(raw) == text


def test_lines_and_offsets():
    lines = split_lines(b"one\r\ntwo\n\nopen")
    assert [(x.number, x.text, x.offset_bytes) for x in lines] == [
        (1, "one", 0), (2, "two", 5), (3, "", 9), (4, "open", 10)
    ]  # fmt: skip
    assert texts(b"") == []
    assert texts(b"\n") == [""]


def test_printk_stamps():
    lines = split_lines(b"[    1.234567] a\n<6>[   12.000001] b\n[    0.5] c\n[    0.000001][    T1] d\n")
    assert [x.printk_ns for x in lines] == [1_234_567_000, 12_000_001_000, None, 1000]


def test_the_kernels_first_line_in_an_open_one():
    lines = split_lines(b"Booting from ROM..[    0.000000] Linux version 6.1\nnext\n")
    assert [x.text for x in lines] == ["Booting from ROM..", "[    0.000000] Linux version 6.1", "next"]
    assert [x.offset_bytes for x in lines] == [0, 18, 51]
    assert lines[1].printk_ns == 0


def test_times_of_first_and_last_byte():
    ends = np.arange(1, 9)
    stamps = Stamps(ends=ends, ns=ends * 100, insns=ends * 10, marks={})
    first, second = split_lines(b"abc\ndefg", stamps)
    assert (first.first_ns, first.last_ns, first.insns) == (100, 300, 10)
    assert (second.first_ns, second.last_ns) == (500, 800)
    short = Stamps(ends=ends[:2], ns=ends[:2], insns=ends[:2], marks={})
    assert split_lines(b"abc\ndefg", short)[1].first_ns is None


def test_a_line_of_ten_megabytes_is_cut():
    (line,) = split_lines(b"x" * (10 << 20))
    assert len(line.text) == 16_384
    (line,) = split_lines(b"\x1b[" + b"0" * (10 << 20))
    assert len(line.text) <= 16_384


def test_more_lines_than_anybody_reads(monkeypatch):
    monkeypatch.setattr(console, "MAX_LINES", 10)
    raw = b"".join(b"%d\n" % n for n in range(30))
    lines = split_lines(raw)
    assert [x.text for x in lines[:5]] == ["0", "1", "2", "3", "4"]
    assert lines[5].text == "(bootlab: 21 lines left out here)"
    assert [x.text for x in lines[6:]] == ["26", "27", "28", "29"]
    for line in (*lines[:5], *lines[6:]):
        assert raw[line.offset_bytes :].startswith(line.text.encode())


@given(st.binary(max_size=300))
def test_no_bytes_are_lost_or_moved(raw):
    lines = split_lines(raw)
    assert [x.number for x in lines] == list(range(1, len(lines) + 1))
    offsets = [x.offset_bytes for x in lines]
    assert offsets == sorted(offsets)
    assert all(o <= len(raw) for o in offsets)
    assert len(lines) >= raw.rstrip(b"\n").count(b"\n") + bool(raw.strip(b"\n"))
