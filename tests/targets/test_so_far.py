# SPDX-License-Identifier: MIT
"""What is said of a boot that goes on: once, when there is something to say."""

from __future__ import annotations

import pytest

from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.targets.so_far import SoFar

SYSTEM = SystemDescription(name="s", kernel=Kernel(image="/k"), goal=Goal(console="panel: ready"))
STARTED = "[    0.000000] Linux version 6.1\n[    3.000000] Run /init as init process\nstarting\n"
LONG = {"wall_s": 20.0, "quiet_wall_s": 5.0, "quiet_virtual_ns": 2_000_000_000}


@pytest.fixture
def looker(tmp_path):
    def make(text: str) -> SoFar:
        (tmp_path / "console.log").write_text(text)
        return SoFar(tmp_path / "console.log", SYSTEM)

    return make


def test_a_silent_user_space_is_named_once(looker):
    so_far = looker(STARTED)
    said = so_far.word(**LONG)
    assert said.startswith("so far: nothing printed for 5 s of host time, 2.0 s of virtual time: user space ran")
    assert "it said last 'starting'" in said
    assert so_far.word(**{**LONG, "wall_s": 60.0}) == "", "never the same again"


@pytest.mark.parametrize(
    "clocks",
    [
        {"wall_s": 2.0, "quiet_wall_s": 2.0},
        {"quiet_wall_s": 1.0},
        # A loaded host: little of its time was the machine's.
        {"quiet_wall_s": 60.0, "quiet_virtual_ns": 500_000_000},
    ],
)
def test_a_short_silence_is_none(looker, clocks):
    assert looker(STARTED).word(**{**LONG, **clocks}) == ""


def test_a_silent_kernel_gets_more_time(looker):
    text = "[    0.000000] Linux version 6.1\n[    0.800000] evm: HMAC attrs: 0x1\n"
    assert looker(text).word(**LONG) == ""
    assert "the last line is '[    0.800000] evm" in looker(text).word(**{**LONG, "quiet_virtual_ns": 9_000_000_000})


def test_a_line_again_and_again_needs_no_silence(looker):
    said = looker(STARTED + "no sensor\n" * 20).word(**{**LONG, "quiet_wall_s": 0.0, "quiet_virtual_ns": 0})
    assert said.startswith("so far: 'no sensor' comes again and again")


def test_what_is_sure_needs_no_silence_and_comes_after_what_was_likely(looker, tmp_path):
    so_far = looker(STARTED)
    assert "user space ran" in so_far.word(**LONG)
    oom = "[    3.5] Out of memory: Killed process 79 (sort) total-vm:68368kB\nKilled\n"
    (tmp_path / "console.log").write_text(STARTED + oom)
    said = so_far.word(25.0, 0.0, 0)
    assert said.startswith("so far: the memory ran out (sort was killed)")
    assert so_far.word(60.0, 9.0, 9_000_000_000) == ""


def test_where_no_virtual_time_is_known(looker):
    said = looker(STARTED).word(**{**LONG, "quiet_virtual_ns": None})
    assert said.startswith("so far: nothing printed for 5 s of host time: user space ran")


def test_an_empty_console_and_none(looker, tmp_path):
    assert looker("").word(**LONG) == ""
    assert SoFar(tmp_path / "none", SYSTEM).word(**LONG) == ""


def test_it_looks_now_and_then_only(looker, tmp_path):
    so_far = looker("")
    assert so_far.word(**LONG) == ""
    (tmp_path / "console.log").write_text(STARTED)
    assert so_far.word(**{**LONG, "wall_s": 20.5}) == ""
    assert so_far.word(**{**LONG, "wall_s": 21.5}) != ""
