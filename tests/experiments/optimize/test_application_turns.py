# SPDX-License-Identifier: MIT
"""Which turns on the processor are the application's."""

from __future__ import annotations

from bootlab.analysis.own_time import Turn
from bootlab.experiments.optimize.floor import application_turns


def turn(name, task, start_ns):
    return Turn(name=name, task=task, start_ns=start_ns, end_ns=start_ns + 10)


def test_what_an_application_becomes_by_exec_is_the_application():
    """A script `player` that ends with `exec ffmpeg`."""
    turns = [turn("init", 1, 0), turn("sh", 2, 10), turn("player", 2, 20), turn("init", 1, 30), turn("ffmpeg", 2, 40)]
    assert application_turns("/usr/bin/player", turns) == ("player, then ffmpeg", (turns[2], turns[4]))


def test_another_task_of_another_name_is_not():
    turns = [turn("camera", 2, 0), turn("logger", 3, 10), turn("camera", 4, 20)]
    assert application_turns("/bin/camera", turns) == ("camera", (turns[0], turns[2]))


def test_without_a_name_it_is_who_ran_when_the_goal_came():
    turns = [turn("sh", 2, 0), turn("a-name-of-more-", 2, 10)]
    assert application_turns(None, turns) == ("a-name-of-more-", (turns[1],))
    assert application_turns("/opt/a-name-of-more-than-15", turns) == ("a-name-of-more-", (turns[1],))
    assert application_turns(None, []) == ("", ())
    assert application_turns("/bin/other", turns) == ("", ())
