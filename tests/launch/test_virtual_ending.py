# SPDX-License-Identifier: MIT
"""An exact boot's ending: the same whenever the host looks, and each limit at its own virtual time."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.launch import virtual_ending
from bootlab.launch.virtual_ending import decide
from bootlab.model.recording import Outcome
from bootlab.model.system import Check, Goal, Kernel, Limits, SystemDescription
from bootlab.recordings.stamps import Stamps

MS = 1_000_000
SYSTEM = SystemDescription(
    name="s",
    kernel=Kernel(image="k"),
    goal=Goal(console="GOAL"),
    check=Check(console=(r"sum=(\d+)",)),
    limits=Limits(virtual_s=10, stall_virtual_s=1, wall_s=1, stall_wall_s=1),
)


class Printed:
    """What a machine printed: (ms, text) pairs, each text at one instant."""

    def __init__(self, *texts: tuple[int, str]) -> None:
        self.texts = texts
        self.console = "".join(text for _, text in texts).encode()
        sizes = [len(text) for _, text in texts]
        self.ends, self.ns = np.cumsum(sizes), np.asarray([ms * MS for ms, _ in texts], dtype=np.int64)

    def until(self, ms: float):
        """Return the console and its stamps as somebody sees them who looks at this virtual time."""
        seen = int(np.sum(self.ns <= ms * MS))
        size = int(self.ends[seen - 1]) if seen else 0
        ends = self.ends[:seen].astype(np.int64)
        return self.console[:size], Stamps(ends=ends, ns=self.ns[:seen], insns=self.ns[:seen], marks={})


def looked(
    printed: Printed, at_ms: float, system: SystemDescription = SYSTEM, *, exit_code=None, halted=False, words=""
):
    console, stamps = printed.until(at_ms)
    return decide(
        system, console, stamps, now_ns=int(at_ms * MS), exit_code=exit_code, halted=halted,
        emulator_words=lambda: words,
    )  # fmt: skip


ENDS = {
    "goal and check": (Printed((1, "a\n"), (5, "GOAL sum=4\n"), (6, "more\n")), Outcome.GOAL, "a\nGOAL sum=4\n"),
    "check behind the goal": (
        Printed((5, "GOAL\n"), (6, "x\nsum=4\n"), (7, "more\n")), Outcome.GOAL, "GOAL\nx\nsum=4\n"
    ),
    "check too late": (
        Printed((5, "GOAL\n"), *((i, "tick\n") for i in range(100, 2100, 100)), (2100, "sum=4\n")),
        Outcome.CHECK_FAILED, "GOAL\n" + "tick\n" * 20,
    ),
    "silent for too long, then the goal": (
        Printed((5, "a\n"), (1006, "GOAL sum=4\n")), Outcome.HANG, "a\n"
    ),
    "silent for just not too long": (
        Printed((5, "a\n"), (1005, "GOAL sum=4\n")), Outcome.GOAL, "a\nGOAL sum=4\n"
    ),
    "prints for ever": (
        Printed(*((i, "tick\n") for i in range(0, 11_000, 100))), Outcome.HANG, "tick\n" * 101
    ),
    "a dot for ever": (
        Printed(*((i, ".") for i in range(0, 11_000, 100))), Outcome.HANG, "." * 101
    ),
    "panic": (
        Printed((1, "a\n"), (2, "Kernel panic - not syncing: x\n"), (3, "---[ end Kernel panic\n"), (9, "b\n")),
        Outcome.PANIC, "a\nKernel panic - not syncing: x\n---[ end Kernel panic\n",
    ),
    "panic without its end": (
        Printed((2, "Kernel panic - not syncing: x\n"), (302, "trace\n"), (700, "Rebooting\n")),
        Outcome.PANIC, "Kernel panic - not syncing: x\ntrace\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("printed", "outcome", "kept"), ENDS.values(), ids=ENDS)
def test_the_ending_is_the_same_whenever_the_host_looks(printed, outcome, kept):
    decided = [found for ms in range(0, 13_000, 50) if (found := looked(printed, ms)) is not None]
    assert len(decided) > 20, "once over, it stays over"
    assert {found.ending.outcome for found in decided} == {outcome}
    assert {found.ending.reason for found in decided} == {decided[0].ending.reason}
    assert {printed.console[: found.watch.size_bytes].decode() for found in decided} == {kept}
    assert not any(found.ending.host_limit for found in decided)


OPEN = msgspec.structs.replace(SYSTEM, goal=Goal(console="login: $"), check=Check())


def test_an_open_goal_line_ends_in_virtual_time():
    printed = Printed((5, "a\n"), (6, "login: "), (310, "message\n"))
    assert looked(printed, 300, OPEN) is None
    found = [looked(printed, ms, OPEN) for ms in (307, 310, 5000)]
    assert {one.ending.outcome for one in found} == {Outcome.GOAL}
    assert {one.watch.size_bytes for one in found} == {9}
    assert {one.watch.goal.match_end_bytes for one in found} == {9}


def test_a_goal_line_that_grows_at_once_is_no_goal():
    printed = Printed((6, "login: "), (300, "message\n"))
    found = looked(printed, 5000, OPEN)
    assert found.ending.outcome is Outcome.HANG


def test_a_halted_machine_prints_nothing_more():
    printed = Printed((6, "login: "))
    assert looked(printed, 6, OPEN) is None
    assert looked(printed, 6, OPEN, halted=True).ending.outcome is Outcome.GOAL
    assert looked(Printed((6, "stuck\n")), 6, OPEN, halted=True).ending.outcome is Outcome.HANG


def test_a_machine_that_ends_is_judged_by_what_it_printed():
    assert looked(Printed((6, "GOAL")), 6, exit_code=0).ending.outcome is Outcome.CHECK_FAILED
    assert looked(Printed((6, "bye\n")), 6, exit_code=0).ending.outcome is Outcome.NO_GOAL
    assert looked(Printed((6, "bye\n")), 2000, exit_code=0).ending.outcome is Outcome.HANG
    killed = looked(Printed((6, "bye\n")), 6, exit_code=-9)
    assert killed.ending.host_limit


def test_no_console_at_all():
    assert looked(Printed(), 900) is None
    assert looked(Printed(), 1001).ending.outcome is Outcome.NO_CONSOLE


def test_an_endless_line_is_cut_off(monkeypatch):
    monkeypatch.setattr(virtual_ending, "CONSOLE_LIMIT_BYTES", 1000)
    monkeypatch.setattr("bootlab.launch.ending.CONSOLE_LIMIT_BYTES", 1000)
    assert looked(Printed((1, "x" * 2000)), 1).ending.outcome is Outcome.HANG


WORDS = st.sampled_from(["a\n", "GOAL", "GOAL\n", "sum=4\n", "Kernel panic - not syncing: x\n", "---[ end Kernel panic\n", ".", "\n", "two\nlines"])  # fmt: skip  # noqa: E501


@given(st.lists(st.tuples(st.integers(1, 1200), WORDS), max_size=12), st.lists(st.integers(0, 14_000), max_size=8))
def test_any_boot_has_one_ending(gaps, looks):
    at, texts = 0, []
    for gap, text in gaps:
        at += gap
        texts.append((at, text))
    printed = Printed(*texts)
    last = looked(printed, at + 15_000)
    assert last is not None
    for ms in looks:
        found = looked(printed, ms)
        if found is not None:
            assert found.ending == last.ending
            assert found.watch.size_bytes == last.watch.size_bytes
