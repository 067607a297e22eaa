"""Every instruction of a real boot belongs to a process, and watching them changes nothing."""

from __future__ import annotations

import pytest

from bootlab.collectors.processes import BEFORE_TASKS
from bootlab.laboratory import Laboratory

pytestmark = pytest.mark.qemu


def test_the_instructions_of_all_processes_are_those_of_the_boot(small, tmp_path):
    with Laboratory(tmp_path / "store", cache=tmp_path / "cache", jobs=1) as lab:
        found = {c.name: c for c in lab.processes(small)}
        timing, _ = lab.boot(small)
    assert sum(c.insns for c in found.values()) == timing.meta.goal_insns
    assert {BEFORE_TASKS, "swapper/0", "kthreadd", "init"} <= set(found)
    user_space = timing.mark("user-space")
    assert user_space is not None
    assert found["init"].first_ns < user_space.ns + 1_000_000
