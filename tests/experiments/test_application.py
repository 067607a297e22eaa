# SPDX-License-Identifier: MIT
"""Calls of a task put together to waits, sleeps and polls: what was recorded of a real boot, in short."""

from bootlab.experiments import profile as application
from bootlab.experiments.profile import _Call

MS = 1_000_000


def calls(*rows):
    """Make calls out of (name, start in ms, length in ms, found)."""
    return [_Call(name, round(at * MS), round(took * MS), bool(rest and rest[0])) for name, at, took, *rest in rows]


WAITS = calls(
    ("openat", 0, 0.1, True),
    ("openat", 1, 0.1),
    ("clock_nanosleep", 2, 100.05),
    ("openat", 103, 0.1),
    ("clock_nanosleep", 104, 100.05),
    ("openat", 205, 0.1, True),
    ("openat", 206, 0.1),
    ("openat", 207, 0.1),
    ("clock_nanosleep", 208, 1000.02),
    ("poll", 1300, 200.2),
    ("read", 1600, 11.0),
    ("exit_group", 1700, 99.0),
)


def test_a_poll_is_opens_in_vain_with_sleeps_between_until_one_finds_it():
    (found,) = application._polled(1, WAITS)
    assert (found.tries, found.came, found.at_ns, found.took_ns) == (2, True, 1 * MS, 204 * MS)


def test_one_that_never_came():
    (found,) = application._polled(1, WAITS[:4] + calls(("clock_nanosleep", 104, 100), ("openat", 205, 0.1)))
    assert (found.tries, found.came) == (3, False)


def test_sleeps_are_summed_by_their_length_to_the_millisecond():
    found = {(one.asked_ns, one.count, one.total_ns) for one in application._sleeps(1, WAITS)}
    assert found == {(100 * MS, 2, round(200.1 * MS)), (1000 * MS, 1, round(1000.02 * MS))}


def test_waits_and_work_by_their_length():
    found = [(one.wait_for, one.call, one.took_ns // MS) for one in application._waits(1, WAITS)]
    assert found == [
        ("sleep", "clock_nanosleep", 100),
        ("sleep", "clock_nanosleep", 100),
        ("sleep", "clock_nanosleep", 1000),
        ("events", "poll", 200),
        ("work", "read", 11),
    ]


def test_a_process_ends_where_it_exits():
    process = application._process(2, WAITS, 1800 * MS)
    assert (process.end_ns, process.ended) == (1700 * MS, "exited")
    assert process.waited_ns == round((200.1 + 1000.02 + 200.2) * MS)
    assert process.in_calls_ns == round((6 * 0.1 + 11.0) * MS)


def test_opens_in_vain_are_counted():
    (found,) = application._missing(WAITS)
    assert (found.count, found.folder) == (4, "")
