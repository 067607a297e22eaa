# SPDX-License-Identifier: MIT
"""A paced console in a real machine: the guest waits for its line, and what it prints arrives."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments import console_screen
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.console_pace import ConsolePace
from bootlab.experiments.console_screen import ConsoleScreen
from bootlab.model.comparison import Row
from bootlab.model.system import Check, Clockwork, SystemDescription
from bootlab.targets.qemu import QemuTarget

pytestmark = pytest.mark.qemu


def test_a_slow_line_holds_the_guest(small, tmp_path):
    # Without the functional check: a character of its text may be lost too.
    free = msgspec.structs.replace(small, clock=Clockwork(mode="free", accel="tcg"), check=Check())
    rows = _paced(free, tmp_path)
    # Proved: no boot was faster than its line. The line, not the host, is what the loud boot waits for.
    for row in rows.values():
        assert row.ok, f"{row.id}: {row.reason}"
        assert row.proved, f"{row.id}: {row.proof}"
    loud, plain, quiet = rows["base-19200"], rows["base-0"], rows["quiet-19200"]
    assert loud.ns("model_ns") > 5_000_000_000
    # A 16550 that is slower than the kernel expects loses some characters, on a busy host some more; a pace that broke
    # the console loses most.
    assert 0.8 * plain.values["characters"] < loud.values["characters"] < 1.05 * plain.values["characters"]
    assert quiet.values["characters"] < loud.values["characters"] / 4


def _paced(system: SystemDescription, folder: Path) -> dict[str, Row]:
    """Return the rows of a run in which no boot lost a character of the goal's line, of three at most."""
    cache = Cache(default_folder())
    rows: dict[str, Row] = {}
    for number in range(3):
        with Bench(QemuTarget(cache), folder / f"store-{number}", cache=cache, jobs=1) as bench:
            found = compare(ConsolePace(bauds=(19_200,), rounds=1), bench, system)
        rows = {row.id: row for row in found.rows}
        if all(row.ok for row in found.rows):
            break
    return rows


def test_a_screen_costs_the_same_in_every_run(small, tmp_path):
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), tmp_path / "store", cache=cache, jobs=2) as bench:
        first = compare(ConsoleScreen(), bench, small)
        again = bench.boot(console_screen._with(small, vga=True, screen=True, quiet=False), "again", fresh=1)
    rows = {row.id: row for row in first.rows}
    assert again.meta.goal_ns == rows["screen"].ns("goal_ns")
    assert all(row.proved for row in first.rows)
    assert rows["screen"].ns("screen_ns") > rows["screen-quiet"].ns("screen_ns") > 0
