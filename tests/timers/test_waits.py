# SPDX-License-Identifier: MIT
"""Which timers delayed a boot."""

from __future__ import annotations

from bootlab.analysis.delay_census import DelayWait
from bootlab.timers.waits import timer_waits


def wait(*chain, kind="sleep", count=1, time_ns=100, idle_ns=0, on_path=True):
    return DelayWait(
        kind=kind, function=chain[-1], chain=chain, count=count, time_ns=time_ns, idle_ns=idle_ns, on_path=on_path
    )


def test_only_what_a_timer_ends_is_kept():
    found = timer_waits(
        [
            wait("probe", "msleep"),
            wait("probe", "wait_for_completion"),
            wait("probe", "wait_for_completion_timeout"),
            wait("probe", "__const_udelay", kind="busy"),
            wait("kthread", "mutex_lock_slowpath"),
        ]
    )
    assert [(w.kind, w.function) for w in found] == [("sleep", "msleep"), ("timeout", "wait_for_completion_timeout")]


def test_one_caller_is_one_row_whatever_led_to_it():
    found = timer_waits(
        [wait("a", "probe", "msleep", count=2, idle_ns=7), wait("b", "probe", "msleep", count=3, idle_ns=5)]
    )
    assert [(w.caller, w.count, w.time_ns, w.idle_ns) for w in found] == [("probe", 5, 200, 12)]


def test_what_delays_init_comes_first_and_the_longest_of_it():
    found = timer_waits(
        [
            wait("thread", "msleep", time_ns=999, on_path=False),
            wait("short", "msleep", idle_ns=1),
            wait("long", "usleep_range_state", idle_ns=9),
        ]
    )
    assert [w.caller for w in found] == ["long", "short", "thread"]


def test_a_wait_without_a_caller():
    assert timer_waits([wait("schedule_timeout")])[0].caller == "schedule_timeout"
