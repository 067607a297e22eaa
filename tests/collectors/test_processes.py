# SPDX-License-Identifier: MIT
"""Instructions by process, from records written by hand."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.collectors.processes import BEFORE_TASKS, PROCESSES_FILE, ProcessCost, counted, load
from bootlab.errors import UserError

SWITCHED, NAMED, FORKED = range(3)
INIT, SHELL, THREAD = 0xA, 0xB, 0xC


def record(insns, kind, task, name=""):
    return struct.pack("<4Q16s", insns, 2 * insns, task, kind, name.encode())


RAW = b"".join(
    [
        record(100, FORKED, INIT),
        record(150, SWITCHED, INIT),
        record(180, NAMED, INIT, "init"),
        record(200, FORKED, SHELL),
        record(220, SWITCHED, SHELL),
        record(250, NAMED, SHELL, "sh"),
        record(290, SWITCHED, INIT),
        record(300, FORKED, THREAD),
        record(330, SWITCHED, THREAD),
    ]
)


def test_every_instruction_belongs_to_one_name():
    found = {c.name: c for c in counted(RAW, end_insns=400)}
    assert {name: c.insns for name, c in found.items()} == {
        BEFORE_TASKS: 150, "swapper/0": 30, "init": 40 + 30 + 40 + 70, "sh": 40
    }  # fmt: skip
    assert found["init"] == ProcessCost(name="init", tasks=3, insns=180, first_ns=360)


def test_what_comes_behind_the_goal_does_not_count():
    found = {c.name: c.insns for c in counted(RAW, end_insns=260)}
    assert found == {BEFORE_TASKS: 150, "swapper/0": 30, "init": 70, "sh": 10}


def test_an_address_used_again_is_another_task():
    raw = RAW + record(350, FORKED, SHELL) + record(360, SWITCHED, SHELL)
    found = {c.name: c for c in counted(raw, end_insns=400)}
    # Made by a thread that init made: it has init's name until it gets its own.
    assert found["sh"].insns == 40
    assert found["init"].insns == 180
    assert (found["sh"].tasks, found["init"].tasks) == (1, 4)


def test_the_last_record_may_be_cut_off(tmp_path):
    (tmp_path / PROCESSES_FILE).write_bytes(RAW[:-5])
    assert load(tmp_path, end_insns=330) == counted(RAW[:-48], end_insns=330)
    with pytest.raises(UserError, match="no record of its processes"):
        load(tmp_path / "none", end_insns=1)


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 3), st.integers(0, 5), st.binary(max_size=16))),
    st.integers(0, 10**6),
)
def test_the_sum_is_the_boot(records, end):
    ordered = sorted(records, key=lambda r: r[0])
    raw = b"".join(struct.pack("<4Q16s", insns, insns, task, kind, name) for insns, kind, task, name in ordered)
    assert sum(c.insns for c in counted(raw, end_insns=end)) == end
