# SPDX-License-Identifier: MIT
"""A board's stages beside the exact boot's: two clocks in two columns, and no number made of both."""

from __future__ import annotations

import msgspec

from bootlab.experiments.beside import TOTAL, compare_stages
from bootlab.model.costing import CostedStage, Costing, Seen
from bootlab.model.costs import Between
from bootlab.model.recording import Line, Mark, Meta, Outcome, Recording
from tests.experiments.fake_bench import MS, SYSTEM


def boot(kernel_ms: float, goal_ms: float | None, **meta: object) -> Recording:
    """Make a boot: 10 ms of firmware, a kernel, and the rest until the goal."""
    marks = (Mark("power-on", 0), Mark("kernel-entry", 10 * MS), Mark("start-kernel", 10 * MS))
    marks += (Mark("user-space", round((10 + kernel_ms) * MS)),)
    if goal_ms is None:
        return Recording(meta=Meta(outcome=Outcome.HANG, **meta), lines=(), marks=marks)
    goal_ns = round(goal_ms * MS)
    return Recording(meta=Meta(goal_ns=goal_ns, **meta), lines=(), marks=(*marks, Mark("goal", goal_ns)))


BOARD = tuple(boot(kernel, kernel + 30, mode="free", goal_clock="wall", board="b") for kernel in (440.0, 450.0, 445.0))


def test_both_columns_stand_beside_each_other() -> None:
    found = compare_stages(SYSTEM, boot(100, 150), (*BOARD, boot(440, None, mode="free", goal_clock="wall")))
    assert found.headline == (
        "fake: exact 150.000 virtual ms; board 475 wall ms, median of 3; 1 of 4 boots failed (hang)"
    )
    total = found.rows[-1]
    assert total.title == TOTAL
    assert (total.ns("exact_ns"), total.ns("wall_ns")) == (150 * MS, 475 * MS)
    assert (total.ns("first_ns"), total.ns("last_ns")) == (470 * MS, 480 * MS)
    kernel = next(row for row in found.rows if row.title == "kernel")
    assert (kernel.ns("exact_ns"), kernel.ns("wall_ns")) == (100 * MS, 445 * MS)
    assert {"virtual ms", "wall ms"} <= {column.under for column in found.columns}
    mixed = {150 * MS + 475 * MS, 475 * MS - 150 * MS, 150 * MS - 475 * MS}
    assert not mixed & {value for row in found.rows for value in row.values.values()}


def test_without_an_exact_boot_there_is_only_the_board() -> None:
    found = compare_stages(SYSTEM, None, BOARD)
    assert found.headline == "fake: board 475 wall ms, median of 3"
    assert "exact" not in {*(column.key for column in found.columns), found.footnote.lower().split(":")[0]}
    assert all(row.ns("exact_ns") is None for row in found.rows)


def forecast(**ms: tuple[float, float]) -> Costing:
    seen = Seen(core="x86-large", processor="one", programs=10, inside=9, bare=3, below=1.0, above=1.5)

    def stage(name: str, ends: tuple[float, float], exact_ms: int) -> CostedStage:
        ns = Between(ends[0] * MS, ends[1] * MS)
        return CostedStage(
            name=name, exact_ns=exact_ms * MS, instructions=exact_ms, waited_ns=0, modelled_ns=ns, computed_ns=ns,
            classes={}, events={},
        )  # fmt: skip

    stages = tuple(stage(name, ends, 100) for name, ends in ms.items() if name != "whole")
    ghz = Between.of(1.0)
    return Costing(core="x.toml", title="Board", ghz=ghz, seen=seen, stages=stages, whole=stage("", ms["whole"], 150))


def test_a_forecast_stands_between_both_and_says_whether_it_held() -> None:
    found = compare_stages(SYSTEM, boot(100, 150), BOARD, forecast(kernel=(300, 440), whole=(400, 500)))
    kernel = next(row for row in found.rows if row.title == "kernel")
    assert (kernel.ns("forecast_least_ns"), kernel.ns("forecast_most_ns")) == (300 * MS, 440 * MS)
    assert kernel.values["held"] == "longer"
    assert found.rows[-1].values["held"] == "within"
    assert "held" not in next(row for row in found.rows if row.title == "firmware").values
    assert "console and boot medium not in it" in found.footnote
    shorter = compare_stages(SYSTEM, boot(100, 150), BOARD, forecast(whole=(480, 500)))
    assert shorter.rows[-1].values["held"] == "shorter"


def test_initcalls_stand_beside_those_that_the_board_s_console_tells_of() -> None:
    told = (
        "[    0.100000] Linux version 6.1.0 (a@b) #1 SMP",
        "[    0.200000] calling  one_init+0x0/0x10 @ 1",
        "[    0.230000] initcall one_init+0x0/0x10 returned 0 after 30000 usecs",
    )
    board = msgspec.structs.replace(BOARD[0], lines=tuple(Line(n, text, 0) for n, text in enumerate(told)))
    costing = forecast(kernel=(300, 440), whole=(400, 500))
    calls = (("initcall one_init", (20.0, 40.0)), ("initcall two_init", (5.0, 6.0)))
    own = tuple(
        msgspec.structs.replace(costing.whole, name=name, computed_ns=Between(low * MS, high * MS))
        for name, (low, high) in calls
    )
    found = compare_stages(SYSTEM, boot(100, 150), (board,), msgspec.structs.replace(costing, initcalls=own))
    one, two = (next(row for row in found.rows if row.title == name) for name, _ in calls)
    assert (one.ns("wall_ns"), one.values["held"]) == (30 * MS, "within")
    assert (two.ns("wall_ns"), two.ns("forecast_most_ns"), two.values["held"]) == (None, 6 * MS, None)
    assert found.rows[-1].title == TOTAL
