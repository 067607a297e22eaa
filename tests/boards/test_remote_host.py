# SPDX-License-Identifier: MIT
"""A host over ssh: a fake ssh whose host goes down and comes up again."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from bootlab.analysis.stages import stages_of
from bootlab.boards.choose import board_target
from bootlab.builders.cache import Cache
from bootlab.model.real_board import Board, BoardLimits, RemoteHost
from bootlab.model.recording import Outcome
from bootlab.model.system import Goal, Kernel, SystemDescription

FAKE = """#!/bin/sh
# ssh HOST COMMAND: a host that is down for some questions after `reboot`, and has another boot's id then.
cd "{folder}"
echo "$2" >> asked
left=$(cat left 2>/dev/null || echo 0)
case "$2" in
reboot) echo {down} > left; echo b > id; exit 255;;
blink) echo 3 > left; exit 0;;
quick) echo b > id; exit 255;;
refuse) echo "not allowed" >&2; exit 1;;
esac
if [ "$left" -gt 0 ]; then echo $((left - 1)) > left; echo "connection refused" >&2; exit 255; fi
case "$2" in
*boot_id) cat id;;
dmesg) printf '[    0.000000] Linux version 6.6\\n[    0.000000] Kernel command line: quiet splash\\n';;
never) exit 3;;
*) echo fine;;
esac
"""


def host(tmp_path: Path, *, down: int = 3, reboot: str = "reboot", ready: str = "true", total_s: float = 30.0):
    program = tmp_path / "ssh"
    program.write_text(FAKE.format(folder=tmp_path, down=down))
    program.chmod(0o755)
    (tmp_path / "id").write_text("a\n")
    remote = RemoteHost(
        host="board",
        ssh=(str(program),),
        reboot=reboot,
        ready=ready,
        collect=(("dmesg.txt", "dmesg"), ("none.txt", "never")),
    )
    board = Board(name="remote", ssh=remote, limits=BoardLimits(total_s=total_s))
    system = SystemDescription(name="remote", kernel=Kernel(image=""), goal=Goal(console="up"), board=board)
    target = board_target(board, Cache(tmp_path / "cache"))
    return target.boot(target.plan(system), tmp_path / "boot", stop=threading.Event())


def test_a_reboot_is_timed_and_its_log_collected(tmp_path):
    recording = host(tmp_path)
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    assert [mark.name for mark in recording.marks] == ["power-on", "reboot", "down", "application", "goal"]
    stages = {stage.name: stage.duration_ns for stage in stages_of(recording)}
    assert list(stages) == ["going down", "until it answers", "application"], "the way down is no firmware"
    assert sum(stages.values()) == recording.meta.goal_ns
    assert recording.meta.goal_ns == recording.marks[-1].ns
    assert recording.meta.cmdline == "quiet splash"
    assert recording.lines[0].text.endswith("Linux version 6.6")
    assert recording.lines[0].first_ns is None
    assert any("none.txt" in lack for lack in recording.meta.lacks)


@pytest.mark.parametrize(
    ("given", "outcome", "said"),
    [
        ({"down": 10_000, "total_s": 1.0}, Outcome.TIME_LIMIT, "did not answer again"),
        ({"reboot": "true", "total_s": 0.5}, Outcome.POWER_FAILED, "did not reboot within 0.5 s: it answers with the"),
        ({"reboot": "blink", "total_s": 2.0}, Outcome.POWER_FAILED, "did not reboot within 2 s: it answers with the"),
        ({"ready": "never", "total_s": 1.5}, Outcome.TIME_LIMIT, "did not succeed"),
        ({"reboot": "refuse"}, Outcome.POWER_FAILED, "not allowed"),
    ],
)
def test_what_goes_wrong_is_said(tmp_path, given, outcome, said):
    recording = host(tmp_path, **given)
    assert recording.meta.outcome is outcome
    assert said in recording.meta.reason


def test_a_host_that_nobody_saw_down_has_one_stage_for_it(tmp_path):
    recording = host(tmp_path, reboot="quick")
    assert recording.meta.outcome is Outcome.GOAL, recording.meta.reason
    assert next(stage.name for stage in stages_of(recording)) == "down and up"
