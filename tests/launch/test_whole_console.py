# SPDX-License-Identifier: MIT
"""A console file that is not exactly as long as what the guest wrote says nothing of the system."""

from __future__ import annotations

import pytest

from bootlab.experiments.host_ends import Attempts
from bootlab.launch.boot_plan import NOT_KEPT
from bootlab.launch.ending import Decided, Ending
from bootlab.launch.watch import ConsoleWatch
from bootlab.launch.whole_console import held_to_what_was_written
from bootlab.model.recording import Meta, Outcome, Recording
from bootlab.model.system import Check, Goal, Kernel, SystemDescription
from bootlab.recordings.stamps import Written

SYSTEM = SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="GOAL"), check=Check(console=("sum",)))


def decided(outcome=Outcome.GOAL) -> Decided:
    watch = ConsoleWatch(None, SYSTEM)
    watch.feed(b"sum\nGOAL\n")
    return Decided(Ending(outcome), watch, known_ns=5, stopped="halted")


@pytest.mark.parametrize(
    ("written", "file_bytes", "said"),
    [
        (Written(taken=9, begun=9, failed=0), 9, ""),
        # Killed in the midst of a write.
        (Written(taken=8, begun=9, failed=0), 9, ""),
        (Written(taken=8, begun=9, failed=0), 8, ""),
        (None, 9, ""),
        (Written(taken=9, begun=10, failed=1), 9, "1 bytes of the console could not be written"),
        (Written(taken=1460, begun=1460, failed=0), 9, "has 9 bytes, and the guest wrote 1,460"),
        (Written(taken=8, begun=8, failed=0), 9, "has 9 bytes, and the guest wrote 8"),
    ],
)
def test_what_the_file_lacks(written, file_bytes, said):
    found = held_to_what_was_written(decided(), SYSTEM, written, file_bytes)
    if not said:
        assert found.ending.outcome is Outcome.GOAL
        return
    assert found.ending.outcome is Outcome.CONSOLE_INCOMPLETE
    assert said in found.ending.reason
    assert found.watch.goal is None
    assert found.watch.check_groups == [None]
    assert (found.known_ns, found.stopped) == (None, "")


def test_who_was_interrupted_was_interrupted():
    found = held_to_what_was_written(decided(Outcome.INTERRUPTED), SYSTEM, Written(taken=0, begun=0, failed=7), 9)
    assert found.ending.outcome is Outcome.INTERRUPTED


@pytest.mark.parametrize("mode", ["exact", "free"])
def test_it_is_the_hosts_doing_however_often_it_comes(mode):
    meta = Meta(outcome=Outcome.CONSOLE_INCOMPLETE, host_limit=True, mode=mode, reason="a hole", end_ns=7)
    recording = Recording(meta=meta, lines=(), marks=(), console=b"same")
    assert recording.by_host
    assert Outcome.CONSOLE_INCOMPLETE in NOT_KEPT
    attempts = Attempts()
    assert [attempts.settles(recording) for _ in range(3)] == [False, False, True]
    assert attempts.said(recording).host_limit
    assert "3 boots, each ended by the host" in attempts.said(recording).reason
