# SPDX-License-Identifier: MIT
"""What a change saves up to the first difference of schedule, and stage by stage, when the goal says nothing."""

from __future__ import annotations

from bootlab.analysis.events import common_order, events_of
from bootlab.analysis.schedule import stage_verdicts, steady_part
from bootlab.model.recording import Mark, Meta, Recording
from bootlab.model.verdict import Verdict
from tests.analysis.boots_of_events import MS, boot

DITHERS = (0.0, 0.4, -0.3, 0.7, -0.6)
# The same five disturbances, as the services of a large user space feel them.
WILD = (0, 90, -30, 160, 45)


def systemd(unpacking, dither, wild, *, swapped=False, extra=()):
    services = [("Started Network", 200 + wild, 0), ("Started Logging", 20, 0)]
    return boot(
        ("Linux version 6.1", 300 + unpacking, 0),
        *extra,
        ("Run /sbin/init", 700 + dither, 0),
        ("Welcome to Debian", 100, 0),
        *(reversed(services) if swapped else services),
        ("goal", 900, 0),
    )


def test_the_saving_is_proved_although_the_goal_moves_by_more():
    base = [systemd(400, d, w) for d, w in zip(DITHERS, WILD, strict=True)]
    variant = [systemd(203, d, w) for d, w in zip(DITHERS, reversed(WILD), strict=True)]
    found = steady_part(base, variant)
    assert found is not None
    assert (found.event, found.until, found.following) == ("Welcome to Debian", "dithers", "Started Network")
    assert (found.verdict, found.saved_ns) == (Verdict.FASTER, 197 * MS)
    assert (found.insns_verdict, found.saved_insns) == (Verdict.FASTER, 197 * MS // 2)


def test_the_order_ends_it_too_and_lines_of_the_change_do_not():
    base = [systemd(400, d, 0) for d in DITHERS]
    variant = [systemd(390, d, 0, swapped=True, extra=(("unpacked by lz4", 0, 0),)) for d in DITHERS]
    found = steady_part(base, variant)
    assert found is not None
    assert (found.event, found.until, found.saved_ns) == ("Welcome to Debian", "order", 10 * MS)


def test_two_boots_agree_in_their_order_up_to_the_goal_but_prove_nothing():
    found = steady_part([systemd(400, 0, 0)], [systemd(203, 0, 0)])
    assert found is not None
    assert (found.until, found.verdict, found.saved_ns) == ("goal", Verdict.UNKNOWN, 197 * MS)


def test_boots_without_stamps_are_not_compared():
    bare = Recording(meta=Meta(goal_ns=5), lines=(), marks=())
    assert steady_part([bare], [bare]) is None
    assert steady_part([], []) is None


def test_events_are_named_without_numbers_and_counted():
    first = events_of(boot(("[    0.100000] cpu 1: 0x1f", 1, 0), ("[    0.200000] cpu 2: 0x2f", 1, 0), ("goal", 1, 0)))
    assert [e.name for e in first] == ["power-on", "cpu #: #", "cpu #: # #2", "goal"]
    other = events_of(boot(("cpu 7: 0x2e", 1, 0), ("new", 1, 0), ("goal", 1, 0)))
    assert common_order([first, other]) == ("power-on", "cpu #: #", "goal")


def test_each_stage_is_judged_alone():
    def staged(unpacked_ms, goal_ms):
        times = {"power-on": 0, "decompression": 100, "kernel-image": 100 + unpacked_ms, "start-kernel": 400}
        marks = tuple(Mark(name, round(ms * MS)) for name, ms in times.items())
        return Recording(meta=Meta(goal_ns=round(goal_ms * MS)), lines=(), marks=marks)

    base = [staged(200 + d, 3000 + w) for d, w in zip(DITHERS, WILD, strict=True)]
    variant = [staged(60 + d, 2990 + w) for d, w in zip(DITHERS, WILD, strict=True)]
    found = {s.stage: (s.verdict, s.saved_ns) for s in stage_verdicts(base, variant)}
    assert found["decompression"] == (Verdict.FASTER, 140 * MS)
    assert found["firmware"] == (Verdict.SAME, 0)
    assert found["kernel"] == (Verdict.SAME, 10 * MS)
    assert stage_verdicts((), variant) == ()
