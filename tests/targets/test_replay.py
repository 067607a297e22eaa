# SPDX-License-Identifier: MIT
"""Recordings played back, and which target boots what."""

from __future__ import annotations

import threading

import msgspec
import pytest

from bootlab.errors import TargetError, UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Machine
from bootlab.systemfile import load
from bootlab.targets.choose import target_for
from bootlab.targets.qemu import QemuTarget
from bootlab.targets.replay import ReplayTarget, fingerprint, record
from tests.conftest import REPLAYED


@pytest.fixture
def system():
    return load(REPLAYED)


def test_the_target_is_chosen_by_name(system, cache):
    assert isinstance(target_for(system, cache), ReplayTarget)
    assert isinstance(target_for(msgspec.structs.replace(system, target="qemu"), cache), QemuTarget)
    with pytest.raises(UserError, match="there is no target 'board'") as caught:
        target_for(msgspec.structs.replace(system, target="board"), cache)
    assert "qemu, replay" in caught.value.hint


def test_play(system, cache, tmp_path):
    target = ReplayTarget(system, cache)
    told = []
    recording = target.boot(target.plan(system), tmp_path / "boot", stop=threading.Event(), progress=told.append)
    assert recording.ok
    assert recording.path == str(tmp_path / "boot")
    assert told[0].virtual_ns == recording.meta.goal_ns
    assert target.plan(system).info.symbols["start_kernel"] > 0


def test_what_is_not_there(system, cache, tmp_path):
    target = ReplayTarget(system, cache)
    other = msgspec.structs.replace(system, cmdline=CommandLine.parse("other"))
    with pytest.raises(TargetError, match="other nokaslr"):
        target.boot(target.plan(other), tmp_path / "boot", stop=threading.Event())
    for folder in (None, str(tmp_path / "no")):
        with pytest.raises(UserError, match="needs a folder"):
            ReplayTarget(msgspec.structs.replace(system, recordings=folder), cache)


def test_a_replay_without_kernel_facts(system, cache, tmp_path):
    empty = msgspec.structs.replace(system, recordings=str(tmp_path))
    assert ReplayTarget(empty, cache).plan(empty).info.arch == ""


def test_fingerprint_tells_systems_apart_but_not_machines(system):
    same = msgspec.structs.replace(system, name="other", machine=Machine(memory_mib=128, emulator="/elsewhere/qemu"))
    assert fingerprint(same, "timing") == fingerprint(system, "timing")
    assert fingerprint(system, "diagnostic") != fingerprint(system, "timing")
    more = msgspec.structs.replace(system, machine=Machine(memory_mib=64))
    assert fingerprint(more, "timing") != fingerprint(system, "timing")


def test_record_and_play_again(system, cache, tmp_path):
    target = ReplayTarget(system, cache)
    plan = target.plan(system)
    recording = target.boot(plan, tmp_path / "boot", stop=threading.Event())
    other = msgspec.structs.replace(system, cmdline=CommandLine.parse("new"), recordings=str(tmp_path / "replay"))
    (tmp_path / "replay").mkdir()
    record(tmp_path / "replay", other, "timing", recording, plan.info)
    again = ReplayTarget(other, cache)
    played = again.boot(again.plan(other), tmp_path / "again", stop=threading.Event())
    assert played.lines == recording.lines
    assert again.plan(other).info == plan.info
    with pytest.raises(UserError, match="not on disk"):
        record(tmp_path / "x", other, "timing", msgspec.structs.replace(recording, path=None), plan.info)
