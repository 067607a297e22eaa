"""Every instruction of a real boot belongs to a process, and watching them changes nothing."""

from __future__ import annotations

import pytest

from bootlab.api import System
from bootlab.collectors.processes import BEFORE_TASKS

pytestmark = pytest.mark.qemu


def test_the_instructions_of_all_processes_are_those_of_the_boot(small, tmp_path):
    system = System(small, store=tmp_path / "store", cache=tmp_path / "cache", jobs=1)
    found = {c.name: c for c in system.processes()}
    timing = system.boot().recording
    assert sum(c.insns for c in found.values()) == timing.meta.goal_insns
    assert {BEFORE_TASKS, "swapper/0", "kthreadd", "init"} <= set(found)
    user_space = timing.mark("user-space")
    assert user_space is not None
    assert found["init"].first_ns < user_space.ns + 1_000_000
