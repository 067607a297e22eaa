# SPDX-License-Identifier: MIT
"""The floor of a real boot: its parts are the boot, to the nanosecond, and what is known to be in it is named."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.api import System
from bootlab.experiments.floor import FloorOf

pytestmark = pytest.mark.qemu


def test_the_floor_of_a_real_boot(small, tmp_path):
    # Its parts are the subject: all of them are there.
    line = small.cmdline.without("initcall_blacklist")
    kernel = msgspec.structs.replace(small.kernel, form="image")
    system = System(msgspec.structs.replace(small, cmdline=line, kernel=kernel), store=tmp_path / "store", jobs=1)
    found = system.compare(FloorOf()).comparison
    goal_ns = system.boot().recording.meta.goal_ns
    assert goal_ns is not None
    # A trace ends with the goal's last instruction; the clock counts it whole.
    assert abs(found.facts["goal_ns"] - goal_ns) <= 2
    needs, other = (found.rows_of(table) for table in found.tables)
    together = needs[-1].ns("needs_ns")
    assert together is not None
    assert sum(row.ns("needs_ns") or 0 for row in needs[:-1]) == together
    assert sum(row.ns("takes_ns") or 0 for row in other) + together == found.facts["goal_ns"]
    titles = {row.title for row in needs}
    assert {"page tables and memory", "interrupts, clock and scheduler", "the kernel copied once"} <= titles
    assert len(other) == 11
    levers = {row.title.rpartition(" ")[2]: row.values.get("lever") for row in other}
    assert levers["ftrace_check_work_func"].startswith("no-weak-function-check, "), levers
