# SPDX-License-Identifier: MIT
"""What stands on standard error while machines run."""

from __future__ import annotations

import pytest

from bootlab.cli import progress as progress_module
from bootlab.cli.progress import BootProgress
from bootlab.experiments import first_boot
from bootlab.launch.target import Progress
from bootlab.model.recording import Line, Meta, Outcome, Recording

LINES = (Line(number=1, text="web login: ", offset_bytes=0, first_ns=4_000_000, last_ns=5_250_000),)


@pytest.mark.parametrize(
    ("label", "outcome", "says"),
    [
        (first_boot.LABEL, Outcome.HANG, "quiet from 5.250 ms on"),
        (first_boot.LABEL, Outcome.PANIC, "panic"),
        ("base", Outcome.HANG, "hang"),
        ("base", Outcome.GOAL, "7.000 ms"),
    ],
)
def test_a_boot_that_shall_end_in_silence_does_not_hang(label, outcome, says, capsys):
    goal_ns = 7_000_000 if outcome is Outcome.GOAL else None
    recording = Recording(meta=Meta(key="k", outcome=outcome, goal_ns=goal_ns), lines=LINES, marks=())
    with BootProgress() as progress:
        progress.boot_ended(label, recording, reused=False)
    assert capsys.readouterr().err == f"  {label}: {says}\n"


def test_the_time_left_is_told_by_how_boots_ended_one_after_the_other(monkeypatch, capsys):
    """Two machines of 8 s beside each other end one every 4 s, whatever each of them says that it took."""
    now = [0.0]
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now[0])
    done = Recording(meta=Meta(key="k", outcome=Outcome.GOAL, goal_ns=7_000_000, wall_s=8.0), lines=(), marks=())
    with BootProgress() as progress:
        progress.phase("try", 30)
        progress.boot_started("a")
        for _ in range(20):
            now[0] += 4.0
            progress.boot_ended("a", done, reused=False)
    assert capsys.readouterr().err.splitlines()[-1] == "  a: 7.000 ms  [20/30, about 40 s left]"


def test_where_boots_are_silent_is_said_once(capsys):
    with BootProgress() as progress:
        for label, said in (("a #1", "nothing printed for 9 s"), ("a #2", "nothing printed for 12 s")):
            progress.boot_progress(label, Progress(1, 1, "", f"so far: {said}: the last line is 'Booting from ROM..'"))
        progress.boot_progress("b", Progress(1, 1, "", "so far: the root is not there"))
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0].strip() for line in said] == ["a #1", "b"]


def test_a_build_of_a_worker_that_built_nothing_says_nothing_of_objects(capsys):
    with BootProgress() as progress:
        for label in ("given back", "built"):
            progress.build_started(label)
        progress.build_progress("built", 950, None, "")
        progress.build_ended("given back", 687)
        progress.build_ended("built", 240)
    assert capsys.readouterr().err.splitlines()[2:] == [
        "given back: ended after 687 s",
        "built: 950 objects built in 240 s",
    ]
