# SPDX-License-Identifier: MIT
"""The byte that completes a goal, a check or a mark, whatever else the line holds and however it is written."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.launch.marks import console_marks
from bootlab.launch.open_line import SEARCHED_MAX_BYTES, OpenLine
from bootlab.launch.watch import ConsoleWatch
from bootlab.model.system import Check, Goal, Kernel, SystemDescription
from bootlab.recordings.console import length_in_bytes, text_of
from bootlab.recordings.stamps import Stamps
from tests.examples import examples

# What stands between characters without being one: colours, a cursor that moves, a command of systemd's, a charset.
CONTROL = (
    b"\x1b[32m",
    b"\x1b[0m",
    b"\x1b[2J",
    b"\x1b[1;31m",
    b"\x1bM",
    b"\x1b]3008;start=ab\x1b\\",
    b"\x1b(B",
    b"\x1b7",
)
# What is no goal but counts as characters: backspaces, CR, bytes that are no UTF-8, half a character.
NOISE = (
    b"\b",
    b"\r",
    b"\xff",
    b"\xe4u",
    b"\xe2\x82",
    b"\xf0\x9f\x98",
    "ü€😀".encode(),
    b"GO",
    b"G",
    b"AL",
    b".",
    b"\0",
    b"\t",
)


def system(goal="GOAL", check=(), marks=()):
    return SystemDescription(
        name="s", kernel=Kernel(image="k"), goal=Goal(console=goal), check=Check(console=check), marks=marks
    )


def watched(raw: bytes, cuts=(), **looked_for) -> ConsoleWatch:
    watch = ConsoleWatch(None, system(**looked_for))
    edges = sorted({0, len(raw), *(min(cut, len(raw)) for cut in cuts)})
    for begin, end in itertools.pairwise(edges):
        watch.feed(raw[begin:end])
    return watch


def stamped(raw: bytes) -> Stamps:
    """Return stamps that say of each byte which it is."""
    ends = np.arange(1, len(raw) + 1)
    return Stamps(ends=ends, ns=ends - 1, insns=ends - 1, marks={})


def completed(line: bytes, wanted: str) -> int | None:
    """Return how many bytes of a line it takes to show a text that stays."""
    lengths = range(len(line) + 1)
    shown = list(itertools.takewhile(lambda n: wanted in text_of(line[:n]), reversed(lengths)))
    return shown[-1] if shown else None


@pytest.mark.parametrize(
    ("line", "goal", "expected"),
    [
        (b"l\xe4uft, frame 1 ready.........................", r"frame \d+ ready", len(b"l\xe4uft, frame 1 ready")),
        (b"\x1b[32mloading " + b"." * 60, r"loading [.]{40}", len(b"\x1b[32mloading ") + 40),
        (b"\xff\xffGOAL GOAL", "GOAL", 6),
        (b"\rGOAL\r", "GOAL", 5),
        ("ä läuft".encode() + b"\x1b[0m", "läuft", len("ä läuft".encode())),
        (b"G\x1b[1mO\x1b[0mAL\x1b[0m", "GOAL", len(b"G\x1b[1mO\x1b[0mAL")),
        (b"x GOAL", r"\b(?=GOAL)", 3),
        (b"GOAL", r"(?<=GOAL)", 4),
    ],
)
def test_the_byte_that_completes_the_goal(line, goal, expected):
    for tail in (b"", b"\n", b"\r\n"):
        assert watched(line + tail, goal=goal).goal.match_end_bytes == expected
        assert watched(b"before\n" + line + tail, goal=goal).goal.match_end_bytes == 7 + expected


pieces = st.lists(st.one_of(st.sampled_from(CONTROL + NOISE), st.binary(max_size=4)), max_size=8).map(b"".join)


@examples(400)
@given(pieces, pieces, pieces, pieces, st.lists(st.integers(0, 120), max_size=6))
def test_any_line_any_writes(before, inside, behind, first, cuts):
    line = (before + b"GO" + inside + b"AL" + behind + b"GOAL").replace(b"\n", b"")
    raw = first.replace(b"\n", b"x").replace(b"GOAL", b"") + b"\n" + line + b"\nGOAL\n"
    at = raw.index(b"\n") + 1
    if "GOAL" in text_of(raw[: at - 1]):
        at = 0
        line = raw[: raw.index(b"\n")]
    expected = completed(line, "GOAL")
    if expected is None:
        # A sequence swallowed it.
        at, expected = len(raw) - 5, 4
    watch = watched(raw, cuts, check=("GO(AL)",), marks=(("m", "GOAL"),))
    assert watch.goal.match_end_bytes == at + expected
    assert watch.check_groups == [("AL",)]
    stamps = stamped(raw)
    assert stamps.at(watch.goal.match_end_bytes - 1) == (at + expected - 1, at + expected - 1)
    (mark,) = console_marks(system(marks=(("m", "GOAL"),)), stamps, raw, {})
    assert (mark.ns, mark.insns) == (at + expected - 1, at + expected - 1)


@examples(300)
@given(st.one_of(st.binary(max_size=40), pieces))
def test_every_character_has_its_bytes(raw):
    text = text_of(raw)
    lengths = [length_in_bytes(raw, count) for count in range(len(text) + 1)]
    assert lengths == sorted(lengths)
    assert lengths[-1] <= len(raw)
    for before, (length, char) in zip(lengths, zip(lengths[1:], text, strict=True), strict=False):
        own = raw[before:length]
        if char == "\ufffd":
            assert own
        else:
            assert own.endswith(char.encode())


LONG = [20_000, 24_576, 30_000, 65_530, 65_540, 300_000]


@pytest.mark.parametrize("before", LONG)
@pytest.mark.parametrize("writes", [1, 1000, 4096, 100_000])
def test_a_goal_far_behind_the_beginning_of_a_line(before, writes):
    raw = b"x" * before + b" GOAL 12 ready" + b"." * 3000 + b"\nGOAL 7\n"
    if writes == 1:
        raw = raw[before - 20_000 :] if before > 20_000 else raw
    cuts = range(0, len(raw), writes) if writes > 1 else range(19_000, 21_000)
    watch = watched(raw, cuts, goal=r"GOAL \d+", check=(r"GOAL (\d+)",))
    assert watch.goal.match_end_bytes == raw.index(b" ready")
    assert watch.check_groups == [("12",)]
    assert watch.goal.line_end_bytes == raw.index(b"\n") + 1
    (mark,) = console_marks(system(marks=(("m", r"GOAL \d+"),)), stamped(raw), raw, {})
    assert mark.ns == raw.index(b" ready") - 1
    assert not watch.notes


@pytest.mark.parametrize("pattern", ["^x", "^GOAL", r"\.$", r"\Ax", r"GOA\Z"])
def test_where_a_window_begins_or_ends_no_line_does(pattern):
    raw = b"-" * 9000 + (b"x.GOALGOA" * 20_000)[:150_000] + b"-"
    for cuts in ((), range(0, len(raw), 1024)):
        watch = watched(raw + b"\n", cuts, goal=pattern)
        assert watch.goal is None


def test_a_goal_at_the_end_of_a_long_line():
    raw = b"." * 100_000 + b"ready"
    watch = watched(raw, range(0, len(raw), 5000), goal="ready$")
    assert watch.goal.match_end_bytes == len(raw)
    assert watch.goal_line_open
    watch.feed(b" to fail\n")
    assert watch.goal is None


def test_a_sequence_or_a_character_that_a_window_cuts():
    for shift in range(8):
        raw = b"y" * shift + "€".encode() * 12_000 + b"\x1b[31mGO\x1b[0mAL"
        assert watched(raw, range(0, len(raw), 777)).goal.match_end_bytes == len(raw)


def test_what_is_not_looked_at_is_said():
    raw = b"x" * (SEARCHED_MAX_BYTES + 10) + b"GOAL\n"
    watch = watched(raw + b"end\n")
    assert watch.goal is None
    assert watch.notes == ("one line of the console is longer than 1 MiB: a goal or a check behind that is not seen",)
    assert watched(raw[:-1]).notes == watch.notes
    assert watched(raw + raw).notes[0].startswith("2 lines of the console are")


def test_a_line_of_many_megabytes_costs_no_memory():
    line = OpenLine([re.compile("GOAL")])
    for _ in range(64):
        line.grow(b"x" * (1 << 20))
    kept = [*vars(line).values(), *vars(line._windows).values()]
    assert sum(len(value) for value in kept if isinstance(value, bytes)) < 1 << 17


def test_what_stands_behind_the_firmwares_open_line_is_a_line():
    raw = b"SeaBIOS\r\nBooting from ROM..\x1b[0;1mWelcome to it\nmore\n"
    assert watched(raw, goal="^Welcome").goal.match_end_bytes == raw.index(b" to")
    (mark,) = console_marks(system(marks=(("rc-scripts", "^Welcome"),)), stamped(raw), raw, {})
    assert mark.ns == raw.index(b" to") - 1
