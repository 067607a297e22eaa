# SPDX-License-Identifier: MIT
"""[earlier] and [shutdown] of a system file: what they give, what is wrong with them, that they are handed over."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.errors import SystemFileError
from bootlab.model.earlier import Earlier
from bootlab.model.shutdown import Shutdown
from bootlab.systemfile.loader import loads
from bootlab.systemfile.writer import system_toml

BASE = 'name = "x"\ntarget = "replay"\n[goal]\nconsole = "ready"\n'
TABLE = f"{BASE}[earlier]\n"


def test_the_keys_arrive():
    assert loads(BASE).earlier is None
    assert loads(TABLE).earlier == Earlier(boots=1, end="power-cut", after_goal_s=60)
    given = loads(f'{TABLE}boots = 2\nend = "power-button"\nafter_goal_s = 5').earlier
    assert given == Earlier(boots=2, end="power-button", after_goal_s=5)


@pytest.mark.parametrize("earlier", [None, Earlier(), Earlier(boots=3, end="ctrl-alt-del", after_goal_s=9)])
def test_it_is_handed_over(earlier, tmp_path):
    system = msgspec.structs.replace(loads(BASE), earlier=earlier)
    (tmp_path / "kernel").touch()
    assert loads(system_toml(system, {}), path=str(tmp_path / "system.toml")).earlier == earlier


@pytest.mark.parametrize("shutdown", [None, Shutdown(), Shutdown(ask="typed", typed="poweroff -f", after_goal_s=3)])
def test_so_is_the_way_down(shutdown, tmp_path):
    system = msgspec.structs.replace(loads(BASE), shutdown=shutdown)
    (tmp_path / "kernel").touch()
    assert loads(system_toml(system, {}), path=str(tmp_path / "system.toml")).shutdown == shutdown


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("boots = 0", "earlier.boots"),
        ("boots = 10", "earlier.boots"),
        ("after_goal_s = 0", "earlier.after_goal_s"),
        ("after_goal_s = 0.5", "earlier.after_goal_s"),
        ('end = "poweroff"', "earlier.end"),
        ("boot = 1", "earlier.boot"),
        ('end = "typed"', "earlier.typed"),
        ('typed = "poweroff"', "earlier.typed"),
        ('[shutdown]\nask = "typed"', "shutdown.typed"),
        ('[shutdown]\nask = "power-cut"', "shutdown.ask"),
        ('[shutdown]\nask = "typed"\ntyped = "a\\nb"', "shutdown.typed"),
        (f'[shutdown]\nask = "typed"\ntyped = "{"x" * 255}"', "shutdown.typed"),
        ("[shutdown]\nafter_goal_s = 0", "shutdown.after_goal_s"),
    ],
)
def test_mistakes_name_their_key(text, where):
    with pytest.raises(SystemFileError) as caught:
        loads(TABLE + text)
    assert caught.value.where == where
