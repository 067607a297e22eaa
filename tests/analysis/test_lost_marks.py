# SPDX-License-Identifier: MIT
"""A change that takes a mark's line away moves no time into another stage, on the numbers of a System V boot."""

from __future__ import annotations

import pytest

from bootlab.analysis.stages import comparable_stages, stage_deltas, stages_of
from bootlab.model.recording import Mark, Meta, Recording

# Debian's sysvinit behind an initrd: 7,060.802 ms to the camera.
TIMES = {
    "power-on": 0,
    "kernel-image": 219_572_222,
    "start-kernel": 231_129_822,
    "user-space": 3_160_526_908,
    "switch-root": 3_322_361_496,
    "rc-scripts": 3_342_633_850,
    "application": 6_833_136_236,
}
GOAL = 7_060_801_894
FASTER = 300_000_000


def boot(*, without: tuple[str, ...] = (), shift: int = 0, from_mark: str = "") -> Recording:
    names = [name for name in TIMES if name not in without]
    later = set(list(TIMES)[list(TIMES).index(from_mark) :]) if from_mark else set()
    marks = [Mark(name, TIMES[name] - (shift if name in later else 0)) for name in names]
    goal = GOAL - (shift if later else 0)
    return Recording(meta=Meta(goal_ns=goal), lines=(), marks=(*marks, Mark("goal", goal)))


def changed(before: Recording, after: Recording) -> dict[str, int | None]:
    deltas = stage_deltas(before, after)
    return {d.stage: (d.after_ns or 0) - (d.before_ns or 0) for d in deltas if d.before_ns != d.after_ns}


def test_the_stages_of_the_boot():
    names = [stage.name for stage in stages_of(boot())]
    assert names[-4:] == ["initrd", "init", "RC scripts", "application"]


@pytest.mark.parametrize(
    ("without", "stage"),
    [
        (("rc-scripts",), "init + RC scripts"),
        (("application",), "RC scripts + application"),
        (("rc-scripts", "application"), "init + RC scripts + application"),
        (("switch-root", "rc-scripts"), "user space + init + RC scripts"),
    ],
)
def test_scripts_that_print_less(without, stage):
    assert changed(boot(), boot(without=without)) == {}, "equal times: no stage is longer or shorter"
    # The scripts are 300 ms shorter, and their line is gone.
    faster = boot(without=without, shift=FASTER, from_mark="application")
    assert changed(boot(), faster) == {stage: -FASTER}
    assert changed(faster, boot()) == {stage: FASTER}


def test_user_space_never_precedes_the_kernel():
    """With `quiet` a firmware's open line and what init prints are one: its first byte is no start of user space."""
    marks = (
        Mark("power-on", 0), Mark("application", 15), Mark("rc-scripts", 21), Mark("kernel-entry", 30),
        Mark("start-kernel", 400), Mark("user-space", 900), Mark("goal", 1000),
    )  # fmt: skip
    recording = Recording(meta=Meta(goal_ns=1000), lines=(), marks=marks)
    assert [(stage.name, stage.start_ns) for stage in stages_of(recording)] == [
        ("firmware", 0), ("kernel set-up", 30), ("kernel", 400), ("user space", 900),
    ]  # fmt: skip
    assert comparable_stages([recording]) == [{"firmware": 30, "kernel set-up": 370, "kernel": 500, "user space": 100}]
