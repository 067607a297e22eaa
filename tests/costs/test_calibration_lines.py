# SPDX-License-Identifier: MIT
"""What a board prints comes through a console: cut, among other words, damaged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.costs.calibration.lines import PrintedLines, read_lines
from bootlab.errors import UserError
from tests.costs.printed_lines import line, printed, rows
from tests.examples import examples

WHOLE = printed()
ROWS = len(rows()) + 1
NOISE = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([b"[   12.345678] usb 1-1: new device\r\n", b"bootlab-calibrate ", b" *00000000\n", b"\x00\xff\r"]),
)


def named(lines: PrintedLines) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    return {(row.name, tuple(row.values.items())) for row in lines.rows}


TRUE = named(read_lines(WHOLE))


def test_a_whole_run_is_read():
    lines = read_lines(WHOLE)
    assert (len(lines.rows), lines.lost, lines.ended) == (ROWS, 0, True)
    assert lines.says("model") == "Made-up Board"
    assert lines.why_not("aes_chain") == "the processor has no instruction for AES"
    assert lines.why_not("nothing_such") == "it was not measured"


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)))
@examples(200)
def test_a_cut_run_has_only_true_lines(first, last):
    part = WHOLE[min(first, last) : max(first, last)]
    try:
        lines = read_lines(part)
    except UserError:
        return
    assert named(lines) <= TRUE
    # Numbers say what is missing before the end; behind it nothing is known.
    assert lines.ended == (("end", (("lines", str(ROWS)),)) in named(lines))
    assert not lines.ended or lines.lost == ROWS - len(lines.rows)


@given(st.lists(st.tuples(st.integers(0, len(WHOLE)), NOISE), max_size=12))
@examples(200)
def test_noise_on_the_console_makes_no_line_false(noise):
    data = WHOLE
    for at, words in noise:
        data = data[:at] + words + data[at:]
    try:
        lines = read_lines(data)
    except UserError:
        return
    assert named(lines) <= TRUE
    assert len(lines.rows) >= ROWS - len(noise)


@given(st.lists(st.integers(0, len(WHOLE) - 1), min_size=1, max_size=20), st.integers(1, 255))
@examples(200)
def test_damage_loses_a_line_and_changes_none(places, bits):
    data = bytearray(WHOLE)
    for place in places:
        data[place] ^= bits
    try:
        lines = read_lines(bytes(data))
    except UserError:
        return
    assert named(lines) <= TRUE


@given(st.binary(max_size=2000))
@examples(200)
def test_what_is_none_is_refused(data):
    with pytest.raises(UserError, match="no whole line"):
        read_lines(data)


def test_what_is_lost_in_one_copy_comes_from_the_other():
    middle = len(WHOLE) // 2
    once = WHOLE[: middle - 40] + b"[    9.9] random: crng init done\r\n" + WHOLE[middle:]
    assert read_lines(once).lost > 0
    both = read_lines(once.replace(b"\n", b"\r\n") + WHOLE.replace(b"\n", b"\r\n"))
    assert (both.lost, named(both)) == (0, TRUE)


def test_the_newest_run_counts():
    newer = printed([("begin", {"version": 1}), ("machine", {"machine": "x86_64"})], run="00000001")
    assert read_lines(WHOLE + newer).run == "00000001"
    assert len(read_lines(WHOLE + newer).rows) == 3


def test_lines_of_another_version_are_refused():
    with pytest.raises(UserError, match="version 2 of the program"):
        read_lines(line(0, "begin", {"version": 2}).encode())


def test_numbers_that_cannot_be_are_bounded():
    lines = read_lines(printed([("begin", {"version": 1}), ("add_chain", {"least": "9" * 30, "median": "-4"})]))
    assert lines.all("add_chain")[0].number("least") == 0
    assert lines.all("add_chain")[0].number("median") == 0
