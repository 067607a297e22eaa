# SPDX-License-Identifier: MIT
"""The console as it grows: goal, check, panic, however the reads cut it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.launch.watch import ConsoleWatch
from bootlab.model.system import Check, Goal, Kernel, SystemDescription


class Feed:
    """A console file that grows piece by piece."""

    def __init__(self, path, goal="GOAL", check=()):
        path.write_bytes(b"")
        self.path = path
        self.watch = ConsoleWatch(
            path,
            SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console=goal), check=Check(console=check)),
        )

    def __call__(self, *pieces: bytes) -> ConsoleWatch:
        for piece in pieces:
            with self.path.open("ab") as file:
                file.write(piece)
            self.watch.poll()
        return self.watch


@pytest.fixture
def feed(tmp_path):
    return lambda **options: Feed(tmp_path / "console.log", **options)


def test_nothing_there_yet(tmp_path):
    watch = ConsoleWatch(tmp_path / "no", SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="g")))
    assert not watch.poll()
    assert watch.size_bytes == 0


def test_goal_split_over_two_reads(feed):
    watch = feed()(b"a\nxx GO")
    assert watch.goal is None
    watch = feed()(b"a\nxx GO", b"AL yy\nz")
    assert (watch.goal.match_end_bytes, watch.goal.line_end_bytes) == (9, 13)
    assert not watch.goal_line_open


def test_goal_in_an_open_line(feed):
    one = feed(goal="login: $")
    watch = one(b"host login: ")
    assert watch.goal.match_end_bytes == watch.goal.line_end_bytes == 12
    assert watch.goal_line_open


def test_goal_before_crlf(feed):
    watch = feed(goal="GOAL$")(b"GOAL\r\n")
    assert (watch.goal.match_end_bytes, watch.goal.line_end_bytes) == (4, 6)


def test_a_goal_that_was_only_the_beginning_of_a_longer_line(feed):
    assert feed(goal="ready$")(b"ready", b" to fail\n").goal is None
    watch = feed(goal=r"frame \d+")(b"frame 1", b"2 ready\n")
    assert watch.goal.match_end_bytes == 8


def test_goal_behind_colours_and_bad_bytes(feed):
    assert feed()(b"\x1b[32mGOAL\x1b[0m\n").goal.match_end_bytes == 9
    assert feed()(b"\xff\xffGOAL\n").goal.match_end_bytes in {6, 7}
    assert feed()(b"GOA GOAL GOAL\n").goal.match_end_bytes == 8


def test_only_the_first_goal_counts(feed):
    assert feed()(b"GOAL\nGOAL\n").goal.line_end_bytes == 5


def test_checks_wait_for_their_line_to_end(feed):
    one = feed(check=(r"sum=(\d+)", "plain"))
    assert one(b"GOAL sum=12").check_groups == [None, None]
    watch = one(b"34\n")
    assert watch.check_groups == [("1234",), None]
    assert not watch.checks_done
    assert one(b"plain\n").checks_done
    assert watch.check_groups[1] == ("plain",)
    assert watch.check_end_bytes == len(b"GOAL sum=1234\nplain\n")


def test_panic(feed):
    one = feed()
    assert one(b"[ 1.0] Kernel panic - not syncing: VF").panic == "Kernel panic - not syncing: VF"
    watch = one(b"S: no root\nmore\n")
    assert watch.panic == "Kernel panic - not syncing: VFS: no root"
    assert not watch.panic_complete
    assert one(b"---[ end Kernel panic ]---\n").panic_complete


def test_the_initcall_that_did_not_return(feed):
    one = feed()
    assert one(b"calling  a+0x0/0x1 @ 1\ninitcall a+0x0/0x1 returned 0 after 1 usecs\n").pending_initcall == ""
    assert one(b"calling  b+0x0/0x1 @ 1\n").pending_initcall == "b"


def test_a_line_without_end_costs_no_memory(feed):
    one = feed()
    for _ in range(20):
        watch = one(b"x" * (1 << 20))
    assert watch.size_bytes == 20 << 20
    assert sum(len(v) for v in vars(watch).values() if isinstance(v, bytes)) < 1 << 17
    watch = one(b"\nGOAL\n")
    assert watch.goal.match_end_bytes == (20 << 20) + 5


@given(st.binary(max_size=60), st.lists(st.integers(0, 90), max_size=4))
def test_where_the_reads_cut_does_not_matter(tmp_path_factory, noise, cuts):
    raw = noise + b"\nsome GOAL 12 here\nsum=7\n" + noise + b"\n"
    path = tmp_path_factory.mktemp("watch") / "c"
    whole = Feed(path, goal=r"GOAL \d+", check=(r"sum=(\d)",))(raw)
    edges = sorted({0, len(raw), *(min(c, len(raw)) for c in cuts)})
    cut = Feed(path, goal=r"GOAL \d+", check=(r"sum=(\d)",))(*(raw[a:b] for a, b in itertools.pairwise(edges)))
    assert (cut.goal, cut.check_groups, cut.check_end_bytes) == (whole.goal, whole.check_groups, whole.check_end_bytes)
