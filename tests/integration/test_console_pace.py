# SPDX-License-Identifier: MIT
"""A paced console in a real machine: the guest waits for its line, and what it prints arrives."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments import console_screen
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.console_pace import ConsolePace
from bootlab.experiments.console_screen import ConsoleScreen
from bootlab.model.system import Clockwork
from bootlab.targets.qemu import QemuTarget

pytestmark = pytest.mark.qemu


def test_a_slow_line_holds_the_guest(small, tmp_path):
    cache = Cache(default_folder())
    free = msgspec.structs.replace(small, clock=Clockwork(mode="free", accel="tcg"))
    with Bench(QemuTarget(cache), tmp_path / "store", cache=cache, jobs=1) as bench:
        found = compare(ConsolePace(bauds=(19_200,), rounds=1), bench, free)
    rows = {row.id: row for row in found.rows}
    # Proved: no boot was faster than its line. The line, not the host, is what the loud boot waits for.
    assert all(row.ok and row.proved for row in found.rows), found.rows
    loud, plain, quiet = rows["base-19200"], rows["base-0"], rows["quiet-19200"]
    assert loud.ns("model_ns") > 5_000_000_000
    # A 16550 that is slower than the kernel expects loses some characters, on a busy host some more; a pace that broke
    # the console loses most.
    assert 0.8 * plain.values["characters"] < loud.values["characters"] < 1.05 * plain.values["characters"]
    assert quiet.values["characters"] < loud.values["characters"] / 4


def test_a_screen_costs_the_same_in_every_run(small, tmp_path):
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), tmp_path / "store", cache=cache, jobs=2) as bench:
        first = compare(ConsoleScreen(), bench, small)
        again = bench.boot(console_screen._with(small, vga=True, screen=True, quiet=False), "again", fresh=1)
    rows = {row.id: row for row in first.rows}
    assert again.meta.goal_ns == rows["screen"].ns("goal_ns")
    assert all(row.proved for row in first.rows)
    assert rows["screen"].ns("screen_ns") > rows["screen-quiet"].ns("screen_ns") > 0
